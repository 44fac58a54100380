// Walks the caller's stack by the unwinder.
#include "trace/own_stack.hpp"

#include <unwind.h>

#include "base/annotations.hpp"

namespace rota::rt {

namespace {

struct walked_pcs {
    std::uintptr_t* pcs;
    std::size_t max;
    std::size_t count;
};

_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* arg) {
    auto& w = *static_cast<walked_pcs*>(arg);
    int before_instruction = 0;
    const std::uintptr_t pc = _Unwind_GetIPInfo(context, &before_instruction);
    if (pc == 0 || w.count == w.max) return _URC_END_OF_STACK;
    w.pcs[w.count++] = before_instruction == 0 ? pc : pc + 1;
    return _URC_NO_REASON;
}

}  // namespace

ROTA_NOINLINE std::size_t own_stack(std::uintptr_t* pcs, std::size_t max) {
    walked_pcs w{pcs, max, 0};
    _Unwind_Backtrace(visit_frame, &w);
    return w.count;
}

}  // namespace rota::rt
