// Keeps the clock of a synctest bubble, and finds out when the bubble has ended.
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <rota/detail/bubble_gate.hpp>
#include <rota/detail/spawn.hpp>
#include <rota/panic.hpp>
#include <rota/synctest.hpp>

#include "core/getg.hpp"
#include "mem/mapped.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/timers.hpp"

namespace rota::synctest {

using namespace rota::rt;

namespace {

constexpr std::int64_t first_moment = 946'684'800'000'000'000;  // ns: the year 2000, as in Go

// Bubbles are never freed: a timer remembers the heap that it was in last.
struct bubble_pool {
    lock mu{lock_rank::bubble};
    bubble* free ROTA_GUARDED_BY(mu) = nullptr;
    std::uint64_t serial ROTA_GUARDED_BY(mu) = 0;  // of the bubble taken last
};
constinit bubble_pool pool;

bubble& take_bubble() {
    const runtime_entry inside;
    bubble* b = nullptr;
    std::uint64_t serial = 0;
    {
        const lock_guard guard(pool.mu);
        serial = ++pool.serial;
        b = pool.free;
        if (b != nullptr) pool.free = b->next_free;
    }
    if (b == nullptr) b = &mapped_new<bubble>();
    b->serial = serial;
    // relaxed: spawning its first goroutine passes it on
    __atomic_fetch_add(&rota::detail::live_bubbles, 1, __ATOMIC_RELAXED);
    return *b;
}

// Puts b back for reuse, unless a goroutine waits in it for ever or a timer is left.
void give_back(bubble& b) {
    forget_objects_of(b.serial);
    // relaxed: a thread that sees it late notes an object too many
    __atomic_fetch_sub(&rota::detail::live_bubbles, 1, __ATOMIC_RELAXED);
    const runtime_entry inside;
    {
        const lock_guard guard(b.mu);
        if (b.total != 0 || b.timers.size() != 0) return;
    }
    const lock_guard guard(pool.mu);
    b.next_free = pool.free;
    pool.free = &b;
}

// The report of a bubble's main goroutine to its keeper. Both own it: the goroutine may be blocked
// for ever when the keeper leaves.
struct main_part {
    std::exception_ptr error;
    bool over = false;
};

void run_main_part(main_part& part, void (*call)(void*), void* f) {
    try {
        call(f);
    } catch (...) {
        part.error = std::current_exception();
        part.over = true;
        if (part.error == nullptr) throw;  // goexit, which goes on unwinding
    }
    part.over = true;
}

void run_timers(bubble& b) {
    constexpr std::uint32_t batch = 16;
    timer_errand due[batch];
    const std::int64_t now = b.now.load(memory_order_relaxed);  // relaxed: the keeper's own
    for (;;) {
        const std::uint32_t n = b.timers.pop_due(now, due, batch);
        run_errands(due, n);
        if (n < batch) return;
    }
}

enum class end { all_over, deadlock, main_has_left };

// The keeper's next step: to wake the waiter, to end the bubble, or to move the clock to `when`.
struct next_step {
    g* waiter = nullptr;
    std::optional<end> over;
    std::int64_t when = 0;
};

// Waits until every goroutine is durably blocked. An end is decided under the lock: after it, no
// goroutine of the bubble is readied, not even from outside. ROTA_NO_TSA: the wait takes the lock.
next_step await_next_step(bubble& b, const main_part& part) ROTA_NO_TSA {
    next_step next;
    bubble_await_quiet(b);
    next.waiter = std::exchange(b.waiter, nullptr);
    if (next.waiter == nullptr) {
        next.when = b.timers.earliest();
        if (b.total == 0) next.over = end::all_over;
        else if (part.over) next.over = end::main_has_left;
        else if (next.when == 0) next.over = end::deadlock;
        b.over = b.total != 0 && next.over.has_value();
    }
    b.mu.release();
    return next;
}

// Keeps the bubble going until nothing more can happen in it.
end keep(bubble& b, const main_part& part) {
    for (;;) {
        const next_step next = await_next_step(b, part);
        if (next.over) return *next.over;
        if (next.waiter != nullptr) {
            goready(*next.waiter);
            continue;
        }
        if (next.when > b.now.load(memory_order_relaxed))  // relaxed: the keeper's own
            b.now.store(next.when, memory_order_relaxed);  // relaxed: see bubble
        run_timers(b);
    }
}

g& current_g() {
    const runtime_entry inside;
    return *getm().curg;
}

}  // namespace

namespace detail {

void run_bubble(void (*call)(void*), void* f) {
    g& me = current_g();
    if (me.in != nullptr) panic("synctest: test called from within a synctest bubble");
    bubble& b = take_bubble();
    b.id = me.goid;
    b.now.store(first_moment, memory_order_relaxed);  // relaxed: no other thread knows the bubble
    const auto part = std::make_shared<main_part>();
    end how = end::all_over;
    {
        struct inside {
            g& me;
            inside(g& self, bubble& b) : me(self) { rt::set_bubble(me, &b); }
            ~inside() { rt::set_bubble(me, nullptr); }
        } const here(me, b);  // goroutines that timers start belong to the bubble
        rota::detail::spawn_any(0, {}, [part, call, f] { run_main_part(*part, call, f); });
        const runtime_entry inside_runtime;
        how = keep(b, *part);
    }
    give_back(b);
    if (how == end::deadlock) panic("deadlock: all goroutines in bubble are blocked");
    if (part->error) std::rethrow_exception(part->error);
    if (how == end::main_has_left)
        panic("deadlock: main bubble goroutine has exited but blocked goroutines remain");
}

}  // namespace detail

void wait() ROTA_NO_TSA {  // the park releases the lock
    g& me = current_g();
    if (me.in == nullptr || me.is_thread) panic("goroutine is not in a bubble");
    bubble& b = *me.in;
    const runtime_entry inside;
    b.mu.acquire();
    if (b.waiter != nullptr) {
        b.mu.release();
        panic("synctest: wait already in progress");
    }
    b.waiter = &me;
    gopark(commit_unlock, &b.mu, wait_reason::synctest_wait);
}

}  // namespace rota::synctest
