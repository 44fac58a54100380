// Implements the liberties of chaos mode: starvation, shuffled queues, forced migration, yields.
#include "sched/modes/chaos.hpp"

#include <utility>

#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/schedule.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/preempt/scan.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/switch.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// The windows of time in which some threads starve. Each window is followed by a time without
// starvation, four times as long. relaxed, each: a thread that misses the beginning of a window
// starves a little less.
struct hunger_t {
    atomic<std::int64_t> next{0};     // ns, when another window may begin
    atomic<std::int64_t> until{0};    // ns, the end of the last window
    atomic<std::uint64_t> number{0};  // number of the last window
};
constinit hunger_t hunger;

void open_window(m& self, std::int64_t now) {
    std::int64_t next = hunger.next.load(memory_order_relaxed);  // relaxed: see hunger_t
    if (now < next) return;
    const std::int64_t length = std::int64_t{1'000'000} << self.rand.below(12);
    if (!hunger.next.cas(next, now + 5 * length, memory_order_relaxed))  // relaxed: see hunger_t
        return;
    hunger.number.fetch_add(1, memory_order_relaxed);        // relaxed: see hunger_t
    hunger.until.store(now + length, memory_order_relaxed);  // relaxed: see hunger_t
}

// Whether self belongs to the threads that starve in this window.
bool is_hungry(const m& self, std::uint64_t window) {
    rng draw(chaos.seed * rng::spread ^ window << 32 ^ self.id * (rng::spread >> 7));
    return draw.below(10) < (self.run != nullptr ? 3u : 1u);
}

// Sleeps like a thread that gets no processor, and keeps what it holds.
void starve(m& self) {
    if (sched.exiting.load(memory_order_relaxed)) return;  // relaxed: looked at again
    const std::int64_t now = nanotime();
    open_window(self, now);
    const std::int64_t until = hunger.until.load(memory_order_relaxed);  // relaxed: see hunger_t
    if (now < until && is_hungry(self, hunger.number.load(memory_order_relaxed)))
        thread_sleep_ns(until - now);  // relaxed: see hunger_t
}

// Puts a part of the queue back in another order. Any of these goroutines may run next.
void stir(m& self) {
    constexpr std::uint32_t most = 16;
    g* taken[most];
    std::uint32_t n = 0;
    for (bool inherit = false; n < most; ++n) {
        taken[n] = runq_get(*self.pp, inherit);
        if (taken[n] == nullptr) break;
    }
    if (n == 0) return;
    chaos_shuffle(taken, n);
    for (std::uint32_t i = 0; i < n; ++i) runq_put(*self.pp, *taken[i], self.rand.below(2) == 0);
    wakep();  // no other m saw them for a moment
}

// Whether gp has parked on this very thread and would go on here. Then gives the p to another m,
// with gp first in its queue: every goroutine moves, even where there is one p only.
bool migrates(m& self, g& gp) {
    if (gp.mp != &self || gp.why == wait_reason::none || gp.is_locked || gp.is_pinned) return false;
    gp.why = wait_reason::none;
    runq_put(*self.pp, gp, true);
    startm(releasep(self), false);
    return true;
}

}  // namespace

void chaos_begin(std::uint64_t seed) {
    chaos.seed = seed;
    chaos.on = true;
    // relaxed: boot publishes everything
    sched.direct_switch_blockers.fetch_add(1, memory_order_relaxed);
}

rng chaos_rng(std::uint64_t m_id) { return rng((chaos.seed + 1) * rng::spread ^ m_id << 32); }

void chaos_shuffle(g** batch, std::uint32_t n) {
    rng& rand = getm().rand;
    for (std::uint32_t i = n; i > 1; --i) std::swap(batch[i - 1], batch[rand.below(i)]);
}

ROTA_SWITCHES_STACK void chaos_loop(m& self) {
    for (;;) {
        if (self.pp != nullptr) {
            starve(self);
            if (self.rand.below(2) == 0) stir(self);
        }
        const found next = next_to_run(self);
        if (!next) return;
        if (migrates(self, *next.gp)) continue;
        next.gp->why = wait_reason::none;  // tells a park from a yield
        start_running(self, *self.pp, *next.gp, next.inherit);
        if (is_traced()) trace_go_start(self, *next.gp);
        give_way_to_scan(*next.gp);
        self.preempt.store(true, memory_order_relaxed);  // relaxed: our own, for chaos_leave
        switch_to(self, self.g0, *next.gp);
    }
}

void chaos_leave() {
    m& self = enter_runtime();
    starve(self);
    const bool yields = self.rand.below(8) == 0;
    if (self.pp == nullptr || self.curg->is_thread) {
        if (yields) thread_yield();
    } else if (yields || sched.stop_wanted.load(memory_order_relaxed) ||  // relaxed: a hint
               sched.exiting.load(memory_order_relaxed)) {                // relaxed: a hint
        bump(self.pp->counts.preemptions);
        gosched_yield();
    } else if (self.rand.below(2) == 0) {
        stir(self);  // the goroutine that this operation has readied need not come next
    }
    m& here = getm();
    here.preempt.store(true, memory_order_relaxed);  // relaxed: our own
    here.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
}

}  // namespace rota::rt
