// The entries of .debug_info (DWARF 2 to 5): what of them tells which functions lie at an address.
//
// A few attributes are understood, all others are passed over. What a unit keeps in another file
// (split DWARF, dwz) is not looked for. Nothing is allocated.
#pragma once

#include <cstdint>

#include "diag/dwarf_cursor.hpp"

namespace rota::rt {

struct dwarf_sections {
    byte_range info, abbrevs, strings, line_strings, string_offsets, addresses, ranges, range_lists;
};
dwarf_sections dwarf_sections_of(const elf_image& image);

constexpr std::uint64_t no_offset = ~std::uint64_t{0};

// A unit: the entries of one compilation. Offsets are those into the sections.
struct dwarf_unit {
    std::uint64_t begin = 0, first = 0, end = 0;  // its head, its first entry, what is behind it
    std::uint64_t abbrevs = 0;
    std::uint64_t lines = no_offset;  // its line program
    std::uint64_t string_offsets = 0, addresses = 0, range_lists = 0;
    std::uint64_t base = 0;  // what its ranges are relative to
    std::uint16_t version = 0;
    std::uint8_t address_size = 8;
    bool wide = false;
};

// An attribute's value, not yet looked up.
struct dwarf_value {
    std::uint64_t form = 0;  // 0: there is none
    std::uint64_t number = 0;
    const char* text = nullptr;  // of a string within the entry
};

struct dwarf_entry {
    std::uint64_t tag = 0;  // 0: the end of a list of children
    bool has_children = false;
    dwarf_value name, linkage_name, low, high, ranges;
    std::uint64_t origin = no_offset;  // of the entry that says more
    std::uint64_t file = 0, line = 0;  // of its declaration
    std::uint64_t call_file = 0, call_line = 0;
    std::uint64_t lines = no_offset;  // of a unit's first entry, as what follows
    std::uint64_t string_offsets = 0, addresses = 0, range_lists = 0;
};

// The unit at the cursor, which moves behind it. False: not one of a compilation that we know, but
// the cursor has moved.
bool read_dwarf_unit(const dwarf_sections& in, dwarf_cursor& at, dwarf_unit& into);

// An abbreviation: what entries with that code have.
struct dwarf_abbrev {
    std::uint64_t code = 0;  // 0: the end of a unit's
    std::uint64_t at = 0;    // where it stands in .debug_abbrev, behind the code
};
// The one at the cursor, which moves behind it.
dwarf_abbrev read_dwarf_abbrev(const dwarf_sections& in, dwarf_cursor& at);

// The entry at the cursor, which stands behind its code. `abbrev_at`: what the code says. False: it
// cannot be read, nor what follows it.
bool read_dwarf_entry(const dwarf_sections& in, const dwarf_unit& unit, std::uint64_t abbrev_at,
                      dwarf_cursor& at, dwarf_entry& into);

const char* dwarf_text(const dwarf_sections& in, const dwarf_unit& unit, const dwarf_value& v);
std::uint64_t dwarf_address(const dwarf_sections& in, const dwarf_unit& unit, const dwarf_value& v);

// The pieces of code of an entry.
class dwarf_ranges {
  public:
    dwarf_ranges(const dwarf_sections& in, const dwarf_unit& unit, const dwarf_entry& e);

    struct piece {
        std::uint64_t begin = 0, end = 0;
    };
    // False: there are no more.
    bool next(piece& into);

  private:
    bool next_of_old_list(piece& into);
    bool next_of_list(piece& into);

    const dwarf_sections& in_;
    const dwarf_unit& unit_;
    piece only_;  // if it has no list
    dwarf_cursor list_{byte_range{}};
    std::uint64_t base_;
};

}  // namespace rota::rt
