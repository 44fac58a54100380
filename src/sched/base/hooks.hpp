// Declares the few calls that go upward from sched, by name instead of by pointer. boot/ defines or
// sets them.
#pragma once

#include <cstdint>

namespace rota::rt {

// Makes the runtime ready: processors, sysmon, crash reports. Idempotent, any thread. Defined in
// boot/.
void boot_runtime();

struct sched_hooks {
    // Prints one schedtrace report; called by sysmon, which must not allocate. Set by boot/ before
    // sysmon starts.
    void (*schedtrace)(std::int64_t now) = nullptr;
    std::int64_t schedtrace_period = 0;  // ns, 0: off
    // Looks for deadlocks among a part of the goroutines. Caller and writer as for schedtrace.
    void (*look_for_deadlocks)() = nullptr;
    std::int64_t deadlock_period = 0;  // ns, 0: off
};
inline constinit sched_hooks hooks;

}  // namespace rota::rt
