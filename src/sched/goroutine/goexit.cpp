// Implements goexit by forced unwinding: the unwinder visits every frame up to the first, as for an
// exception that no handler can catch.
//
// Rejected: an exception of a type of rota's own, the dull alternative. Every `catch (...)` that
// keeps its exception, as futures and thread pools do, would carry the end of a goroutine into
// another goroutine. Forced unwinding carries no type: std::current_exception() is null in such a
// handler, and a handler that does not rethrow is detected at its closing brace.
//
// Price: std::uncaught_exceptions() does not count it, and a noexcept function on the way ends the
// process (diag/crash/crash, on_terminate), as for an exception.
#include "sched/goroutine/goexit.hpp"

#include <new>

#include <cxxabi.h>
#include <unwind.h>

#include "base/fatal.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/record/labels.hpp"

namespace rota::rt {

namespace {

// The object that unwinds. It outlives every frame, so it lies on the heap, in the C++ runtime's
// memory for exceptions, which has a reserve.
struct departure {
    _Unwind_Exception unwinding;
    void* caught;  // the exceptions that were being handled when goexit was called
};

// A handler has ended without rethrowing.
void swallowed(_Unwind_Reason_Code, _Unwind_Exception*) {
    fatal("goexit was stopped by a catch (...) that did not rethrow");
}

// Ends the goroutine: everything on its stack but the first frame has been destroyed.
[[noreturn]] void depart(departure& d) {
    getm().eh->caught = d.caught;
    while (getm().eh->caught != nullptr) abi::__cxa_end_catch();
    abi::__cxa_free_exception(&d);
    g& gp = *getm().curg;
    if (gp.locals != nullptr) gp.locals->end(gp);
    if (ROTA_UNLIKELY(labels_of(gp) != nullptr)) drop_labels(gp);
    enter_runtime();
    gp.exits = false;
    gp.main_of = nullptr;  // its run() does not return
    goroutine_end();
}

_Unwind_Reason_Code visit(int, _Unwind_Action actions, _Unwind_Exception_Class,
                          _Unwind_Exception* unwinding, _Unwind_Context* context, void*) {
    if (_Unwind_GetRegionStart(context) == reinterpret_cast<std::uintptr_t>(&rota_gostart))
        depart(*reinterpret_cast<departure*>(unwinding));
    if ((actions & _UA_END_OF_STACK) != 0)
        fatal("goexit came to a function without unwind tables (compile it with -fexceptions)");
    return _URC_NO_REASON;
}

}  // namespace

void goroutine_exit() {
    g& gp = *current_goroutine();
    if (gp.exits) fatal("goexit called by a destructor that goexit runs");
    gp.exits = true;
    auto* const d = new (abi::__cxa_allocate_exception(sizeof(departure))) departure{};
    static_assert(__builtin_offsetof(departure, unwinding) == 0, "visit() casts back");
    d->unwinding.exception_cleanup = swallowed;
    // The C++ runtime lets a handler begin for an exception without a type only while no handler is
    // active. The active handlers have ended when depart() releases their exceptions.
    d->caught = getm().eh->caught;
    getm().eh->caught = nullptr;
    _Unwind_ForcedUnwind(&d->unwinding, visit, nullptr);
    fatal("goexit cannot unwind this stack");
}

}  // namespace rota::rt
