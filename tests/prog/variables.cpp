// Channels, mutexes and contexts as variables of one function, for a debugger to print. The program
// says when their states are ready, and ends by abort(). Compiled with types (-g).
#include <string>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

struct point {
    int x, y, z;
};

std::uint64_t waiting() { return rota::runtime::read_sched_stats().parks; }

// gdb looks at the caller's frame.
[[gnu::noinline]] void look() {
    say("ready");
    std::abort();
}

void have_variables() {
    const rota::chan<int> nil;
    const auto numbers = rota::make_chan<int>(3);
    // Moves the oldest value out of the first slot.
    for (const int n : {10, 11, 12}) numbers.send(n);
    (void)numbers.recv();
    numbers.send(13);
    const rota::recv_chan<int> view = numbers;
    const auto texts = rota::make_chan<std::string>(2);
    texts.send("in a box");
    const auto points = rota::make_chan<point>(2);
    points.send({1, 2, 3});
    const auto closed = rota::make_chan<rota::unit>();
    closed.close();
    const auto awaited = rota::make_chan<int>();
    const auto full = rota::make_chan<int>();

    rota::mutex free, held;
    held.lock();

    const rota::context background;
    const auto [live, cancel_live] = rota::with_cancel(background);
    const auto [over, cancel_over] = rota::with_cancel(live);
    cancel_over();
    const auto [timed, cancel_timed] = rota::with_timeout(live, 1h);

    const std::uint64_t before = waiting();
    for (int i = 0; i < 10; ++i) rota::go([&] { (void)awaited.recv(); });
    rota::go([&] { full.send(1); });
    rota::go([&] { full.send(2); });
    rota::go([&] { held.lock(); });
    await([&] { return waiting() - before >= 13; });
    look();
    free.lock();  // keeps every variable alive until here
}

}  // namespace

int main() { rota::run(have_variables); }
