// Tells from .debug_info which functions the compiler has inlined at an address.
//
// Opening an image reads the heads of its units. The first lookup in a unit lists its functions and
// keeps the list: 24 bytes per function, 4 per abbreviation. A lookup then reads the entries below
// one function. The memory is mapped and nothing comes from the heap, for reports in any state of
// the process. Rejected: libdw, which allocates; libbacktrace, which asks the loader for its list
// under a lock and does not tell where functions begin.
//
// Without notes of the compiler (no -g, or compressed sections), a lookup finds nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "diag/symbol/dwarf_entry.hpp"

namespace rota::rt {

class inlined_calls {
  public:
    void open(const dwarf_sections& sections);
    bool is_empty() const { return unit_count_ == 0; }

    struct call {
        const char* function = nullptr;  // mangled, if is_mangled; null: no name
        bool is_mangled = false;
        std::uint64_t start_file = 0;  // of its declaration; a number of the line program
        unsigned start_line = 0;       // 0: not known
        std::uint64_t file = 0;        // of the call
        unsigned line = 0;
    };
    static constexpr std::size_t calls_max = 32;
    struct found {
        bool is_known = false;    // the function's entry has been found; count 0: no calls
        bool is_late = false;     // another thread has long been reading the needed unit
        unsigned start_line = 0;  // of the compiled function; 0: not known
        std::size_t count = 0;
        call calls[calls_max];  // the outermost first; deeper calls are left out
    };
    // `program`: the line program that covers the address.
    void find(std::uint64_t address, std::uint64_t program, found& into) const;

  private:
    struct function_range {
        std::uint64_t begin, end;
        std::uint64_t entry;
    };
    enum class unit_state : std::uint32_t { empty, filling, ready };
    struct unit {
        atomic<unit_state> state{unit_state::empty};
        // A lookup has waited for the unit in vain. relaxed: a hint, later lookups wait for less.
        atomic<bool> is_slow{false};
        // --- fixed when opened ---------------------------------------------------------
        dwarf_unit head;
        // --- fixed once ready ----------------------------------------------------------
        std::uint32_t* abbrevs = nullptr;  // offsets into .debug_abbrev, by code
        std::size_t abbrev_count = 0;
        function_range* functions = nullptr;
        std::size_t function_count = 0;
    };
    struct description {
        const char* name = nullptr;
        bool is_mangled = false;
        std::uint64_t file = 0;
        unsigned line = 0;
    };

    void add_unit(const dwarf_unit& head);
    const unit* ready_unit(std::size_t n) const;
    const unit* unit_at(std::uint64_t offset) const;
    void fill(unit& u) const;
    bool list_abbrevs(unit& u) const;
    void list_functions(unit& u) const;
    bool read(const unit& u, dwarf_cursor& at, dwarf_entry& into) const;
    bool covers(const unit& u, const dwarf_entry& e, std::uint64_t address) const;
    description describe(const unit& u, const dwarf_entry& e) const;
    void walk(const unit& u, std::uint64_t entry, std::uint64_t address, found& into) const;

    dwarf_sections sections_;
    unit* units_ = nullptr;  // mapped, in the order of the section
    std::size_t unit_count_ = 0;
};

}  // namespace rota::rt
