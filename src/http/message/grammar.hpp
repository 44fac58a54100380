// The characters of HTTP, and texts that are compared without case. RFC 9110, RFC 9112.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rota::http {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
// The value of a hexadecimal digit; -1: it is no digit.
constexpr int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    const char l = lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

// The places where a character may stand. Each received character is looked up.
enum class char_class : std::uint8_t { token = 1, host = 2, address = 4, field_value = 8 };
struct char_classes {
    std::uint8_t of[256] = {};
    constexpr char_classes() {
        for (int c = 0; c < 256; ++c) {
            const bool is_control = (c < 0x20 && c != '\t') || c == 0x7f;
            if (!is_control) of[c] |= bit(char_class::field_value);
        }
        for (const char_class c : {char_class::token, char_class::host, char_class::address}) {
            add("abcdefghijklmnopqrstuvwxyz", c);
            add("ABCDEFGHIJKLMNOPQRSTUVWXYZ", c);
            add("0123456789", c);
        }
        add("!#$%&'*+-.^_`|~", char_class::token);
        add("-._~%!$&'()*+,;=", char_class::host);
        add(":.%-_~", char_class::address);
    }
    static constexpr std::uint8_t bit(char_class c) { return static_cast<std::uint8_t>(c); }

  private:
    constexpr void add(std::string_view text, char_class c) {
        for (const char each : text) of[static_cast<unsigned char>(each)] |= bit(c);
    }
};
inline constexpr char_classes char_table;

constexpr bool is_in(char c, char_class wanted) {
    return (char_table.of[static_cast<unsigned char>(c)] & char_classes::bit(wanted)) != 0;
}
constexpr bool are_all_in(std::string_view text, char_class wanted) {
    std::uint8_t common = char_classes::bit(wanted);
    for (const char c : text) common &= char_table.of[static_cast<unsigned char>(c)];
    return common != 0;
}

constexpr bool is_token_char(char c) { return is_in(c, char_class::token); }
bool is_token(std::string_view text);

// Whether a field may have this value: no control characters except tabs.
bool is_field_value(std::string_view text);

// Whether the field Host may have this value: a name or an address, and perhaps a port.
bool is_host(std::string_view text);

bool equal_without_case(std::string_view a, std::string_view b);

// The text without spaces and tabs around it.
std::string_view trimmed(std::string_view text);

// Whether `list`, separated by commas, has this element, without regard to case.
bool has_element(std::string_view list, std::string_view element);

// The number of which these are the digits; empty if it is no number, or beyond 2^63 - 1.
std::optional<std::uint64_t> decimal(std::string_view digits);

// Appends `text` with its %XX undone, and + as a space if asked to. False: an escape is malformed.
bool append_unescaped(std::string& to, std::string_view text, bool plus_is_space);
// The text with its escapes undone; unchanged if an escape is malformed.
std::string unescaped(std::string_view text);

// The path without empty, `.` and `..` segments, beginning with a slash; keeps a slash at the end.
// Go: cleanPath.
std::string clean_path(std::string_view path);

// Formats seconds since 1970 as a Date field: "Sun, 06 Nov 1994 08:49:37 GMT".
inline constexpr std::size_t date_size = 29;
void format_date(std::int64_t unix_seconds, char (&to)[date_size]);

}  // namespace rota::http
