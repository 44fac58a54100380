// Sends the stop signal to every thread, and keeps each in the handler until the holder lets go.
#include "sys/signal/hold_threads.hpp"

#include <cerrno>

#include <climits>

#include "base/atomic.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/futex.hpp"
#include "sys/proc/thread_list.hpp"
#include "sys/proc/thread_status.hpp"
#include "sys/signal/stop_signal.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

struct hold_t {
    // Number of the hold under way, a new number each time; 0: no thread is to wait. Writer: the
    // holder. Readers: the handlers.
    atomic<std::uint32_t> round{0};
    // Number of handlers that may read the rest. Each handler counts itself and then reads `round`.
    // The holder that lets go clears `round` first and then waits for 0. So either a handler sees
    // that the hold is over, or the holder waits for it.
    atomic<std::uint32_t> inside{0};
    atomic<std::uint32_t> noted{0};  // places that handlers have taken; relaxed: an index

    // --- owner: the holder, before `round` is set -----------------------------------
    int holder = 0;                     // its thread id
    kernel_signals mask_of_holder = 0;  // its signal mask before the hold
    held_thread* places = nullptr;
    std::uint32_t capacity = 0;
    std::uint32_t rounds = 0;
};
constinit hold_t hold;

// The handler writes a place's tid last: 0 means that the place is not complete.
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
    int deaf = 0;  // the last thread found that blocks the signal and sleeps
    int busy = 0;  // the last thread found that blocks it and does not sleep
    std::size_t threads = 0;
    long numbers = 0;  // sum of the thread ids
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
        // A thread that has ended since it was listed is not missing.
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
    // A list without the caller's own id has the ids of another namespace.
    seen.possible = listed && sees_me && seen.threads <= hold.capacity;
    return seen;
}

hold_result hold_all(held_threads& held, bool (*exempt)(int tid), std::int64_t limit_ns) {
    constexpr long nap_ns = 50'000;
    constexpr int ask_again_after = 20;           // naps: new threads may have come
    constexpr std::int64_t deaf_ns = 10'000'000;  // handlers that block every signal end sooner
    constexpr std::int64_t begun_ns = 1'000'000;  // of computing: a thread's start takes less
    const std::int64_t since = nanotime();
    census before;
    int suspect = 0, busy_suspect = 0;
    std::int64_t busy_since = 0;  // CPU time of the busy suspect at that moment
    ask how = ask::those_who_are_missing;
    for (int naps = 0;;) {
        const std::int64_t waited = nanotime() - since;
        const census seen = look_for_missing(held, exempt, how);
        if (!seen.possible) return hold_result::impossible;
        // The kernel gives the list in parts. If threads end meanwhile, a part may pass over a
        // thread. Two equal lists passed over none: each thread there is held, and threads that are
        // neither held nor known can have made no thread.
        if (seen.all_held && before.all_held && seen.same_threads(before)) return hold_result::held;
        // A thread that has just entered the handler blocks the signal too.
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
        if (seen.all_held) continue;  // the second list, by the same way
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
    // relaxed, both: the child of a fork has no other thread
    hold.round.store(0, memory_order_relaxed);
    hold.inside.store(0, memory_order_relaxed);
}

void wait_if_held(const gobuf& interrupted) {
    if (hold.round.load(memory_order_relaxed) == 0) return;  // relaxed: looked at again
    // Blocks the C library's own signals too, which no handler's mask blocks. The signal of
    // pthread_cancel would end the thread in here, and the holder would wait for it for ever.
    const kernel_signals mask = block_all_but_faults();
    hold.inside.fetch_add(1, memory_order_seq_cst);                     // pairs(hold.round)
    const std::uint32_t round = hold.round.load(memory_order_seq_cst);  // pairs(hold.round)
    // Another process may send the signal to the holder for its own purpose. The holder would wait
    // for itself for ever, and every held thread with it.
    if (round != 0 && hold.holder != current_thread_id()) wait_until_let_go(round, interrupted);
    hold.inside.fetch_sub(1, memory_order_seq_cst);  // pairs(hold.round)
    restore_signals(mask);
}

}  // namespace rota::rt
