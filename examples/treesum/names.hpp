// Names as bytes: how a path is written in a checksum line, in a message and in JSON.
//
// A Unix path is any sequence of bytes but NUL, so nothing here assumes UTF-8. Three readers, three
// forms:
//
// Checksum lines are written as sha256sum writes them: newline, carriage return and backslash
// become \n, \r and \\, and the whole line then starts with a backslash.
//
// Messages are one line each, whatever the name holds: control bytes become \xNN, so that a hostile
// name cannot drive the terminal.
//
// JSON is text: a name that is no UTF-8 is shown with U+FFFD and given exactly, in hex, beside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace treesum {

constexpr std::size_t digest_bytes = 32;
using digest = std::array<unsigned char, digest_bytes>;

inline void append_hex(std::string& out, const unsigned char* bytes, std::size_t count) {
    static constexpr char digits[] = "0123456789abcdef";
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(digits[bytes[i] >> 4]);
        out.push_back(digits[bytes[i] & 15]);
    }
}

inline void append_hex(std::string& out, std::string_view bytes) {
    append_hex(out, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

// Says whether a checksum line must carry this name escaped.
inline bool needs_escape(std::string_view name) {
    return name.find_first_of("\\\n\r") != std::string_view::npos;
}

inline void append_escaped(std::string& out, std::string_view name) {
    for (const char c : name) {
        switch (c) {
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\\': out += "\\\\"; break;
            default: out.push_back(c);
        }
    }
}

// The inverse of append_escaped. Nothing, if a backslash is followed by anything else: such a line
// was not written by sha256sum, and guessing what it meant would verify the wrong file.
inline std::optional<std::string> unescape(std::string_view text) {
    std::string name;
    name.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            name.push_back(text[i]);
            continue;
        }
        if (++i == text.size()) return std::nullopt;
        switch (text[i]) {
            case 'n': name.push_back('\n'); break;
            case 'r': name.push_back('\r'); break;
            case '\\': name.push_back('\\'); break;
            default: return std::nullopt;
        }
    }
    return name;
}

// `DIGEST  NAME`, the line that `sha256sum -c` reads.
inline void append_sum_line(std::string& out, const digest& sum, std::string_view name) {
    const bool escape = needs_escape(name);
    if (escape) out.push_back('\\');
    append_hex(out, sum.data(), sum.size());
    out += "  ";
    if (escape) {
        append_escaped(out, name);
    } else {
        out += name;
    }
    out.push_back('\n');
}

// The name as messages on a terminal show it: always one line, never a control sequence.
inline std::string printable(std::string_view name) {
    std::string out;
    out.reserve(name.size());
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\\') {
            out += "\\\\";
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\x";
            append_hex(out, &byte, 1);
        } else {
            out.push_back(c);
        }
    }
    return out;
}

// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none (overlong
// forms, surrogates and values above U+10FFFF count as malformed).
inline std::size_t utf8_length(std::string_view text) {
    const auto at = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto tail = [&](std::size_t i) { return (at(i) & 0xc0U) == 0x80U; };
    const unsigned lead = at(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
    if (lead >= 0xe0 && lead <= 0xef) {
        if (!tail(1) || !tail(2)) return 0;
        if (lead == 0xe0 && at(1) < 0xa0) return 0;
        if (lead == 0xed && at(1) > 0x9f) return 0;
        return 3;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        if (!tail(1) || !tail(2) || !tail(3)) return 0;
        if (lead == 0xf0 && at(1) < 0x90) return 0;
        if (lead == 0xf4 && at(1) > 0x8f) return 0;
        return 4;
    }
    return 0;
}

// Appends `text` as a JSON string with its quotes; returns false if bytes had to be replaced
// because they are no UTF-8.
inline bool append_json_string(std::string& out, std::string_view text) {
    bool exact = true;
    out.push_back('"');
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const auto byte = static_cast<unsigned char>(text.front());
        if (length == 0) {
            exact = false;
            out += "\\ufffd";
        } else if (byte == '"' || byte == '\\') {
            out.push_back('\\');
            out.push_back(text.front());
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\u00";
            append_hex(out, &byte, 1);
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out.push_back('"');
    return exact;
}

// `"path": "..."`, and `"path_hex": "..."` with the exact bytes where the first cannot give them.
inline void append_json_path(std::string& out, std::string_view path) {
    out += "\"path\": ";
    if (append_json_string(out, path)) return;
    out += ", \"path_hex\": \"";
    append_hex(out, path);
    out.push_back('"');
}

}  // namespace treesum
