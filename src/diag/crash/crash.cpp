// Writes crash reports for panics, fatal errors, signals and std::terminate.
#include "diag/crash/crash.hpp"

#include <csignal>
#include <cstdlib>
#include <string>

#include <cxxabi.h>
#include <dlfcn.h>
#include <unistd.h>
#include <unwind.h>

#include <rota/detail/future_state.hpp>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "diag/crash/panic_text.hpp"
#include "diag/leak/park_watch.hpp"
#include "diag/stack/traceback.hpp"
#include "diag/symbol/symbolize.hpp"
#include "diag/trace/session.hpp"
#include "mem/stack.hpp"
#include "sched/queue/m_bind.hpp"
#include "sys/signal/ask_thread.hpp"
#include "sys/signal/signal.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// The number of the reporting thread. Negative: the number of the thread that ends the process,
// where only its own report can still come out.
constinit atomic<int> reporter{0};
constinit traceback_level level = traceback_level::single;  // fixed at boot

void begin_report() {
    const int me = current_thread_id();
    // relaxed: our own, if it matters
    int before = reporter.load(memory_order_relaxed) == -me ? -me : 0;
    if (reporter.compare_exchange(before, me, memory_order_relaxed, memory_order_relaxed)) {
        // relaxed, above: a gate. The reporter must not be stopped, nor wait for a thread that is:
        // sysmon looks here.
        sched.no_stops.store(true, memory_order_relaxed);
        be_patient_with_last_report();
        finish_park_reports();  // a park that should not have been may be the reason
        return;
    }
    if (before == me) ::_exit(2);  // the report itself failed
    give_up_answer();              // for which it may wait
    sleep_for_ever();
}

// relaxed: this thread's own store, or another thread's number.
bool is_own_report() { return reporter.load(memory_order_relaxed) == current_thread_id(); }

void save_flight_recorder() { the_trace.dump_before_end(); }

[[noreturn]] void end_process() {
    save_flight_recorder();
    if (level == traceback_level::crash) {
        signal_leave_abort();
        std::abort();
    }
    ::_exit(2);
}

// For the one thread whose report it is.
struct report_room {
    report out;
    tracer trace;
};
constinit report_room room;

void begin_traces(bool careful = false, bool system = false) {
    room.trace.to(room.out,
                  {.system = system || level >= traceback_level::system, .careful = careful});
    room.out.print("%s", "");  // something stands above them: an empty line comes first
}

// On the scheduler's stack of an m, or sysmon: no goroutine and no code of the program's runs here.
bool is_runtime_s_own_thread() {
    const m* const mp = getm_or_null();
    if (mp != nullptr) return mp->curg->is_thread && !mp->foreign;
    return sched.sysmon_tid.load(memory_order_relaxed) == current_thread_id();  // relaxed: its own
}

void print_traces(trace_scope scope) {
    if (scope == trace_scope::none || level == traceback_level::none) return;
    const bool in_runtime = is_runtime_s_own_thread();
    begin_traces(false, in_runtime && scope == trace_scope::all);
    if (scope == trace_scope::all && in_runtime) room.trace.print_runtime();
    else if (!in_runtime && scope != trace_scope::waiting) room.trace.print_current();
    if (scope >= trace_scope::all || level >= traceback_level::all || in_runtime)
        room.trace.print_others();
    room.out.flush();
}

[[noreturn]] void print_panic(const std::string& text, const char* note = "") {
    begin_report();
    const std::string line = "panic: " + text + "\n" + note;
    write_error(line.data(), line.size());
    print_traces(trace_scope::current);
    end_process();
}

// --- signals -------------------------------------------------------------------------------------

// The goroutine that the signal has hit, and where its trace begins. On the switch between two
// goroutines there is nothing to walk.
bool is_on_goroutine(const fault_info& fault, const g& gp) {
    const auto* const sp = static_cast<const std::byte*>(fault.at.sp);
    return gp.stack.usable_lo() <= sp && sp < gp.stack.hi && getm().after == nullptr;
}

