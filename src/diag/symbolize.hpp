// What a report says of an address: function, source line, or the module that it lies in.
#pragma once

#include <cstdint>

#include "diag/line_table.hpp"

namespace rota::rt {

struct code_place {
    const char* function = nullptr;  // mangled; null: no symbol
    const char* module = "?";        // path of the program or library
    std::uintptr_t offset = 0;       // from the function's start, or the module's
    source_line source;              // file is null without debug information
};

// Reads the files of the process's modules when they are first needed. No heap, no locks: for
// reports in any state of the process, and for several threads at once.
code_place place_of(const void* pc);

}  // namespace rota::rt
