// Finds source lines for addresses by DWARF's line programs (.debug_line, versions 2 to 5).
//
// One pass over all programs of an image notes which addresses each covers; a lookup then runs one
// program. These programs do not tell inlined functions apart (diag/symbol/inlined_calls does): the
// line is the compiler's line of the instruction. find() gives a line of the compiled function. If
// the instruction's line is in a system or rota header that was inlined, find() takes the program's
// line before it in the same function: the line of the call. Without such a line, it takes the
// program's line behind it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "diag/symbol/elf_image.hpp"

namespace rota::rt {

struct source_line {
    const char* directory = nullptr;  // may be null, or relative to the compiler's
    const char* file = nullptr;       // null: not known
    unsigned line = 0;
};

// Whether the line lies outside the headers of the system and of rota.
bool is_programs_own(const source_line& s);

class line_table {
  public:
    // Notes which addresses each program covers. Without debug information, or if the kernel gives
    // no memory for the index, lookups find nothing.
    void open(const elf_image& image);

    // The source of the instruction at a link-time address, in the function that begins at
    // `function`.
    source_line find(std::uint64_t address, std::uint64_t function,
                     std::uint64_t function_end) const;
    // The compiler's line of the instruction, in any file. Sets `program` to the line program that
    // covers the address, if there is one.
    source_line exact(std::uint64_t address, std::uint64_t& program) const;
    // A file of a program, without a line.
    source_line file(std::uint64_t program, std::uint64_t number) const;

  private:
    struct sequence {
        std::uint64_t begin, end;
        std::size_t program;  // where its program begins in .debug_line
    };

    const sequence* sequence_of(std::uint64_t address) const;

    byte_range programs_, line_strings_, strings_;
    sequence* index_ = nullptr;  // mapped
    std::size_t index_size_ = 0;
};

}  // namespace rota::rt
