// Parses and formats the small texts of HTTP: hosts, lists, numbers, paths and dates.
#include "http/message/grammar.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace rota::http {

bool is_token(std::string_view text) {
    return !text.empty() && are_all_in(text, char_class::token);
}

bool is_field_value(std::string_view text) { return are_all_in(text, char_class::field_value); }

namespace {

bool is_port(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

}  // namespace

bool is_host(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == text.npos || end < 3) return false;
        const std::string_view address = text.substr(1, end - 1), rest = text.substr(end + 1);
        return are_all_in(address, char_class::address) &&
               (rest.empty() || (rest.front() == ':' && is_port(rest.substr(1))));
    }
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    if (colon != text.npos && !is_port(text.substr(colon + 1))) return false;
    return are_all_in(name, char_class::host);
}

bool equal_without_case(std::string_view a, std::string_view b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
               return x == y || lower(x) == lower(y);
           });
}

std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

bool has_element(std::string_view list, std::string_view element) {
    for (;;) {
        const std::size_t comma = list.find(',');
        if (equal_without_case(trimmed(list.substr(0, comma)), element)) return true;
        if (comma == list.npos) return false;
        list.remove_prefix(comma + 1);
    }
}

std::optional<std::uint64_t> decimal(std::string_view digits) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (digits.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : digits) {
        if (!is_digit(c)) return std::nullopt;
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (value > (most - digit) / 10) return std::nullopt;
        value = value * 10 + digit;
    }
    return value;
}

bool append_unescaped(std::string& to, std::string_view text, bool plus_is_space) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            if (i + 2 >= text.size()) return false;
            const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
            if (high < 0 || low < 0) return false;
            to += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            to += text[i] == '+' && plus_is_space ? ' ' : text[i];
        }
    }
    return true;
}

std::string unescaped(std::string_view text) {
    std::string plain;
    return append_unescaped(plain, text, false) ? plain : std::string(text);
}

std::string clean_path(std::string_view path) {
    std::string clean;
    clean.reserve(path.size() + 1);
    while (!path.empty()) {
        if (path.front() == '/') {
            path.remove_prefix(1);
            continue;
        }
        const std::string_view segment = path.substr(0, path.find('/'));
        path.remove_prefix(segment.size());
        if (segment == ".") continue;
        if (segment == "..") {
            const std::size_t slash = clean.rfind('/');
            clean.resize(slash == clean.npos ? 0 : slash);
            continue;
        }
        clean += '/';
        clean += segment;
        if (path == "/") clean += '/';
    }
    if (clean.empty()) clean += '/';
    return clean;
}

// The civil date of a day counted from 1970-01-01, by eras of 400 years that begin in March.
void format_date(std::int64_t unix_seconds, char (&to)[date_size]) {
    constexpr std::int64_t day_seconds = 86400, era_days = 146097;
    const std::int64_t days = unix_seconds / day_seconds, rest = unix_seconds % day_seconds;
    const std::int64_t shifted = days + 719468;  // from 0000-03-01
    const std::int64_t era = shifted / era_days, day_of_era = shifted % era_days;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const std::int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t from_march = (5 * day_of_year + 2) / 153;
    const std::int64_t day = day_of_year - (153 * from_march + 2) / 5 + 1;
    const std::int64_t month = from_march < 10 ? from_march + 2 : from_march - 10;  // 0 to 11
    const std::int64_t year = year_of_era + era * 400 + (month <= 1 ? 1 : 0);

    static constexpr char day_names[] = "ThuFriSatSunMonTueWed";
    static constexpr char month_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char* at = to;
    const auto text = [&](const char* from, std::size_t size) { at = std::copy_n(from, size, at); };
    const auto two = [&](std::int64_t n) {
        *at++ = static_cast<char>('0' + n / 10 % 10);
        *at++ = static_cast<char>('0' + n % 10);
    };
    text(day_names + days % 7 * 3, 3);
    text(", ", 2);
    two(day);
    *at++ = ' ';
    text(month_names + month * 3, 3);
    *at++ = ' ';
    two(year / 100);
    two(year % 100);
    *at++ = ' ';
    two(rest / 3600);
    *at++ = ':';
    two(rest / 60 % 60);
    *at++ = ':';
    two(rest % 60);
    text(" GMT", 4);
}

}  // namespace rota::http
