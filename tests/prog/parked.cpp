// Ten thousand goroutines that wait, each kind in a function of its own, for a debugger to look at.
// When all have parked the program says so and ends by abort().
#include <memory>
#include <vector>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr int of_each = 2500;

// noinline, and something behind the wait: the functions have frames.
[[gnu::noinline]] int waits_for_a_message(rota::chan<int>& from) {
    const int v = from.recv().value_or(0);
    return v + 1;
}

[[gnu::noinline]] int waits_for_a_lock(rota::mutex& m, int depth) {
    if (depth > 0) return waits_for_a_lock(m, depth - 1) + 1;
    m.lock();
    m.unlock();
    return 0;
}

[[gnu::noinline]] int sleeps_for_an_hour() {
    rota::sleep_for(1h);
    return 1;
}

[[gnu::noinline]] int waits_for_room(rota::chan<int>& to) {
    to.send(1);
    return 1;
}

std::uint64_t waiting() {
    const auto s = rota::runtime::read_sched_stats();
    return s.parks;
}

}  // namespace

int main(int argc, char** argv) {
    const bool stays = argc > 1 && std::strcmp(argv[1], "stays") == 0;
    rota::run([stays] {
        auto empty = rota::make_chan<int>(), full = rota::make_chan<int>();
        rota::mutex held;
        held.lock();
        const std::uint64_t before = waiting();
        for (int i = 0; i < of_each; ++i) {
            rota::go([&] { waits_for_a_message(empty); });
            rota::go([&] { waits_for_a_lock(held, 3); });
            rota::go([] { sleeps_for_an_hour(); });
            rota::go([&] { waits_for_room(full); });
        }
        await([&] { return waiting() - before >= 4u * of_each; });
        say("ready");
        if (stays) block_for_ever();
        std::abort();
    });
}
