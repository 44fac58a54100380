// Reads the entries of .debug_info (DWARF 2 to 5) as far as they tell the functions at an address.
//
// Reads a few attributes and skips the rest. Does not follow data in another file (split DWARF,
// dwz). Allocates nothing.
#pragma once

#include <cstdint>

#include "diag/symbol/dwarf_cursor.hpp"

namespace rota::rt {

struct dwarf_sections {
    byte_range info, abbrevs, strings, line_strings, string_offsets, addresses, ranges, range_lists;
};
dwarf_sections dwarf_sections_of(const elf_image& image);

constexpr std::uint64_t no_offset = ~std::uint64_t{0};

// A unit: the entries of one compilation. Its offsets count from the start of the sections.
struct dwarf_unit {
    std::uint64_t begin = 0, first = 0, end = 0;  // its head, its first entry, the byte behind it
    std::uint64_t abbrevs = 0;
    std::uint64_t lines = no_offset;  // its line program
    std::uint64_t string_offsets = 0, addresses = 0, range_lists = 0;
    std::uint64_t base = 0;  // its ranges are relative to it
    std::uint16_t version = 0;
    std::uint8_t address_size = 8;
    bool wide = false;
};

// The value of an attribute, not yet looked up.
struct dwarf_value {
    std::uint64_t form = 0;  // 0: there is none
    std::uint64_t number = 0;
    const char* text = nullptr;  // for a string within the entry
};

struct dwarf_entry {
    std::uint64_t tag = 0;  // 0: the end of a list of children
    bool has_children = false;
    dwarf_value name, linkage_name, low, high, ranges;
    std::uint64_t origin = no_offset;  // of the entry that has further attributes
    std::uint64_t file = 0, line = 0;  // of its declaration
    std::uint64_t call_file = 0, call_line = 0;
    std::uint64_t lines = no_offset;  // of a unit's first entry, as the next fields
    std::uint64_t string_offsets = 0, addresses = 0, range_lists = 0;
};

// Reads the unit at the cursor and moves behind it. False: not a compilation unit of a known kind,
// but the cursor has moved.
bool read_dwarf_unit(const dwarf_sections& in, dwarf_cursor& at, dwarf_unit& into);

// An abbreviation: the attributes of the entries with that code.
struct dwarf_abbrev {
    std::uint64_t code = 0;  // 0: the end of a unit's table
    std::uint64_t at = 0;    // its offset in .debug_abbrev, behind the code
};
// Reads the abbreviation at the cursor and moves behind it.
dwarf_abbrev read_dwarf_abbrev(const dwarf_sections& in, dwarf_cursor& at);

// Reads the entry at the cursor, which stands behind its code. `abbrev_at`: the abbreviation of the
// code. False: neither this entry nor the entries behind it can be read.
bool read_dwarf_entry(const dwarf_sections& in, const dwarf_unit& unit, std::uint64_t abbrev_at,
                      dwarf_cursor& at, dwarf_entry& into);

const char* dwarf_text(const dwarf_sections& in, const dwarf_unit& unit, const dwarf_value& v);
std::uint64_t dwarf_address(const dwarf_sections& in, const dwarf_unit& unit, const dwarf_value& v);

// The ranges of an entry's code.
class dwarf_ranges {
  public:
    dwarf_ranges(const dwarf_sections& in, const dwarf_unit& unit, const dwarf_entry& e);

    struct piece {
        std::uint64_t begin = 0, end = 0;
    };
    // False: there is no further piece.
    bool next(piece& into);

  private:
    bool next_of_old_list(piece& into);
    bool next_of_list(piece& into);

    const dwarf_sections& in_;
    const dwarf_unit& unit_;
    piece only_;  // for an entry without a list
    dwarf_cursor list_{byte_range{}};
    std::uint64_t base_;
};

}  // namespace rota::rt
