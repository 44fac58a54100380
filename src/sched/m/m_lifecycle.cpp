// Starts ms, stops them, and hands their ps on.
#include "sched/m/m_lifecycle.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/fatal.hpp"
#include "base/probe.hpp"
#include "mem/mapped.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/entry.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/schedule.hpp"
#include "sched/base/switch_told.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/maker.hpp"
#include "sched/m/spare.hpp"
#include "sched/modes/chaos.hpp"
#include "sched/modes/seeded.hpp"
#include "sched/monitor/hostage.hpp"
#include "sched/preempt/lend.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/placement.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sched/record/creation.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/call/clock.hpp"
#include "sys/signal/signal.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t m_stack_size = 256 * 1024;

}  // namespace

void minit(m& self) {
    set_self(&self);
    note_fp_control(self);
    self.eh = thread_eh_state();
    self.curg = &self.g0;
    self.g0.mp = &self;
    self.g0.is_thread = true;
    self.g0.status.store(g_status::running,
                         memory_order_relaxed);  // relaxed: no other thread looks yet
    self.signal_stack = signal_stack_install();
    self.tid.store(current_thread_id(), memory_order_relaxed);  // relaxed: published with the p
    // Resets sysmon's guesses about the record's last thread. relaxed: sysmon's reads are guesses
    self.went_on_in.store(0, memory_order_relaxed);
    self.sleeps_then.store(~std::uint64_t{0}, memory_order_relaxed);
#if ROTA_ASAN || ROTA_TSAN
    const thread_stack own = current_thread_stack();
    fiber_adopt_thread(self.g0.fib, own.bottom, own.size);
#endif
    thread_begins_told(self);
}

m& new_m_record() {
    m& mp = mapped_new<m>();
    mp.id = sched.m_next_id++;
    mp.rand = seeded.on  ? seeded_rng(mp.id)
              : chaos.on ? chaos_rng(mp.id)
                         : rng(static_cast<std::uint64_t>(nanotime()) ^ (mp.id << 32));
    mp.all_link = sched.allm.load(memory_order_relaxed);  // relaxed: changed under sched.mu
    sched.allm.store(&mp, memory_order_release);          // pairs(m.list)
    return mp;
}

m& any_m_record() {
    m* const mp = sched.free_m;
    if (mp == nullptr) return new_m_record();
    sched.free_m = mp->idle_next;
    mp->idle_next = nullptr;
    return *mp;
}

void count_m() {
    ++sched.m_count;
    check_m_count();
}

void discount_m(m& mp) {
    --sched.m_count;
    if (mp.is_spare) --sched.spare_count;
    if (mp.is_coming) --sched.spares_coming;
    mp.is_spare = mp.is_coming = false;
    mp.idle_next = sched.free_m;
    sched.free_m = &mp;
}

namespace {

// The limit counts the ms that the program asks for, not the ms that sysmon adds: a thread for each
// goroutine that keeps its own.
bool exceeds_limit(std::int32_t count) ROTA_REQUIRES(sched.mu) {
    const std::int32_t ours =
        sched.spare_count > sched.hostage_count ? sched.spare_count : sched.hostage_count;
    return count - ours > sched.m_max;
}

// Whether to wait for an m because the limit allows no further m: an m may be on its way to the
// idle list at any moment. The wait is short: if every m blocks for ever, that is the program's
// mistake.
bool is_one_on_its_way() ROTA_REQUIRES(sched.mu) {
    constexpr std::int64_t patience = 500'000'000;  // ns
    constexpr std::int64_t lapse = 50'000'000;      // ns: sysmon asks more often than that
    if (!exceeds_limit(sched.m_count + 1)) return false;
    const std::int64_t now = nanotime();
    std::int64_t since =
        sched.m_missed_since.load(memory_order_relaxed);  // relaxed: under sched.mu
    if (since == 0 || now - sched.m_missed_last > lapse) since = now;
    sched.m_missed_since.store(since, memory_order_relaxed);  // relaxed: as above
    sched.m_missed_last = now;
    return now - since < patience;
}

}  // namespace

void check_m_count() {
    if (!exceeds_limit(sched.m_count)) return;
    const std::int32_t limit = sched.m_max;
    sched.mu.release();
    report_exhaustion(limit);
}

void report_exhaustion(std::int32_t limit) {
    fatal("thread exhaustion", trace_scope::all, "runtime: program exceeds %zu-thread limit",
          static_cast<std::size_t>(limit));
}

void start_thread(void* (*start)(void*), void* arg, std::size_t stack_size) {
    constexpr int tries = 20;
    int error = 0;
    for (int i = 0; i < tries; ++i) {
        error = thread_create(start, arg, stack_size);
        if (error == 0) return;
        if (error != EAGAIN) break;
        thread_sleep_ns(1'000'000L * (i + 1));  // the kernel may be short of something for a moment
    }
    no_thread(error);
}

void no_thread(int error) {
    fatal("runtime.newosproc", trace_scope::none,
          "runtime: failed to create new OS thread (errno=%zu); may need to increase max user "
          "processes (ulimit -u), kernel.threads-max or the cgroup's pids.max",
          static_cast<std::size_t>(error));
}

