// Parses the patterns of a serve_mux, and decides whether two conflict. Go: pattern.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rota::http::detail {

struct segment {
    std::string text;  // of a literal; the name of a wildcard, "" behind a slash at the end
    bool wild = false;
    bool multi = false;  // stands for all that is left
};

struct pattern {
    std::string source, method, host;  // as written; without a method, host: ""
    std::vector<segment> segments;     // a literal "/" at the end stands for {$}

    const segment& last() const { return segments.back(); }
};

// Throws panic_error with Go's text if `source` is no pattern.
pattern parse_pattern(std::string_view source);

// Whether both match some request and neither is the more specific one. If so, `why` says it.
bool conflicts(const pattern& a, const pattern& b, std::string& why);

}  // namespace rota::http::detail
