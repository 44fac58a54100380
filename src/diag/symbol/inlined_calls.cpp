// Walks .debug_info to find the functions that the compiler has inlined at an address.
#include "diag/symbol/inlined_calls.hpp"

#include <new>
#include <type_traits>

#include <sys/mman.h>

#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t units_max = std::size_t{1} << 18;  // address space, until touched
constexpr std::uint64_t code_max = std::uint64_t{1} << 20;
constexpr std::uint64_t tag_inlined = 0x1d, tag_subprogram = 0x2e;

template <class T>
T* map_array(std::size_t n) {
    void* const space = ::mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space == MAP_FAILED ? nullptr : static_cast<T*>(space);
}

// An array that grows by moving its pages (mremap).
template <class T>
class mapped_list {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    // False: the kernel gives no more memory.
    bool add(const T& v) {
        if (size_ == room_ && !grow()) return false;
        items_[size_++] = v;
        return true;
    }
    T* items() const { return items_; }
    std::size_t size() const { return size_; }

  private:
    bool grow() {
        const std::size_t more = room_ == 0 ? 512 : 2 * room_;
        if (room_ == 0) {
            items_ = map_array<T>(more);
            if (items_ == nullptr) return false;
        } else {
            void* const moved =
                ::mremap(items_, room_ * sizeof(T), more * sizeof(T), MREMAP_MAYMOVE);
            if (moved == MAP_FAILED) return false;
            items_ = static_cast<T*>(moved);
        }
        room_ = more;
        return true;
    }

    T* items_ = nullptr;
    std::size_t size_ = 0, room_ = 0;
};

}  // namespace

void inlined_calls::open(const dwarf_sections& sections) {
    sections_ = sections;
    if (sections_.info.size == 0 || sections_.abbrevs.size == 0) return;
    units_ = map_array<unit>(units_max);
    if (units_ == nullptr) return;
    for (dwarf_cursor at(sections_.info); !at.done() && unit_count_ < units_max;) {
        dwarf_unit head;
        if (read_dwarf_unit(sections_, at, head)) add_unit(head);
    }
}

// The unit's first entry names its lines and tables. The abbreviation of that entry is mostly near.
void inlined_calls::add_unit(const dwarf_unit& head) {
    dwarf_cursor at(sections_.info, head.first);
    const std::uint64_t code = at.unsigned_leb();
    dwarf_cursor table(sections_.abbrevs, head.abbrevs);
    dwarf_abbrev a;
    do {
        a = read_dwarf_abbrev(sections_, table);
    } while (a.code != 0 && a.code != code);
    dwarf_entry e;
    if (a.code == 0 || !read_dwarf_entry(sections_, head, a.at, at, e)) return;
    unit& u = *::new (&units_[unit_count_++]) unit;
    u.head = head;
    u.head.lines = e.lines;
    u.head.string_offsets = e.string_offsets;
    u.head.addresses = e.addresses;
    u.head.range_lists = e.range_lists;
    u.head.base = dwarf_address(sections_, u.head, e.low);
}

// Null: another thread has been reading the unit for too long, or this thread was interrupted while
// it read the unit.
const inlined_calls::unit* inlined_calls::ready_unit(std::size_t n) const {
    constexpr int patience = 100'000;
    unit& u = units_[n];
    unit_state seen = u.state.load(memory_order_acquire);  // pairs(unit.ready)
    // relaxed: an empty entry has nothing to read.
    if (seen == unit_state::empty &&
        u.state.compare_exchange(seen, unit_state::filling, memory_order_relaxed,
                                 memory_order_acquire)) {  // pairs(unit.ready)
        fill(u);
        u.state.store(unit_state::ready, memory_order_release);  // pairs(unit.ready)
        return &u;
    }
    const int tries = u.is_slow.load(memory_order_relaxed) ? 1 : patience;  // relaxed: see there
    for (int i = 0; seen != unit_state::ready && i < tries; ++i) {
        thread_yield();
        seen = u.state.load(memory_order_acquire);  // pairs(unit.ready)
    }
    if (seen == unit_state::ready) return &u;
    u.is_slow.store(true, memory_order_relaxed);  // relaxed: see there
    return nullptr;
}

const inlined_calls::unit* inlined_calls::unit_at(std::uint64_t offset) const {
    std::size_t low = 0, high = unit_count_;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (units_[middle].head.end <= offset) low = middle + 1;
        else high = middle;
    }
    return low < unit_count_ && units_[low].head.begin <= offset ? ready_unit(low) : nullptr;
}

void inlined_calls::fill(unit& u) const {
    if (list_abbrevs(u)) list_functions(u);
}

bool inlined_calls::list_abbrevs(unit& u) const {
    std::uint64_t highest = 0;
    for (dwarf_cursor at(sections_.abbrevs, u.head.abbrevs);;) {
        const dwarf_abbrev a = read_dwarf_abbrev(sections_, at);
        if (a.code == 0) break;
        if (a.code > highest) highest = a.code;
    }
    if (highest == 0 || highest > code_max || sections_.abbrevs.size > 0xffffffff) return false;
    u.abbrevs = map_array<std::uint32_t>(highest + 1);
    if (u.abbrevs == nullptr) return false;
    u.abbrev_count = highest + 1;
    for (dwarf_cursor at(sections_.abbrevs, u.head.abbrevs);;) {
        const dwarf_abbrev a = read_dwarf_abbrev(sections_, at);
        if (a.code == 0) return true;
        // The file may have been changed meanwhile.
        if (a.code < u.abbrev_count) u.abbrevs[a.code] = static_cast<std::uint32_t>(a.at);
    }
}

