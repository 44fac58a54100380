// fatal(), failed checks and the raw output below them: no allocation, no stdio, usable on any
// stack.
#include "base/fatal.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "base/check.hpp"

namespace rota::rt {

void print_error(const char* format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n <= 0) return;
    std::size_t left =
        static_cast<std::size_t>(n) < sizeof text ? static_cast<std::size_t>(n) : sizeof text - 1;
    for (const char* at = text; left > 0;) {
        const ssize_t done = ::write(STDERR_FILENO, at, left);
        if (done <= 0) return;  // stderr is closed or full: nowhere to complain
        at += done;
        left -= static_cast<std::size_t>(done);
    }
}

void fatal(const char* text, trace_scope scope) {
    if (crash.begin_report != nullptr) crash.begin_report();
    print_error("fatal error: %s\n", text);
    if (crash.print_traces != nullptr) crash.print_traces(scope);
    ::_exit(2);
}

void check_failed(const char* fact, const char* file, int line) {
    if (crash.begin_report != nullptr) crash.begin_report();
    print_error("rota: %s:%d: the runtime's own check failed: %s\n", file, line, fact);
    if (crash.print_traces != nullptr) crash.print_traces(trace_scope::all);
    std::abort();
}

}  // namespace rota::rt
