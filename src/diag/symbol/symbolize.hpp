// Names the code at an address for reports: functions, source lines, or the module.
#pragma once

#include <cstdint>

#include "diag/symbol/inlined_calls.hpp"
#include "diag/symbol/line_table.hpp"

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

// The variable with static storage at the address: its mangled name, and the offset of the address
// from its start. Null name: no variable with a symbol lies there.
struct variable_place {
    const char* name = nullptr;
    std::uintptr_t offset = 0;
};
variable_place variable_at(const void* address);

// An inlined function, and the place in it: the instruction, or the call of the next function.
struct code_frame {
    const char* function = nullptr;
    bool is_mangled = false;  // else the bare name, without its namespaces and arguments
    unsigned start_line = 0;  // 0: not known
    source_line source;
};

struct code_frames {
    code_place place;         // the function that was compiled, at the call of what was inlined
    unsigned start_line = 0;  // of that function; 0: not known
    std::size_t count = 0;
    code_frame inlined[inlined_calls::calls_max];  // the innermost first
};

// As place_of, with every function that the address belongs to. A lambda whose name the compiler
// has not kept gets no frame, and neither does its caller in a header of the system's or of rota's
// own: its line is shown as the line of the enclosing function.
code_frames frames_of(const void* pc);

// Whether the module of the address describes inlined functions.
bool has_inlined_calls(const void* pc);

}  // namespace rota::rt