namespace {

// Ends the thread of self: the goroutine that was locked to it has ended. Go: mexit.
void end_m(m& self) {
    ROTA_CHECK(self.pp == nullptr && !self.spinning);
    ROTA_PROBE1("m_stop", "8", self.id);
    trace_m_ends(self);
    shared_counts.stack_bytes.fetch_sub(whole_stack_size(m_stack_size),
                                        memory_order_relaxed);  // relaxed: as below
    signal_stack_free(self.signal_stack);
    self.first_frame.store(0, memory_order_relaxed);  // relaxed: see there
    self.in_runtime.store(0, memory_order_release);   // pairs(entry.left)
    self.tid.store(0, memory_order_relaxed);          // relaxed: published by sched.mu
    set_self(nullptr);  // a foreign thread from here on, if a destructor uses rota
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        discount_m(self);
        dead = is_deadlocked();
    }
    if (dead) confirm_deadlock();
}

// Returns the p that the m was made for; null: the m is a spare, or another m has taken the p.
p* be_born(m& self) {
    const lock_guard guard(sched.mu);
    unlist_unborn(self);
    if (self.is_coming) --sched.spares_coming;
    self.is_coming = false;
    p* const pp = self.next_p;
    self.next_p = nullptr;
    return pp;
}

void* mstart(void* arg) {
    m& self = *static_cast<m*>(arg);
    thread_take_signal_mask();  // sysmon, which blocks every signal, starts ms as well
    if (hostages.stops) (void)thread_unblock_signal(hostages.signal);
    // not the settings of the goroutine that happened to start this m
    sched.fp_at_boot.make_current();
    minit(self);
    self.first_frame.store(
        frame_with_stack_below(__builtin_frame_address(0), m_stack_size, m::own_frames),
        memory_order_relaxed);  // relaxed: see there
    char name[16];
    std::snprintf(name, sizeof name, "rota-m%llu", static_cast<unsigned long long>(self.id));
    thread_set_name(name);
    ROTA_PROBE1("m_start", "8", self.id);
    self.in_runtime.store(1, memory_order_relaxed);  // relaxed: its reader brings the barrier
    if (p* const pp = be_born(self)) acquirep(self, *pp);
    schedule_loop(self);
    end_m(self);
    return nullptr;
}

// Puts pp on the idle list, and the spare m on its own. False: there is work after all, or pp is
// the last busy p and its timers, or the descriptors that goroutines wait for, have no poller.
bool try_idle(p& pp, std::int64_t when, m* spare) {
    const lock_guard guard(sched.mu);
    const bool last =
        sched.idle_p_count.load(memory_order_relaxed) == proc_count() - 1;  // relaxed: under mu
    const bool polled = sched.last_poll.load(memory_order_seq_cst) == 0;    // pairs(timer.poller)
    if (sched.runq_size.load(memory_order_relaxed) != 0) return false;  // relaxed: changed under mu
    if (last && !polled && (when != 0 || net_poller.has_waiters())) return false;
    pidle_put(pp);
    if (spare != nullptr) midle_put(*spare);
    return true;
}

}  // namespace

int start_m_thread(m& mp) {
    const int error = thread_create(mstart, &mp, m_stack_size);
    if (error == 0) {
        // relaxed, both: for reports
        shared_counts.threads.fetch_add(1, memory_order_relaxed);
        shared_counts.stack_bytes.fetch_add(whole_stack_size(m_stack_size), memory_order_relaxed);
    }
    return error;
}

