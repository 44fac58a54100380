// Reads the stack of a goroutine on a thread: stopped, asleep in the kernel, or asked by a signal.
#include "diag/stack/running_stack.hpp"

#include <algorithm>

#include <unwind.h>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "diag/stack/context_walk.hpp"
#include "diag/stack/sample_stack.hpp"
#include "diag/symbol/machine_code.hpp"
#include "sys/call/clock.hpp"
#include "sys/proc/thread_status.hpp"
#include "sys/signal/ask_thread.hpp"
#include "sys/signal/fault_escape.hpp"
#include "sys/signal/stop_signal.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

bool is_within(std::uintptr_t address, const stack_slot& slot) {
    return address >= reinterpret_cast<std::uintptr_t>(slot.usable_lo()) &&
           address < reinterpret_cast<std::uintptr_t>(slot.hi);
}

// Whether that m runs the goroutine, as far as another thread can tell.
ROTA_READS_RACING bool is_on(const m& mp, const g& gp, std::uint64_t goid) {
    return mp.curg == &gp && gp.goid == goid;
}

ROTA_READS_RACING const m* thread_of(const g& gp) {
    const g_status status = readgstatus(gp);
    const bool on_thread = status == g_status::running || status == g_status::syscall;
    return on_thread ? gp.mp : nullptr;
}

// --- asked ---------------------------------------------------------------------------------------

struct inquiry {
    const g& gp;
    std::uint64_t goid;
    int tid;
    walked_stack& to;
    // At a first look; before it is asked, it must have computed since and not slept.
    std::uint64_t sleeps = 0;
    std::int64_t cpu = 0;
};

// On the thread itself.
void answer(const gobuf& interrupted, void* arg) {
    const inquiry& q = *static_cast<inquiry*>(arg);
    const m* const mp = getm_or_null();
    if (mp == nullptr || !is_on(*mp, q.gp, q.goid)) return;
    // On its way from or to another stack. Outside the runtime the stack may be one that the
    // program has made.
    const bool at_home = is_within(reinterpret_cast<std::uintptr_t>(interrupted.sp), q.gp.stack);
    const bool inside = mp->in_runtime.load(memory_order_relaxed) != 0;  // relaxed: its own
    if ((!at_home && inside) || mp->after != nullptr) return;
    // A thread of the program's own may have a signal stack that has no room for the unwinder.
    q.to.count = mp->signal_stack != nullptr
                     ? walk_interrupted(interrupted, q.to.pcs, walked_stack::pcs_max)
                     : walk_frames(interrupted, q.to.pcs, walked_stack::pcs_max);
}

// One that has just woken may go into the next call, or be still in that in which it slept: the
// signal would come to that.
bool has_not_slept(const inquiry& q) {
    std::uint64_t sleeps = 0;
    return is_awake_for(q.tid, stop_signal(), sleeps) && sleeps == q.sleeps;
}

bool has_computed(void* arg) {
    const inquiry& q = *static_cast<inquiry*>(arg);
    return has_not_slept(q) && q.cpu >= 0 && thread_cpu_time(q.tid) > q.cpu;
}

// Waits until it has computed; at most for so long, as it may have no processor.
bool await_computing(inquiry& q, std::int64_t limit_ns) {
    constexpr long nap_ns = 1'000'000;
    const std::int64_t until = nanotime() + limit_ns;
    q.cpu = thread_cpu_time(q.tid);
    if (!is_awake_for(q.tid, stop_signal(), q.sleeps)) return false;
    do {
        thread_sleep_ns(nap_ns);
        if (has_computed(&q)) return true;
    } while (has_not_slept(q) && nanotime() < until);
    return false;
}

// --- a stack that stands still
// ---------------------------------------------------------------------

struct still_stack {
    context_walk walk;
    gobuf from;  // as a return address

    // False: it met memory that is not there, or a register that is not known. What was found until
    // then is there.
    bool try_walk(void* bp) {
        walk.count = 0;
        walk.sp = 0;
        from.bp = bp;
        return try_call(
            [](void* arg) {
                auto& self = *static_cast<still_stack*>(arg);
                self.walk.walk(self.from);
            },
            this);
    }
};

still_stack stack_at(void* sp, void* pc, const stack_slot& slot, walked_stack& to) {
    return {{to.pcs, walked_stack::pcs_max, reinterpret_cast<std::uintptr_t>(sp),
             reinterpret_cast<std::uintptr_t>(slot.hi)},
            {sp, static_cast<char*>(pc) + 1, nullptr}};
}

#if defined(__x86_64__)

// Of a stack whose thread may have woken: then what is read is thrown away. Any word may stand
// there.
__attribute__((no_sanitize("address", "thread"), noinline)) std::uintptr_t word_at(
    std::uintptr_t address) {
    return *reinterpret_cast<const std::uintptr_t*>(address);
}

struct frame_guess {
    const context_walk& walk;
    const stack_slot& slot;
    void* frame = nullptr;

