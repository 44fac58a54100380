// Parses the patterns of a serve_mux, and decides whether two conflict. Go: pattern.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rota::http::detail {

struct segment {
    std::string text;  // the literal, or the wildcard's name; multi and "": a slash at the end
    bool wild = false;
    bool multi = false;  // matches the rest of the path
};

struct pattern {
    std::string source, method, host;  // source: as written; "": no method, no host
    std::vector<segment> segments;     // a literal "/" at the end stands for {$}

    const segment& last() const { return segments.back(); }
};

// Throws panic_error with Go's text if `source` is no pattern.
pattern parse_pattern(std::string_view source);

// True: some request matches both, and neither pattern is more specific. `why` gets the reason.
bool conflicts(const pattern& a, const pattern& b, std::string& why);

}  // namespace rota::http::detail
