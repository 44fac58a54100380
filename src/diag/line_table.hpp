// Lines of source for addresses, from DWARF's line programs (.debug_line, versions 2 to 5).
//
// One pass over all programs of an image notes which addresses each covers; a lookup then runs one
// program. These programs do not tell inlined functions apart (diag/inlined_calls does): the line
// is the one that the compiler gives for the instruction. For those that want one line of the
// function that was compiled: where the line is one of a header of the system's or of rota's own
// that was inlined there, the program's line before it in the same function says more: that of the
// call. If the compiler has left none of the call's lines, it is the program's line behind it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "diag/elf_image.hpp"

namespace rota::rt {

struct source_line {
    const char* directory = nullptr;  // may be null, or relative to the compiler's
    const char* file = nullptr;       // null: not known
    unsigned line = 0;
};

// Not a header of the system's or of rota's own.
bool is_programs_own(const source_line& s);

class line_table {
  public:
    // Reads what covers which addresses. Without debug information, or if the kernel gives no
    // memory for the index, nothing will be found.
    void open(const elf_image& image);

    // The source of the instruction at a link-time address, in the function that begins at
    // `function`.
    source_line find(std::uint64_t address, std::uint64_t function,
                     std::uint64_t function_end) const;
    // What the compiler gives for the instruction, whosever line it is. Sets `program` to where the
    // line program stands that covers the address, if one does.
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
