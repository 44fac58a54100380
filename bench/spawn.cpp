// spawn and spawn_wake: what a goroutine costs from `go` to its end.
//
// spawn models a burst of independent work: batches of 1000 empty goroutines joined by a
// wait_group. Creation dominates, so this shows the reuse of dead goroutines and their stacks, and
// with two procs how cheaply the batch is shared out. Good: below 40 ns with 1 proc and below 55
// with 2, a quarter of Go's.
//
// spawn_wake models a call made in a goroutine of its own: spawn one, wait for its answer on an
// unbuffered channel. Good: below 60 ns with 1 proc; with 2 not more, because a goroutine that its
// creator is about to wait for should run where it was created and wake no other thread.
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void spawn() {
    peers::bench("spawn", 1000, [](long n) {
        rota::wait_group wg;
        for (long b = 0; b < n; b += 1000) {
            wg.add(1000);
            for (int i = 0; i < 1000; i++) rota::go([&] { wg.done(); });
            wg.wait();
        }
    });
}

void spawn_wake() {
    auto done = rota::make_chan<rota::unit>();
    peers::bench("spawn_wake", 1, [&](long n) {
        for (long i = 0; i < n; i++) {
            // By value: the sender may still be inside send when the last receive has returned.
            rota::go([done] { done.send({}); });
            done.recv();
        }
    });
}

}  // namespace rota_bench
