// Differs from Go: numbers too large to be represented are only large; a suffix of no bytes is
// unsatisfiable; another unit is ignored, as the RFC demands.
#include "http/message/ranges.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "http/message/grammar.hpp"

namespace rota::http {

namespace {

constexpr std::size_t ranges_max = 100;

// The largest there is, for one that is larger.
std::optional<std::uint64_t> position(std::string_view digits) {
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return {};
    return decimal(digits).value_or(std::numeric_limits<std::int64_t>::max());
}

// False: it is no range. A range of no bytes is none of the file's.
bool parse_one(std::string_view text, std::uint64_t size, byte_range& r) {
    const std::size_t dash = text.find('-');
    if (dash == text.npos) return false;
    const std::string_view first = trimmed(text.substr(0, dash)),
                           last = trimmed(text.substr(dash + 1));
    r = {0, 0};
    if (first.empty()) {  // so many at the end
        const auto n = position(last);
        if (!n) return false;
        r.size = std::min(*n, size);
        r.begin = size - r.size;
        return true;
    }
    const auto begin = position(first);
    if (!begin || (!last.empty() && !position(last))) return false;
    const std::uint64_t end =
        last.empty() ? std::numeric_limits<std::int64_t>::max() : *position(last);
    if (end < *begin) return false;
    if (*begin >= size) return true;
    r = {*begin, std::min(end, size - 1) - *begin + 1};
    return true;
}

}  // namespace

range_set parse_ranges(std::string_view field, std::uint64_t size) {
    using outcome = range_set::outcome;
    constexpr std::string_view unit = "bytes=";
    range_set set;
    if (!equal_without_case(field.substr(0, unit.size()), unit)) return set;
    std::string_view rest = field.substr(unit.size());
    std::uint64_t sum = 0;
    std::size_t seen = 0;
    for (bool more = true; more;) {
        const std::size_t comma = rest.find(',');
        const std::string_view text = trimmed(rest.substr(0, comma));
        more = comma != rest.npos;
        if (more) rest.remove_prefix(comma + 1);
        if (text.empty()) continue;
        byte_range r{};
        if (!parse_one(text, size, r)) return {outcome::malformed, {}};
        if (++seen > ranges_max || r.size == 0) continue;
        sum +=
            r.size;  // at most a hundred times 2^63 - 1 is too much, so it is looked at each time
        if (sum > size) seen = ranges_max + 1;
        else set.ranges.push_back(r);
    }
    if (seen == 0 || seen > ranges_max) return {};
    // An empty file has no bytes to be asked for; some clients ask with every request.
    if (set.ranges.empty()) return {size == 0 ? outcome::whole : outcome::unsatisfiable, {}};
    set.what = outcome::some;
    return set;
}

}  // namespace rota::http
