// A goroutine that a debugger steps through, instruction by instruction: each of its rounds takes
// locks, sends, receives and yields, which the runtime does in restartable sequences.
#include <rota/rota.hpp>

#include "program.hpp"

// Written by the goroutine, read by the debugger.
volatile int rounds_done = 0;

// Where the debugger begins.
extern "C" __attribute__((noinline)) void steps_begin() { asm volatile("" ::: "memory"); }

int main() {
    rota::run([] {
        auto there = rota::make_chan<int>(1), back = rota::make_chan<int>(1);
        rota::mutex alone;
        rota::shared_mutex together;
        rota::go([=]() mutable {
            for (const int v : there) back.send(v);
        });
        // Locks become biased, and readers counted by processor, while nobody steps.
        const auto round = [&](int i) {
            alone.lock();
            together.lock_shared();
            there.send(i);
            together.unlock_shared();
            alone.unlock();
            back.recv();
        };
        for (int i = 0; i < 20'000; ++i) round(i);
        steps_begin();
        for (int i = 0; i < 20'000; ++i) {
            round(i);
            rounds_done = rounds_done + 1;
        }
        there.close();
    });
    return 0;
}
