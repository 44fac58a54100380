// Writes commas and escapes for json_text.
#include "diag/text/json_text.hpp"

#include <cstddef>

#include "diag/text/append_format.hpp"

namespace rota::rt {

namespace {

bool is_between(char c, unsigned char low, unsigned char high) {
    const auto code = static_cast<unsigned char>(c);
    return low <= code && code <= high;
}

// The bytes of the UTF-8 character that `s` begins with; 0: no UTF-8. The second byte excludes
// overlong forms, surrogates, and characters beyond U+10FFFF.
std::size_t utf8_length(std::string_view s) {
    const auto first = static_cast<unsigned char>(s[0]);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    const std::size_t n = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (s.size() < n) return 0;
    const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (!is_between(s[1], low, high)) return 0;
    for (std::size_t i = 2; i < n; ++i) {
        if (!is_between(s[i], 0x80, 0xbf)) return 0;
    }
    return n;
}

}  // namespace

void json_text::open(char bracket) {
    before();
    out_ += bracket;
    is_first_ = true;
}

void json_text::open(std::string_view name, char bracket) {
    key(name);
    out_ += bracket;
    is_first_ = true;
}

void json_text::close(char bracket) {
    out_ += bracket;
    is_first_ = false;
}

void json_text::number(std::string_view name, long long v) {
    key(name);
    append_format(out_, "%lld", v);
}

void json_text::number(long long v) {
    before();
    append_format(out_, "%lld", v);
}

void json_text::flag(std::string_view name, bool v) {
    key(name);
    out_ += v ? "true" : "false";
}

void json_text::text(std::string_view name, std::string_view v) {
    key(name);
    quoted(v);
}

void json_text::before() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
}

void json_text::key(std::string_view name) {
    before();
    quoted(name);
    out_ += ':';
}

void json_text::quoted(std::string_view v) {
    out_ += '"';
    while (!v.empty()) {
        const std::size_t n = utf8_length(v);
        if (n == 0) out_ += "\\ufffd";
        else if (v[0] == '"' || v[0] == '\\') out_ += '\\', out_ += v[0];
        else if (is_between(v[0], 0, 0x1f)) append_format(out_, "\\u%04x", v[0]);
        else out_ += v.substr(0, n);
        v.remove_prefix(n == 0 ? 1 : n);
    }
    out_ += '"';
}

}  // namespace rota::rt
