// Exceptions that leave the handlers of http/: the trace is taken in the unwinder's search phase,
// when the stack still stands as it was at the throw. A catch would come too late.
#include <unwind.h>

#include "diag/crash/panic_text.hpp"
#include "diag/stack/stack_text.hpp"
#include "http/exchange/panic_report.hpp"

extern "C" void rota_call_traced(void (*f)(void*), void* arg, void* tracing);  // arch/*/traced.S

namespace rota::http {

std::string panic_text() { return rt::current_panic_text(); }

void call_traced(traced_call& call) { rota_call_traced(call.run, call.arg, &call); }

}  // namespace rota::http

extern "C" _Unwind_Reason_Code rota_traced_personality(int, _Unwind_Action actions,
                                                       _Unwind_Exception_Class, _Unwind_Exception*,
                                                       _Unwind_Context* context) {
    if ((actions & _UA_SEARCH_PHASE) == 0 || (actions & _UA_FORCE_UNWIND) != 0)
        return _URC_CONTINUE_UNWIND;
#if defined(__aarch64__)
    constexpr int saved = 19;  // x19
#else
    constexpr int saved = 3;  // rbx
#endif
    auto& call = *reinterpret_cast<rota::http::traced_call*>(_Unwind_GetGR(context, saved));
    try {
        if (call.is_wanted(call.arg)) call.trace = rota::rt::stack_text(false);
    } catch (...) {  // without memory: the exception matters more than its trace
    }
    return _URC_CONTINUE_UNWIND;
}
