// Keeps the lists of idle ps and idle ms, and passes ps to the thread that stops the world.
#include "sched/queue/idle.hpp"

#include "sched/queue/run_queue.hpp"
#include "sched/queue/start_admission.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

// Checks that the counters equal the lengths of the lists. Called where either has changed. Not in
// the explorer of schedules: it makes lists of its own, and each load of a counter would be a
// choice for it.
#if defined(ROTA_DEBUG_CHECKS) && !defined(ROTA_MODEL)
void check_lists() ROTA_REQUIRES(sched.mu) {
    std::int32_t ps = 0;
    std::int32_t ms = 0;
    for (const p* pp = sched.idle_p; pp != nullptr; pp = pp->idle_link) ++ps;
    for (const m* mp = sched.idle_m; mp != nullptr; mp = mp->idle_next) ++ms;
    ROTA_CHECK(ps == sched.idle_p_count.load(memory_order_relaxed));  // relaxed: under sched.mu
    ROTA_CHECK(ms == sched.idle_m_count);
}
#else
void check_lists() {}
#endif

}  // namespace

void give_to_stopper(p& pp) {
    ROTA_CHECK(sched.world_stops);
    pp.status.store(p_status::gcstop, memory_order_relaxed);  // relaxed: under sched.mu
    // The stopper may read stop_wait without the lock: from then on it owns every field of pp.
    const std::int32_t left =
        sched.stop_wait.fetch_sub(1, memory_order_release);  // pairs(stw.wait)
    ROTA_CHECK(left > 0);
    if (left == 1) sched.stop_note.wakeup();
}

void wake_sysmon() {
    if (!sched.sysmon_wait.load(memory_order_relaxed)) return;  // relaxed: under sched.mu
    sched.sysmon_wait.store(false, memory_order_relaxed);       // relaxed: as above
    note_time(nanotime());  // a goroutine that parks before sysmon's first round must not look old
    sched.sysmon_note.wakeup();
}

void pidle_put(p& pp) {
    ROTA_CHECK(runq_empty(pp));
    pp.vacated = p::anywhere;
    if (ROTA_UNLIKELY(sched.world_stops)) return give_to_stopper(pp);
    pp.status.store(p_status::idle, memory_order_relaxed);  // relaxed: under sched.mu
    pp.returned_to = nullptr;
    pp.lender = nullptr;  // the m that takes pp owes it to no lender
    pp.idle_link = sched.idle_p;
    sched.idle_p = &pp;
    sched.worked.add_idle(nanotime_unseen(), 1);
    sched.idle_p_count.fetch_add(1, memory_order_seq_cst);  // pairs(wake.submit)
    check_lists();
}

p* pidle_get() {
    p* const pp = sched.idle_p;
    if (pp == nullptr) return nullptr;
    sched.idle_p = pp->idle_link;
    pp->idle_link = nullptr;
    const std::int64_t now = nanotime_unseen();
    pp->idle_until.store(now, memory_order_relaxed);  // relaxed: a guess
    sched.worked.add_idle(now, -1);
    sched.idle_p_count.fetch_sub(1, memory_order_seq_cst);  // pairs(wake.submit)
    ++sched.activity_serial;
    check_lists();
    wake_sysmon();
    return pp;
}

p* pidle_get_due(std::int64_t now) {
    for (p** link = &sched.idle_p; *link != nullptr; link = &(*link)->idle_link) {
        p* const pp = *link;
        if (next_timer_run(*pp) > now) continue;
        *link = pp->idle_link;  // to the front of the list, from where pidle_get takes it
        pp->idle_link = sched.idle_p;
        sched.idle_p = pp;
        break;
    }
    return pidle_get();
}

p* pidle_get_spinning() {
    p* const pp = pidle_get();
    // Without a p for the work, an m that is about to give up its p shall spin instead.
    sched.need_spinning.store(pp == nullptr, memory_order_seq_cst);  // pairs(wake.need)
    return pp;
}

void idle_again(p& pp, bool spun) {
    bool inherit = false;
    while (g* const gp = runq_get(pp, inherit)) global_put(*gp);
    if (spun) {
        sched.need_spinning.store(true, memory_order_seq_cst);                // pairs(wake.need)
        ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
    }
    pidle_put(pp);
    sched.wake_owed.store(true, memory_order_seq_cst);  // pairs(wake.owed)
}

void midle_put(m& mp) {
    ROTA_CHECK(!mp.is_idle);
    mp.is_idle = true;
    mp.idle_prev = nullptr;
    mp.idle_next = sched.idle_m;
    if (sched.idle_m != nullptr) sched.idle_m->idle_prev = &mp;
    sched.idle_m = &mp;
    ++sched.idle_m_count;
    check_lists();
}

m* midle_get() {
    m* const mp = sched.idle_m;
    if (mp == nullptr) return nullptr;
    midle_remove(*mp);
    if (sched.idle_m == nullptr) note_last_m();
    return mp;
}

bool midle_remove(m& mp) {
    if (!mp.is_idle) return false;
    mp.is_idle = false;
    if (mp.idle_prev != nullptr) mp.idle_prev->idle_next = mp.idle_next;
    else sched.idle_m = mp.idle_next;
    if (mp.idle_next != nullptr) mp.idle_next->idle_prev = mp.idle_prev;
    mp.idle_next = mp.idle_prev = nullptr;
    --sched.idle_m_count;
    check_lists();
    return true;
}

}  // namespace rota::rt
