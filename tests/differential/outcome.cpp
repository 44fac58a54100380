// Reads the answers of a server into an outcome, and compares the outcomes of the three servers.
#include "outcome.hpp"

#include <algorithm>
#include <charconv>

namespace rota_differential {

namespace {

// The head of one answer, and its place in the bytes.
struct answer {
    int status = 0;
    std::string_view record;  // the value of X-Read
    std::size_t size = 0;     // bytes of the head
    std::size_t length = 0;   // the value of Content-Length
    bool has_length = false;
};

std::string_view value_of(std::string_view line, std::string_view name) {
    if (line.size() <= name.size() || line[name.size()] != ':') return {};
    const auto alike = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    if (!std::equal(name.begin(), name.end(), line.begin(), alike)) return {};
    line.remove_prefix(name.size() + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    return line;
}

bool parse(std::string_view bytes, answer& a) {
    const std::size_t end = bytes.find("\r\n\r\n");
    constexpr std::size_t status_at = 9, status_end = 12;
    if (end == bytes.npos || !bytes.starts_with("HTTP/1.") || end < status_end) return false;
    const auto [at, error] =
        std::from_chars(bytes.data() + status_at, bytes.data() + status_end, a.status);
    if (error != std::errc() || at != bytes.data() + status_end) return false;
    a.size = end + 4;
    for (std::string_view rest = bytes.substr(0, end + 2); !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find("\r\n"));
        rest.remove_prefix(line.size() + 2);
        if (const auto record = value_of(line, "x-read"); !record.empty()) a.record = record;
        if (const auto length = value_of(line, "content-length"); !length.empty()) {
            a.has_length = true;
            std::from_chars(length.data(), length.data() + length.size(), a.length);
        }
    }
    return true;
}

std::string next_word(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return std::string(word);
}

reading read_record(std::string_view record) {
    reading r;
    for (std::string* const part : {&r.method, &r.target, &r.host, &r.body, &r.fields})
        *part = next_word(record);
    return r;
}

// How the server ended at the request of that index; "" if it has read the request.
std::string_view end_at(const outcome& o, std::size_t index) {
    return index < o.read.size() ? std::string_view() : std::string_view(o.end);
}

}  // namespace

outcome read_answers(std::string_view bytes) {
    outcome o;
    while (!bytes.empty()) {
        answer a;
        if (!parse(bytes, a)) {
            o.end = "garbled";
            return o;
        }
        bytes.remove_prefix(a.size);
        if (a.status < 200) continue;  // 100 Continue
        const bool is_read = !a.record.empty() || a.status < 300;
        if (is_read) {
            // An answer without X-Read comes from the server itself, as `OPTIONS *` demands.
            o.read.push_back(a.record.empty() ? reading{"by-itself", "", "", "", ""}
                                              : read_record(a.record));
            continue;  // these answers have no body
        }
        o.status = a.status;
        o.end = std::to_string(a.status / 100) + "xx";
        bytes.remove_prefix(a.has_length ? std::min(a.length, bytes.size()) : bytes.size());
        o.goes_on = bytes.find("HTTP/1.") != bytes.npos;
        if (o.goes_on) o.end += "-and-on";
        return o;
    }
    o.end = "shut";
    return o;
}

std::string difference(const std::array<outcome, server_count>& all) {
    for (std::size_t at = 0;; ++at) {
        std::string text;
        std::vector<const reading*> groups;
        bool all_end = true;
        for (std::size_t s = 0; s < server_count; ++s) {
            text.append(text.empty() ? "" : " ").append(server_names[s]).append("=");
            if (const auto end = end_at(all[s], at); !end.empty()) {
                text += end;
                continue;
            }
            all_end = false;
            const reading& r = all[s].read[at];
            const auto same = std::find_if(groups.begin(), groups.end(),
                                           [&](const reading* g) { return *g == r; });
            text += static_cast<char>('A' + (same - groups.begin()));
            if (same == groups.end()) groups.push_back(&r);
        }
        if (all_end) {
            const bool alike = all[0].end == all[1].end && all[0].end == all[2].end;
            return alike ? "" : text;
        }
        const bool ended = std::any_of(all.begin(), all.end(),
                                       [at](const outcome& o) { return at >= o.read.size(); });
        if (!ended && groups.size() == 1) continue;
        std::string parts;
        const auto compare = [&](std::string reading::* part, const char* name) {
            const bool alike = std::all_of(groups.begin(), groups.end(), [&](const reading* g) {
                return g->*part == groups.front()->*part;
            });
            if (!alike) parts.append(parts.empty() ? " " : ",").append(name);
        };
        compare(&reading::method, "method");
        compare(&reading::target, "target");
        compare(&reading::host, "host");
        compare(&reading::body, "body");
        compare(&reading::fields, "fields");
        return text + parts;
    }
}

namespace {

struct verdicts {
    std::string_view rota, go, node;
    explicit verdicts(std::string_view difference)
        : rota(of(difference, "rota=")), go(of(difference, "go=")), node(of(difference, "node=")) {}
    static std::string_view of(std::string_view difference, std::string_view server) {
        const std::string_view rest = difference.substr(difference.find(server) + server.size());
        return rest.substr(0, rest.find(' '));
    }
    // A single letter stands for a request that the server has read.
    static bool is_read(std::string_view what) { return what.size() == 1; }
};

}  // namespace

bool reads_another_body(std::string_view difference) {
    const verdicts v(difference);
    if (!verdicts::is_read(v.rota) || difference.find("body") == difference.npos) return false;
    const auto is_other = [&](std::string_view what) {
        return !verdicts::is_read(what) || what != v.rota;
    };
    return is_other(v.go) && is_other(v.node);
}

bool is_laxest(std::string_view difference) {
    const verdicts v(difference);
    if (reads_another_body(difference)) return true;
    return verdicts::is_read(v.rota) && !verdicts::is_read(v.go) && !verdicts::is_read(v.node);
}

}  // namespace rota_differential
