// Runs DWARF's line-number machine (version 5 of the standard, sections 6.2.4 and 6.2.5).
#include "diag/symbol/line_table.hpp"

#include <cstring>
#include <initializer_list>

#include <sys/mman.h>

#include "diag/symbol/dwarf_cursor.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t sequences_max = std::size_t{1} << 22;  // address space only, until touched

using cursor = dwarf_cursor;

struct header {
    unsigned version = 0;
    bool wide = false;
    std::uint8_t min_instruction = 1;
    std::int8_t line_base = 0;
    std::uint8_t line_range = 1;
    std::uint8_t opcode_base = 1;
    const unsigned char* operand_counts = nullptr;
    byte_range tables;   // directories and files
    byte_range program;  // the opcodes
};

// The header at the cursor, which moves behind the whole program. False: not a version that we
// know.
bool read_header(cursor& all, header& h) {
    std::uint64_t length = all.fixed<std::uint32_t>();
    h.wide = length == 0xffffffff;
    if (h.wide) length = all.fixed<std::uint64_t>();
    cursor in(all.take(length));
    h.version = in.fixed<std::uint16_t>();
    if (h.version < 2 || h.version > 5) return false;
    if (h.version == 5) in.take(2);  // sizes of addresses and segment selectors
    cursor head(in.take(in.offset(h.wide)));
    h.program = in.rest();
    h.min_instruction = head.u8();
    if (h.version >= 4) head.u8();  // operations per instruction: 1 on our machines
    head.u8();                      // whether rows are statements at first
    h.line_base = head.fixed<std::int8_t>();
    h.line_range = head.u8();
    h.opcode_base = head.u8();
    if (h.line_range == 0 || h.opcode_base == 0) return false;
    h.operand_counts = head.take(h.opcode_base - 1U).data;
    h.tables = head.rest();
    return !head.bad() && !in.bad() && !all.bad();
}

struct row {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::int64_t line = 1;

    // Data that is no line program may hold any number: the line wraps.
    void advance_line(std::int64_t n) {
        line = static_cast<std::int64_t>(static_cast<std::uint64_t>(line) +
                                         static_cast<std::uint64_t>(n));
    }
};

// Runs a program and calls visit(row, is_end_of_sequence) for each row until it returns false.
template <class V>
void run_program(const header& h, V visit) {
    cursor in(h.program);
    row r;
    while (!in.done()) {
        const std::uint8_t op = in.u8();
        if (op >= h.opcode_base) {
            const unsigned n = static_cast<unsigned>(op - h.opcode_base);
            r.address += n / h.line_range * h.min_instruction;
            r.advance_line(h.line_base + static_cast<int>(n % h.line_range));
            if (!visit(r, false)) return;
            continue;
        }
        switch (op) {
            case 0: {  // extended
                cursor arguments(in.take(in.unsigned_leb()));
                const std::uint8_t what = arguments.u8();
                if (what == 1) {  // end of sequence
                    if (!visit(r, true)) return;
                    r = {};
                } else if (what == 2) {
                    r.address = arguments.left() >= 8 ? arguments.fixed<std::uint64_t>()
                                                      : arguments.fixed<std::uint32_t>();
                }
                break;
            }
            case 1:
                if (!visit(r, false)) return;
                break;
            case 2: r.address += in.unsigned_leb() * h.min_instruction; break;
            case 3: r.advance_line(in.signed_leb()); break;
            case 4: r.file = in.unsigned_leb(); break;
            case 8: r.address += (255U - h.opcode_base) / h.line_range * h.min_instruction; break;
            case 9: r.address += in.fixed<std::uint16_t>(); break;
            default:
                for (unsigned i = h.operand_counts[op - 1]; i > 0; --i) in.unsigned_leb();
        }
    }
}

struct entry {
    const char* path = nullptr;
    std::uint64_t directory = 0;
};

// The n-th entry of a list in the layout of version 5; the cursor moves behind the list.
entry nth_entry(cursor& in, const header& h, std::uint64_t n, byte_range line_strings,
                byte_range strings) {
    cursor formats_begin = in;
    const unsigned format_count = in.u8();
    if (format_count == 0) return {};  // such entries have no bytes
    for (unsigned i = 0; i < 2 * format_count; ++i) in.unsigned_leb();
    const std::uint64_t count = in.unsigned_leb();
    entry found;
    for (std::uint64_t i = 0; i < count && !in.bad(); ++i) {
        cursor formats = formats_begin;
        formats.u8();
        entry e;
        for (unsigned k = 0; k < format_count; ++k) {
            const std::uint64_t content = formats.unsigned_leb();
            const char* text = nullptr;
            std::uint64_t number = 0;
            switch (formats.unsigned_leb()) {
                case 0x08: text = in.string(); break;
                case 0x1f: text = dwarf_string_at(line_strings, in.offset(h.wide)); break;
                case 0x0e: text = dwarf_string_at(strings, in.offset(h.wide)); break;
                case 0x0b: number = in.u8(); break;
                case 0x05: number = in.fixed<std::uint16_t>(); break;
                case 0x06: number = in.fixed<std::uint32_t>(); break;
                case 0x07: number = in.fixed<std::uint64_t>(); break;
                case 0x0f: number = in.unsigned_leb(); break;
                case 0x1e: in.take(16); break;
                case 0x09: in.take(in.unsigned_leb()); break;
                default: return {};
            }
            if (content == 1) e.path = text;
            if (content == 2) e.directory = number;
        }
        if (i == n) found = e;
    }
    return found;
}

