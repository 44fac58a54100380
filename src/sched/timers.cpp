// Which heap a timer goes to, and who is told.
#include "sched/timers.hpp"

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/park.hpp"
#include "sched/wakeup.hpp"

namespace rota::rt {

namespace {

// The heap of our p. Threads without one share the heaps out among themselves.
timer_heap& near_heap(m& self) {
    if (self.pp != nullptr) return self.pp->timers;
    return sched.allp[self.id % static_cast<std::uint64_t>(sched.gomaxprocs)]->timers;
}

}  // namespace

bool start_timer(timer& t, std::int64_t when, std::int64_t period) {
    const timer_change change = near_heap(getm()).reset(t, when, period);
    if (change.earlier) wake_poller(when);
    return change.was_started;
}

bool start_timer_quietly(timer& t, std::int64_t when, std::int64_t period) {
    return near_heap(getm()).reset(t, when, period).earlier;
}

void start_new_timer(timer& t, std::int64_t when, std::int64_t period) {
    if (near_heap(getm()).start(t, when, period).earlier) wake_poller(when);
}

bool stop_timer(timer& t) { return timer_heap::stop(t); }

void ready_at(g& gp, std::int64_t when) {
    if (near_heap(getm()).add_wait(when, &gp)) wake_poller(when);
}

void run_errands(const timer_errand* due, std::uint32_t n) {
    // Who has slept for long is in no cache: ask for all of them at once.
    for (std::uint32_t i = 0; i < n; ++i) __builtin_prefetch(due[i].arg, 1);
    for (std::uint32_t i = 0; i < n; ++i) {
        if (due[i].run == nullptr) goready(*static_cast<g*>(due[i].arg));
        else if (due[i].arg != nullptr) due[i].run(due[i].arg);
    }
}

void wake_g(void* gp) { goready(*static_cast<g*>(gp)); }

}  // namespace rota::rt
