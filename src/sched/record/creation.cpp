// Records the stacks of creators in a table of their own, and looks them up.
#include "sched/record/creation.hpp"

#include <algorithm>

#include "trace/own_stack.hpp"
#include "trace/stacks.hpp"

namespace rota::rt {

namespace {

constinit trace_stack_table stacks;

}  // namespace

void note_creation(g& gp) {
    constexpr std::size_t own_max = 8;  // frames between here and the caller of newproc
    std::uintptr_t pcs[own_max + trace_depth_max];
    const void* const at = gp.created_at.address();
    const std::uintptr_t* const end = pcs + own_stack(pcs, std::size(pcs));
    const std::uintptr_t* const from = std::find(static_cast<const std::uintptr_t*>(pcs), end,
                                                 reinterpret_cast<std::uintptr_t>(at));
    if (from == end) return;  // a timer created gp: no caller's stack leads to `at`
    const auto n = std::min<std::ptrdiff_t>(end - from, trace_depth_max);
    const std::uint32_t id = stacks.try_add(from, static_cast<std::uint32_t>(n));
    gp.created_at = creation_place(at, static_cast<std::uint16_t>(id));
}

ROTA_READS_RACING creation_stack creation_of(const g& gp) { return creation_of(gp.created_at); }

creation_stack creation_of(creation_place at) {
    const std::uint32_t id = at.stack();
    // Another processor may be adding this stack right now.
    if (id == 0 || !stacks.is_there(id)) return {};
    const std::uintptr_t* const pcs = stacks.frames(id);
    const std::uint32_t n = stacks.depth(id);
    return {pcs, n, n == trace_depth_max};
}

}  // namespace rota::rt