source_line file_of(const header& h, std::uint64_t file, byte_range line_strings,
                    byte_range strings) {
    cursor in(h.tables);
    if (h.version == 5) {
        cursor directories = in;
        nth_entry(in, h, ~std::uint64_t{0}, line_strings, strings);
        const entry e = nth_entry(in, h, file, line_strings, strings);
        return {nth_entry(directories, h, e.directory, line_strings, strings).path, e.path, 0};
    }
    cursor directories = in;
    while (!in.done() && *in.string() != '\0') {
    }
    for (std::uint64_t i = 1; !in.done(); ++i) {
        const char* const path = in.string();
        if (*path == '\0') break;
        std::uint64_t directory = in.unsigned_leb();
        in.unsigned_leb();
        in.unsigned_leb();
        if (i != file) continue;
        const char* text = nullptr;  // directory 0 is the compiler's own: not in this section
        for (; directory > 0 && !directories.done(); --directory) text = directories.string();
        return {text, path, 0};
    }
    return {};
}

// The files of one program, with a memory of which belong to the program and not to a header of the
// system's or of rota's own.
class file_names {
  public:
    file_names(const header& h, byte_range line_strings, byte_range strings)
        : h_(h), line_strings_(line_strings), strings_(strings) {}

    source_line name(std::uint64_t file) const {
        return file_of(h_, file, line_strings_, strings_);
    }

    bool is_programs_own(std::uint64_t file) {
        if (file >= known_max) return judge(file) == verdict::own;
        if (known_[file] == verdict::unknown) known_[file] = judge(file);
        return known_[file] == verdict::own;
    }

  private:
    enum class verdict : std::uint8_t { unknown, own, foreign };
    static constexpr std::size_t known_max = 512;

    verdict judge(std::uint64_t file) const {
        return is_programs_own(name(file)) ? verdict::own : verdict::foreign;
    }
    static bool is_programs_own(const source_line& s) { return rt::is_programs_own(s); }

    const header& h_;
    byte_range line_strings_, strings_;
    verdict known_[known_max] = {};
};

}  // namespace

bool is_programs_own(const source_line& s) {
    for (const char* const path : {s.directory, s.file}) {
        if (path == nullptr) continue;
        if (std::strstr(path, "include/rota") != nullptr || std::strncmp(path, "/usr/", 5) == 0)
            return false;
    }
    return true;
}

void line_table::open(const elf_image& image) {
    programs_ = image.section(".debug_line");
    line_strings_ = image.section(".debug_line_str");
    strings_ = image.section(".debug_str");
    if (programs_.data == nullptr) return;
    void* const space = ::mmap(nullptr, sequences_max * sizeof(sequence), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) return;
    index_ = static_cast<sequence*>(space);
    cursor all(programs_);
    while (!all.done() && index_size_ < sequences_max) {
        const auto at = static_cast<std::size_t>(all.rest().data - programs_.data);
        header h;
        if (!read_header(all, h)) continue;
        std::uint64_t begin = 0;
        bool inside = false;
        run_program(h, [&](const row& r, bool ends) {
            if (!inside) begin = r.address;
            inside = !ends;
            // What the linker has thrown away begins at zero.
            if (ends && begin != 0 && begin < r.address)
                index_[index_size_++] = {begin, r.address, at};
            return index_size_ < sequences_max;
        });
    }
}

const line_table::sequence* line_table::sequence_of(std::uint64_t address) const {
    for (std::size_t i = 0; i < index_size_; ++i) {
        if (address >= index_[i].begin && address < index_[i].end) return &index_[i];
    }
    return nullptr;
}

source_line line_table::find(std::uint64_t address, std::uint64_t function,
                             std::uint64_t function_end) const {
    const sequence* const covers = sequence_of(address);
    header h;
    if (covers == nullptr) return {};
    cursor at(programs_, covers->program);
    if (!read_header(at, h)) return {};
    file_names files(h, line_strings_, strings_);
    row before, found, own;
    bool inside = false, hit = false;
    run_program(h, [&](const row& r, bool ends) {
        const bool counts = inside && before.line > 0 && function <= before.address;
        if (!hit) {
            hit = inside && before.address <= address && address < r.address;
            if (hit) found = before;
            if (counts && before.address <= address && files.is_programs_own(before.file))
                own = before;
            if (hit && (own.address != 0 || files.is_programs_own(found.file))) return false;
        } else if (!inside || before.address >= function_end) {
            return false;
        } else if (counts && files.is_programs_own(before.file)) {
            own = before;
            return false;
        }
        before = r;
        inside = !ends;
        if (ends && !hit) own = {};
        return true;
    });
    if (!hit) return {};
    const row& best = own.address != 0 && !files.is_programs_own(found.file) ? own : found;
    if (best.line <= 0) return {};
    source_line s = files.name(best.file);
    s.line = static_cast<unsigned>(best.line);
    return s;
}

source_line line_table::exact(std::uint64_t address, std::uint64_t& program) const {
    const sequence* const covers = sequence_of(address);
    header h;
    if (covers == nullptr) return {};
    program = covers->program;
    cursor at(programs_, program);
    if (!read_header(at, h)) return {};
    row before, found;
    bool inside = false, hit = false;
    run_program(h, [&](const row& r, bool ends) {
        hit = inside && before.address <= address && address < r.address;
        if (hit) found = before;
        before = r;
        inside = !ends;
        return !hit;
    });
    if (!hit || found.line <= 0) return {};
    source_line s = file_of(h, found.file, line_strings_, strings_);
    s.line = static_cast<unsigned>(found.line);
    return s;
}

source_line line_table::file(std::uint64_t program, std::uint64_t number) const {
    header h;
    cursor at(programs_, program);
    return read_header(at, h) ? file_of(h, number, line_strings_, strings_) : source_line{};
}

}  // namespace rota::rt
