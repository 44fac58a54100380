// mutex_uncontended and mutex_contended: a lock and an unlock around an increment.
//
// The first models a lock that protects against a very rare conflict; its floor is two locked
// instructions, about 9.5 ns here, which is also the good value. The second models a short critical
// section for which 8 goroutines compete. With 1 proc no goroutine ever waits; with 2 it shows
// spinning, barging and how seldom a goroutine parks. Good: below 18 ns with 2 procs.
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
            // x is in memory, like a variable that a Go closure captures
            asm volatile("" : "+m"(x));
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