// The traces of a signal: of the code it has hit, and of the other goroutines if asked.
void print_signalled(const fault_info& fault, bool others) {
    if (level == traceback_level::none) return;
    begin_traces(true);
    const g* const gp = current_goroutine();
    if (gp == nullptr || is_on_goroutine(fault, *gp)) {
        const bool nowhere = gp != nullptr && place_of(fault.at.pc).module[0] == '?';
        const gobuf caller = nowhere ? caller_of(fault) : gobuf{};
        room.trace.print_current(nowhere ? trace_start{nullptr, &caller}
                                         : trace_start{fault.at.pc, nullptr});
    }
    if (others || level >= traceback_level::all) room.trace.print_others();
    room.out.flush();
}

// The stack of the running goroutine, or the stack that the thread is on. During a switch between
// two goroutines the stack pointer decides.
stack_slot own_stack_slot(const fault_info& fault) {
    const g* const gp = current_goroutine();
    return gp != nullptr && getm().after == nullptr ? gp->stack : stack_find(fault.at.sp);
}

// The stack that has overflowed with this access; empty if none has. The access may lie in a
// farther guard than the stack's own, if a frame is larger than the stacks in between. With the
// stack pointer inside its stack, an access to another stack's guard is a stray pointer.
stack_slot overflowed_stack(const fault_info& fault) {
    const auto* const address = static_cast<const std::byte*>(fault.address);
    const stack_slot hit = stack_find(address);
    if (!hit || address >= hit.usable_lo()) return {};
    const stack_slot own = own_stack_slot(fault);
    if (!own || own.lo == hit.lo) return hit;
    const auto* const sp = static_cast<const std::byte*>(fault.at.sp);
    if (own.usable_lo() <= sp && sp < own.hi) return {};
    return address < own.lo ? own : hit;
}

std::size_t in_kib(std::size_t bytes) { return (bytes + 1023) / 1024; }

void report_stack_overflow(const stack_slot& slot, const fault_info& fault) {
    begin_report();
    const auto* const address = static_cast<const std::byte*>(fault.address);
    room.out.print("runtime: goroutine stack exceeds %zu-byte limit\n", slot.usable_size());
    room.out.print("runtime: sp=%p stack=[%p, %p]\n", fault.at.sp,
                   static_cast<void*>(slot.usable_lo()), static_cast<void*>(slot.hi));
    room.out.print("runtime: the access at %p lies %zu KiB below the end of the stack of %zu KiB; "
                   "go_options::stack_size and rota::runtime::set_max_stack set the size\n",
                   fault.address, in_kib(static_cast<std::size_t>(slot.usable_lo() - address)),
                   in_kib(slot.usable_size()));
    room.out.print("fatal error: stack overflow\n");
    room.out.flush();
    if (level != traceback_level::none) {
        begin_traces(true, true);
        room.trace.print_runtime(fault.at.pc);
        room.trace.print_current({fault.at.pc, nullptr});
        if (level >= traceback_level::all) room.trace.print_others();
        room.out.flush();
    }
    end_process();
}

const char* fault_text(const fault_info& fault) {
    if (fault.signal != SIGFPE) return "invalid memory address or nil pointer dereference";
    if (fault.code == FPE_INTDIV) return "integer divide by zero";
    if (fault.code == FPE_INTOVF) return "integer overflow";
    return "floating point error";
}

const char* fault_name(int signal) {
    if (signal == SIGSEGV) return "SIGSEGV: segmentation violation";
    return signal == SIGBUS ? "SIGBUS: bus error" : "SIGFPE: floating-point exception";
}

void report_fault(const fault_info& fault) {
    begin_report();
    room.out.print("panic: runtime error: %s\n[signal %s code=0x%x addr=0x%llx pc=0x%llx]\n",
                   fault_text(fault), fault_name(fault.signal), static_cast<unsigned>(fault.code),
                   static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(fault.address)),
                   static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(fault.at.pc)));
    room.out.flush();
    print_signalled(fault, false);
    end_process();
}

void print_signal_line(const fault_info& fault, const char* name) {
    const m* const mp = getm_or_null();
    room.out.print("%s\nPC=0x%llx m=%llu sigcode=%d\n", name,
                   static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(fault.at.pc)),
                   mp != nullptr ? static_cast<unsigned long long>(mp->id) : 0ULL, fault.code);
    room.out.flush();
}