void unlist_unborn(m& mp) {
    for (m** link = &sched.unborn; *link != nullptr; link = &(*link)->unborn_next) {
        if (*link != &mp) continue;
        *link = mp.unborn_next;
        mp.unborn_next = nullptr;
        return;
    }
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

void forget_missed_ms() {
    if (sched.m_missed_since.load(memory_order_relaxed) == 0) return;  // relaxed: a round late
    const lock_guard guard(sched.mu);
    sched.m_missed_since.store(0, memory_order_relaxed);  // relaxed: under sched.mu
}

bool is_for_suspended(const p& pp) {
    if (sched.suspended_first == nullptr || !sched.urgent.empty() || ahead_of_suspended() != 0 ||
        !runq_empty(pp))
        return false;
    return !are_timers_to_run(pp);
}

namespace {

// Finds an m for pp: the spare m, else a sleeping m, else a stopped m, else a new m. Null: there is
// none, and pp is idle again. `as`: the kind of m that was found.
enum class m_kind : std::uint8_t { idle, stopped, fresh, none };

m* find_m(p& pp, bool spinning, m* spare, m_kind& as) ROTA_EXCLUDES(sched.mu) {
    const lock_guard guard(sched.mu);
    if (spare != nullptr) midle_put(*spare);  // so that midle_get returns it
    m* mp = !spinning && is_for_suspended(pp) ? nullptr : midle_get();
    as = m_kind::idle;
    if (mp == nullptr) {
        as = m_kind::stopped;
        mp = pop_suspended();
    }
    if (mp == nullptr && is_one_on_its_way()) {
        as = m_kind::none;
        idle_again(pp, spinning);
        return nullptr;
    }
    sched.m_missed_since.store(0, memory_order_relaxed);  // relaxed: under sched.mu
    if (mp == nullptr) {
        as = m_kind::fresh;
        count_m();
        mp = &any_m_record();
        if (sched.m_count > sched.m_max) {  // counts as rota's own, as long as it lives
            mp->is_spare = true;
            ++sched.spare_count;
        }
        note_limit();
        mp->unborn_next = sched.unborn;
        sched.unborn = mp;
    }
    ROTA_CHECK(!mp->spinning && mp->next_p == nullptr);
    mp->spinning = spinning && as != m_kind::stopped;
    mp->next_p = &pp;
    return mp;
}

// True: as start_spinner.
bool start(p& pp, bool spinning, m* spare) {
    const int processor = std::exchange(pp.vacated, p::anywhere);
    m_kind kind{};
    m* const mp = find_m(pp, spinning, spare, kind);
    if (kind == m_kind::none) {
        // An m that sleeps in the poller may take the p.
        const bool polls = sched.last_poll.load(memory_order_seq_cst) == 0;  // pairs(timer.poller)
        if (polls) net_poller.wake();
        return false;
    }
    if (kind == m_kind::fresh) {
        make_thread_of(*mp);
        order_ahead();
        return false;
    }
    if (kind == m_kind::idle)
        shared_counts.wakeups.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    wake_on(*mp, processor);
    if (kind == m_kind::idle || !spinning) return false;
    // A stopped m does not spin: uncounted, like a spinner that has found work.
    ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
    return true;
}

// Gives a lent p back to its host. Due timers come first: the m that runs them then gives the p
// back.
bool is_given_back(p& pp) {
    if (ROTA_LIKELY(pp.host == nullptr)) return false;
    return !are_timers_to_run(pp) && give_back(pp);
}

}  // namespace

bool start_spinner(p& pp) { return start(pp, true, nullptr); }

void startm(p& pp, bool spinning, m* spare) {
    if (start(pp, spinning, spare)) wakep();
}

void stopm(m& self) {
    ROTA_CHECK(self.pp == nullptr && !self.spinning);
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        self.park.clear();
        midle_put(self);
        dead = is_deadlocked();
    }
    if (dead) confirm_deadlock();
    ROTA_PROBE1("m_park", "8", self.id);
    self.park.sleep();
    ROTA_PROBE1("m_wake", "8", self.id);
    is_awake_again(self);
    acquirep(self, *self.next_p);
    self.next_p = nullptr;
}

void handoffp(p& pp, m* spare) {
    ROTA_PROBE1("p_handoff", "-4", pp.id);
    if (spare == nullptr && is_given_back(pp)) return;
    if (!runq_empty(pp) || global_has_work()) {
        // Handed on twice in one tick: a chain of ms that go on with the same slice. It ends here.
        const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: ours
        if (tick == pp.handed_on_tick) pp.slice_over = true;
        pp.handed_on_tick = tick;
        return startm(pp, false, spare);
    }
    // No work here. If no m looks for work, an m must: work may come up elsewhere right now.
    std::int32_t nobody = 0;
    if (sched.nmspinning.load(memory_order_seq_cst) +
                sched.idle_p_count.load(memory_order_seq_cst) ==
            0 &&  // pairs(wake.submit)
        sched.nmspinning.compare_exchange(nobody, 1, memory_order_seq_cst,
                                          memory_order_relaxed)) {  // pairs(wake.submit)
        sched.need_spinning.store(false, memory_order_seq_cst);     // pairs(wake.need)
        return startm(pp, true, spare);
    }
    const std::int64_t when = pp.timers.bound();
    if (!try_idle(pp, when, spare)) return startm(pp, false, spare);
    // Submitters that saw no idle p before this one have set need_spinning.
    if (sched.need_spinning.load(memory_order_seq_cst)) wakep();  // pairs(wake.need)
    if (when != 0) wake_poller(timer_run_at(pp, when));
    // a goroutine that has just parked may wait for a descriptor
    else if (net_poller.has_waiters()) want_poller();
}

void bind_p(m& self, p& pp) {
    ROTA_CHECK(self.pp == nullptr);
    self.hold(pp);
    self.ready_extras = extras_with_p(is_traced());
    pp.mp.store(&self, memory_order_release);                  // pairs(p.m)
    pp.status.store(p_status::running, memory_order_relaxed);  // relaxed: the p is ours already
}

void acquirep(m& self, p& pp) {
    bind_p(self, pp);
    light_fence();  // pairs(fence), with the exit, which looks at ps
    if (is_traced()) trace_proc_start(self, pp);
}

p& releasep(m& self) {
    ROTA_CHECK(self.pp != nullptr);
    p& pp = *self.pp;
    if (is_traced()) trace_proc_stop(self, pp);
    self.hold_none();
    pp.mp.store(nullptr, memory_order_relaxed);
    pp.status.store(p_status::idle,
                    memory_order_relaxed);  // relaxed: still ours, until it is put somewhere
    return pp;
}

void sleep_for_ever() {
    note never;
    for (;;) never.sleep();
}

}  // namespace rota::rt
