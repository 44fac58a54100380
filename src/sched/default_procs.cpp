// The affinity mask and the quota.
#include "sched/default_procs.hpp"

#include "core/sched.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

constinit cgroup_reader groups;
constinit bool rounds_up = false;  // fixed at boot

}  // namespace

void round_quotas_up(bool up) { rounds_up = up; }

std::int32_t default_procs(int thread_id) {
    int n = allowed_processors(thread_id);
    const cpu_quota quota = groups.quota();
    if (quota.is_limit()) {
        const int paid = rounds_up ? quota.rounded_up() : quota.rounded_down();
        if (paid < n) n = paid;
    }
    return n < procs_max ? n : procs_max;
}

bool read_throttling(cpu_throttling& out) { return groups.throttling(out); }

}  // namespace rota::rt
