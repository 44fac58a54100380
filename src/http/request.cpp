// What a handler is told of a request.
#include <rota/http.hpp>

#include "http/exchange.hpp"

namespace rota::http {

std::string_view request::method() const noexcept { return x_.head.method; }
std::string_view request::target() const noexcept { return x_.head.target; }
std::string_view request::path() const noexcept {
    return x_.path_has_escapes ? std::string_view(x_.path) : x_.head.raw_path;
}
std::string_view request::host() const noexcept { return x_.head.host; }
std::string_view request::header(std::string_view name) const noexcept {
    // Of two hosts the target's is the one that counts.
    return equal_without_case(name, "Host") ? x_.head.host : x_.fields.get(name);
}
const header_map& request::headers() const noexcept { return x_.fields; }
bool request::is_http_1_1() const noexcept { return x_.head.http_1_1; }
std::int64_t request::content_length() const noexcept {
    return x_.head.chunked ? -1 : static_cast<std::int64_t>(x_.head.content_length);
}
net::endpoint request::remote_addr() const noexcept { return x_.c->peer; }

// Pairs with a semicolon, or with an escape that is none, do not count. Go: parseQuery.
std::string request::query(std::string_view name) const {
    std::string key, value;
    std::string_view rest = x_.head.raw_query;
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty() || pair.find(';') != pair.npos) continue;
        const std::size_t sign = pair.find('=');
        key.clear();
        value.clear();
        if (!append_unescaped(key, pair.substr(0, sign), true) || key != name) continue;
        if (sign != pair.npos && !append_unescaped(value, pair.substr(sign + 1), true)) continue;
        return value;
    }
    return {};
}

std::string request::path_value(std::string_view name) const {
    for (const auto& [of, value] : x_.path_values)
        if (of == name) return value;
    return {};
}

}  // namespace rota::http
