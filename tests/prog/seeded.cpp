// Programs in which GODEBUG=schedseed fixes every step, and programs that it cannot fix.
#include <atomic>
#include <vector>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// Uses mutexes, channels, wait groups and yields, with sleeps of 28 virtual seconds.
void work() {
    rota::mutex mu;
    auto ch = rota::make_chan<int>(2);
    rota::wait_group all;
    std::vector<int> order;
    for (int i = 0; i < 8; ++i) {
        all.go([&, i] {
            rota::sleep_for(std::chrono::seconds(i));
            for (int k = 0; k < 20; ++k) {
                const std::lock_guard guard(mu);
                order.push_back(i);
                rota::runtime::gosched();
            }
            ch.send(i);
        });
    }
    rota::go([&] {
        all.wait();
        ch.close();
    });
    for (const int i : ch) std::printf("%d ", i);
    for (const int i : order) std::printf("%d", i);
    std::printf("\n");
}

int mix() {
    return rota::run([] {
        work();
        return 0;
    });
}

int run_again() {
    for (int i = 0; i < 3; ++i) rota::run(work);
    return 0;
}

// A race that only some orders lose: two goroutines read, add and write, with a yield between.
int race() {
    return rota::run([] {
        int count = 0;
        rota::wait_group all;
        for (int i = 0; i < 2; ++i) {
            all.go([&] {
                const int seen = count;
                rota::make_chan<int>(1).send(1);  // another goroutine may run here
                count = seen + 1;
            });
        }
        all.wait();
        return count == 2 ? 0 : 1;
    });
}

int deadlock() {
    rota::run([] { rota::make_chan<int>().recv(); });
    return 0;
}

int live_goroutines() {
    rota::run([] {
        for (int i = 0; i < 10; ++i) {
            rota::go([] {
                for (;;) rota::sleep_for(1ms);
            });
        }
        rota::sleep_for(1s);
    });
    return 0;
}

// Threads of the program's own use rota, also while no run() is in progress.
int threads() {
    auto ch = rota::make_chan<int>();
    auto back = rota::make_chan<int>(1);
    rota::go([ch, back] {
        int sum = 0;
        for (const int v : ch) sum += v;
        back.send(sum);
    });
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i) {
        all.emplace_back([ch] {
            for (int k = 1; k <= 100; ++k) {
                ch.send(k);
                if (k % 10 == 0) rota::sleep_for(1ms);
            }
        });
    }
    for (std::thread& t : all) t.join();
    ch.close();
    return back.recv() == 4 * 5050 ? 0 : 1;
}

// A pool drops unused values after a time: the first collection comes within two minutes, the next
// after two more. A single goroutine on one processor, so that every value has a fixed place.
int pool() {
    static int alive = 0;
    struct counted {
        counted() { ++alive; }
        counted(counted&&) noexcept { ++alive; }
        ~counted() { --alive; }
    };
    rota::run([] {
        rota::pool<counted> box;
        const auto use = [&box] {
            for (int i = 0; i < 2000; ++i) {
                box.put(counted());
                (void)box.get();
            }
        };
        for (int i = 0; i < 100; ++i) box.put(counted());
        use();
        std::printf("%d ", alive);
        rota::sleep_for(121s);
        use();
        std::printf("%d ", alive);
        rota::sleep_for(121s);
        use();
        std::printf("%d\n", alive);
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"mix", mix},
                     {"run_again", run_again},
                     {"race", race},
                     {"deadlock", deadlock},
                     {"live_goroutines", live_goroutines},
                     {"threads", threads},
                     {"pool", pool}});
}
