// Reads units and entries: DWARF 5, sections 7.5 and 7.25, and the GNU forms.
#include "diag/symbol/dwarf_entry.hpp"

namespace rota::rt {

namespace {

using cursor = dwarf_cursor;

namespace tag {
constexpr std::uint64_t end_of_children = 0;
}

namespace attribute {
constexpr std::uint64_t name = 0x03, lines = 0x10, low = 0x11, high = 0x12, abstract_origin = 0x31,
                        decl_file = 0x3a, decl_line = 0x3b, specification = 0x47, ranges = 0x55,
                        call_file = 0x58, call_line = 0x59, linkage_name = 0x6e,
                        string_offsets = 0x72, addresses = 0x73, range_lists = 0x74,
                        mips_linkage_name = 0x2007;
}

namespace form {
constexpr std::uint64_t address = 0x01, block2 = 0x03, block4 = 0x04, data2 = 0x05, data4 = 0x06,
                        data8 = 0x07, string = 0x08, block = 0x09, block1 = 0x0a, data1 = 0x0b,
                        flag = 0x0c, sdata = 0x0d, strp = 0x0e, udata = 0x0f, ref_address = 0x10,
                        ref1 = 0x11, ref2 = 0x12, ref4 = 0x13, ref8 = 0x14, ref_udata = 0x15,
                        indirect = 0x16, section_offset = 0x17, expression = 0x18,
                        flag_present = 0x19, strx = 0x1a, addrx = 0x1b, ref_sup4 = 0x1c,
                        strp_sup = 0x1d, data16 = 0x1e, line_strp = 0x1f, ref_signature = 0x20,
                        implicit_constant = 0x21, loclistx = 0x22, rnglistx = 0x23, ref_sup8 = 0x24,
                        strx1 = 0x25, strx2 = 0x26, strx3 = 0x27, strx4 = 0x28, addrx1 = 0x29,
                        addrx2 = 0x2a, addrx3 = 0x2b, addrx4 = 0x2c, gnu_address_index = 0x1f01,
                        gnu_string_index = 0x1f02, gnu_ref_alt = 0x1f20, gnu_strp_alt = 0x1f21;
}

std::uint64_t three_bytes(cursor& at) {
    const std::uint64_t low = at.fixed<std::uint16_t>();
    return low | (std::uint64_t{at.u8()} << 16);
}

// Reads the value at the cursor. False: an unknown form, so the entry cannot be skipped.
bool read_value(const dwarf_unit& unit, std::uint64_t what, cursor& at, dwarf_value& v) {
    for (int hops = 0; what == form::indirect && hops < 4; ++hops) what = at.unsigned_leb();
    v.form = what;
    switch (what) {
        case form::address:
            v.number =
                unit.address_size == 8 ? at.fixed<std::uint64_t>() : at.fixed<std::uint32_t>();
            return true;
        case form::data1:
        case form::flag:
        case form::ref1:
        case form::strx1:
        case form::addrx1: v.number = at.u8(); return true;
        case form::data2:
        case form::ref2:
        case form::strx2:
        case form::addrx2: v.number = at.fixed<std::uint16_t>(); return true;
        case form::strx3:
        case form::addrx3: v.number = three_bytes(at); return true;
        case form::data4:
        case form::ref4:
        case form::ref_sup4:
        case form::strx4:
        case form::addrx4: v.number = at.fixed<std::uint32_t>(); return true;
        case form::data8:
        case form::ref8:
        case form::ref_sup8:
        case form::ref_signature: v.number = at.fixed<std::uint64_t>(); return true;
        case form::data16: at.take(16); return true;
        case form::sdata: v.number = static_cast<std::uint64_t>(at.signed_leb()); return true;
        case form::udata:
        case form::ref_udata:
        case form::strx:
        case form::addrx:
        case form::loclistx:
        case form::rnglistx:
        case form::gnu_address_index:
        case form::gnu_string_index: v.number = at.unsigned_leb(); return true;
        case form::ref_address:  // version 2: as wide as an address
            v.number = unit.version == 2 ? at.fixed<std::uint64_t>() : at.offset(unit.wide);
            return true;
        case form::strp:
        case form::line_strp:
        case form::strp_sup:
        case form::section_offset:
        case form::gnu_ref_alt:
        case form::gnu_strp_alt: v.number = at.offset(unit.wide); return true;
        case form::string: v.text = at.string(); return true;
        case form::block1: at.take(at.u8()); return true;
        case form::block2: at.take(at.fixed<std::uint16_t>()); return true;
        case form::block4: at.take(at.fixed<std::uint32_t>()); return true;
        case form::block:
        case form::expression: at.take(at.unsigned_leb()); return true;
        case form::flag_present: return true;
        default: return false;
    }
}

// The entry that a reference names; no_offset: in another file.
std::uint64_t target(const dwarf_unit& unit, const dwarf_value& v) {
    switch (v.form) {
        case form::ref1:
        case form::ref2:
        case form::ref4:
        case form::ref8:
        case form::ref_udata: return unit.begin + v.number;
        case form::ref_address: return v.number;
        default: return no_offset;
    }
}

void keep(const dwarf_unit& unit, std::uint64_t what, const dwarf_value& v, dwarf_entry& e) {
    switch (what) {
        case attribute::name: e.name = v; return;
        case attribute::linkage_name:
        case attribute::mips_linkage_name: e.linkage_name = v; return;
        case attribute::low: e.low = v; return;
        case attribute::high: e.high = v; return;
        case attribute::ranges: e.ranges = v; return;
        case attribute::abstract_origin:
        case attribute::specification: e.origin = target(unit, v); return;
        case attribute::decl_file: e.file = v.number; return;
        case attribute::decl_line: e.line = v.number; return;
        case attribute::call_file: e.call_file = v.number; return;
        case attribute::call_line: e.call_line = v.number; return;
        case attribute::lines: e.lines = v.number; return;
        case attribute::string_offsets: e.string_offsets = v.number; return;
        case attribute::addresses: e.addresses = v.number; return;
        case attribute::range_lists: e.range_lists = v.number; return;
        default: return;
    }
}

// The number at `index` in a table of cells of `size` bytes.
std::uint64_t cell(byte_range table, std::uint64_t base, std::uint64_t index, std::uint64_t size) {
    if (index > table.size / size || base > table.size) return no_offset;
    cursor at(table, base + index * size);
    return at.left() < size ? no_offset : at.offset(size == 8);
}

std::uint64_t address_at(const dwarf_sections& in, const dwarf_unit& unit, std::uint64_t index) {
    const std::uint64_t found = cell(in.addresses, unit.addresses, index, unit.address_size);
    return found == no_offset ? 0 : found;
}

}  // namespace

dwarf_sections dwarf_sections_of(const elf_image& image) {
    dwarf_sections s;
    s.info = image.section(".debug_info");
    s.abbrevs = image.section(".debug_abbrev");
    s.strings = image.section(".debug_str");
    s.line_strings = image.section(".debug_line_str");
    s.string_offsets = image.section(".debug_str_offsets");
    s.addresses = image.section(".debug_addr");
    s.ranges = image.section(".debug_ranges");
    s.range_lists = image.section(".debug_rnglists");
    return s;
}

bool read_dwarf_unit(const dwarf_sections& in, dwarf_cursor& at, dwarf_unit& into) {
    into = {};
    into.begin = in.info.size - at.left();
    std::uint64_t length = at.fixed<std::uint32_t>();
    into.wide = length == 0xffffffff;
    if (into.wide) length = at.fixed<std::uint64_t>();
    cursor head(at.take(length));
    into.end = in.info.size - at.left();
    into.version = head.fixed<std::uint16_t>();
    if (into.version < 2 || into.version > 5) return false;
    if (into.version == 5) {
        constexpr std::uint8_t compile = 1, partial = 3;
        const std::uint8_t kind = head.u8();
        into.address_size = head.u8();
        into.abbrevs = head.offset(into.wide);
        if (kind != compile && kind != partial) return false;
    } else {
        into.abbrevs = head.offset(into.wide);
        into.address_size = head.u8();
    }
    into.first = into.end - head.left();
    return !head.bad() && !at.bad() && (into.address_size == 8 || into.address_size == 4);
}

dwarf_abbrev read_dwarf_abbrev(const dwarf_sections& in, dwarf_cursor& at) {
    dwarf_abbrev a;
    a.code = at.unsigned_leb();
    a.at = in.abbrevs.size - at.left();
    if (a.code == 0 || at.bad()) return {};
    at.unsigned_leb();  // the tag
    at.u8();            // whether it has children
    for (;;) {
        const std::uint64_t what = at.unsigned_leb(), how = at.unsigned_leb();
        if (how == form::implicit_constant) at.signed_leb();
        if ((what == 0 && how == 0) || at.bad()) return a;
    }
}

bool read_dwarf_entry(const dwarf_sections& in, const dwarf_unit& unit, std::uint64_t abbrev_at,
                      dwarf_cursor& at, dwarf_entry& into) {
    into = {};
    cursor abbrev(in.abbrevs, abbrev_at);
    into.tag = abbrev.unsigned_leb();
    into.has_children = abbrev.u8() != 0;
    if (into.tag == tag::end_of_children) return false;
    for (;;) {
        const std::uint64_t what = abbrev.unsigned_leb(), how = abbrev.unsigned_leb();
        if (abbrev.bad() || at.bad()) return false;
        if (what == 0 && how == 0) return true;
        dwarf_value v;
        if (how == form::implicit_constant) {
            v.form = how;
            v.number = static_cast<std::uint64_t>(abbrev.signed_leb());
        } else if (!read_value(unit, how, at, v)) {
            return false;
        }
        keep(unit, what, v, into);
    }
}

const char* dwarf_text(const dwarf_sections& in, const dwarf_unit& unit, const dwarf_value& v) {
    switch (v.form) {
        case form::string: return v.text;
        case form::strp: return dwarf_string_at(in.strings, v.number);
        case form::line_strp: return dwarf_string_at(in.line_strings, v.number);
        case form::strx:
        case form::strx1:
        case form::strx2:
        case form::strx3:
        case form::strx4: {
            const std::uint64_t found =
                cell(in.string_offsets, unit.string_offsets, v.number, unit.wide ? 8 : 4);
            return dwarf_string_at(in.strings, found);
        }
        default: return nullptr;
    }
}

std::uint64_t dwarf_address(const dwarf_sections& in, const dwarf_unit& unit,
                            const dwarf_value& v) {
    switch (v.form) {
        case form::address: return v.number;
        case form::addrx:
        case form::addrx1:
        case form::addrx2:
        case form::addrx3:
        case form::addrx4:
        case form::gnu_address_index: return address_at(in, unit, v.number);
        default: return 0;
    }
}

dwarf_ranges::dwarf_ranges(const dwarf_sections& in, const dwarf_unit& unit, const dwarf_entry& e)
    : in_(in), unit_(unit), base_(unit.base) {
    if (e.ranges.form == 0) {
        only_.begin = dwarf_address(in, unit, e.low);
        const std::uint64_t high = dwarf_address(in, unit, e.high);
        if (e.low.form != 0 && e.high.form != 0)
            only_.end = high != 0 ? high : only_.begin + e.high.number;
    } else if (unit.version < 5) {
        list_ = cursor(in.ranges, e.ranges.number);
    } else {
        std::uint64_t from = e.ranges.number;
        if (e.ranges.form == form::rnglistx) {
            from = unit.range_lists +
                   cell(in.range_lists, unit.range_lists, e.ranges.number, unit.wide ? 8 : 4);
        }
        list_ = cursor(in.range_lists, from);
    }
}

bool dwarf_ranges::next_of_old_list(piece& into) {
    while (!list_.done()) {
        const bool wide = unit_.address_size == 8;
        const std::uint64_t begin = list_.offset(wide), end = list_.offset(wide);
        if (list_.bad() || (begin == 0 && end == 0)) return false;
        if (begin == (wide ? ~std::uint64_t{0} : 0xffffffff)) {
            base_ = end;
            continue;
        }
        into = {base_ + begin, base_ + end};
        return true;
    }
    return false;
}

bool dwarf_ranges::next_of_list(piece& into) {
    const bool wide = unit_.address_size == 8;
    while (!list_.done()) {
        switch (list_.u8()) {
            case 0x01: base_ = address_at(in_, unit_, list_.unsigned_leb()); continue;
            case 0x02:
                into.begin = address_at(in_, unit_, list_.unsigned_leb());
                into.end = address_at(in_, unit_, list_.unsigned_leb());
                break;
            case 0x03:
                into.begin = address_at(in_, unit_, list_.unsigned_leb());
                into.end = into.begin + list_.unsigned_leb();
                break;
            case 0x04:
                into.begin = base_ + list_.unsigned_leb();
                into.end = base_ + list_.unsigned_leb();
                break;
            case 0x05: base_ = list_.offset(wide); continue;
            case 0x06:
                into.begin = list_.offset(wide);
                into.end = list_.offset(wide);
                break;
            case 0x07:
                into.begin = list_.offset(wide);
                into.end = into.begin + list_.unsigned_leb();
                break;
            default: return false;  // the end of the list, or an unknown kind
        }
        return !list_.bad();
    }
    return false;
}

bool dwarf_ranges::next(piece& into) {
    if (only_.end != 0) {
        into = only_;
        only_ = {};
        return true;
    }
    return unit_.version < 5 ? next_of_old_list(into) : next_of_list(into);
}

}  // namespace rota::rt
