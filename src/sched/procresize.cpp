// Making the ps.
#include "sched/procresize.hpp"

#include "core/sched.hpp"
#include "mem/mapped.hpp"
#include "sched/idle.hpp"

namespace rota::rt {

void procresize(std::int32_t n) {
    ROTA_CHECK(n >= 1 && n <= procs_max);
    ROTA_CHECK(sched.gomaxprocs == 0);
    for (std::int32_t i = 0; i < n; ++i) {
        p& pp = mapped_new<p>();
        pp.id = i;
        sched.allp[i] = &pp;
    }
    sched.gomaxprocs = n;
    const lock_guard guard(sched.mu);
    for (std::int32_t i = n; i-- > 0;) pidle_put(*sched.allp[i]);  // so that p 0 is taken first
}

}  // namespace rota::rt
