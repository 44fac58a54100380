// What threads of the runtime inherit, and what static objects leave behind.
#include <csignal>

#include <pthread.h>

#include "program.hpp"

using namespace std::chrono_literals;
using namespace rota_test;

namespace {

// Main sits in a system call, so its p is taken and given to another m: sysmon, which blocks every
// signal for itself, starts that.
int signal_mask() {
    return rota::run([] {
        std::atomic<bool> looked{false};
        int blocked = 0;
        rota::go([&] {
            sigset_t mine;
            pthread_sigmask(SIG_SETMASK, nullptr, &mine);
            for (int s = 1; s < 32; ++s) blocked += sigismember(&mine, s) == 1 ? 1 : 0;
            looked = true;
        });
        rota::blocking([&] { await_in_blocking([&] { return looked.load(); }); });
        if (blocked != 0) std::fprintf(stderr, "%d signals are blocked\n", blocked);
        return blocked == 0 ? 0 : 1;
    });
}

// A goroutine waits on a static channel, by reference, when the process ends.
int static_channel() {
    static rota::chan<int> never = rota::make_chan<int>();
    rota::run([] {
        const std::uint64_t before = parks();
        rota::go([] { never.recv(); });
        await([before] { return parks() > before; });
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv, {{"signal_mask", signal_mask}, {"static_channel", static_channel}});
}
