// Reads lists of checksums exactly as `sha256sum -c` of coreutils 9.1 does.
//
// Two forms of line count: `DIGEST  NAME` (a `*` may stand for the second blank, and the whole line
// may be escaped by a leading backslash), and `SHA256 (NAME) = DIGEST`. A third, old form has one
// blank between digest and name; since a name may itself begin with a blank, the first line that
// tells which form a list uses decides for the rest of it. Blank lines and lines that begin with
// `#` are passed over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "names.hpp"

namespace treesum {

struct checksum_line {
    std::string name;
    digest expected{};
};

struct checksum_list {
    std::vector<checksum_line> lines;
    std::uint64_t malformed = 0;
};

class checksum_parser {
  public:
    checksum_list parse(std::string_view text) {
        checksum_list list;
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (line.empty() || line.front() == '#') continue;
            if (std::optional<checksum_line> parsed = parse_line(line)) {
                list.lines.push_back(std::move(*parsed));
            } else {
                ++list.malformed;
            }
        }
        return list;
    }

  private:
    enum class blanks { unknown, two, one };

    static bool is_blank(char c) { return c == ' ' || c == '\t'; }

    static std::string_view skip_blanks(std::string_view text) {
        while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
        return text;
    }

    static std::optional<digest> parse_digest(std::string_view hex) {
        const auto value = [](char c) {
            if (c >= '0' && c <= '9') return c - '0';
            if (c >= 'a' && c <= 'f') return c - 'a' + 10;
            if (c >= 'A' && c <= 'F') return c - 'A' + 10;
            return -1;
        };
        digest sum{};
        if (hex.size() != 2 * sum.size()) return std::nullopt;
        for (std::size_t i = 0; i < sum.size(); ++i) {
            const int high = value(hex[2 * i]);
            const int low = value(hex[2 * i + 1]);
            if (high < 0 || low < 0) return std::nullopt;
            sum[i] = static_cast<unsigned char>(high * 16 + low);
        }
        return sum;
    }

    static std::optional<checksum_line> make_line(std::optional<digest> sum, std::string_view name,
                                                  bool escaped) {
        if (!sum || name.find('\0') != std::string_view::npos) return std::nullopt;
        checksum_line line{std::string(name), *sum};
        if (escaped) {
            std::optional<std::string> plain = unescape(name);
            if (!plain) return std::nullopt;
            line.name = std::move(*plain);
        }
        return line;
    }

    std::optional<checksum_line> parse_line(std::string_view line) {
        line = skip_blanks(line);
        const bool escaped = line.starts_with('\\');
        if (escaped) line.remove_prefix(1);
        if (line.starts_with("SHA256")) return parse_tagged(line.substr(6), escaped);

        constexpr std::size_t hex_length = 2 * digest_bytes;
        if (line.size() < hex_length + 2 || !is_blank(line[hex_length])) return std::nullopt;
        const std::optional<digest> sum = parse_digest(line.substr(0, hex_length));
        if (!sum) return std::nullopt;
        std::string_view name = line.substr(hex_length + 1);
        const bool second_mark = name.front() == ' ' || name.front() == '*';
        if (name.size() == 1 || !second_mark) {
            if (form_ == blanks::two) return std::nullopt;
            form_ = blanks::one;
        } else if (form_ != blanks::one) {
            form_ = blanks::two;
            name.remove_prefix(1);
        }
        return make_line(sum, name, escaped);
    }

    // What follows `SHA256`: ` (NAME) = DIGEST`, the name up to the last parenthesis of the line.
    static std::optional<checksum_line> parse_tagged(std::string_view rest, bool escaped) {
        if (rest.starts_with(' ')) rest.remove_prefix(1);
        if (!rest.starts_with('(')) return std::nullopt;
        rest.remove_prefix(1);
        const std::size_t end = rest.rfind(')');
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view name = rest.substr(0, end);
        rest = skip_blanks(rest.substr(end + 1));
        if (!rest.starts_with('=')) return std::nullopt;
        return make_line(parse_digest(skip_blanks(rest.substr(1))), name, escaped);
    }

    blanks form_ = blanks::unknown;
};

// The name as --check prints it before its verdict: sha256sum escapes it there only for a newline.
inline void append_checked_name(std::string& out, std::string_view name) {
    if (name.find('\n') == std::string_view::npos) {
        out += name;
        return;
    }
    out.push_back('\\');
    append_escaped(out, name);
}

}  // namespace treesum
