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
#include "sys/thread_status.hpp"

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
    int holder = 0;                     // its number
    kernel_signals mask_of_holder = 0;  // before
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
    place.frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    __atomic_store_n(&place.tid, current_thread_id(), __ATOMIC_RELEASE);  // pairs(hold.place)
    while (hold.round.load(memory_order_seq_cst) == round)                // pairs(hold.round)
        (void)futex_wait(hold.round, round, no_deadline);
}

struct census {
    bool possible = false;
    bool all_held = false;
    int deaf = 0;  // the last one that blocks the signal and sleeps,
    int busy = 0;  // and that does not sleep
    std::size_t threads = 0;
    long numbers = 0;  // added up
    bool same_threads(const census& other) const {
        return threads == other.threads && numbers == other.numbers;
    }
};

enum class ask : unsigned char { nobody, those_who_are_missing, why_they_are };

census look_for_missing(held_threads& held, bool (*exempt)(int tid), ask how) {
    const std::uint32_t taken = hold.noted.load(memory_order_relaxed);  // relaxed: an index
    held.count = taken < hold.capacity ? taken : hold.capacity;
    const int me = current_thread_id();
    bool sees_me = false;
    census seen;
    seen.all_held = true;
    const bool listed = for_each_thread([&](int tid) {
        sees_me = sees_me || tid == me;
        ++seen.threads;
        seen.numbers += tid;
        if (tid == me || is_noted(held, tid) || exempt(tid)) return true;
        // One that has ended since it was listed is missed by nobody.
        if (how == ask::those_who_are_missing && !thread_signal(tid, stop_signal()) &&
            errno == ESRCH)
            return true;
        if (how == ask::why_they_are) {
            const thread_ears ears = thread_hears(tid, stop_signal());
            if (ears == thread_ears::ended) return true;
            if (ears == thread_ears::deaf) seen.deaf = tid;
            if (ears == thread_ears::busy) seen.busy = tid;
        }
        seen.all_held = false;
        return true;
    });
    // In a list that we are not in the numbers are those of another namespace.
    seen.possible = listed && sees_me && seen.threads <= hold.capacity;
    return seen;
}

hold_result hold_all(held_threads& held, bool (*exempt)(int tid), std::int64_t limit_ns) {
    constexpr long nap_ns = 50'000;
    constexpr int ask_again_after = 20;           // naps: new threads have come, perhaps
    constexpr std::int64_t deaf_ns = 10'000'000;  // handlers that block all signals end sooner
    constexpr std::int64_t begun_ns = 1'000'000;  // of computing: a thread's beginning takes less
    const std::int64_t since = nanotime();
    census before;
    int suspect = 0, busy_suspect = 0;
    std::int64_t busy_since = 0;  // its clock then
    ask how = ask::those_who_are_missing;
    for (int naps = 0;;) {
        const std::int64_t waited = nanotime() - since;
        const census seen = look_for_missing(held, exempt, how);
        if (!seen.possible) return hold_result::impossible;
        // Where threads end while the list is read, a part of it after the other, one may be
        // passed over. In two lists that are equal none was: whoever is there is held, and those
        // that are not held, nor known, can have made no thread.
        if (seen.all_held && before.all_held && seen.same_threads(before)) return hold_result::held;
        // One that has just come to the handler blocks it too.
        if (how == ask::why_they_are) {
            if (seen.deaf != 0 && seen.deaf == suspect && waited > deaf_ns)
                return hold_result::deaf;
            suspect = seen.deaf;
            const std::int64_t clock = seen.busy != 0 ? thread_cpu_time(seen.busy) : 0;
            if (seen.busy != busy_suspect) busy_since = clock;
            else if (seen.busy != 0 && clock - busy_since > begun_ns && waited > deaf_ns)
                return hold_result::deaf;
            busy_suspect = seen.busy;
        }
        if (waited > limit_ns) return hold_result::late;
        before = seen;
        if (seen.all_held) continue;  // the same way
        thread_sleep_ns(nap_ns);
        ++naps;
        how = naps % ask_again_after != 0       ? ask::nobody
              : naps / ask_again_after % 2 == 0 ? ask::those_who_are_missing
                                                : ask::why_they_are;
    }
}

}  // namespace

hold_result hold_other_threads(held_threads& held, bool (*exempt)(int tid), std::int64_t limit_ns) {
    if (stop_signal() == 0) return hold_result::impossible;
    hold.mask_of_holder = block_all_but_faults();
    hold.holder = current_thread_id();
    hold.places = held.threads;
    hold.capacity = static_cast<std::uint32_t>(held.capacity);
    hold.noted.store(0, memory_order_relaxed);  // relaxed: published by `round`
    if (++hold.rounds == 0) ++hold.rounds;
    hold.round.store(hold.rounds, memory_order_seq_cst);  // pairs(hold.round)
    const hold_result result = hold_all(held, exempt, limit_ns);
    if (result != hold_result::held) let_other_threads_go();
    return result;
}

void let_other_threads_go() {
    hold.round.store(0, memory_order_seq_cst);  // pairs(hold.round)
    futex_wake(hold.round, INT_MAX);
    restore_signals(hold.mask_of_holder);
}

void await_others_gone() {
    while (hold.inside.load(memory_order_seq_cst) != 0)  // pairs(hold.round)
        thread_sleep_ns(20'000);
}

void forget_who_is_held() {
    // relaxed, both: the child has but this thread
    hold.round.store(0, memory_order_relaxed);
    hold.inside.store(0, memory_order_relaxed);
}

void wait_if_held(const gobuf& interrupted) {
    if (hold.round.load(memory_order_relaxed) == 0) return;  // relaxed: looked at again
    // The C library's own signals too, which no handler's mask keeps away: the one that cancels a
    // thread would end it in here, and it would be waited for, for ever.
    const kernel_signals mask = block_all_but_faults();
    hold.inside.fetch_add(1, memory_order_seq_cst);                     // pairs(hold.round)
    const std::uint32_t round = hold.round.load(memory_order_seq_cst);  // pairs(hold.round)
    // Somebody may have sent the signal, for another purpose, to the one who holds: waiting for
    // itself, it would wait for ever, and all with it.
    if (round != 0 && hold.holder != current_thread_id()) wait_until_let_go(round, interrupted);
    hold.inside.fetch_sub(1, memory_order_seq_cst);  // pairs(hold.round)
    restore_signals(mask);
}

}  // namespace rota::rt
