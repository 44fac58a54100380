// Producer with back pressure: what a producer can do when work comes in faster than it is done.
//
// Go: a bounded channel. A producer that blocks in `ch <- v` slows down to the pace of the
// consumer. A producer that must not wait uses select with default (here try_send) and sheds the
// load. A producer may also wait for a limited time (here send_for) and then shed the load. A queue
// without a bound is always wrong.
//
// What to see: the three ways with the same slow consumer; each sheds a different amount.
// Last line: every value was used or counted as shed
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>

namespace {

using std::chrono::microseconds;

constexpr int values = 100;
constexpr std::size_t places = 8;

// Runs `offer(queue, v)`, which returns whether the queue took v, against a consumer that needs 200
// us for each value. Returns whether no value is missing.
template <class Offer>
bool demonstrate(const char* way, Offer offer) {
    const auto queue = rota::make_chan<int>(places);
    int used = 0;
    std::size_t most_waiting = 0;
    rota::wait_group consumer;
    consumer.go([&] {
        for ([[maybe_unused]] int v : queue) {
            most_waiting = std::max(most_waiting, queue.len());
            rota::sleep_for(microseconds(200));
            ++used;
        }
    });
    int shed = 0;
    for (int v = 0; v < values; ++v) shed += offer(queue, v) ? 0 : 1;
    queue.close();
    consumer.wait();
    std::printf("%-22s %3d used, %3d shed, at most %zu waiting\n", way, used, shed, most_waiting);
    return used + shed == values && most_waiting <= places;
}

int main_goroutine() {
    using queue = rota::chan<int>;
    bool good = demonstrate("wait for a place:", [](const queue& q, int v) {
        q.send(v);
        return true;
    });
    good &= demonstrate("wait for 50 us:", [](const queue& q, int v) {
        return q.send_for(v, microseconds(50)) == rota::chan_status::ok;
    });
    good &= demonstrate("do not wait:", [](const queue& q, int v) {
        return q.try_send(v) == rota::chan_status::ok;
    });
    std::printf("%s\n", good ? "every value was used or counted as shed" : "values are missing");
    return good ? 0 : 1;
}

}  // namespace

int main() { return rota::run(main_goroutine); }
