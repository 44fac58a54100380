// The stack of a goroutine that holds a thread: it runs, it was stopped where it computed, or it is
// inside a call that blocks.
//
//   * It was stopped (sched/suspend): its m has the registers, and a scan keeps it there.
//   * Its thread sleeps in the kernel: that says where, and nobody disturbs it. If it has run in
//   the
//     meantime, what was read is thrown away. The kernel does not tell the frame pointer: a caller
//     that needs it, as functions do that are compiled without optimisation, has it guessed from
//     its first instructions; where that can't be done the stack ends there.
//   * Otherwise, if it has computed for a millisecond, it is asked, and answers in the handler of a
//     signal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/g.hpp"
#include "sched/scan.hpp"

namespace rota::rt {

struct walked_stack {
    static constexpr std::size_t pcs_max = 256;
    std::size_t count = 0;
    std::uintptr_t pcs[pcs_max] = {};  // as return addresses, the innermost first
};

// Of one that is stopped. False: it is not. Caller: within the scan; takes no lock and allocates
// nothing.
[[nodiscard]] bool walk_stopped(const g& gp, const stack_scan& scan, walked_stack& to);

// How long all those that are asked may take together.
struct patience {
    std::int64_t left_ns = 1'000'000'000;
};

// Of one that runs or is inside a call. False: it can't be had, or gp is not that goroutine any
// more, or not on a thread. Caller: not within a scan. Takes no lock and allocates nothing; blocks
// the thread until the other one answers, up to a tenth of a second.
[[nodiscard]] bool walk_on_thread(const g& gp, std::uint64_t goid, walked_stack& to,
                                  patience& patience);

}  // namespace rota::rt
