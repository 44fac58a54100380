// The executable mappings of the process, with the files behind them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rota::rt {

struct code_mapping {
    std::uintptr_t start = 0, limit = 0;
    std::uint64_t file_offset = 0;
    std::string file;
    std::string build_id;  // hexadecimal; empty if there is none
};

// The program's own first. Empty where there is no /proc. Throws std::bad_alloc.
std::vector<code_mapping> code_mappings();

}  // namespace rota::rt
