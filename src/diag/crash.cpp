// The reports.
#include "diag/crash.hpp"

#include <cstdlib>
#include <cstring>
#include <string>
#include <typeinfo>

#include <cxxabi.h>
#include <unistd.h>
#include <unwind.h>

#include <rota/detail/future_state.hpp>
#include <rota/panic.hpp>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "diag/traceback.hpp"
#include "mem/stack.hpp"
#include "sched/m_lifecycle.hpp"
#include "sys/signal.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

constinit atomic<int> reporter{0};                          // the thread whose report it is
constinit traceback_level level = traceback_level::single;  // fixed at boot

void begin_report() {
    int nobody = 0;
    const int me = current_thread_id();
    if (reporter.compare_exchange(nobody, me, memory_order_relaxed, memory_order_relaxed))
        return;                    // relaxed: a gate
    if (nobody == me) ::_exit(2);  // the report itself failed
    sleep_for_ever();
}

[[noreturn]] void end_process() {
    if (level == traceback_level::crash) std::abort();
    ::_exit(2);
}

void print_traces(trace_scope scope) {
    if (scope == trace_scope::none || level == traceback_level::none) return;
    report out;
    print_current_goroutine(out);
    out.flush();
    if (scope == trace_scope::all || level >= traceback_level::all ||
        current_goroutine() == nullptr) {
        print_other_goroutines(out);
    }
}

std::string demangled(const std::type_info& type) {
    int status = 0;
    char* const name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string text = status == 0 ? name : type.name();
    std::free(name);
    return text;
}

// The text behind "panic: " for the exception being handled.
std::string current_panic_text() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    const std::string name = type != nullptr ? demangled(*type) : "unknown exception";
    try {
        throw;
    } catch (const panic_error& e) {
        return e.what();
    } catch (const std::exception& e) {
        return name + ": " + e.what();
    } catch (const std::string& s) {
        return name + ": " + s;
    } catch (const char* s) {
        return name + ": " + s;
    } catch (bool b) {
        return name + (b ? ": true" : ": false");
    } catch (int v) {
        return name + ": " + std::to_string(v);
    } catch (unsigned v) {
        return name + ": " + std::to_string(v);
    } catch (long v) {
        return name + ": " + std::to_string(v);
    } catch (unsigned long v) {
        return name + ": " + std::to_string(v);
    } catch (double v) {
        return name + ": " + std::to_string(v);
    } catch (...) {
        return name;
    }
}

[[noreturn]] void print_panic(const std::string& text, const char* note = "") {
    begin_report();
    const std::string line = "panic: " + text + "\n" + note;
    write_error(line.data(), line.size());
    print_traces(trace_scope::current);
    end_process();
}

// A fault in a guard page: the goroutine has run off its stack.
void on_stack_overflow(const fault_info& fault) {
    const stack_slot slot = stack_find(fault.address);
    if (!slot || static_cast<const std::byte*>(fault.address) >= slot.usable_lo()) return;
    begin_report();
    report out;
    out.print("runtime: goroutine stack exceeds %zu-byte limit\n",
              static_cast<std::size_t>(slot.hi - slot.lo));
    out.print("runtime: sp=%p stack=[%p, %p]\n", fault.sp, static_cast<void*>(slot.lo),
              static_cast<void*>(slot.hi));
    out.print("fatal error: stack overflow\n");
    out.flush();
    const g& gp = *header_of(slot);
    print_goroutine_header(out, gp);
    out.flush();
    print_current_stack(out, true, fault.pc);
    print_creator(out, gp, true);
    out.flush();
    end_process();
}

constinit std::terminate_handler terminate_before = nullptr;  // fixed at boot

// std::terminate in a goroutine: an exception, or goexit, has met a noexcept function, or something
// left a destructor while an exception passed. Elsewhere it is the program's business.
void on_terminate() {
    const g* const gp = current_goroutine();
    if (gp == nullptr) {
        terminate_before();
        std::abort();
    }
    if (abi::__cxa_current_exception_type() != nullptr) {
        print_panic(
            current_panic_text(),
            "\tstd::terminate: it cannot leave a noexcept function, nor a destructor while an "
            "exception passes\n");
    }
    fatal(gp->exits
              ? "std::terminate: goexit cannot pass a noexcept function, nor leave a destructor "
                "while an exception passes"
              : "std::terminate called");
}

// A handler that the program had installed stays.
void install_terminate_handler() {
    terminate_before = std::get_terminate();
    if (terminate_before == __gnu_cxx::__verbose_terminate_handler ||
        terminate_before == std::abort)
        std::set_terminate(on_terminate);
}

}  // namespace

void install_crash_reports(traceback_level wanted) {
    level = wanted;
    crash.begin_report = begin_report;
    crash.print_traces = print_traces;
    on_fault(on_stack_overflow);
    install_terminate_handler();
}

void report_panic(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (...) {
        print_panic(current_panic_text());
    }
}

}  // namespace rota::rt

namespace rota::detail {

void future_panic(const std::exception_ptr& error) { rota::rt::report_panic(error); }

}  // namespace rota::detail

// Personality of a goroutine's first frame. In the search phase an exception that comes here has
// found no handler: the stack stands as it was at the throw, so the trace shows where. Forced
// unwinding passes.
extern "C" _Unwind_Reason_Code rota_goroutine_personality(int, _Unwind_Action actions,
                                                          _Unwind_Exception_Class,
                                                          _Unwind_Exception* exception,
                                                          _Unwind_Context*) {
    if ((actions & _UA_SEARCH_PHASE) == 0 || (actions & _UA_FORCE_UNWIND) != 0)
        return _URC_CONTINUE_UNWIND;
    abi::__cxa_begin_catch(exception);
    rota::rt::print_panic(rota::rt::current_panic_text());
}
