// Parses the patterns of a serve_mux, and compares them.
#include "http/handlers/pattern.hpp"

#include <algorithm>
#include <unordered_set>

#include <rota/panic.hpp>

#include "http/message/grammar.hpp"

namespace rota::http::detail {

namespace {

[[noreturn]] void refuse(std::string_view source, std::size_t offset, const std::string& why) {
    throw panic_error("parsing \"" + std::string(source) + "\": at offset " +
                      std::to_string(offset) + ": " + why);
}

bool is_name(std::string_view text) {
    const auto fits = [](char c) {
        return is_letter(c) || is_digit(c) || c == '_' || (static_cast<unsigned char>(c) & 0x80);
    };
    return !text.empty() && !is_digit(text.front()) && std::all_of(text.begin(), text.end(), fits);
}

// Parses `text`, a segment with a brace, at `offset` of `source`; `rest` is the text behind it.
// `names` holds the names of the wildcards before it, and gets its name.
segment parse_wildcard(std::string_view source, std::size_t offset, std::string_view text,
                       std::string_view rest, std::unordered_set<std::string_view>& names) {
    if (text.front() != '{') refuse(source, offset, "bad wildcard segment (must start with '{')");
    if (text.back() != '}') refuse(source, offset, "bad wildcard segment (must end with '}')");
    std::string_view name = text.substr(1, text.size() - 2);
    if (name == "$") {
        if (!rest.empty()) refuse(source, offset, "{$} not at end");
        return {"/", false, false};
    }
    const bool multi = name.ends_with("...");
    if (multi) name.remove_suffix(3);
    if (multi && !rest.empty()) refuse(source, offset, "{...} wildcard not at end");
    if (name.empty()) refuse(source, offset, "empty wildcard");
    if (!is_name(name)) refuse(source, offset, "bad wildcard name \"" + std::string(name) + "\"");
    if (!names.insert(name).second)
        refuse(source, offset, "duplicate wildcard name \"" + std::string(name) + "\"");
    return {std::string(name), true, multi};
}

}  // namespace

pattern parse_pattern(std::string_view source) {
    if (source.empty()) throw panic_error("http: invalid pattern");
    pattern p;
    std::unordered_set<std::string_view> names;
    p.source = source;
    std::string_view rest = source;
    if (const std::size_t space = source.find_first_of(" \t"); space != source.npos) {
        p.method = source.substr(0, space);
        rest.remove_prefix(std::min(source.find_first_not_of(" \t", space), source.size()));
        if (!is_token(p.method)) refuse(source, 0, "invalid method \"" + p.method + "\"");
    }
    const auto offset = [&] { return source.size() - rest.size(); };
    const std::size_t slash = rest.find('/');
    if (slash == rest.npos) refuse(source, offset(), "host/path missing /");
    p.host = rest.substr(0, slash);
    if (p.host.find('{') != p.host.npos)
        refuse(source, offset(), "host contains '{' (missing initial '/'?)");
    rest.remove_prefix(slash);
    if (!p.method.empty() && p.method != "CONNECT" && clean_path(rest) != rest)
        refuse(source, offset(), "non-CONNECT pattern with unclean path can never match");
    while (!rest.empty()) {
        rest.remove_prefix(1);
        if (rest.empty()) {
            p.segments.push_back({"", true, true});
            break;
        }
        const std::size_t at = offset();
        const std::string_view text = rest.substr(0, rest.find('/'));
        rest.remove_prefix(text.size());
        if (text.find('{') == text.npos) p.segments.push_back({unescaped(text), false, false});
        else p.segments.push_back(parse_wildcard(source, at, text, rest, names));
    }
    return p;
}

// --- comparing -----------------------------------------------------------------------------------

namespace {

// The relation of the set of requests that one pattern matches to the set of a second pattern.
enum class relation : std::uint8_t { equivalent, more_general, more_specific, overlaps, disjoint };

relation inverse(relation r) {
    if (r == relation::more_general) return relation::more_specific;
    return r == relation::more_specific ? relation::more_general : r;
}

// Combines the relations of two parts that must both match. Go: combineRelationships.
relation combined(relation a, relation b) {
    switch (a) {
        case relation::equivalent: return b;
        case relation::disjoint: return a;
        case relation::overlaps: return b == relation::disjoint ? b : a;
        default: break;
    }
    if (b == relation::equivalent) return a;
    return b == inverse(a) ? relation::overlaps : b;
}

relation of_methods(const pattern& a, const pattern& b) {
    if (a.method == b.method) return relation::equivalent;
    if (a.method.empty()) return relation::more_general;
    if (b.method.empty()) return relation::more_specific;
    if (a.method == "GET" && b.method == "HEAD") return relation::more_general;
    if (a.method == "HEAD" && b.method == "GET") return relation::more_specific;
    return relation::disjoint;
}

relation of_segments(const segment& a, const segment& b) {
    if (a.multi && b.multi) return relation::equivalent;
    if (a.multi) return relation::more_general;
    if (b.multi) return relation::more_specific;
    if (a.wild && b.wild) return relation::equivalent;
    // A single wildcard does not match the slash at the end.
    if (a.wild) return b.text == "/" ? relation::disjoint : relation::more_general;
    if (b.wild) return a.text == "/" ? relation::disjoint : relation::more_specific;
    return a.text == b.text ? relation::equivalent : relation::disjoint;
}

relation of_paths(const pattern& a, const pattern& b) {
    const std::size_t both = std::min(a.segments.size(), b.segments.size());
    if (a.segments.size() != b.segments.size() && !a.last().multi && !b.last().multi)
        return relation::disjoint;
    relation all = relation::equivalent;
    for (std::size_t i = 0; i < both && all != relation::disjoint; ++i)
        all = combined(all, of_segments(a.segments[i], b.segments[i]));
    if (all == relation::disjoint || a.segments.size() == b.segments.size()) return all;
    const bool a_is_shorter = a.segments.size() < b.segments.size();
    if (a_is_shorter && a.last().multi) return combined(all, relation::more_general);
    if (!a_is_shorter && b.last().multi) return combined(all, relation::more_specific);
    return relation::disjoint;
}

}  // namespace

bool conflicts(const pattern& a, const pattern& b, std::string& why) {
    if (a.host != b.host) return false;
    const relation methods = of_methods(a, b);
    if (methods == relation::disjoint) return false;
    const relation r = combined(methods, of_paths(a, b));
    if (r == relation::equivalent) why = "match the same requests";
    else if (r == relation::overlaps) why = "overlap, and neither is more specific than the other";
    else return false;
    return true;
}

}  // namespace rota::http::detail
