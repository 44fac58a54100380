// A program that does a little work, so that a test can see the effect of environment variables.
#include <atomic>

#include <rota/metrics.hpp>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// Prints the number of processors and the sum that a few goroutines have computed.
int work() {
    return rota::run([] {
        std::atomic<int> sum{0};
        rota::wait_group all;
        for (int i = 1; i <= 100; ++i) all.go([&sum, i] { sum.fetch_add(i); });
        all.wait();
        std::printf("gomaxprocs=%d sum=%d\n", rota::runtime::gomaxprocs(), sum.load());
        return 0;
    });
}

// Alternates between work and idleness for as long as the test needs reports of the scheduler.
int for_a_while() {
    return rota::run([] {
        const auto until = std::chrono::steady_clock::now() + 600ms;
        while (std::chrono::steady_clock::now() < until) {
            rota::wait_group all;
            for (int i = 0; i < 100; ++i) {
                all.go([] {
                    for (int k = 0; k < 10; ++k) rota::runtime::gosched();
                });
            }
            all.wait();
            rota::sleep_for(5ms);
        }
        return 0;
    });
}

// Only main computes, for a while; no other goroutine runs.
int one_computes() {
    return rota::run([] {
        const auto until = std::chrono::steady_clock::now() + 350ms;
        std::atomic<int> work{0};
        while (std::chrono::steady_clock::now() < until) work.fetch_add(1);
        return 0;
    });
}

// Every goroutine waits for a while. Before, the program prints its own counts to stdout.
int all_stand_still() {
    return rota::run([] {
        auto nothing = rota::make_chan<int>();
        std::atomic<std::uint64_t> locked{0};
        const std::uint64_t before = parks();
        for (int i = 0; i < 9; ++i) rota::go([nothing] { nothing.recv(); });
        for (int i = 0; i < 5; ++i) rota::go([] { rota::sleep_for(std::chrono::hours(1)); });
        rota::go([&locked, nothing] {
            rota::runtime::lock_os_thread();
            locked = rota::runtime::goid();
            nothing.recv();
        });
        await([before] { return parks() >= before + 15; });
        // by now no other goroutine needs a processor
        for (int i = 0; i < 37; ++i) rota::blocking([] {});
        std::uint64_t calls = 0;
        for (const auto& s : rota::metrics::read()) {
            if (s.name == "/rota/sched/syscalls:calls") calls = std::get<std::uint64_t>(s.value);
        }
        std::printf("goroutines %d\nlocked %llu\ncalls %llu\nhandoffs %llu\n",
                    rota::runtime::num_goroutine(), static_cast<unsigned long long>(locked.load()),
                    static_cast<unsigned long long>(calls),
                    static_cast<unsigned long long>(rota::runtime::read_sched_stats().handoffs));
        std::fflush(stdout);
        rota::sleep_for(300ms);
        return 0;
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"work", work},
                     {"for_a_while", for_a_while},
                     {"one_computes", one_computes},
                     {"all_stand_still", all_stand_still}});
}
