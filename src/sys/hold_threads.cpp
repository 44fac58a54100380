// Signals out, threads in.
#include "sys/hold_threads.hpp"

#include <cerrno>

#include <climits>

#include "base/atomic.hpp"
#include "sys/clock.hpp"
#include "sys/futex.hpp"
#include "sys/signal.hpp"
#include "sys/thread.hpp"
#include "sys/thread_list.hpp"

namespace rota::rt {

namespace {

struct hold_t {
    // Who holds writes, handlers read: not 0 while threads are to wait, a number of its own each
    // time.
    atomic<std::uint32_t> round{0};
    // Handlers that may look at the rest. Each counts itself and then looks at `round`; who lets go
    // clears that first and then waits for 0: so either a handler sees that it is over, or it is
    // waited for.
    atomic<std::uint32_t> inside{0};
    atomic<std::uint32_t> noted{0};  // places that handlers have taken; relaxed: an index

    // --- owner: who holds, before `round` is set -----------------------------------
    int holder = 0;  // its number
    held_thread* places = nullptr;
    std::uint32_t capacity = 0;
    std::uint32_t rounds = 0;
};
constinit hold_t hold;

// A place's tid is written last: 0 if its handler is not there yet.
bool is_noted(const held_threads& held, int tid) {
    for (std::size_t i = 0; i < held.count; ++i) {
        if (__atomic_load_n(&held.threads[i].tid, __ATOMIC_ACQUIRE) == tid)  // pairs(hold.place)
            return true;
    }
    return false;
}

void wait_until_let_go(std::uint32_t round, const gobuf& interrupted) {
    const std::uint32_t i = hold.noted.fetch_add(1, memory_order_relaxed);  // relaxed: an index
    if (i >= hold.capacity) return;
    held_thread& place = hold.places[i];
    place.sp = reinterpret_cast<std::uintptr_t>(interrupted.sp);
    __atomic_store_n(&place.tid, current_thread_id(), __ATOMIC_RELEASE);  // pairs(hold.place)
    while (hold.round.load(memory_order_seq_cst) == round)                // pairs(hold.round)
        (void)futex_wait(hold.round, round, no_deadline);
}

enum class progress : unsigned char { all_held, some_missing, impossible };

// Asks those who are missing, if `ask`.
progress look_for_missing(held_threads& held, bool (*exempt)(int tid), bool ask) {
    const std::uint32_t taken = hold.noted.load(memory_order_relaxed);  // relaxed: an index
    held.count = taken < hold.capacity ? taken : hold.capacity;
    const int me = current_thread_id();
    bool missing = false, sees_me = false;
    std::size_t threads = 0;
    const bool listed = for_each_thread([&](int tid) {
        sees_me = sees_me || tid == me;
        if (tid == me || exempt(tid)) return true;
        ++threads;
        if (is_noted(held, tid)) return true;
        // One that has ended since it was listed is missed by nobody.
        if (!ask || thread_signal(tid, stop_signal()) || errno != ESRCH) missing = true;
        return true;
    });
    // In a list that we are not in the numbers are those of another namespace.
    if (!listed || !sees_me || threads > hold.capacity) return progress::impossible;
    return missing ? progress::some_missing : progress::all_held;
}

}  // namespace

bool hold_other_threads(held_threads& held, bool (*exempt)(int tid), std::int64_t limit_ns) {
    constexpr long nap_ns = 50'000;
    constexpr int ask_again_after = 20;  // rounds: new threads have come, perhaps
    if (stop_signal() == 0) return false;
    hold.holder = current_thread_id();
    hold.places = held.threads;
    hold.capacity = static_cast<std::uint32_t>(held.capacity);
    hold.noted.store(0, memory_order_relaxed);  // relaxed: published by `round`
    if (++hold.rounds == 0) ++hold.rounds;
    hold.round.store(hold.rounds, memory_order_seq_cst);  // pairs(hold.round)
    const std::int64_t until = nanotime() + limit_ns;
    progress p = look_for_missing(held, exempt, true);
    for (int i = 1; p == progress::some_missing && nanotime() < until; ++i) {
        thread_sleep_ns(nap_ns);
        p = look_for_missing(held, exempt, i % ask_again_after == 0);
    }
    // Whoever is in the list now, and not held, does no harm: nobody else can have made a thread.
    if (p == progress::all_held) return true;
    let_other_threads_go();
    return false;
}

void let_other_threads_go() {
    hold.round.store(0, memory_order_seq_cst);  // pairs(hold.round)
    futex_wake(hold.round, INT_MAX);
    while (hold.inside.load(memory_order_seq_cst) != 0)  // pairs(hold.round)
        thread_sleep_ns(20'000);
}

void forget_who_is_held() {
    // relaxed, both: the child has but this thread
    hold.round.store(0, memory_order_relaxed);
    hold.inside.store(0, memory_order_relaxed);
}

void wait_if_held(const gobuf& interrupted) {
    if (hold.round.load(memory_order_relaxed) == 0) return;             // relaxed: looked at again
    hold.inside.fetch_add(1, memory_order_seq_cst);                     // pairs(hold.round)
    const std::uint32_t round = hold.round.load(memory_order_seq_cst);  // pairs(hold.round)
    // Somebody may have sent the signal, for another purpose, to the one who holds: waiting for
    // itself, it would wait for ever, and all with it.
    if (round != 0 && hold.holder != current_thread_id()) wait_until_let_go(round, interrupted);
    hold.inside.fetch_sub(1, memory_order_seq_cst);  // pairs(hold.round)
}

}  // namespace rota::rt
