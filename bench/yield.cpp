// yield: two goroutines that only yield to each other.
//
// Models the bare scheduler: an op is a trip of a goroutine through the global run queue and a
// switch. Good: below 18 ns, against about 80 in Go; the floor of a locked queue and two context
// switches is 7 to 16.
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void yield() {
    peers::bench("yield", 2, [](long n) {
        rota::wait_group wg;
        wg.add(2);
        for (int k = 0; k < 2; k++) {
            rota::go([&wg, n] {
                for (long i = 0; i < n / 2; i++) rota::runtime::gosched();
                wg.done();
            });
        }
        wg.wait();
    });
}

}  // namespace rota_bench
