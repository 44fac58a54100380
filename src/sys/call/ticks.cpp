// Asks the processor and the kernel whether the tick counter is steady.
#include "sys/call/ticks.hpp"

#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#include <unistd.h>

#include "sys/call/call.hpp"
#include "sys/call/number.hpp"
#endif

namespace rota::rt {

#if defined(__x86_64__)

namespace {

bool is_invariant() {
    constexpr unsigned power_leaf = 0x8000'0007, invariant = 1u << 8;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(power_leaf, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
}

// The kernel takes a clock that it found unstable off this list.
bool is_offered_by_kernel() {
    const int fd =
        open_to_read("/sys/devices/system/clocksource/clocksource0/available_clocksource");
    if (fd < 0) return false;
    char text[256];
    const ssize_t n = plain_read(fd, text, sizeof text);
    plain_close(fd);
    std::string_view names(text, n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!names.empty()) {
        const std::size_t end = names.find_first_of(" \n");
        if (names.substr(0, end) == "tsc") return true;
        if (end == names.npos) return false;
        names.remove_prefix(end + 1);
    }
    return false;
}

}  // namespace

bool are_ticks_steady() { return is_invariant() && is_offered_by_kernel(); }

#else

bool are_ticks_steady() { return true; }

#endif

}  // namespace rota::rt