void report_quit(const fault_info& fault) {
    begin_report();
    print_signal_line(fault, "SIGQUIT: quit");
    print_signalled(fault, true);
    if (level != traceback_level::none) {
        room.out.print("\n");
        for_each_register(
            fault,
            [](void* out, const char* name, std::uint64_t value) {
                static_cast<report*>(out)->print("%-6s 0x%llx\n", name,
                                                 static_cast<unsigned long long>(value));
            },
            &room.out);
        room.out.flush();
    }
    end_process();
}

// abort() in a goroutine: its name and its stack, then the signal takes its course. A report that
// ends by abort() has said enough.
void report_abort(const fault_info& fault) {
    if (current_goroutine() == nullptr || is_own_report()) return;
    begin_report();
    print_signal_line(fault, "SIGABRT: abort");
    print_signalled(fault, false);
    save_flight_recorder();
}

// In the signal handler. False: it is not the runtime's.
bool report_signal(const fault_info& fault) {
    if (fault.signal == SIGQUIT) {
        // Ignored: the signal has hit the reporting thread. A user that repeats it wants the end.
        static constinit atomic<int> hits{0};
        if (is_own_report() && hits.fetch_add(1, memory_order_relaxed) < 3)  // relaxed: our own
            return true;
        report_quit(fault);
    }
    if (fault.signal == SIGABRT) {
        report_abort(fault);
        return false;
    }
    if (fault.signal != SIGFPE) {
        if (const stack_slot slot = overflowed_stack(fault)) report_stack_overflow(slot, fault);
    }
    const bool in_runtime_only = current_goroutine() == nullptr;
    if (is_own_report()) ::_exit(2);  // the report itself failed
    if (!fault.has_program_handler && !in_runtime_only) report_fault(fault);
    return false;
}

constinit std::terminate_handler terminate_before = nullptr;  // fixed at boot
// Only for threads that are in no goroutine, so that its users do not migrate.
constinit thread_local bool is_leaving_run = false;

// std::terminate in a goroutine: an exception, or goexit, has met a noexcept function, or something
// left a destructor while an exception passed. On another thread: an exception that leaves run()
// and finds no handler is reported as that of a goroutine; everything else is the program's
// business.
void on_terminate() {
    const g* const gp = current_goroutine();
    if (gp == nullptr) {
        if (is_leaving_run)
            print_panic(current_panic_text(), "\tit has left rota::run, and nobody caught it\n");
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

// Whether the C++ library has installed that handler, not the program.
bool is_of_library(std::terminate_handler handler) {
    if (handler == std::abort) return true;
#if defined(__GLIBCXX__)
    return handler == __gnu_cxx::__verbose_terminate_handler;
#else
    // libc++abi's has no name that others may use. A statically linked one lies where the program's
    // handlers lie, and a handler of the program is taken for it.
    Dl_info its{}, library{};
    return ::dladdr(reinterpret_cast<void*>(handler), &its) != 0 &&
           ::dladdr(reinterpret_cast<void*>(&std::terminate), &library) != 0 &&
           its.dli_fbase == library.dli_fbase;
#endif
}

// A handler that the program had installed stays.
void install_terminate_handler() {
    terminate_before = std::get_terminate();
    if (is_of_library(terminate_before)) std::set_terminate(on_terminate);
}

}  // namespace

void install_crash_reports(traceback_level wanted) {
    level = wanted;
    crash.begin_report = begin_report;
    crash.print_traces = print_traces;
    crash.before_end = save_flight_recorder;
    on_fault(report_signal);
    install_terminate_handler();
}

leaving_run::leaving_run() { is_leaving_run = true; }
leaving_run::~leaving_run() { is_leaving_run = false; }

void let_report_out() {
    const int who = reporter.load(memory_order_relaxed);  // relaxed: the last look is no hint
    if (who > 0 && who != current_thread_id()) sleep_for_ever();
}

void end_without_report() {
    int nobody = 0;
    // relaxed: the gate of begin_report
    if (!reporter.compare_exchange(nobody, -current_thread_id(), memory_order_relaxed,
                                   memory_order_relaxed))
        let_report_out();
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
