// Acquires and releases counts of the semaphore table.
//
// A count is given and a waiter queued under the root's lock, so neither misses the other. A waiter
// that is found gets the count itself and never competes for it again. Go adds the count to the
// word first and lets the woken waiter compete with newcomers.
#include "sync/wait/sema.hpp"

#include "core/getg.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/destroyed.hpp"
#include "sync/wait/sema_root.hpp"
#include "sys/call/clock.hpp"
#include "trace/contention.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t root_count = 251;  // a prime: addresses have regular low bits
constinit sema_root roots[root_count];

sema_root& root_of(const void* address) {
    return roots[(reinterpret_cast<std::uintptr_t>(address) >> 3) % root_count];
}

bool is_lock(wait_reason why) {
    return why == wait_reason::mutex_lock || why == wait_reason::rwmutex_lock ||
           why == wait_reason::rwmutex_rlock;
}

bool try_take(sema_word& word) {
    std::uint32_t v = word.load(memory_order_relaxed);  // relaxed: the exchange synchronises
    while (v > 0) {
        if (word.compare_exchange(v, v - 1, memory_order_acquire,  // pairs(sema.count)
                                  memory_order_relaxed))           // relaxed: tried again
            return true;
    }
    return false;
}

}  // namespace

void count_lock_wait(std::int64_t ns) {
    const auto waited = static_cast<std::uint64_t>(ns);
    p* const pp = getm().pp;
    if (pp != nullptr) bump(pp->counts.lock_wait_ns, waited);
    // relaxed: for reports
    else shared_counts.lock_wait_ns.fetch_add(waited, memory_order_relaxed);
}

void visit_semaphores(void (*visit)(void* arg, const g& gp, const void* address), void* arg) {
    struct shown {
        void (*visit)(void*, const g&, const void*);
        void* arg;
    } to{visit, arg};
    for (const sema_root& root : roots) {
        if (root.mu.is_held()) continue;
        root.visit_waiters(
            [](void* self, const sudog& s) {
                const shown& show = *static_cast<const shown*>(self);
                show.visit(show.arg, *s.gp, s.wait_on);
            },
            &to);
    }
}

sema_table_extent sema_table() { return {roots, roots + root_count}; }

lock& sem_lock(const void* address) { return root_of(address).mu; }

void sem_for_each_waiter(void (*visit)(void* arg, const sudog&), void* arg) {
    for (sema_root& root : roots) {
        const lock_guard guard(root.mu);
        root.visit_waiters(visit, arg);
    }
}

void sem_acquire(sema_word& word, bool lifo, wait_reason why) {
    if (try_take(word)) return;
    sema_root& root = root_of(&word);
    sudog me;
    me.gp = getm().curg;
    if (ROTA_UNLIKELY(mutex_fraction() != 0) && is_lock(why)) me.since = nanotime();
    const auto ticket = static_cast<std::uint32_t>(getm().rand.next());
    root.mu.acquire();
    if (try_take(word)) {
        root.mu.release();
        return;
    }
    if (ROTA_UNLIKELY(me.gp->is_thread)) ++me.gp->mp->sema_waits;
    root.queue(&word, me, lifo, ticket);
    gopark_unlock(root.mu, why);
}

void sem_report_waiters(const char* what, const void* word) {
    if (is_nobody_going_on()) return;
    const g* gp = nullptr;
    {
        const runtime_entry inside;
        sema_root& root = root_of(word);
        const lock_guard guard(root.mu);
        gp = root.first_at(word);
    }
    if (gp != nullptr) report_destroyed(what, gp);
}

void sem_release(sema_word& word, bool handoff) {
    sema_root& root = root_of(&word);
    sudog* s = nullptr;
    {
        const lock_guard guard(root.mu);
        s = root.dequeue(&word);
        // No waiter is queued: a goroutine about to wait keeps the object alive until it finds this
        // count, but not a moment longer.
        if (s == nullptr) word.fetch_add(1, memory_order_release);  // pairs(sema.count)
    }
    if (s == nullptr) return;
    const std::int64_t since = s->since;  // readied, s is gone
    goready(*s->gp);
    if (ROTA_UNLIKELY(since != 0)) note_held_up(nanotime() - since, getm().rand.next());
    if (handoff) goyield();
}

}  // namespace rota::rt
