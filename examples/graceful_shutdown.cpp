// Graceful shutdown by context: on SIGTERM or SIGINT, accept no new work, finish the accepted work,
// end.
//
// Go: `signal.Notify(c, ...)`; `ctx, stop := signal.NotifyContext(...)`. The signals come through a
// channel, and the goroutine that receives a signal cancels the context. That is ordinary code, not
// a signal handler: it may lock, allocate and print.
//
// The order of the shutdown: the context stops the intake; the intake closes the queue; the workers
// drain the queue and end; the wait group knows when the last has ended.
//
// What to see: the program sends itself a SIGTERM during its work, and loses no request.
// Last line: stopped by signal 15: everything that was accepted has been served
#include <rota/chan.hpp>
#include <rota/context.hpp>
#include <rota/go.hpp>
#include <rota/os.hpp>
#include <rota/select.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>

namespace {

using std::chrono::milliseconds;

// Accepts a request every millisecond until the context is done; returns the number.
int accept_requests(const rota::context& ctx, const rota::send_chan<int>& queue) {
    const rota::defer at_end([&] { queue.close(); });
    const rota::ticker arrivals(milliseconds(1));
    int accepted = 0;
    for (;;) {
        const auto chosen = rota::select(rota::on_recv(ctx.done()),
                                         rota::on_recv(arrivals.c(), [&](auto) { ++accepted; }));
        if (chosen == 0) return accepted;
        queue.send(accepted);
        // stands for a request to stop from outside
        if (accepted == 20) ::kill(::getpid(), SIGTERM);
    }
}

int serve() {
    auto [ctx, cancel] = rota::with_cancel(rota::background());
    const auto signals = rota::make_chan<int>(1);
    rota::os::notify(signals, SIGTERM, SIGINT);
    std::atomic<int> stopped_by = 0;
    rota::wait_group left;
    left.go([&, stop = cancel] {
        stopped_by = *signals.recv();
        rota::os::stop(signals);  // a second signal ends the program at once
        stop();
    });

    const auto queue = rota::make_chan<int>(64);
    std::atomic<int> served = 0;
    for (int i = 0; i < 3; ++i) {
        left.go([&] {
            for ([[maybe_unused]] int request : queue) {
                rota::sleep_for(milliseconds(4));  // the work
                ++served;
            }
        });
    }
    const int accepted = accept_requests(ctx, queue);
    std::printf("shutting down: %d accepted, %d served so far\n", accepted, served.load());
    left.wait();

    std::printf("%d accepted, %d served\n", accepted, served.load());
    if (served != accepted) return 1;
    std::printf("stopped by signal %d: everything that was accepted has been served\n",
                stopped_by.load());
    return 0;
}

}  // namespace

int main() { return rota::run(serve); }
