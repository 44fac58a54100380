// Runs the function of a once_flag in one goroutine, and makes later callers wait for it.
//
// The flag is a word. Waiters link to each other in it, newest first, as in sync/wait/waiters.hpp,
// with `running` at the end of the chain. The goroutine that runs the function ends it by an
// exchange and does not touch the flag again: a later caller may destroy it.
#include <rota/sync/once.hpp>

#include "core/getg.hpp"
#include "core/sudog.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/destroyed.hpp"

namespace rota {

using namespace rota::rt;

namespace {

constexpr std::uintptr_t fresh = 0, running = 2, done = ~std::uintptr_t{0};

struct arrival {
    atomic<std::uintptr_t>* word;
    sudog me;
};

// Runs when the waiter is off its stack. False: the function does not run any more.
bool arrive(g&, void* arg) {
    auto& a = *static_cast<arrival*>(arg);
    std::uintptr_t seen = a.word->load(memory_order_relaxed);  // relaxed: the caller looks again
    while (seen != fresh && seen != done) {
        a.me.next = reinterpret_cast<sudog*>(seen);
        if (a.word->compare_exchange(seen, reinterpret_cast<std::uintptr_t>(&a.me),
                                     memory_order_release,   // pairs(once.arrive)
                                     memory_order_relaxed))  // relaxed: tried again
            return true;
    }
    return false;
}

}  // namespace

ROTA_COLD void once_flag::report_waiters() const {
    const std::uintptr_t seen = word_.load(memory_order_acquire);  // pairs(once.arrive)
    report_destroyed("once_flag", reinterpret_cast<const sudog*>(seen)->gp);
}

bool once_flag::begin() {
    const runtime_entry inside;
    for (;;) {
        std::uintptr_t seen = word_.load(memory_order_acquire);  // pairs(once.done)
        if (seen == done) return false;
        if (seen == fresh) {
            if (word_.cas(fresh, running, memory_order_acquire)) return true;  // pairs(once.done)
            continue;
        }
        arrival a;
        a.word = &word_;
        a.me.gp = getm().curg;
        gopark(arrive, &a, wait_reason::mutex_lock);
    }
}

void once_flag::end(bool has_run) {
    const runtime_entry inside;
    std::uintptr_t seen = word_.exchange(has_run ? done : fresh,
                                         memory_order_acq_rel);  // pairs(once.done, once.arrive)
    sudog* first = nullptr;
    while (seen != running) {
        auto* const s = reinterpret_cast<sudog*>(seen);
        seen = reinterpret_cast<std::uintptr_t>(s->next);
        s->next = first;
        first = s;
    }
    while (first != nullptr) {
        sudog* const next = first->next;  // its frame may be gone once it is readied
        goready(*first->gp);
        first = next;
    }
}

}  // namespace rota
