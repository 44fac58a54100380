// A process with many goroutines and no work. It says "ready" when every goroutine is parked.
#include <atomic>
#include <vector>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

void park_many() {
    const std::uint64_t before = parks();
    for (int i = 0; i < many_goroutines; ++i) {
        if (i % 4 == 0) rota::go([] { rota::sleep_for(1h); });
        else rota::go([] { rota::make_chan<int>().recv(); });
    }
    await([before] { return parks() >= before + many_goroutines; });
}

// Main parks like the other goroutines.
int asleep() {
    rota::run([] {
        park_many();
        say("ready");
        rota::sleep_for(1h);
    });
    return 0;
}

// No timer at all: none ever comes due. A thread of the program's own keeps the detector silent.
int blocked() {
    auto never = rota::make_chan<int>();
    std::thread outside([never] { never.recv(); });
    rota::run([] {
        const std::uint64_t before = parks();
        for (int i = 0; i < many_goroutines; ++i) rota::go([] { rota::make_chan<int>().recv(); });
        await([before] { return parks() >= before + many_goroutines; });
        say("ready");
        block_for_ever();
    });
    return 0;
}

// Timers would come due within the measured time, but the program has stopped them. The poller is
// not told: it wakes once, at the time of the first, and then sleeps for good.
int stopped_timers() {
    auto never = rota::make_chan<int>();
    std::thread outside([never] { never.recv(); });
    rota::run([] {
        std::vector<rota::timer> all;
        for (int i = 0; i < 1000; ++i) all.emplace_back(2s + i * 5ms);
        rota::sleep_for(1ms);
        for (const rota::timer& t : all) (void)t.stop();
        say("ready");
        block_for_ever();
    });
    return 0;
}

// run() has returned; main waits in C++.
int after_run() {
    rota::run(park_many);
    say("ready");
    for (;;) ::pause();
}

// Goroutines in long system calls.
int in_blocking() {
    rota::run([] {
        park_many();
        static std::atomic<int> inside{0};
        for (int i = 0; i < 10; ++i) {
            rota::go([] {
                rota::blocking([] {
                    inside.fetch_add(1);
                    for (;;) ::pause();
                });
            });
        }
        await([] { return inside.load() == 10; });
        say("ready");
        block_for_ever();
    });
    return 0;
}

// Many goroutines wait for connections and for data, with a distant deadline or without a deadline.
int sockets() {
    rota::run([] {
        const std::uint64_t before = parks();
        const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        constexpr int count = 50;
        for (int i = 0; i < count; ++i) {
            const rota::net::conn c = rota::net::dial("tcp", l.addr().to_string());
            const rota::net::conn s = l.accept();
            if (i % 2 == 0) s.set_read_deadline(rota::clock::now() + 1h);
            for (const rota::net::conn& each : {c, s}) {
                rota::go([each] {
                    std::byte buffer[16];
                    std::error_code error;
                    (void)each.read(buffer, error);
                });
            }
        }
        await([before] { return parks() >= before + 2 * count; });
        say("ready");
        (void)l.accept();
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"asleep", asleep},
                     {"blocked", blocked},
                     {"stopped_timers", stopped_timers},
                     {"after_run", after_run},
                     {"in_blocking", in_blocking},
                     {"sockets", sockets}});
}
