// Decides which trailers are allowed, and converts them to text and back.
#include "http/message/trailers.hpp"

#include <algorithm>

#include "http/message/grammar.hpp"

namespace rota::http {

namespace {

// Of framing, routing, conditions, authentication, control data and the body's form. RFC
// 9110, 6.5.1 gives the kinds; RFC 7230, 4.1.2 had most of the names.
constexpr std::string_view refused[] = {
    "Age",
    "Authorization",
    "Cache-Control",
    "Connection",
    "Content-Encoding",
    "Content-Length",
    "Content-Location",
    "Content-Range",
    "Content-Type",
    "Cookie",
    "Date",
    "Expect",
    "Expires",
    "Host",
    "HTTP2-Settings",
    "Keep-Alive",
    "Location",
    "Max-Forwards",
    "Pragma",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "Proxy-Connection",
    "Range",
    "Realm",
    "Retry-After",
    "Set-Cookie",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Vary",
    "Warning",
    "WWW-Authenticate",
};

}  // namespace

bool is_trailer_name(std::string_view name) {
    if (equal_without_case(name.substr(0, 3), "If-") || name.starts_with(':')) return false;
    return std::none_of(std::begin(refused), std::end(refused),
                        [name](std::string_view one) { return equal_without_case(name, one); });
}

bool has_trailers(const header_map& fields) {
    return std::any_of(fields.begin(), fields.end(),
                       [](const auto& field) { return is_trailer_name(field.first); });
}

void add_trailers(header_map& to, std::string_view lines) {
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 2) {
        end = std::min(lines.find("\r\n", at), lines.size());
        const std::string_view line = lines.substr(at, end - at);
        const std::size_t colon = std::min(line.find(':'), line.size());
        const std::string_view name = line.substr(0, colon);
        if (!is_token(name) || !is_trailer_name(name)) continue;
        to.add(name, trimmed(line.substr(std::min(colon + 1, line.size()))));
    }
}

void append_announcement(std::string& to, const header_map& trailers) {
    const char* before = "Trailer: ";
    for (const auto& [name, value] : trailers) {
        if (!is_trailer_name(name)) continue;
        to.append(before).append(name);
        before = ", ";
    }
    if (*before == ',') to += "\r\n";
}

void append_trailers(std::string& to, const header_map& trailers) {
    for (const auto& [name, value] : trailers)
        if (is_trailer_name(name)) to.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace rota::http
