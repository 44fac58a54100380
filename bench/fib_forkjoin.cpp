// fib_forkjoin: fib(27), the left call of every node in a goroutine of its own, without a cut-off;
// the figure is milliseconds for the 317,810 goroutines.
//
// Models fork-join at its finest grain: the parent goes on with the right half and then waits for
// the left one on a wait_group. Good: below 28 ms with 1 proc and below 16 with 2, which needs the
// child to be found by its parent or stolen whole, and seldom a parked parent.
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {
namespace {

long fib(int n) {
    if (n < 2) return n;
    rota::wait_group wg;
    long l = 0;
    wg.add(1);
    rota::go([&, n] {
        l = fib(n - 1);
        wg.done();
    });
    const long r = fib(n - 2);
    wg.wait();
    return l + r;
}

}  // namespace

void fib_forkjoin() {
    peers::bench_ms("fib_forkjoin", [] {
        if (fib(27) != 196418) rota::panic("fib");
    });
}

}  // namespace rota_bench
