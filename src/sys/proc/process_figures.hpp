// Reads the kernel's figures of this process: times, descriptors, memory.
#pragma once

#include <cstdint>

namespace rota::rt {

// 0: unknown (no /proc, say).
struct process_figures {
    double cpu_seconds = 0;
    double start_seconds = 0;  // since 1970
    std::uint64_t open_descriptors = 0;
    std::uint64_t max_descriptors = 0;
    std::uint64_t resident_bytes = 0;
    std::uint64_t virtual_bytes = 0;
};

// Reads /proc. Allocates; not for the scheduler.
process_figures read_process_figures();

}  // namespace rota::rt
