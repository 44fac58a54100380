// Walks a saved context by the unwinder.
#include "diag/stack/context_walk.hpp"

#include <unwind.h>

namespace rota::rt {

namespace {

struct visitor {
    context_walk& to;
    bool begun = false;

    _Unwind_Reason_Code visit(_Unwind_Context* context) {
        int before_instruction = 0;
        const std::uintptr_t pc = _Unwind_GetIPInfo(context, &before_instruction);
        if (pc == 0 || to.count == to.max) return _URC_END_OF_STACK;
        if (!begun) {
            begun = _Unwind_GetRegionStart(context) ==
                    reinterpret_cast<std::uintptr_t>(&rota_on_context);
            return _URC_NO_REASON;
        }
        // Of the frame below: where this one's begins.
        const std::uintptr_t sp = _Unwind_GetCFA(context);
        if (sp < to.lo || sp > to.hi || (to.count > 0 && sp <= to.sp)) return _URC_END_OF_STACK;
        to.sp = sp;
        to.pcs[to.count++] = before_instruction == 0 ? pc : pc + 1;
        return _URC_NO_REASON;
    }
};

}  // namespace

void context_walk::walk(const gobuf& from) {
    visitor v{*this};
    rota_on_context(
        &from,
        [](void* arg) {
            _Unwind_Backtrace([](_Unwind_Context* context,
                                 void* to) { return static_cast<visitor*>(to)->visit(context); },
                              arg);
            asm volatile("");  // no tail call
        },
        &v);
}

}  // namespace rota::rt
