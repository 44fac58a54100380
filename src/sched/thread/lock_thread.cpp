// Locks goroutines to threads, waits for a locked goroutine's turn, and ends its thread.
#include "sched/thread/lock_thread.hpp"

#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/park.hpp"
#include "sched/base/park_check.hpp"
#include "sched/base/schedule.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/thread/locked_sleep.hpp"

namespace rota::rt {

namespace {

void bind(m& mp, g& gp) {
    gp.locked_m = &mp;
    gp.is_locked = true;
    mp.locked_g.store(&gp, memory_order_relaxed);  // relaxed: our own, or under sched.mu
    // relaxed: read at switches
    sched.direct_switch_blockers.fetch_add(blockers_per_lock, memory_order_relaxed);
}

void unbind(m& mp) {
    mp.locked_g.store(nullptr, memory_order_relaxed);  // relaxed: read by its own thread
    // relaxed: as in bind
    sched.direct_switch_blockers.fetch_sub(blockers_per_lock, memory_order_relaxed);
}

// Moves gp, a main goroutine that runs elsewhere, to the thread of its run(), which sleeps or is
// about to.
void move_to_main_thread(g& gp, m& main_m) {
    bool asleep = false;
    {
        const lock_guard guard(sched.mu);
        ROTA_CHECK(main_m.locked_g.load(memory_order_relaxed) ==
                   nullptr);  // relaxed: we alone set it
        bind(main_m, gp);
        asleep = end_locked_sleep(main_m);
    }
    if (asleep) main_m.park.wakeup();  // without a p
    while (&getm() != &main_m) goyield();
}

// Whether self's goroutine has been taken out of a queue for self; clears the mark.
bool take_turn(m& self) {
    const lock_guard guard(sched.mu);
    const bool is_ready = self.locked_ready;
    self.locked_ready = false;
    return is_ready;
}

// Sleeps without a p until another m hands one over. True: self has a p, and its goroutine runs
// next.
bool sleep_locked(m& self, g& gp) {
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        if (self.locked_ready) {
            self.locked_ready = false;
            if (p* const pp = pidle_get()) {
                acquirep(self, *pp);
                return true;
            }
            global_put(gp);  // the m that takes it from there hands its p over
        }
        if (is_run_over(self)) return false;
        dead = begin_locked_sleep(self);
    }
    if (dead) confirm_deadlock();
    self.park.sleep();
    if (self.next_p == nullptr) return false;  // its run() is over
    acquirep(self, *self.next_p);
    self.next_p = nullptr;
    return true;
}

// gp is about to go on here: unlocks it if only a pin has locked it.
g* unlocked_if_pinned(m& self, g& gp) {
    if (gp.lock_count > 0 || !gp.is_pinned) return &gp;
    gp.locked_m = nullptr;
    gp.is_locked = false;
    unbind(self);
    return &gp;
}

}  // namespace

void lock_thread() {
    if (getm().curg->is_thread || seeded.on) return;
    g& gp = *getm().curg;
    ROTA_CHECK(gp.lock_count < 0xffff'ffffu);
    if (gp.lock_count++ > 0) return;
    if (gp.main_of == nullptr) return bind(getm(), gp);
    m& main_m = *gp.main_of->mp;
    if (&main_m == &getm()) return bind(main_m, gp);
    move_to_main_thread(gp, main_m);
}

void unlock_thread() {
    m& self = getm();
    g& gp = *self.curg;
    if (gp.is_thread || gp.lock_count == 0 || --gp.lock_count > 0) return;
    gp.locked_m = nullptr;
    gp.is_locked = false;
    unbind(self);
}

void pin_begin(g& gp) {
    ROTA_CHECK(gp.pin_count < 0xffff'ffffu);
    ++gp.pin_count;
    gp.is_pinned = gp.leaves_with_care = true;
}

void pin_end(g& gp) {
    ROTA_CHECK(gp.pin_count > 0);
    if (--gp.pin_count != 0) return;
    gp.is_pinned = false;
    gp.leaves_with_care = gp.is_checked;
}

bool is_pinned_away() {
    const m& self = getm();
    const g& gp = *self.curg;
    return gp.is_pinned && gp.lock_count == 0 && gp.main_of != nullptr && gp.main_of->mp != &self;
}

void leave_with_care(m& self, g& gp) {
    if (gp.is_locked || seeded.on) return;
    if (gp.is_pinned) bind(self, gp);
    else note_leaving(gp);
}

void ended_pinned(const g& gp) {
    fatal("rota: goroutine ended inside a pin", trace_scope::current,
          "runtime: goroutine %zu has begun a rota::runtime::pin that did not end", gp.goid);
}

g* wait_for_locked_g(m& self) {
    // relaxed: our own, or move_to_main_thread's
    g* const gp = self.locked_g.load(memory_order_relaxed);
    if (gp == &self.g0 && self.run == nullptr) {
        unbind(self);
        handoffp(releasep(self));
        return nullptr;
    }
    if (self.spinning) {
        // self came here while it looked for work: submitters may rely on it, and timers too.
        self.spinning = false;
        ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
        wakep();
    }
    for (;;) {
        if (is_run_over(self)) return nullptr;
        if (sched.direct_switch_blockers.load(memory_order_relaxed) % blockers_per_lock != 0)
            honour_stops(self);  // relaxed: looked at again
        if (self.pp != nullptr) {
            if (take_turn(self)) return unlocked_if_pinned(self, *gp);
            handoffp(releasep(self));
        }
        if (sleep_locked(self, *gp)) return unlocked_if_pinned(self, *gp);
    }
}

void locked_g_ended(m& self, g& gp) {
    ROTA_CHECK(gp.locked_m == &self);
    gp.locked_m = nullptr;
    gp.is_locked = false;
    gp.lock_count = 0;
    self.locked_g.store(&self.g0, memory_order_relaxed);  // relaxed: our own; no thread readies g0
}

bool hand_to_locked_m(m& self, g& gp) {
    m& to = *gp.locked_m;
    if (&to == &self) return false;
    {
        const lock_guard guard(sched.mu);
        if (!end_locked_sleep(to)) {
            to.locked_ready = true;
            return true;
        }
        to.next_p = &releasep(self);
    }
    to.park.wakeup();
    return true;
}

void leave_locked_thread(m& self) {
    // relaxed: our own
    if (self.locked_g.load(memory_order_relaxed) != nullptr) unbind(self);
}

}  // namespace rota::rt
