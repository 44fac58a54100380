// Reports how deep goroutines have used their stacks, by function: ended goroutines
// (sched/record/stack_depth) and live goroutines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rota::rt {

// As rota::runtime::stack_depth.
struct depth_of_function {
    std::string function, created_by;
    std::uint64_t goroutines = 0;
    std::size_t deepest = 0, stack_size = 0;  // bytes
};

// The deepest first. In user code.
std::vector<depth_of_function> list_stack_depths();

// The same as a table, with a line that says whether ended goroutines are counted.
std::string stack_depths_text();

}  // namespace rota::rt
