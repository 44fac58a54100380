// A program that does a little work, so that a test can see the effect of environment variables.
#include <atomic>
#include <csignal>

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

std::atomic<bool> is_told{false};

// The test reads the scheduler's reports, and sends SIGTERM when it has seen enough of them.
bool is_told_to_end() {
    static const auto until = std::chrono::steady_clock::now() + 20s;
    return is_told || std::chrono::steady_clock::now() > until;
}

// Alternates between work and idleness.
int works_and_rests() {
    return rota::run([] {
        while (!is_told_to_end()) {
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

// Only main computes; no other goroutine runs.
int one_computes() {
    return rota::run([] {
        std::atomic<int> work{0};
        while (!is_told_to_end()) work.fetch_add(1);
        return 0;
    });
}

// Every goroutine waits. Before, the program prints its own counts to stdout.
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
        while (!is_told_to_end()) rota::sleep_for(200ms);
        return 0;
    });
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGTERM, [](int) { is_told = true; });
    return run_case(argc, argv,
                    {{"work", work},
                     {"works_and_rests", works_and_rests},
                     {"one_computes", one_computes},
                     {"all_stand_still", all_stand_still}});
}
