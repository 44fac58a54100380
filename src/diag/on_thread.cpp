// Three ways to a stack.
#include "diag/on_thread.hpp"

#include <algorithm>
#include <cstring>

#include <unwind.h>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "diag/context_walk.hpp"
#include "diag/sample_stack.hpp"
#include "sys/ask_thread.hpp"
#include "sys/clock.hpp"
#include "sys/fault_escape.hpp"
#include "sys/signal.hpp"
#include "sys/thread_status.hpp"

namespace rota::rt {

namespace {

bool is_within(std::uintptr_t address, const stack_slot& slot) {
    return address >= reinterpret_cast<std::uintptr_t>(slot.usable_lo()) &&
           address < reinterpret_cast<std::uintptr_t>(slot.hi);
}

// Who is on that m now, as far as can be told from elsewhere.
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
    walked_stack& to;
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
    q.to.count = walk_interrupted(interrupted, q.to.pcs, walked_stack::pcs_max);
}

// --- asleep --------------------------------------------------------------------------------------

struct sleeper {
    const stack_slot& slot;
    context_walk walk;
    gobuf from;

    // False: it met memory that is not there. What was found until then is there.
    bool try_walk(std::uintptr_t bp) {
        walk.count = 0;
        walk.sp = 0;
        from.bp = reinterpret_cast<void*>(bp);
        return try_call(
            [](void* arg) {
                auto& self = *static_cast<sleeper*>(arg);
                self.walk.walk(self.from);
            },
            this);
    }
};

#if defined(__x86_64__)

// The frame pointer of a function that has been entered, and whose stack pointer is `sp`; 0 if its
// first instructions are not those by which compilers make a frame of fixed size:
//     [endbr64]  push %rbp  mov %rsp,%rbp  {push %reg}  sub $size,%rsp
std::uintptr_t frame_of(const unsigned char* code, std::uintptr_t sp) {
    constexpr unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    constexpr unsigned char begin[] = {0x55, 0x48, 0x89, 0xe5};
    if (std::memcmp(code, endbr64, sizeof endbr64) == 0) code += sizeof endbr64;
    if (std::memcmp(code, begin, sizeof begin) != 0) return 0;
    code += sizeof begin;
    for (;;) {
        const bool is_high = code[0] == 0x41;  // %r8 to %r15
        const unsigned char push = code[is_high ? 1 : 0];
        if (push < 0x50 || push > 0x57) break;
        code += is_high ? 2 : 1;
        sp += sizeof(void*);
    }
    std::uint32_t size = 0;
    if (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec) size = code[3];
    else if (code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xec)
        std::memcpy(&size, code + 3, sizeof size);
    return sp + size;
}

// The frame pointer that the kernel has not told, from the first function that needs it, which is
// the last that was found. 0: it can't be said.
std::uintptr_t guess_frame(const context_walk& walk, const stack_slot& slot) {
    if (walk.count == 0) return 0;
    const auto pc = reinterpret_cast<void*>(walk.pcs[walk.count - 1] - 1);
    const auto* const code = static_cast<const unsigned char*>(_Unwind_FindEnclosingFunction(pc));
    if (code == nullptr) return 0;
    const std::uintptr_t frame = frame_of(code, walk.sp);
    if (frame % sizeof(void*) != 0 || !is_within(frame, slot) ||
        !is_within(frame + sizeof(void*), slot))
        return 0;
    void* caller = nullptr;
    std::memcpy(&caller, reinterpret_cast<const void*>(frame + sizeof(void*)), sizeof caller);
    return _Unwind_FindEnclosingFunction(caller) != nullptr ? frame : 0;
}

#else

// Where callers lie is said of the stack pointer there.
std::uintptr_t guess_frame(const context_walk&, const stack_slot&) { return 0; }

#endif

// gp's thread slept, and has not run since, so nothing of the stack has moved.
bool walk_asleep(const g& gp, std::uint64_t goid, const m& mp, int tid, walked_stack& to) {
    sleeping_thread before, after;
    if (!faults_are_ours() || !find_sleeping(tid, before) || !is_within(before.sp, gp.stack) ||
        !is_on(mp, gp, goid))
        return false;
    const stack_slot slot = gp.stack;
    sleeper s{slot,
              {to.pcs, walked_stack::pcs_max, before.sp, reinterpret_cast<std::uintptr_t>(slot.hi)},
              {}};
    // As a return address: one behind what goes on there.
    s.from.sp = reinterpret_cast<void*>(before.sp);
    s.from.pc = reinterpret_cast<void*>(before.pc + 1);
    const kernel_signals mask = block_all_but_faults();
    if (!s.try_walk(0)) {
        const std::uintptr_t frame = guess_frame(s.walk, slot);
        if (frame != 0) (void)s.try_walk(frame);
    }
    restore_signals(mask);
    if (!find_sleeping(tid, after) || !(before == after) || !is_on(mp, gp, goid)) return false;
    to.count = s.walk.count;
    return to.count > 0;
}

// One that has just woken may go into the next call: the signal would come to that.
bool has_computed(int tid) {
    constexpr long while_ns = 1'000'000;
    const int signal = stop_signal();
    std::uint64_t before = 0, after = 0;
    if (signal == 0 || !is_awake_for(tid, signal, before)) return false;
    thread_sleep_ns(while_ns);
    return is_awake_for(tid, signal, after) && after == before;
}

}  // namespace

bool walk_stopped(const g& gp, const stack_scan& scan, walked_stack& to) {
    const gobuf* const at = scan.holds_stopped(gp);
    if (at == nullptr) return false;
#if defined(__x86_64__)
    if (is_within(reinterpret_cast<std::uintptr_t>(at->sp), gp.stack)) {
        context_walk w{to.pcs, walked_stack::pcs_max};
        gobuf from = *at;
        from.pc = static_cast<char*>(from.pc) + 1;  // as a return address
        w.walk(from);
        to.count = w.count;
        return true;
    }
#endif
    // A function that calls none has its return address in a register there.
    to.count = walk_frames(*at, to.pcs, walked_stack::pcs_max);
    return true;
}

bool walk_on_thread(const g& gp, std::uint64_t goid, walked_stack& to, patience& patience) {
    constexpr std::int64_t answer_limit = 100'000'000;  // ns
    to.count = 0;
    const m* const mp = thread_of(gp);
    if (mp == nullptr || !is_on(*mp, gp, goid)) return false;
    const int tid = mp->tid.load(memory_order_relaxed);  // relaxed: see tid
    if (walk_asleep(gp, goid, *mp, tid, to)) return true;
    const std::int64_t since = nanotime();
    inquiry q{gp, goid, to};
    const bool answered = patience.left_ns > 0 && has_computed(tid) &&
                          ask_thread(tid, answer, &q, std::min(answer_limit, patience.left_ns));
    patience.left_ns -= nanotime() - since;
    return answered && to.count > 0;
}

}  // namespace rota::rt
