// The number of processors changes under everything that goes on.
#include "sim.hpp"

using namespace rota_sim;

ROTA_CELL(gomaxprocs) {
    static const int usual = rota::runtime::gomaxprocs();  // before the first cell changes it
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
        const int n = d.in(1, 2 * usual);
        (void)rota::runtime::gomaxprocs(n);
        noise(d);
    }
    all.wait();
    (void)rota::runtime::gomaxprocs(usual);
    SIM_CHECK(started == ended);
}
