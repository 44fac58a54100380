// Reports rota's own memory by purpose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rota::rt {

struct memory_use {
    std::string name;
    std::int64_t objects = 0;
    std::int64_t bytes = 0;        // of address space; only touched pages are memory
    std::int64_t object_size = 0;  // 0: of many sizes
};

// Stacks by size and use, and the tables. Looks at every stack's state. Throws std::bad_alloc.
std::vector<memory_use> own_memory();

// As Go's heap profile in its text form.
std::string memory_text(const std::vector<memory_use>& uses);

}  // namespace rota::rt
