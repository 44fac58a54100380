// Crash reports: panics, fatal errors, stack overflow. One report comes out whole, whoever else
// crashes meanwhile.
#pragma once

#include <exception>

#include "base/env.hpp"

namespace rota::rt {

// Sets the crash hooks of base/fatal and the handler for faults. Caller: boot, once.
void install_crash_reports(traceback_level level);

// Whether another thread prints a report, which must come out before the process ends.
bool is_reporting();

// `panic: TEXT`, traces, exit status 2, for an exception that nobody caught.
[[noreturn]] void report_panic(const std::exception_ptr& error);

}  // namespace rota::rt
