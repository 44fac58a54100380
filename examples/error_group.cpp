// Error group: goroutines work on parts of a task; the first failure cancels the rest.
//
// Go: golang.org/x/sync/errgroup with a context. A failure is an exception here: wait() rethrows
// the first when every goroutine has ended. Cancellation is a request, so each part waits in a call
// that obeys the group's context: rota::sleep_for(ctx, ...), a select with ctx.done(),
// rota::weighted_semaphore::acquire(ctx).
//
// What to see: parts that would take an hour end at once when a part fails.
// Last line: failed: mirror 2 does not answer; 3 others were called off
#include <rota/context.hpp>
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

using namespace std::chrono_literals;

// Stands for a download: mirror 2 fails, the rest are slow. False: cancelled.
bool fetch(const rota::context& ctx, int mirror) {
    if (mirror == 2) {
        rota::sleep_for(5ms);
        throw std::runtime_error("mirror " + std::to_string(mirror) + " does not answer");
    }
    const std::error_code called_off = rota::sleep_for(ctx, 1h);
    return !called_off;
}

int fetch_all() {
    std::atomic<int> called_off = 0;
    rota::error_group group;
    for (int mirror = 0; mirror < 4; ++mirror) {
        group.go([&called_off, mirror, ctx = group.ctx()] {
            if (!fetch(ctx, mirror)) ++called_off;
        });
    }
    try {
        group.wait();
    } catch (const std::exception& e) {
        std::printf("failed: %s; %d others were called off\n", e.what(), called_off.load());
        return 0;
    }
    return 1;
}

}  // namespace

int main() { return rota::run(fetch_all); }
