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

constexpr bool is_token_char(char c) {
    return is_letter(c) || is_digit(c) ||
           (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}
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
