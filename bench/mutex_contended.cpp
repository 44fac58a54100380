// mutex_uncontended and mutex_contended: one lock and unlock around an increment.
//
// The first models a lock that protects against what almost never happens; its floor is two locked
// instructions, about 9.5 ns here, and that is also what good looks like. The second models a
// short critical section that 8 goroutines fight over: with 1 proc nobody ever waits, with 2 it
// shows spinning, barging and how seldom a goroutine is parked. Good: below 18 ns with 2 procs.
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void mutex_uncontended() {
    rota::mutex mu;
    long x = 0;
    peers::bench("mutex_uncontended", 1, [&](long n) {
        for (long i = 0; i < n; i++) {
            mu.lock();
            asm volatile("" : "+m"(x));  // x is in memory, as a variable that Go captured is
            x++;
            mu.unlock();
        }
    });
}

void mutex_contended() {
    peers::bench("mutex_contended", 8, [](long n) {
        rota::mutex mu;
        rota::wait_group wg;
        long x = 0;
        wg.add(8);
        for (int k = 0; k < 8; k++) {
            rota::go([&, n] {
                for (long i = 0; i < n / 8; i++) {
                    mu.lock();
                    x++;
                    mu.unlock();
                }
                wg.done();
            });
        }
        wg.wait();
        if (x != n) rota::panic("mutex_contended");
    });
}

}  // namespace rota_bench
