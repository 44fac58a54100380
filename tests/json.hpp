// Reads JSON strictly for tests: one value, of UTF-8 only, and no comma too many.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rota_test {

struct json {
    char kind = '0';   // { [ " 0: a number, t: true or false
    std::string text;  // of a string; \u0000 to \u001f and \ufffd are understood
    long long number = 0;
    std::map<std::string, json, std::less<>> members;
    std::vector<json> elements;

    const json& operator[](std::string_view name) const {
        static const json none;
        const auto found = members.find(name);
        return found == members.end() ? none : found->second;
    }
    // Empty if the text is no JSON.
    static std::optional<json> read(std::string_view text);
};

class json_reader {
  public:
    explicit json_reader(std::string_view text) : left_(text) {}

    bool value(json& to) {
        if (left_.empty()) return false;
        to.kind = left_[0];
        if (take("{"))
            return list("}", [&] {
                std::string name;
                return quoted(name) && take(":") && !to.members.contains(name) &&
                       value(to.members[name]);
            });
        if (take("[")) return list("]", [&] { return value(to.elements.emplace_back()); });
        if (to.kind == '"') return quoted(to.text);
        to.kind = left_[0] == 't' || left_[0] == 'f' ? 't' : '0';
        to.number = left_[0] == 't' ? 1 : 0;
        return take("true") || take("false") || number(to);
    }
    bool is_over() { return take("\n") && left_.empty(); }

  private:
    bool take(std::string_view what) {
        if (!left_.starts_with(what)) return false;
        left_.remove_prefix(what.size());
        return true;
    }

    template <class F>
    bool list(std::string_view end, F one) {
        if (take(end)) return true;
        do {
            if (!one()) return false;
        } while (take(","));
        return take(end);
    }

    bool number(json& to) {
        const bool negative = take("-");
        const std::size_t digits = left_.find_first_not_of("0123456789");
        if (digits == 0 || digits == left_.npos || digits > 19) return false;
        if (left_[0] == '0' && digits > 1) return false;
        to.number = std::stoll(std::string(left_.substr(0, digits)));
        if (negative) to.number = -to.number;
        left_.remove_prefix(digits);
        return true;
    }

    bool quoted(std::string& to) {
        if (!take("\"")) return false;
        while (!left_.empty() && left_[0] != '"') {
            if (!character(to)) return false;
        }
        return take("\"");
    }

    bool character(std::string& to) {
        const auto first = static_cast<unsigned char>(left_[0]);
        if (first < 0x20) return false;
        if (first == '\\') return escaped(to);
        std::size_t n = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (left_.size() < n || !is_utf8(left_.substr(0, n))) return false;
        to += left_.substr(0, n);
        left_.remove_prefix(n);
        return true;
    }

    // Whether `s` is one character in UTF-8: its code must need as many bytes as `s` has.
    static bool is_utf8(std::string_view s) {
        constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (s.size() == 1) return true;
        std::uint32_t code = static_cast<unsigned char>(s[0]) & (0x7fu >> s.size());
        // A byte of n set bits, then a zero bit.
        const std::uint32_t marked = 0xff00u >> s.size() & 0xff;
        const std::uint32_t marks = 0xff80u >> s.size() & 0xff;
        if ((static_cast<unsigned char>(s[0]) & marks) != marked) return false;
        for (const char c : s.substr(1)) {
            if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) return false;
            code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
        }
        return code >= least[s.size()] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    }

    bool escaped(std::string& to) {
        if (take("\\\"")) to += '"';
        else if (take("\\\\")) to += '\\';
        else if (take("\\ufffd")) to += "\xef\xbf\xbd";
        else if (take("\\u00") && left_.size() >= 2)
            to += static_cast<char>(std::stoi(std::string(left_.substr(0, 2)), nullptr, 16)),
                left_.remove_prefix(2);
        else return false;
        return true;
    }

    std::string_view left_;
};

inline std::optional<json> json::read(std::string_view text) {
    json_reader reader(text);
    json found;
    if (!reader.value(found) || !reader.is_over()) return std::nullopt;
    return found;
}

}  // namespace rota_test
