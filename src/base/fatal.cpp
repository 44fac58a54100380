// fatal(), failed checks and the raw output below them: no allocation, no stdio, usable on any
// stack.
#include "base/fatal.hpp"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

#include "base/check.hpp"

namespace rota::rt {

void write_error(const char* text, std::size_t size) {
    sigset_t pipe;
    sigset_t before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t done = 0;
    for (std::size_t at = 0; at < size; at += static_cast<std::size_t>(done)) {
        done = ::write(STDERR_FILENO, text + at, size - at);
        if (done < 0 && errno == EINTR) done = 0;
        else if (done <= 0) break;  // stderr is closed or full: nowhere to complain
    }
    // Take the signal back that our own write has raised, unless the program had blocked it itself.
    const timespec at_once{};
    if (done < 0 && sigismember(&before, SIGPIPE) == 0)
        (void)sigtimedwait(&pipe, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void print_error(const char* format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n <= 0) return;
    write_error(text, static_cast<std::size_t>(n) < sizeof text ? static_cast<std::size_t>(n)
                                                                : sizeof text - 1);
}

void fatal(const char* text, trace_scope scope, const char* preface, std::size_t number) {
    if (crash.begin_report != nullptr) crash.begin_report();
    if (preface != nullptr) {
        char line[512];
        const int n = snprintf(line, sizeof line, preface, number);
        if (n > 0) print_error("%s\n", line);
    }
    print_error("fatal error: %s\n", text);
    if (crash.print_traces != nullptr) crash.print_traces(scope);
    if (crash.before_end != nullptr) crash.before_end();
    ::_exit(2);
}

void check_failed(const char* fact, const char* file, int line) {
    if (crash.begin_report != nullptr) crash.begin_report();
    print_error("rota: %s:%d: the runtime's own check failed: %s\n", file, line, fact);
    if (crash.print_traces != nullptr) crash.print_traces(trace_scope::all);
    if (crash.before_end != nullptr) crash.before_end();
    std::abort();
}

}  // namespace rota::rt
