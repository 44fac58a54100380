// Remembers the last answer of the kernel for as long as the CPU clock of the thread stands still.
#include "sched/preempt/thread_state.hpp"

#include "sys/proc/thread_status.hpp"

namespace rota::rt {

thread_state state_at(m& mp, int tid, std::int64_t cpu, std::int64_t now) {
    constexpr std::int64_t awake_holds = 10'000'000;  // ns
    if (cpu >= 0 && mp.tid_awake == tid && mp.cpu_awake == cpu && now - mp.awake_at < awake_holds)
        return thread_state::awake;
    const thread_state state = state_of_thread(tid);
    mp.awake_at = now;
    mp.tid_awake = state == thread_state::awake ? tid : 0;
    mp.cpu_awake = cpu;
    return state;
}

}  // namespace rota::rt
