// The number of processors changes under everything that goes on.
#include "sim.hpp"

using namespace rota_sim;

ROTA_CELL(gomaxprocs) {
    const int workers = d.in(1, 6), changes = d.in(1, 8);
    int started = 0, ended = 0;
    rota::wait_group all;
    for (int i = 0; i < workers; ++i) {
        all.go([&, own = d.fork()]() mutable {
            for (int k = own.in(0, 5); k > 0; --k) {
                ++started;
                all.go([&ended, mine = own.fork()]() mutable {
                    noise(mine);
                    ++ended;
                });
                noise(own);
            }
        });
    }
    for (int i = 0; i < changes; ++i) {
        const int n = d.in(1, 2 * procs_at_boot);
        (void)rota::runtime::gomaxprocs(n);
        noise(d);
    }
    all.wait();
    (void)rota::runtime::gomaxprocs(procs_at_boot);
    SIM_CHECK(started == ended);
}