// False: the entry cannot be read. The end of a list of children is an entry without a tag.
bool inlined_calls::read(const unit& u, dwarf_cursor& at, dwarf_entry& into) const {
    const std::uint64_t code = at.unsigned_leb();
    if (code == 0) {
        into = {};
        return !at.bad();
    }
    if (code >= u.abbrev_count || u.abbrevs[code] == 0) return false;
    return read_dwarf_entry(sections_, u.head, u.abbrevs[code], at, into);
}

void inlined_calls::list_functions(unit& u) const {
    // A true unit has far fewer; without the bound a list of ranges that a million entries share
    // would take forever.
    constexpr std::size_t functions_max = std::size_t{1} << 20, pieces_max = 4 * functions_max;
    std::size_t pieces = 0;
    mapped_list<function_range> all;
    dwarf_cursor at({sections_.info.data, static_cast<std::size_t>(u.head.end)}, u.head.first);
    dwarf_entry e;
    while (!at.done() && pieces < pieces_max && all.size() < functions_max) {
        const std::uint64_t entry = u.head.end - at.left();
        if (!read(u, at, e)) break;
        if (e.tag != tag_subprogram) continue;
        dwarf_ranges code(sections_, u.head, e);
        // Code that the linker has removed begins at zero.
        for (dwarf_ranges::piece p; code.next(p);) {
            if (++pieces == pieces_max || all.size() == functions_max) break;
            if (p.begin != 0 && p.begin < p.end && !all.add({p.begin, p.end, entry})) break;
        }
    }
    u.functions = all.items();
    u.function_count = all.size();
}

bool inlined_calls::covers(const unit& u, const dwarf_entry& e, std::uint64_t address) const {
    dwarf_ranges code(sections_, u.head, e);
    for (dwarf_ranges::piece p; code.next(p);) {
        if (p.begin <= address && address < p.end) return true;
    }
    return false;
}

// Reads an entry and the entries of its origin in turn: each adds the attributes still missing.
inlined_calls::description inlined_calls::describe(const unit& u, const dwarf_entry& e) const {
    constexpr int hops_max = 6;
    description d;
    const char* plain = nullptr;
    const unit* in = &u;
    dwarf_entry now = e;
    for (int hops = 0;; ++hops) {
        if (d.name == nullptr) d.name = dwarf_text(sections_, in->head, now.linkage_name);
        if (plain == nullptr) plain = dwarf_text(sections_, in->head, now.name);
        if (d.line == 0) {
            d.line = static_cast<unsigned>(now.line);
            d.file = in == &u ? now.file : 0;  // file numbers of another unit mean nothing here
        }
        if (now.origin == no_offset || hops == hops_max) break;
        const std::uint64_t from = now.origin;
        if (from < in->head.first || from >= in->head.end) in = unit_at(from);
        if (in == nullptr) break;
        dwarf_cursor at(sections_.info, from);
        if (!read(*in, at, now)) break;
    }
    d.is_mangled = d.name != nullptr;
    if (d.name == nullptr) d.name = plain;
    return d;
}

void inlined_calls::walk(const unit& u, std::uint64_t entry, std::uint64_t address,
                         found& into) const {
    dwarf_cursor at({sections_.info.data, static_cast<std::size_t>(u.head.end)}, entry);
    dwarf_entry e;
    if (!read(u, at, e)) return;
    into.is_known = true;
    into.start_line = describe(u, e).line;
    // passing: the depth of the entries that are skipped, because their parent lies elsewhere.
    std::size_t depth = e.has_children ? 1 : 0, passing = 0;
    while (depth > 0 && read(u, at, e)) {
        if (e.tag == 0) {
            if (passing == depth) passing = 0;
            --depth;
            continue;
        }
        bool is_elsewhere = e.tag == tag_subprogram;
        if (passing == 0 && e.tag == tag_inlined) {
            is_elsewhere = !covers(u, e, address);
            if (!is_elsewhere && into.count < calls_max) {
                const description d = describe(u, e);
                into.calls[into.count++] = {d.name,      d.is_mangled,
                                            d.file,      d.line,
                                            e.call_file, static_cast<unsigned>(e.call_line)};
            }
        }
        if (!e.has_children) continue;
        ++depth;
        if (passing == 0 && is_elsewhere) passing = depth;
    }
}

void inlined_calls::find(std::uint64_t address, std::uint64_t program, found& into) const {
    into = {};
    for (std::size_t i = 0; i < unit_count_; ++i) {
        if (units_[i].head.lines != program) continue;
        const unit* const u = ready_unit(i);
        into.is_late = into.is_late || u == nullptr;
        if (u == nullptr) continue;
        const function_range* best = nullptr;
        for (std::size_t k = 0; k < u->function_count; ++k) {
            const function_range& f = u->functions[k];
            if (address < f.begin || address >= f.end) continue;
            if (best == nullptr || f.end - f.begin < best->end - best->begin) best = &f;
        }
        if (best == nullptr) continue;
        return walk(*u, best->entry, address, into);
    }
}

}  // namespace rota::rt
