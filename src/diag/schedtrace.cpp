// schedtrace.
#include "diag/schedtrace.hpp"

#include "core/sched.hpp"
#include "diag/report.hpp"
#include "sched/default_procs.hpp"
#include "sched/run_queue.hpp"
#include "sys/clock.hpp"

namespace rota::rt {

void schedtrace() {
    static std::int64_t first = 0;  // sysmon only
    const std::int64_t now = nanotime();
    if (first == 0) first = now;
    std::int32_t threads = 0;
    std::int32_t idle = 0;
    std::uint32_t queued = 0;
    {
        const lock_guard guard(sched.mu);
        threads = sched.m_count + 1;  // sysmon
        idle = sched.idle_m_count;
        queued = sched.runq.size() + sched.urgent.size() + sched.put_off.size();
    }
    report out;
    out.print(
        "SCHED %lldms: gomaxprocs=%d idleprocs=%d threads=%d spinningthreads=%d needspinning=%d "
        "idlethreads=%d "
        "runqueue=%u [ ",
        static_cast<long long>((now - first) / 1'000'000), proc_count(),
        sched.idle_p_count.load(memory_order_relaxed), threads,  // relaxed: a report
        sched.nmspinning.load(memory_order_relaxed),             // relaxed: a report
        sched.need_spinning.load(memory_order_relaxed) ? 1 : 0,  // relaxed: a report
        idle, queued);
    for (std::int32_t i = 0; i < proc_count(); ++i) out.print("%u ", runq_length(*sched.allp[i]));
    out.print("] schedticks=[ ");
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        out.print("%u ",
                  sched.allp[i]->sched_tick.load(memory_order_relaxed));  // relaxed: a report
    }
    out.print("]");
    cpu_throttling held;
    if (read_throttling(held) && held.periods > 0) {
        out.print(" throttled=%llu/%llu,%llums", static_cast<unsigned long long>(held.throttled),
                  static_cast<unsigned long long>(held.periods),
                  static_cast<unsigned long long>(held.throttled_us / 1000));
    }
    out.print("\n");
    out.flush();
}

}  // namespace rota::rt
