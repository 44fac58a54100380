// Collects a CPU profile of the process.
//
// Every thread of the process gets a timer of its processor time; the handler of its signal walks
// the interrupted stack (diag/stack/sample_stack). A thread that is no m looks for new threads ten
// times a second and collects the samples.
#pragma once

#include <cstdint>
#include <vector>

namespace rota::rt {

struct label_set;

struct cpu_stack {
    std::vector<std::uintptr_t> pcs;  // as return addresses, the innermost first
    const label_set* labels;          // valid while a label_reader lives
    std::uint64_t count;
};

inline constexpr std::int64_t cpu_period_ns = 10'000'000;

struct cpu_profile {
    std::vector<cpu_stack> stacks;
    std::int64_t began_wall_ns = 0;  // since 1970
    std::int64_t lasted_ns = 0;
    std::uint64_t lost = 0;  // samples without room
};

// Begins to sample. Caller: keeps a label_reader until it has used the result, and starts one
// profile at a time. Throws std::system_error if the thread cannot be made.
void start_sampling();

// Whether that thread collects samples: it runs no code of the program's.
bool is_sampling_thread(int tid);

// Ends the sampling. Blocks the thread for a few milliseconds: call it in rota::blocking. May throw
// std::bad_alloc; then the samples are lost.
cpu_profile stop_sampling();

}  // namespace rota::rt
