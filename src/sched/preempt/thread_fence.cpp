// Implements the taker's side of the fence: reads the thread's clock first, then sends the signal.
#include "sched/preempt/thread_fence.hpp"

#include "arch/context.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t clock_still_ns = 50'000;  // ns that a clock must stand still
constexpr std::int64_t answer_ns = 1'000'000;    // ns to wait for an answer;
constexpr std::int64_t answer_spin_ns = 20'000;  // the first ns of it awake,
constexpr long answer_nap_ns = 20'000;           // the rest in naps of this length (ns)

// Whether a thread's clock moves several times in `clock_still_ns` while the thread runs: tried on
// the caller's clock.
bool try_own_clock() {
    constexpr int steps_wanted = 4;
    const int me = current_thread_id();
    std::int64_t last = thread_cpu_time(me);
    const std::int64_t until = nanotime() + clock_still_ns;
    int steps = 0;
    while (steps < steps_wanted && nanotime() < until) {
        const std::int64_t now = thread_cpu_time(me);
        if (now != last) ++steps;
        last = now;
    }
    return steps == steps_wanted;
}

bool moves_clock_in_small_steps() {
    constexpr int unknown = 0, yes = 1;
    static constinit atomic<int> known{unknown};
    int kind = known.load(memory_order_relaxed);  // relaxed: each caller finds the same
    // The caller may lose its processor in the middle: several tries in vain say no.
    constexpr int no = -8;
    if (kind != yes && kind > no) {
        kind = try_own_clock() ? yes : kind - 1;
        known.store(kind, memory_order_relaxed);  // relaxed: as above
    }
    return kind == yes;
}

// Whether the thread had no processor at some moment of the call.
bool stands_still(int tid) {
    const std::int64_t before = thread_cpu_time(tid);
    if (before < 0) return false;
    const std::int64_t until = nanotime() + clock_still_ns;
    do {
        procyield(10);
        if (thread_cpu_time(tid) != before) return false;
    } while (nanotime() < until);
    return moves_clock_in_small_steps() || state_of_thread(tid) == thread_state::asleep;
}

bool is_answered(const m& mp, std::uint32_t asked) {
    return mp.fence_done.load(memory_order_acquire) == asked;  // pairs(entry.fence)
}

bool fence_by_signal(m& mp, int tid) {
    if (state_of_thread(tid) == thread_state::asleep) return false;
    // relaxed: written only here, under take's lock
    const std::uint32_t asked = mp.fence_asked.load(memory_order_relaxed) + 1;
    mp.fence_asked.store(asked, memory_order_release);  // pairs(entry.fence)
    if (!thread_signal(tid, stop_settings.signal)) return false;
    const std::int64_t begun = nanotime();
    for (;;) {
        if (is_answered(mp, asked)) return true;
        const std::int64_t waited = nanotime() - begun;
        if (waited > answer_ns) return false;
        if (waited < answer_spin_ns) procyield(10);
        else thread_sleep_ns(answer_nap_ns);
    }
}

}  // namespace

bool fence_thread(m& mp) {
    const int tid = mp.tid.load(memory_order_relaxed);  // relaxed: see tid
    if (tid == 0) return false;
    full_fence();  // pairs(entry.mark): the caller's request comes before every look at the thread
    const bool fenced = stands_still(tid) || (stop_settings.stops && fence_by_signal(mp, tid));
    full_fence();  // pairs(entry.mark): and the caller's next loads come after them
    return fenced;
}

}  // namespace rota::rt
