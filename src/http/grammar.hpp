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
// The value of a hexadecimal digit, -1 if it is none.
constexpr int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    const char l = lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

// What a character may stand in. Every one that comes is looked up.
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

// What may stand in the value of a field: no control characters but tabs.
bool is_field_value(std::string_view text);

// What may stand in the field Host: a name or an address, and perhaps a port.
bool is_host(std::string_view text);

bool equal_without_case(std::string_view a, std::string_view b);

// Without spaces and tabs around it.
std::string_view trimmed(std::string_view text);

// Whether `list`, separated by commas, has this element, without regard to case.
bool has_element(std::string_view list, std::string_view element);

// A number of digits alone; empty if it is none or beyond 2^63 - 1.
std::optional<std::uint64_t> decimal(std::string_view digits);

// Appends `text` with its %XX undone, and + as a space if asked to. False if an escape is none.
bool append_unescaped(std::string& to, std::string_view text, bool plus_is_space);
// As it is, where an escape in it is none.
std::string unescaped(std::string_view text);

// The path with no empty, `.` and `..` segments, beginning with a slash; one at the end is kept.
// Go: cleanPath.
std::string clean_path(std::string_view path);

// The current second as a Date field has it: "Sun, 06 Nov 1994 08:49:37 GMT".
inline constexpr std::size_t date_size = 29;
void format_date(std::int64_t unix_seconds, char (&to)[date_size]);

}  // namespace rota::http
