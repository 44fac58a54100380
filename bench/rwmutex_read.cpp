// rwmutex_read: lock for reading, read, unlock, in 8 goroutines.
//
// It models a table that is read all the time and rarely written. A shared counter costs two locked
// instructions and, with 2 procs, the transfer of its cache line from core to core. Good: below the
// cost of a mutex with 1 proc, and half of that with 2.
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void rwmutex_read() {
    peers::bench("rwmutex_read", 8, [](long n) {
        rota::shared_mutex mu;
        rota::wait_group wg;
        long x = 1;
        struct alignas(64) {
            long v = 0;
        } sum[8];
        wg.add(8);
        for (auto& mine : sum) {
            rota::go([&, n] {
                for (long i = 0; i < n / 8; i++) {
                    mu.lock_shared();
                    // in memory, like a variable that a Go closure captures
                    asm volatile("" : "+m"(x), "+m"(mine.v));
                    mine.v += x;
                    mu.unlock_shared();
                }
                wg.done();
            });
        }
        wg.wait();
        long all = 0;
        for (const auto& mine : sum) all += mine.v;
        if (all != n / 8 * 8) rota::panic("rwmutex_read");
    });
}

}  // namespace rota_bench
