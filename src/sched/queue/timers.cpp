// Chooses the heap of a timer, and tells the poller of an earlier one.
#include "sched/queue/timers.hpp"

#include <limits>

#include "base/probe.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/park.hpp"
#include "sched/base/wakeup.hpp"

namespace rota::rt {

namespace {

// The bubble that the caller acts for, or null.
bubble* our_bubble(const m& self) {
    return self.commit_in != nullptr ? self.commit_in : self.curg->in;
}

// The heap of the caller's bubble or p. Threads without a p are spread over the heaps by their
// number.
timer_heap& near_heap(m& self) {
    if (bubble* const b = our_bubble(self); ROTA_UNLIKELY(b != nullptr)) return b->timers;
    if (self.pp != nullptr) return self.pp->timers;
    return sched.allp[self.id % static_cast<std::uint64_t>(proc_count())]->timers;
}

// A bubble has no poller: its keeper looks at the timers when every goroutine inside is quiet.
void tell_poller(const m& self, std::int64_t when) {
    if (our_bubble(self) == nullptr) wake_poller(when);
}

}  // namespace

bool start_timer(timer& t, std::int64_t when, std::int64_t period) {
    m& self = getm();
    const timer_change change = near_heap(self).reset(t, when, period);
    if (change.earlier) tell_poller(self, when);
    return change.was_started;
}

bool start_timer_quietly(timer& t, std::int64_t when, std::int64_t period) {
    m& self = getm();
    return near_heap(self).reset(t, when, period).earlier && our_bubble(self) == nullptr;
}

void start_new_timer(timer& t, std::int64_t when, std::int64_t period) {
    m& self = getm();
    if (near_heap(self).start(t, when, period).earlier) tell_poller(self, when);
}

bool stop_timer(timer& t) { return timer_heap::stop(t); }

bool is_too_late() {
    return sched.exiting.load(memory_order_relaxed) &&  // relaxed: sysmon has seen it
           getm().pp == nullptr;
}

bool postpone_for_good(timer& t) {
    return near_heap(getm()).reset(t, std::numeric_limits<std::int64_t>::max()).was_started;
}

void ready_at(g& gp, std::int64_t when) {
    m& self = getm();
    if (near_heap(self).add_wait(when, &gp)) tell_poller(self, when);
}

void run_errands(const timer_errand* due, std::uint32_t n) {
    // Goroutines that have slept for long are in no cache: prefetch all of them first.
    for (std::uint32_t i = 0; i < n; ++i) __builtin_prefetch(due[i].arg, 1);
    for (std::uint32_t i = 0; i < n; ++i) {
        if (due[i].run != nullptr && due[i].arg == nullptr) continue;
        ROTA_PROBE2("timer_fire", "8", due[i].run, "8", due[i].arg);
        if (due[i].run == nullptr) goready(*static_cast<g*>(due[i].arg));
        else due[i].run(due[i].arg);
    }
}

void note_due_at_once([[maybe_unused]] timer& t) {
    ROTA_PROBE2("timer_fire", "8", t.run, "8", t.arg);
    m& self = getm();
    if (self.pp != nullptr) bump(self.pp->counts.timers_run);
}

void wake_g(void* gp) { goready(*static_cast<g*>(gp)); }

}  // namespace rota::rt
