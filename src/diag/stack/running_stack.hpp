// Reads the stack of a goroutine that holds a thread: it runs, it was stopped while it computed, or
// it is inside a call that blocks.
//
//   * It was stopped (sched/preempt/suspend): its m has the registers, and a stopped_hold keeps it
//   there.
//   * Its thread sleeps in the kernel: the kernel tells where, and the thread is not disturbed. If
//     it has run meanwhile, the result is thrown away. The kernel does not tell the frame pointer:
//     for a caller that needs it, it is derived from the first instructions
//     (diag/symbol/machine_code). If that fails, the stack ends there.
//   * Otherwise, if it has computed for a millisecond, it is asked, and answers in the handler of a
//     signal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/g.hpp"
#include "diag/stack/no_yield_guard.hpp"
#include "sched/preempt/scan.hpp"

namespace rota::rt {

struct walked_stack {
    static constexpr std::size_t pcs_max = 256;
    std::size_t count = 0;
    std::uintptr_t pcs[pcs_max] = {};  // as return addresses, the innermost first
};

// Whether gp still is the goroutine with that number.
[[nodiscard]] bool is_same(const g& gp, std::uint64_t goid);

// For a stopped goroutine. False: it is not stopped. Takes no lock and allocates nothing. Caller:
// must not be stopped, nor park, before this returns.
[[nodiscard]] bool walk_stopped(const g& gp, std::uint64_t goid, walked_stack& to);

// The time that the asked threads may take together.
struct patience {
    std::int64_t left_ns = 1'000'000'000;
};

// For a goroutine that runs or is inside a call. False: the stack cannot be had, or gp is no longer
// that goroutine, or not on a thread. Takes no lock and allocates nothing. Blocks the thread until
// the asked thread answers, up to 0.3 s. If a scan is under way, other threads wait for that.
[[nodiscard]] bool walk_running(const g& gp, std::uint64_t goid, walked_stack& to,
                                patience& patience);

// The result of the search for a stack.
enum class found_stack : unsigned char {
    walked,  // `to` has it
    held,    // it has parked meanwhile, and was read while held
    none,    // the stack cannot be had
    gone     // the goroutine has ended
};

// For a goroutine that was on a thread in an earlier scan, in a program that goes on: as it runs,
// parks and runs again, each way is tried in turn. `look`, in a scan of that goroutine alone,
// returns its state, and by `held` whether it was held and has been read. Caller: in user code.
template <class F>
found_stack find_stack(const g& gp, std::uint64_t goid, walked_stack& to, patience& patience,
                       stack_scan& scan, F look) {
    constexpr int tries_max = 3;
    for (int tries = 1;; ++tries) {
        {
            const no_yield_guard here;
            if (walk_stopped(gp, goid, to)) return found_stack::walked;
        }
        if (walk_running(gp, goid, to, patience)) return found_stack::walked;
        const no_yield_guard here;
        scan.begin({gp.stack.arena, gp.stack.index}, 1);
        bool held = false;
        const g_status status = look(held);
        const bool usable = scan.is_usable();
        scan.end();
        if (status == g_status::idle || status == g_status::dead) return found_stack::gone;
        if (held) return found_stack::held;
        if (!usable || tries == tries_max) return found_stack::none;
    }
}

}  // namespace rota::rt
