// Ends the process with a report, and writes to stderr: no allocation, no stdio, usable on any
// stack.
#include "base/fatal.hpp"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "base/check.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t ms = 1'000'000;  // ns

// ns that a write waits for a reader that takes nothing, and in total for a slow reader.
constexpr std::int64_t stall_max = 100 * ms, wait_max = 1000 * ms;
// The same for the report that ends the process, with all its parts.
constexpr std::int64_t last_stall_max = 2000 * ms, last_wait_max = 30'000 * ms;

// Until when the last report may wait; 0: no report ends the process. Writer: the thread that
// reports.
constinit atomic<std::int64_t> last_wait_until{0};  // relaxed: reports of other threads are over
// A write has given up: later writes do not wait until the reader takes something. Writers: threads
// that write a report.
constinit atomic<bool> reader_stalls{false};  // relaxed: advice

std::int64_t monotonic_now() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 * ms + now.tv_nsec;
}

// A library may have replaced write() (hook/).
ssize_t plain_write(const char* text, std::size_t size) {
#if defined(ROTA_MODEL)
    return ::write(STDERR_FILENO, text, size);
#else
    return ::syscall(SYS_write, STDERR_FILENO, text, size);
#endif
}

int plain_poll(pollfd& asked, int timeout_ms) {
#if defined(ROTA_MODEL)
    return ::poll(&asked, 1, timeout_ms);
#else
    const timespec limit{timeout_ms / 1000, timeout_ms % 1000 * 1'000'000L};
    return static_cast<int>(::syscall(SYS_ppoll, &asked, 1, &limit, nullptr, 0));
#endif
}

// False: at `until` there was no room. True also when the reader has gone: the write then says so.
bool wait_for_room(std::int64_t until) {
    for (;;) {
        const std::int64_t left = until - monotonic_now();
        if (left <= 0) return false;
        pollfd asked{STDERR_FILENO, POLLOUT, 0};
        const int n = plain_poll(asked, static_cast<int>(left / ms + 1));
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) return false;
    }
}

// How long a write to stderr may wait, if the pipe, socket or terminal does not block.
class error_patience {
  public:
    // Whether there may be room now.
    bool wait() {
        if (reader_stalls.load(memory_order_relaxed)) return false;  // relaxed: see there
        const std::int64_t now = monotonic_now();
        const std::int64_t last = last_wait_until.load(memory_order_relaxed);  // relaxed: see there
        if (until_ == 0) until_ = last != 0 ? last : now + wait_max;
        const std::int64_t stall = now + (last != 0 ? last_stall_max : stall_max);
        if (wait_for_room(stall < until_ ? stall : until_)) return true;
        reader_stalls.store(true, memory_order_relaxed);  // relaxed: see there
        return false;
    }

  private:
    std::int64_t until_ = 0;  // ns; 0: it has not waited yet
};

}  // namespace

void be_patient_with_last_report() {
    last_wait_until.store(monotonic_now() + last_wait_max,
                          memory_order_relaxed);       // relaxed: see there
    reader_stalls.store(false, memory_order_relaxed);  // relaxed: see there
}

void write_error(const char* text, std::size_t size) {
    sigset_t pipe;
    sigset_t before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    error_patience patience;
    ssize_t done = 0;
    for (std::size_t at = 0; at < size; at += static_cast<std::size_t>(done)) {
        done = plain_write(text + at, size - at);
        if (done > 0) {
            reader_stalls.store(false, memory_order_relaxed);  // relaxed: see there
            continue;
        }
        const bool again = done < 0 && (errno == EINTR || (errno == EAGAIN && patience.wait()));
        if (!again) break;  // stderr is closed or unread: no place for a complaint
        done = 0;
    }
    // Takes the signal back that our own write has raised, unless the program had blocked it
    // itself.
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
