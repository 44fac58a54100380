// Crash reports: panics, fatal errors, stack overflow. One report comes out whole, even if other
// threads crash meanwhile.
#pragma once

#include <exception>

#include "base/env.hpp"

namespace rota::rt {

// Sets the crash hooks of base/fatal and the handler for faults. Caller: boot, once.
void install_crash_reports(traceback_level level);

// For the thread that ends the process. If another thread prints a report, that thread ends the
// process, and this call never returns.
void let_report_out();

// The same, and from here on no other thread begins a report: it would be cut off.
void end_without_report();

// While it lives, the calling thread, which is in no goroutine, throws the exception that has left
// the main goroutine of a run(). If the exception finds no handler, it is reported as an exception
// of a goroutine.
class leaving_run {
  public:
    leaving_run();
    ~leaving_run();
    leaving_run(const leaving_run&) = delete;
    leaving_run& operator=(const leaving_run&) = delete;
};

// Reports an uncaught exception: `panic: TEXT`, traces, exit status 2.
[[noreturn]] void report_panic(const std::exception_ptr& error);

}  // namespace rota::rt
