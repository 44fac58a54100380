// Writes the records of a profile as text.
#include "diag/profile/text.hpp"

#include <cstdio>
#include <vector>

#include "diag/symbol/frame_name.hpp"
#include "diag/symbol/symbolize.hpp"
#include "diag/text/append_format.hpp"
#include "sched/record/labels.hpp"

namespace rota::rt {

namespace {

struct frame_line {
    std::string address, function, source;
};

std::string hex_text(std::uintptr_t v) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%zx", static_cast<std::size_t>(v));
    return text;
}

std::string source_text(const source_line& s) {
    std::string text;
    if (s.directory != nullptr && *s.file != '/') text = std::string(s.directory) + "/";
    text += s.file;
    return text += ":" + std::to_string(s.line);
}

frame_line line_of(std::uintptr_t address, const char* function, std::uintptr_t offset) {
    const frame_name name(function, false);
    std::string text(name.text, static_cast<std::size_t>(name.length));
    // That of a piece is not from where the function begins.
    if (!name.is_piece) text += "+" + hex_text(offset);
    return {hex_text(address), text, {}};
}

frame_line line_of(std::uintptr_t address, const code_place& p) {
    if (p.function == nullptr) return {hex_text(address), {}, {}};
    frame_line l = line_of(address, p.function, p.offset);
    l.source = p.source.file != nullptr ? source_text(p.source) : p.module;
    return l;
}

std::vector<frame_line> lines_of(std::span<const std::uintptr_t> pcs, bool all) {
    std::vector<frame_line> lines;
    bool show = all;
    for (const std::uintptr_t pc : pcs) {
        if (pc == 0) continue;
        const std::uintptr_t address = pc - 1;
        const code_frames here = frames_of(reinterpret_cast<const void*>(address));
        for (std::size_t i = 0; i < here.count; ++i) {
            const code_frame& f = here.inlined[i];
            if (!is_shown(here, f)) continue;
            show = true;
            lines.push_back(line_of(address, f.function, here.place.offset));
            lines.back().source = source_text(f.source);
        }
        const code_place& p = here.place;
        const std::string_view name = p.function != nullptr ? p.function : "";
        const bool is_first = name == "rota_gostart" || name == "rota_goroutine_main";
        if (is_first || (!show && is_runtime_frame(p))) continue;
        show = true;
        lines.push_back(line_of(address, p));
    }
    return lines;
}

// Cells of a column end with tabs, at least one, up to a common width in tabs of 8.
void pad(std::string& out, const std::string& cell, std::size_t widest) {
    constexpr std::size_t tab = 8;
    const std::size_t columns = (widest + 1 + tab - 1) / tab;
    out += cell;
    out.append(columns - cell.size() / tab, '\t');
}

}  // namespace

void append_pcs(std::string& out, std::span<const std::uintptr_t> pcs) {
    for (const std::uintptr_t pc : pcs) out += " " + hex_text(pc);
    out += '\n';
}

void append_label_line(std::string& out, const label_set* labels) {
    if (labels == nullptr || labels->count == 0) return;
    const auto quoted = [&out](std::string_view text) {
        out += '"';
        for (const char c : text) {
            const auto code = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') out += '\\', out += c;
            else if (code < ' ') append_format(out, "\\x%02x", code);
            else out += c;
        }
        out += '"';
    };
    out += "# labels: {";
    bool is_first = true;
    for_each_label(labels, [&](auto name, auto value) {
        if (!is_first) out += ", ";
        is_first = false;
        quoted(name);
        out += ':';
        quoted(value);
    });
    out += "}\n";
}

void append_frames(std::string& out, std::span<const std::uintptr_t> pcs) {
    std::vector<frame_line> lines = lines_of(pcs, false);
    if (lines.empty()) lines = lines_of(pcs, true);
    std::size_t address = 0, function = 0;
    for (const frame_line& l : lines) {
        if (l.address.size() > address) address = l.address.size();
        if (l.function.size() > function) function = l.function.size();
    }
    for (const frame_line& l : lines) {
        out += "#\t";
        if (l.function.empty()) {
            out += l.address;
        } else {
            pad(out, l.address, address);
            pad(out, l.function, function);
            out += l.source;
        }
        out += '\n';
    }
    out += '\n';
}

}  // namespace rota::rt
