// Programs to which the kernel refuses membarrier: goroutines that compute, or that block without
// rota::blocking, must lose their processors all the same. The second argument is the errno value
// of the refusal. 0: the kernel refuses nothing, and GODEBUG may say asymmetric=0.
#include <atomic>
#include <cerrno>
#include <csignal>

#include <sys/syscall.h>
#include <rota/metrics.hpp>

#include "confined.hpp"
#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

std::uint64_t figure(std::string_view name) {
    for (const rota::metrics::sample& s : rota::metrics::read()) {
        if (s.name == name) return std::get<std::uint64_t>(s.value);
    }
    return ~std::uint64_t{0};
}

// As many goroutines as processors compute without any use of rota, until other goroutines have had
// many turns.
int hogs() {
    rota::run([] {
        std::atomic<bool> stop{false};
        std::atomic<int> ticks{0};
        rota::wait_group all;
        for (int i = 0; i < rota::runtime::gomaxprocs(0); ++i) {
            all.go([&] {
                while (!stop.load(std::memory_order_relaxed)) {
                }
            });
        }
        for (int i = 0; i < 4; ++i) {
            all.go([&] {
                while (!stop) {
                    rota::sleep_for(1ms);
                    if (++ticks == 40) stop = true;
                }
            });
        }
        all.wait();
    });
    return 0;
}

// A goroutine blocks in a call without rota::blocking: other goroutines get its processor, and no
// signal ends the call.
int blocked() {
    int status = 0;
    rota::run([&] {
        int ends[2];
        if (::pipe(ends) != 0) ::_exit(98);
        std::atomic<int> got{-2};
        rota::wait_group all;
        for (int i = 0; i < rota::runtime::gomaxprocs(0); ++i) {
            all.go([&] {
                char byte = 0;
                const ssize_t n = ::read(ends[0], &byte, 1);
                if (n != 1) got = errno;
            });
        }
        // SA_RESTART does not restart a nanosleep: it ends with EINTR.
        all.go([&] {
            timespec nap{0, 200'000'000};
            if (::nanosleep(&nap, nullptr) != 0) got = errno;
        });
        for (int i = 0; i < 20; ++i) rota::sleep_for(1ms);
        for (int i = 0; i < rota::runtime::gomaxprocs(0); ++i) {
            if (::write(ends[1], "x", 1) != 1) ::_exit(98);
        }
        all.wait();
        status = got == -2 ? 0 : 1;
    });
    return status;
}

// A stop of the world while four goroutines compute.
int stops() {
    rota::run([] {
        std::atomic<bool> stop{false};
        rota::wait_group all;
        for (int i = 0; i < 4; ++i) {
            all.go([&] {
                while (!stop.load(std::memory_order_relaxed)) {
                }
            });
        }
        for (const int n : {3, 1, 4, 2}) (void)rota::runtime::gomaxprocs(n);
        stop = true;
        all.wait();
    });
    return 0;
}

// Goroutines enter and leave the runtime as fast as they can, and sometimes compute for longer than
// their slices: an m that takes their p meets them at every point. No message is lost or doubled.
int traffic() {
    constexpr int pairs = 6, messages = 20'000;
    std::atomic<long> sum{0};
    rota::run([&] {
        rota::wait_group all;
        for (int i = 0; i < pairs; ++i) {
            const auto c = rota::make_chan<int>(i % 3);
            all.go([c, i] {
                for (int k = 1; k <= messages; ++k) {
                    c.send(k);
                    if (k % 2000 == i) {
                        const auto until = std::chrono::steady_clock::now() + 12ms;
                        while (std::chrono::steady_clock::now() < until) {
                        }
                    }
                }
                c.close();
            });
            all.go([&, c] {
                long mine = 0;
                while (const auto v = c.recv()) mine += *v;
                sum += mine;
            });
        }
        all.wait();
    });
    return sum == long{pairs} * messages * (messages + 1) / 2 ? 0 : 1;
}

int mode() {
    rota::run([] {
        std::printf("%d %d\n", static_cast<int>(figure("/rota/sched/preemption:mode")),
                    static_cast<int>(figure("/rota/refused/membarrier:refusals")));
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const int error = argc > 2 ? std::atoi(argv[2]) : 0;
    if (error != 0 && !refuse_system_call(SYS_membarrier, static_cast<unsigned>(error))) return 97;
    return run_case(argc, argv,
                    {{"hogs", hogs},
                     {"blocked", blocked},
                     {"stops", stops},
                     {"traffic", traffic},
                     {"mode", mode}});
}
