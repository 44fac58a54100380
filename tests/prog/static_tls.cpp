// A program with 300 KiB of thread-local variables. glibc keeps them on each thread's stack: that
// is more than the runtime's threads use for themselves.
#include <atomic>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr int kib = 300;
thread_local char scratch[kib << 10];

// Of a function's frame: what threads have for that stays what it was.
[[gnu::noinline]] int use_stack(int bytes) {
    char* const room = static_cast<char*>(__builtin_alloca(static_cast<std::size_t>(bytes)));
    for (int i = 0; i < bytes; i += 4096) room[i] = static_cast<char>(i);
    __asm__ volatile("" : : "r"(room) : "memory");
    return room[0];
}

// Two compute on as many processors until ten tickers have had turns.
int hogs() {
    scratch[0] = 1;
    rota::run([] {
        (void)rota::runtime::gomaxprocs(2);
        std::atomic<bool> stop{false};
        std::atomic<int> ticks{0};
        rota::wait_group all;
        for (int i = 0; i < 2; ++i) {
            all.go([&] {
                while (!stop.load(std::memory_order_relaxed)) ++scratch[5];
            });
        }
        for (int i = 0; i < 10; ++i) {
            all.go([&] {
                while (!stop) {
                    rota::sleep_for(1ms);
                    if (++ticks == 100) stop = true;
                }
            });
        }
        all.wait();
    });
    return 0;
}

int locks_thread() {
    rota::run([] {
        rota::wait_group all;
        all.go([] {
            rota::runtime::lock_os_thread();
            scratch[1] = 2;
            rota::sleep_for(1ms);
            rota::runtime::unlock_os_thread();
        });
        all.wait();
    });
    return 0;
}

// The thread of a callback has a MiB for the program's frames.
int own_thread() {
    int status = 1;
    rota::run([&] {
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        const std::stop_callback callback(ctx.stop_token(), [&] {
            scratch[2] = 3;
            status = use_stack(900 << 10);
        });
        cancel();
        rota::blocking([&] { (void)use_stack(16 << 10); });
    });
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"hogs", hogs}, {"locks_thread", locks_thread}, {"own_thread", own_thread}});
}
