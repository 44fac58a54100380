// One line, and the traces below it.
#include "diag/leak/leak_check.hpp"

#include <exception>
#include <string>

#include <rota/leak.hpp>

#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "diag/leak/unreachable.hpp"
#include "sched/base/modes.hpp"
#include "sys/signal/stop_signal.hpp"

namespace rota::rt {

void report_leaks_at_exit() {
    if (current_goroutine() != nullptr)
        return print_error("rota: leakcheck: not asked, since a goroutine ends the process\n");
    if (seeded.on)
        return print_error(
            "rota: leakcheck: not asked under GODEBUG=schedseed: no thread is held\n");
    if (stop_signal() == 0)
        return print_error("rota: leakcheck: not asked: threads cannot be held here\n");
    try {
        const auto found = leak::find_unreachable();
        const char* const unproven = why_last_unproven();
        print_error("rota: leakcheck: %zu goroutines can never run again%s%s\n", found.size(),
                    unproven != nullptr ? "; only waits for nothing were looked for: " : "",
                    unproven != nullptr ? unproven : "");
        for (const leak::goroutine_info& g : found) {
            const std::string part = "\n" + g.trace;
            write_error(part.data(), part.size());
        }
    } catch (const std::exception& e) {
        print_error("rota: leakcheck: not asked: %s\n", e.what());
    }
}

}  // namespace rota::rt
