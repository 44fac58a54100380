// Parses dates: each form is a pattern, which is matched together with the text.
#include "http/message/date.hpp"

#include "http/message/grammar.hpp"

namespace rota::http {

namespace {

constexpr std::string_view weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday"};
constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";

struct moment {
    int day = 0, month = -1, year = 0, hour = 0, minute = 0, second = 0;
};

bool take_weekday(std::string_view& text, bool is_long) {
    for (const std::string_view each : weekdays) {
        const std::string_view name = is_long ? each : each.substr(0, 3);
        if (!text.starts_with(name)) continue;
        text.remove_prefix(name.size());
        return true;
    }
    return false;
}

bool take_month(std::string_view& text, int& month) {
    if (text.size() < 3) return false;
    const std::size_t at = months.find(text.substr(0, 3));
    if (at == months.npos || at % 3 != 0) return false;
    month = static_cast<int>(at / 3);
    text.remove_prefix(3);
    return true;
}

bool take_digit(std::string_view& text, int& number, bool may_be_space) {
    if (text.empty() || !(is_digit(text.front()) || (may_be_space && text.front() == ' ')))
        return false;
    if (text.front() != ' ') number = number * 10 + (text.front() - '0');
    text.remove_prefix(1);
    return true;
}

// w, W: the day of the week; n: the month; _: a digit of the day or a space; D, Y, h, m, s: a digit
// of the day, year, hour, minute, second. All else stands for itself.
bool matches_form(std::string_view form, std::string_view text, moment& m) {
    for (const char c : form) {
        bool fits = false;
        switch (c) {
            case 'w': fits = take_weekday(text, false); break;
            case 'W': fits = take_weekday(text, true); break;
            case 'n': fits = take_month(text, m.month); break;
            case '_': fits = take_digit(text, m.day, true); break;
            case 'D': fits = take_digit(text, m.day, false); break;
            case 'Y': fits = take_digit(text, m.year, false); break;
            case 'h': fits = take_digit(text, m.hour, false); break;
            case 'm': fits = take_digit(text, m.minute, false); break;
            case 's': fits = take_digit(text, m.second, false); break;
            default:
                fits = text.starts_with(c);
                if (fits) text.remove_prefix(1);
        }
        if (!fits) return false;
    }
    return text.empty();
}

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

bool exists(const moment& m) {
    static constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int days = lengths[m.month] + (m.month == 1 && is_leap(m.year) ? 1 : 0);
    return m.day >= 1 && m.day <= days && m.hour < 24 && m.minute < 60 && m.second < 60;
}

// By eras of 400 years that begin in March, as format_date has it.
std::int64_t seconds_of(const moment& m) {
    const std::int64_t year = m.month <= 1 ? m.year - 1 : m.year;
    const std::int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    const int from_march = (m.month + 10) % 12;
    const std::int64_t day_of_year = (153 * from_march + 2) / 5 + m.day - 1;
    const std::int64_t day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + day_of_year;
    const std::int64_t days = era * 146097 + day_of_era - 719468;
    return ((days * 24 + m.hour) * 60 + m.minute) * 60 + m.second;
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text) {
    constexpr std::string_view obsolete = "W, DD-n-YY hh:mm:ss GMT";
    constexpr int pivot = 69;  // of years with two digits, as Go and POSIX
    for (const std::string_view form : {std::string_view("w, DD n YYYY hh:mm:ss GMT"), obsolete,
                                        std::string_view("w n __ hh:mm:ss YYYY")}) {
        moment m;
        if (!matches_form(form, text, m)) continue;
        if (form == obsolete) m.year += m.year < pivot ? 2000 : 1900;
        if (exists(m)) return seconds_of(m);
    }
    return std::nullopt;
}

}  // namespace rota::http