    // From the first function that needs the frame pointer, which is the last that was found.
    void look() {
        auto* const pc = reinterpret_cast<unsigned char*>(walk.pcs[walk.count - 1] - 1);
        const auto* const code =
            static_cast<const unsigned char*>(_Unwind_FindEnclosingFunction(pc));
        if (code == nullptr) return;
        const std::uintptr_t at = frame_pointer_at(code, pc, walk.sp);
        constexpr std::size_t word = sizeof(void*);
        if (at < walk.sp || at % word != 0 || !is_within(at, slot) || !is_within(at + word, slot))
            return;
        const std::uintptr_t next = word_at(at);
        if (next != 0 && (next <= at || !is_within(next, slot))) return;
        auto* const back = reinterpret_cast<unsigned char*>(word_at(at + word));
        if (back == nullptr) return;
        if (_Unwind_FindEnclosingFunction(back - 1) != nullptr && follows_call_of(back, code))
            frame = reinterpret_cast<void*>(at);
    }
};

// The frame pointer that the kernel has not told; null: it can't be said.
void* guess_frame(const context_walk& walk, const stack_slot& slot) {
    if (walk.count == 0) return nullptr;
    frame_guess guess{walk, slot};
    const bool came_back =
        try_call([](void* arg) { static_cast<frame_guess*>(arg)->look(); }, &guess);
    return came_back ? guess.frame : nullptr;
}

#else

// Where callers lie is said of the stack pointer there.
void* guess_frame(const context_walk&, const stack_slot&) { return nullptr; }

#endif

// gp's thread slept, and has not run since, so nothing of the stack has moved.
bool walk_asleep(const g& gp, std::uint64_t goid, const m& mp, int tid, walked_stack& to) {
    sleeping_thread place;
    if (!are_tables_safe() || !find_sleeping(tid, place) || !is_within(place.sp, gp.stack) ||
        !is_on(mp, gp, goid))
        return false;
    const stack_slot slot = gp.stack;
    still_stack s =
        stack_at(reinterpret_cast<void*>(place.sp), reinterpret_cast<void*>(place.pc), slot, to);
    const kernel_signals mask = block_all_but_memory_faults();
    if (!s.try_walk(nullptr)) {
        const std::size_t found = s.walk.count;
        void* const frame = guess_frame(s.walk, slot);
        if (frame != nullptr && !s.try_walk(frame) && s.walk.count < found)
            (void)s.try_walk(nullptr);
    }
    restore_signals(mask);
    to.count = s.walk.count;
    return to.count > 0 && sleeps_still(tid, place) && is_on(mp, gp, goid);
}

#if defined(__x86_64__)

// Registers that a function may use besides are not known; then the walk ends there.
std::size_t walk_by_tables(const gobuf& at, const stack_slot& slot, walked_stack& to) {
    if (!are_tables_safe() || !is_within(reinterpret_cast<std::uintptr_t>(at.sp), slot)) return 0;
    still_stack s = stack_at(at.sp, at.pc, slot, to);
    const kernel_signals mask = block_all_but_memory_faults();
    (void)s.try_walk(at.bp);
    restore_signals(mask);
    return s.walk.count;
}

#else

// A function that calls none has its return address in a register, which is not kept.
std::size_t walk_by_tables(const gobuf&, const stack_slot&, walked_stack&) { return 0; }

#endif

}  // namespace

ROTA_READS_RACING bool is_same(const g& gp, std::uint64_t goid) { return gp.goid == goid; }

bool walk_stopped(const g& gp, std::uint64_t goid, walked_stack& to) {
    const stopped_hold hold;
    const gobuf* const at = hold.find(gp);
    to.count = 0;
    if (at == nullptr || !is_same(gp, goid)) return false;
    to.count = walk_by_tables(*at, gp.stack, to);
    if (to.count == 0) to.count = walk_frames(*at, to.pcs, walked_stack::pcs_max);
    return true;
}

bool walk_running(const g& gp, std::uint64_t goid, walked_stack& to, patience& patience) {
    constexpr std::int64_t limit = 300'000'000;  // ns: for each; it may have no processor
    to.count = 0;
    const m* const mp = thread_of(gp);
    if (mp == nullptr || !is_on(*mp, gp, goid)) return false;
    const int tid = mp->tid.load(memory_order_relaxed);  // relaxed: see tid
    if (walk_asleep(gp, goid, *mp, tid, to)) return true;
    to.count = 0;
    inquiry q{gp, goid, tid, to};
    const std::int64_t since = nanotime();
    if (patience.left_ns <= 0) return false;
    const bool answered =
        await_computing(q, std::min(limit, patience.left_ns)) &&
        ask_thread(tid, has_computed, answer, &q, std::min(limit, patience.left_ns));
    patience.left_ns -= nanotime() - since;
    return answered && to.count > 0;
}

}  // namespace rota::rt
