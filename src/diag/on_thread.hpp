// The stack of a goroutine that holds a thread: it runs, it was stopped where it computed, or it is
// inside a call that blocks.
//
//   * It was stopped (sched/suspend): its m has the registers, and a stopped_hold keeps it there.
//   * Its thread sleeps in the kernel: that says where, and nobody disturbs it. If it has run
//     meanwhile, what was read is thrown away. The kernel does not tell the frame pointer: a caller
//     that needs it has it guessed from its first instructions (diag/machine_code); where that
//     can't be done the stack ends there.
//   * Otherwise, if it has computed for a millisecond, it is asked, and answers in the handler of a
//     signal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/g.hpp"
#include "diag/unstopped.hpp"
#include "sched/scan.hpp"

namespace rota::rt {

struct walked_stack {
    static constexpr std::size_t pcs_max = 256;
    std::size_t count = 0;
    std::uintptr_t pcs[pcs_max] = {};  // as return addresses, the innermost first
};

// Whether that goroutine is there still, and not another one in its place.
[[nodiscard]] bool is_same(const g& gp, std::uint64_t goid);

// Of one that is stopped. False: it is not. Takes no lock and allocates nothing. Caller: not to be
// stopped itself, nor to park, before this returns.
[[nodiscard]] bool walk_stopped(const g& gp, std::uint64_t goid, walked_stack& to);

// How long those that are asked may take together.
struct patience {
    std::int64_t left_ns = 1'000'000'000;
};

// Of one that runs or is inside a call. False: it can't be had, or gp is not that goroutine any
// more, or not on a thread. Takes no lock and allocates nothing; blocks the thread until the other
// one answers, up to three tenths of a second. If a scan is under way, others wait for that.
[[nodiscard]] bool walk_on_thread(const g& gp, std::uint64_t goid, walked_stack& to,
                                  patience& patience);

// What has come of the search for a stack.
enum class found_stack : unsigned char {
    walked,  // `to` has it
    held,    // it has parked meanwhile, and was looked at so
    none,    // it can't be had
    gone     // the goroutine has ended
};

// Of one that was on a thread in a scan before, in a program that goes on: as it runs, parks and
// runs again it is looked for in turn. `look`, in a scan of that goroutine alone, returns its
// state, and by `held` whether it was held and has been looked at. Caller: in user code.
template <class F>
found_stack find_stack(const g& gp, std::uint64_t goid, walked_stack& to, patience& patience,
                       stack_scan& scan, F look) {
    constexpr int tries_max = 3;
    for (int tries = 1;; ++tries) {
        {
            const unstopped here;
            if (walk_stopped(gp, goid, to)) return found_stack::walked;
        }
        if (walk_on_thread(gp, goid, to, patience)) return found_stack::walked;
        const unstopped here;
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
