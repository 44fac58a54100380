// Semaphore with a buffered channel: as many tasks at once as the buffer has places.
//
// Go: `sem <- struct{}{}` to enter, `<-sem` to leave: a full buffer makes the next task wait. The
// guard below leaves in its destructor, so an exception cannot keep a place.
// rota::counting_semaphore does the same with less memory, and rota::weighted_semaphore gives
// several places to one task. A channel can also wait in a select, for a place or a time-out.
//
// What to see: every task runs, but at most three at any moment.
// Last line: 12 tasks ran, never more than 3 at once
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>

namespace {

using places = rota::chan<rota::unit>;

class place {
  public:
    explicit place(places all) : all_(std::move(all)) { all_.send({}); }
    ~place() { (void)all_.recv(); }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

  private:
    places all_;
};

int run_tasks() {
    constexpr int tasks = 12;
    constexpr int most = 3;
    const places all = rota::make_chan<rota::unit>(most);
    std::atomic<int> inside = 0;
    std::atomic<int> peak = 0;
    std::atomic<int> ran = 0;

    rota::wait_group left;
    for (int i = 0; i < tasks; ++i) {
        left.go([&] {
            const place mine(all);
            const int now = ++inside;
            for (int seen = peak; seen < now && !peak.compare_exchange_weak(seen, now);) {
            }
            rota::sleep_for(std::chrono::milliseconds(5));  // the work
            --inside;
            ++ran;
        });
    }
    left.wait();

    std::printf("at the peak %d tasks were inside\n", peak.load());
    if (peak > most) return 1;
    std::printf("%d tasks ran, never more than %d at once\n", ran.load(), most);
    return 0;
}

}  // namespace

int main() { return rota::run(run_tasks); }
