// The environment: GOMAXPROCS, GODEBUG, GOTRACEBACK, GOGC, GOMEMLIMIT. Read once at boot; a bad
// value is reported once and not used.
#pragma once

#include <cstdint>
#include <string_view>

namespace rota::rt {

enum class traceback_level : std::uint8_t { none, single, all, system, crash };

struct environment {
    int gomaxprocs = 0;       // 0: not given
    int schedtrace_ms = 0;    // 0: off
    int scheddetail = 0;      // 1: schedtrace lists every processor, thread and goroutine
    int deadlock = 0;         // 1: circles of goroutines that wait for locks are reported
    int tracebacklabels = 1;  // 0: traces leave out the labels of goroutines
    // Above 0: goroutines keep the stack that has made them. Go's number of generations: one here
    int tracebackancestors = 0;
    int stackdepth = 0;  // 1: how deep goroutines have used their stacks is noted when they end
    int leakcheck = 0;   // 1: at the end it is told which goroutines can never run again
    int chaos = 0;       // the seed of chaos mode, 0: off
    int schedseed = 0;   // the seed of a repeatable schedule, 0: off
    int asymmetric = 1;  // 0: full fences and locked instructions only
    int heaptrim = 1;    // 0: malloc keeps what connections have given back
    int cgroupceil = 0;  // 1: quotas of control groups are rounded up, to at least 2
    // 1: what the network brings is not shared, 0: it is, -1: on trial
    int pollalone = -1;
    bool uring = false;           // descriptors are watched by io_uring, where there is one
    int asyncpreemptoff = 0;      // 1: no thread is stopped in user code
    int preemptsignal = 23;       // the signal by which one is: SIGURG
    int interactiveafter = 1000;  // µs that one computes before whom a timer, the network or a
                                  // thread has readied comes first
    // Of librota_hook.so: nothing is hooked; parked calls are told; waits for pthread mutexes too
    bool hook_off = false, hook_traces = false, hook_takes_locks = false;
    // Of parkcheck: parks with a pthread mutex are reported; the first report ends the process;
    // parks inside of calls of these libraries and functions are. The names, joined by +, lie in
    // the environment.
    bool parkcheck_mutexes = false, parkcheck_is_fatal = false;
    std::string_view parkcheck_names;
    traceback_level traceback = traceback_level::single;
};

// Parses the variables. Complaints go to stderr, with the variable, the value and the accepted
// form.
environment read_environment();

// GOMAXPROCS as it is now: 1 to 1024, or 0 if it is not given. Complains as read_environment does,
// but not of the same value again.
int environment_gomaxprocs();

// Parses a decimal number of [lo, hi]; false, and `out` untouched, for anything else.
bool parse_int(const char* first, const char* last, int lo, int hi, int& out);

}  // namespace rota::rt
