// Runs the thread that makes threads, and its list of orders.
#include "sched/m/template_thread.hpp"

#include <cerrno>

#include "base/shortfall.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_record.hpp"
#include "sched/m/m_thread.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/suspended_queue.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/note.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

struct template_thread_t {
    // Linked by to_make_next. Records with a p come first, because goroutines wait for it.
    m* orders ROTA_GUARDED_BY(sched.mu) = nullptr;
    bool is_asleep ROTA_GUARDED_BY(sched.mu) = false;
    // the template thread sleeps here; rung by the thread that clears is_asleep
    note wake;
    // set by the thread that makes the template thread; relaxed: see start_template_thread
    atomic<bool> begun{false};
    // set by that thread once the template thread exists; any thread reads it
    atomic<bool> runs{false};
};
constinit template_thread_t template_thread;

constexpr int tries_max = 20;

m* next_order() {
    const lock_guard guard(sched.mu);
    m* const mp = template_thread.orders;
    if (mp != nullptr) {
        template_thread.orders = mp->to_make_next;
        mp->to_make_next = nullptr;
    } else {
        template_thread.wake.clear();
        template_thread.is_asleep = true;
    }
    return mp;
}

void list_order(m& mp) ROTA_REQUIRES(sched.mu) {
    m** link = &template_thread.orders;
    if (mp.next_p == nullptr) {
        while (*link != nullptr) link = &(*link)->to_make_next;
    }
    mp.to_make_next = *link;
    *link = &mp;
}

void note_grant() {
    const lock_guard guard(sched.mu);
    sched.m_refused_at = 0;
}

// Takes the p from mp, which will not begin. `spun`: mp was counted as a spinner.
p& take_p_of_starting_m(m& mp, bool& spun) ROTA_REQUIRES(sched.mu) {
    unlist_starting_m(mp);
    p& pp = *mp.next_p;
    spun = mp.spinning;
    mp.next_p = nullptr;
    mp.spinning = false;
    return pp;
}

void uncount_spinner() {
    ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
}

// The outcome for the p of an m that the kernel has refused a thread.
struct p_outcome {
    bool is_settled = false;
    m* to_wake = nullptr;
    // the p was for a spinner, and its new m does not spin: wake another m
    bool wakes_next = false;
};

// Gives the p to another m: a sleeping m, or else a stopped m.
p_outcome give_to_other(m& mp) ROTA_REQUIRES(sched.mu) {
    m* const idle = midle_get();
    m* const other = idle != nullptr ? idle : pop_suspended();
    if (other == nullptr) return {};
    bool spun = false;
    other->next_p = &take_p_of_starting_m(mp, spun);
    other->spinning = spun && idle != nullptr;
    if (spun && idle == nullptr) uncount_spinner();
    return {true, other, spun && idle == nullptr};
}

// Puts the p on the idle list if sysmon has taken ps from their ms: sysmon will ask for an m again.
p_outcome return_p_to_idle(m& mp) ROTA_REQUIRES(sched.mu) {
    if (sched.retaken_count == 0) return {};
    bool spun = false;
    p& pp = take_p_of_starting_m(mp, spun);
    idle_again(pp, spun);
    return {true, nullptr, false};
}

// The kernel has refused mp its thread; `for_good`: mp does not try again. Returns true if the
// record is given up: nothing needs the thread any more.
bool give_m_up(m& mp, bool for_good) {
    p_outcome left{true, nullptr, false};
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        sched.m_refused_at = nanotime();
        if (mp.next_p != nullptr) {
            left = give_to_other(mp);
            if (!left.is_settled && for_good) left = return_p_to_idle(mp);
        }
        if (left.is_settled) discount_m(mp);
        dead = is_deadlocked();
    }
    if (left.to_wake != nullptr) left.to_wake->park.wakeup();
    if (left.wakes_next) wakep();
    if (dead) confirm_deadlock();
    return left.is_settled;
}

void make(m& mp) {
    for (int i = 1;; ++i) {
        const int error = start_m_thread(mp);
        if (error == 0) return note_grant();
        const bool for_good = error != EAGAIN || i == tries_max;
        const bool given_up = give_m_up(mp, for_good);
        if (given_up || for_good) note_shortfall(shortfall::threads, error);
        if (given_up) return;
        if (for_good) no_thread(error);
        net_poller.wake();                // an m that sleeps there may take the p
        thread_sleep_ns(1'000'000L * i);  // the kernel may be short of something for a moment
    }
}

void* make_threads(void*) {
    thread_set_name("rota-template");
    thread_block_signals();  // before template_thread_tid exempts this thread from holds
    // relaxed: for readers
    sched.template_thread_tid.store(current_thread_id(), memory_order_relaxed);
    for (;;) {
        if (m* const mp = next_order()) make(*mp);
        else template_thread.wake.sleep();
    }
}

// Makes the template thread. EBUSY: another thread is making it.
int try_to_start() {
    if (template_thread.runs.load(memory_order_acquire)) return 0;  // pairs(template.runs)
    // relaxed: the first caller wins
    if (template_thread.begun.exchange(true, memory_order_relaxed)) return EBUSY;
    constexpr std::size_t stack_size = 64 * 1024;
    const int error = thread_create(make_threads, nullptr, stack_size);
    if (error == 0) template_thread.runs.store(true, memory_order_release);  // pairs(template.runs)
    else template_thread.begun.store(false, memory_order_relaxed);           // relaxed: as above
    return error;
}

}  // namespace

void start_template_thread() {
    for (int i = 1;;) {
        const int error = try_to_start();
        if (error == 0) return;
        if (error == EBUSY) {
            thread_yield();
            continue;
        }
        if (error != EAGAIN || i == tries_max) no_thread(error);
        thread_sleep_ns(1'000'000L * i++);
    }
}

bool start_template_thread_if_granted() {
    const int error = try_to_start();
    if (error != 0 && error != EBUSY) note_shortfall(shortfall::preemption, error);
    return error == 0;
}

void make_thread_of(m& mp) {
    if (!template_thread.runs.load(memory_order_acquire)) return make(mp);  // pairs(template.runs)
    bool asleep = false;
    {
        const lock_guard guard(sched.mu);
        list_order(mp);
        asleep = template_thread.is_asleep;
        template_thread.is_asleep = false;
    }
    if (asleep) template_thread.wake.wakeup();
}

}  // namespace rota::rt
