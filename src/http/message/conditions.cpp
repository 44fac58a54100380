// Compares the tags and dates of a request with the validators of a file.
#include "http/message/conditions.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

#include <sys/stat.h>

#include "http/message/date.hpp"
#include "http/message/grammar.hpp"

namespace rota::http {

// --- validators ----------------------------------------------------------------------------------

namespace {

void append_hex(std::string& to, std::uint64_t n) {
    char digits[16];
    to.append(digits, std::to_chars(digits, digits + sizeof digits, n, 16).ptr);
}

}  // namespace

validators validators_of(const struct ::stat& status) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const timespec& then = status.st_mtim;
    const std::int64_t age = std::int64_t{now.tv_sec} - then.tv_sec;  // seconds, rounded
    const bool is_settled = age > 1 || (age == 1 && now.tv_nsec >= then.tv_nsec);
    validators v;
    v.tag = is_settled ? "\"" : "W/\"";
    append_hex(v.tag, static_cast<std::uint64_t>(status.st_size));
    v.tag += '-';
    append_hex(v.tag, static_cast<std::uint64_t>(then.tv_sec));
    v.tag += '.';
    append_hex(v.tag, static_cast<std::uint64_t>(then.tv_nsec));
    v.tag += is_settled ? "\"" : "-new\"";
    // No date before 1970, and none after this moment.
    v.has_date = then.tv_sec > 0;
    v.modified = std::min<std::int64_t>(then.tv_sec, now.tv_sec);
    v.is_date_strong = v.has_date && age > 1;
    return v;
}

// --- tags ----------------------------------------------------------------------------------------

namespace {

// Takes a tag from the front. "": there is no tag. Go: scanETag.
std::string_view take_tag(std::string_view& text) {
    const std::size_t quote = text.starts_with("W/") ? 2 : 0;
    if (text.size() <= quote || text[quote] != '"') return {};
    const auto is_inside = [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return u == 0x21 || (u >= 0x23 && u != 0x7f);
    };
    std::size_t end = quote + 1;
    while (end < text.size() && is_inside(text[end])) ++end;
    if (end == text.size() || text[end] != '"') return {};
    const std::string_view tag = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    return tag;
}

std::string_view opaque(std::string_view tag) { return tag.substr(tag.starts_with("W/") ? 2 : 0); }

bool equal_strongly(std::string_view a, std::string_view b) {
    return !a.empty() && a == b && a.front() == '"';
}
bool equal_weakly(std::string_view a, std::string_view b) {
    return !a.empty() && !b.empty() && opaque(a) == opaque(b);
}

// Whether `tag` is in the list, or the list is a star. The search ends at a text that is no tag.
bool has_tag(std::string_view list, std::string_view tag,
             bool (*equal)(std::string_view, std::string_view)) {
    for (;;) {
        list = trimmed(list);
        if (list.empty()) return false;
        if (list.front() == ',') {
            list.remove_prefix(1);
            continue;
        }
        if (list.front() == '*') return true;
        const std::string_view each = take_tag(list);
        if (each.empty()) return false;
        if (equal(each, tag)) return true;
    }
}

enum class finding : std::uint8_t { absent, no, yes };

finding tags_in(const header_map& fields, std::string_view name, std::string_view tag,
                bool (*equal)(std::string_view, std::string_view)) {
    finding f = finding::absent;
    for (const auto& [each, value] : fields) {
        if (!equal_without_case(each, name)) continue;
        if (has_tag(value, tag, equal)) return finding::yes;
        f = finding::no;
    }
    return f;
}

// Whether the file has changed after the field's date. absent: no field, or it is no date.
finding changed_since(const header_map& fields, std::string_view name, const validators& v) {
    const auto since = v.has_date ? parse_date(fields.get(name)) : std::nullopt;
    if (!since) return finding::absent;
    return v.modified > *since ? finding::yes : finding::no;
}

}  // namespace

// --- conditions ----------------------------------------------------------------------------------

verdict check_conditions(const header_map& fields, std::string_view method, const validators& v) {
    const bool is_read = method == "GET" || method == "HEAD";
    const finding match = tags_in(fields, "If-Match", v.tag, equal_strongly);
    if (match == finding::no) return verdict::failed;
    if (match == finding::absent && changed_since(fields, "If-Unmodified-Since", v) == finding::yes)
        return verdict::failed;
    const finding none_match = tags_in(fields, "If-None-Match", v.tag, equal_weakly);
    if (none_match == finding::yes) return is_read ? verdict::not_modified : verdict::failed;
    if (none_match == finding::absent && is_read &&
        changed_since(fields, "If-Modified-Since", v) == finding::no)
        return verdict::not_modified;
    return verdict::go_on;
}

bool range_counts(const header_map& fields, const validators& v) {
    if (!fields.contains("If-Range")) return true;
    std::string_view value = fields.get("If-Range");
    if (value.starts_with('"') || value.starts_with("W/"))
        return equal_strongly(take_tag(value), v.tag);
    const auto date = parse_date(value);
    return date && v.is_date_strong && *date == v.modified;
}

}  // namespace rota::http
