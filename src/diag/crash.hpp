// Crash reports: panics, fatal errors, stack overflow. One report comes out whole, whoever else
// crashes meanwhile.
#pragma once

#include <exception>

#include "base/env.hpp"

namespace rota::rt {

// Sets the crash hooks of base/fatal and the handler for faults. Caller: boot, once.
void install_crash_reports(traceback_level level);

// For the thread that ends the process. If another one prints a report, it is that thread's to end
// the process, and this one never returns.
void let_report_out();

// The same, and no other thread begins a report from here on: it would be cut off.
void end_without_report();

// As long as it lives, the calling thread, which is in no goroutine, throws the exception that has
// left the main goroutine of a run(): if the exception finds no handler, it is reported as that of
// a goroutine.
class leaving_run {
  public:
    leaving_run();
    ~leaving_run();
    leaving_run(const leaving_run&) = delete;
    leaving_run& operator=(const leaving_run&) = delete;
};

// `panic: TEXT`, traces, exit status 2, for an exception that nobody caught.
[[noreturn]] void report_panic(const std::exception_ptr& error);

}  // namespace rota::rt
