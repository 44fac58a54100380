// Reads the environment: GOMAXPROCS, GODEBUG, GOTRACEBACK, GOGC, GOMEMLIMIT. Read once at boot; a
// bad value is reported once and not used.
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
    // Above 0: goroutines keep their creator's stack. Go's number of generations: one here.
    int tracebackancestors = 0;
    int stackdepth = 0;  // 1: the depth of a goroutine's stack is noted when it ends
    int leakcheck = 0;   // 1: the end reports goroutines that can never run again
    int chaos = 0;       // the seed of chaos mode, 0: off
    int schedseed = 0;   // the seed of a repeatable schedule, 0: off
    int asymmetric = 1;  // 0: full fences and locked instructions only
    int heaptrim = 1;    // 0: malloc keeps the memory that connections give back
    int cgroupceil = 0;  // 1: quotas of control groups are rounded up, to at least 2
    // 1: network readiness is not shared, 0: it is shared, -1: an A/B trial decides.
    int pollalone = -1;
    bool uring = false;           // io_uring watches descriptors, where the kernel has it
    int asyncpreemptoff = 0;      // 1: no thread is stopped in user code
    int preemptsignal = 23;       // the signal that stops a thread: SIGURG
    int interactiveafter = 1000;  // µs of computing before goroutines readied by a timer, the
                                  // network or a thread come first
    // librota_hook.so: no call is hooked; parked calls are reported; pthread mutex waits are hooked
    // too.
    bool hook_off = false, hook_traces = false, hook_takes_locks = false;
    // parkcheck: reports parks with a pthread mutex; ends the process at the first report; reports
    // parks inside calls of these libraries and functions. The names, joined by +, lie in the
    // environment.
    bool parkcheck_mutexes = false, parkcheck_is_fatal = false;
    std::string_view parkcheck_names;
    traceback_level traceback = traceback_level::single;
};

// Parses the variables. Complaints go to stderr, with the variable, the value and the accepted
// form.
environment read_environment();

// GOMAXPROCS at this moment: 1 to 1024, or 0 if it is not given. Complains as read_environment
// does, but not about the same value again.
int environment_gomaxprocs();

// Parses a decimal number of [lo, hi]. False for any other text, and `out` is untouched.
bool parse_int(const char* first, const char* last, int lo, int hi, int& out);

}  // namespace rota::rt
