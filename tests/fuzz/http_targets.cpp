// Targets for the HTTP parsers: heads, bodies, patterns, fields, URLs, proxies.
#include <algorithm>
#include <string>
#include <vector>

#include <rota/http.hpp>
#include <rota/panic.hpp>

#include "http/client/proxy.hpp"
#include "http/handlers/mux.hpp"
#include "http/message/chunked.hpp"
#include "http/message/grammar.hpp"
#include "http/message/head.hpp"
#include "http/message/trailers.hpp"
#include "http/message/url.hpp"
#include "targets.hpp"

namespace rota_fuzz {

namespace http = rota::http;

void head(std::string_view input) {
    using outcome = http::head_scanner::outcome;
    http::head_scanner at_once, by_bytes;
    const outcome whole = at_once.scan(input);
    outcome seen = outcome::more;
    std::size_t size = 0;
    while (seen == outcome::more && size < input.size())
        seen = by_bytes.scan(input.substr(0, ++size));
    require(seen == whole, "a head that comes byte by byte is the same");
    if (whole != outcome::whole) return;
    require(by_bytes.end() == at_once.end() && by_bytes.end() == size, "a head ends in one place");
    const std::string_view text = input.substr(at_once.begin(), at_once.end() - at_once.begin());
    http::request_head h;
    http::header_map fields;
    const int code = http::parse_head(
        text, h,
        [](void* to, std::string_view name, std::string_view value) {
            static_cast<http::header_map*>(to)->add(name, value);
        },
        &fields);
    require(code == 0 || (code >= 400 && code < 600), "what is rejected has a status");
    if (code != 0) return;
    require(http::is_token(h.method), "a method is a token");
    require(!h.chunked || h.content_length == 0, "a body has one length");
    for (const std::string_view part : {h.target, h.raw_path, h.raw_query})
        require(part.find_first_of(" \r\n\t#") == part.npos,
                "a target has no spaces and no fragment");
}

void chunked(std::string_view input) {
    const auto decode = [&](std::size_t at_once, std::size_t room) {
        http::chunk_decoder d;
        std::string lines;
        d.reset(256, &lines);
        std::string body(room, '\0'), all;
        std::size_t at = 0;
        for (;;) {
            const std::size_t size = std::min(at_once, input.size() - at);
            const auto step = d.decode(input.data() + at, size, body.data(), body.size());
            require(step.consumed <= size && step.produced <= room, "a step keeps to its bounds");
            all.append(body, 0, step.produced);
            at += step.consumed;
            if (step.what == http::chunk_decoder::outcome::malformed) return "malformed " + all;
            require(lines.size() <= 256, "what is kept of trailers is bounded");
            if (step.what == http::chunk_decoder::outcome::done) {
                http::header_map trailers;
                http::add_trailers(trailers, lines);
                for (const auto& [name, value] : trailers)
                    require(http::is_token(name) && http::is_field_value(value) &&
                                http::is_trailer_name(name),
                            "a trailer is a field that may be one");
                return "done at " + std::to_string(at) + " " + all + lines;
            }
            if (at == input.size() && step.produced < room) return "more " + all;
            require(step.consumed + step.produced > 0, "a step gets somewhere");
        }
    };
    const std::string whole = decode(input.size() + 1, 4096);
    const auto kind = [](const std::string& s) { return s.substr(0, s.find(' ')); };
    const std::string by_bytes = decode(1, 4096), by_threes = decode(3, 2);
    require(kind(by_bytes) == kind(whole) && kind(by_threes) == kind(whole),
            "a body that comes in pieces ends the same way");
    if (kind(whole) != "malformed")
        require(by_bytes == whole && by_threes == whole, "a body that comes in pieces is the same");
}

void mux(std::string_view input) {
    std::vector<http::detail::route> routes;
    const std::string_view host = take(input, '\n'), path = take(input, '\n');
    while (!input.empty() && routes.size() < 8) {
        try {
            routes.push_back({http::detail::parse_pattern(take(input, '\n')), {}});
        } catch (const rota::panic_error&) {
        }
    }
    http::detail::route_tree root;
    std::vector<const http::detail::route*> added;
    for (const auto& r : routes) {
        bool fits = true;
        for (const auto* other : added) {
            std::string why;
            const bool one_way = http::detail::conflicts(r.matched, other->matched, why);
            require(one_way == http::detail::conflicts(other->matched, r.matched, why),
                    "conflicts are mutual");
            fits = fits && !one_way;
        }
        if (!fits) continue;
        root.add(r);
        added.push_back(&r);
    }
    if (!path.starts_with('/')) return;
    http::detail::matches found;
    for (const std::string_view method : {"GET", "HEAD", "POST"}) {
        found.clear();
        const auto* const r = root.match(host, method, path, found);
        if (r == nullptr) continue;
        const auto& all = r->matched.segments;
        const auto named = std::count_if(all.begin(), all.end(),
                                         [](const auto& s) { return s.wild && !s.text.empty(); });
        require(found.size() == static_cast<std::size_t>(named), "each wildcard has a value");
    }
    (void)root.methods(host, path);
}

void fields(std::string_view input) {
    http::header_map map;
    for (int i = 0; i < 16 && !input.empty(); ++i) {
        std::string_view line = take(input, '\n');
        const std::string_view name = take(line, ':');
        const bool fits = http::is_token(name) && http::is_field_value(line);
        try {
            if (i % 3 == 2) map.set(name, line);
            else map.add(name, line);
            require(fits && map.contains(name), "what is added is there, and is a field");
            if (i % 3 == 2) require(map.get(name) == line, "what is set is there");
        } catch (const std::invalid_argument&) {
            require(!fits, "a field is not refused");
        }
        (void)http::has_element(line, "close");
        (void)http::is_host(line);
        (void)http::decimal(line);
        const std::string clean = http::clean_path(line);
        require(clean.starts_with('/') && http::clean_path(clean) == clean,
                "a clean path is clean");
        require((clean + "/").find("/../") == clean.npos, "a clean path leads nowhere up");
    }
    const http::header_map copy = map;
    require(copy.size() == map.size(), "a copy has all");
    while (!map.empty()) {
        const std::string name((*map.begin()).first);
        map.del(name);
        require(!map.contains(name), "what is deleted has gone");
    }
}

void url(std::string_view input) {
    const std::string_view base_text = take(input, '\n');
    http::url base;
    if (http::parse_url(base_text, base)) return;
    require(base.target.starts_with('/') && !base.port.empty() && !base.host.empty(),
            "a URL has a host, a port and a target");
    for (const char c : base.target + base.authority)
        require(c > ' ' && c < 0x7f, "nothing in a URL ends a line");
    http::url again;
    require(!http::parse_url(base.text(), again), "what a URL is written as is one");
    require(again.target == base.target && again.authority == base.authority &&
                again.is_secure == base.is_secure,
            "what a URL is written as is the same one");
    http::url to;
    bool names_host = false;
    if (http::resolve_url(base, input, to, names_host)) return;
    require(to.target.starts_with('/') && !to.host.empty(), "a reference leads somewhere");
    require(names_host || to.host == base.host, "the host is that of the base or a named one");
}

namespace {

// The variables of the environment for one input.
struct {
    std::string http_proxy, https_proxy, no_proxy;
    bool is_cgi = false;
} variables;

const char* proxy_variable(const char* name) {
    const std::string_view n = name;
    if (n == "http_proxy" || n == "HTTP_PROXY") return variables.http_proxy.c_str();
    if (n == "HTTPS_PROXY") return variables.https_proxy.c_str();
    if (n == "NO_PROXY") return variables.no_proxy.c_str();
    return n == "REQUEST_METHOD" && variables.is_cgi ? "GET" : nullptr;
}

}  // namespace

void proxy(std::string_view input) {
    const auto value = [&] {
        const std::string_view line = take(input, '\n');
        return std::string(line.substr(0, line.find('\0')));
    };
    variables = {value(), value(), value(), input.starts_with('c')};
    const http::detail::proxy_choice choice(proxy_variable);
    http::url to;
    if (http::parse_url(input.substr(variables.is_cgi ? 1 : 0), to)) return;
    std::error_code error;
    const http::url* const by = choice.find(to, error);
    require(by != nullptr || !error, "no proxy is no error");
    require(by == nullptr || error || (!by->host.empty() && !by->port.empty() && !by->is_secure),
            "a proxy has a host and a port");
    for (const std::string_view here : {"localhost", "127.0.0.1", "::1"})
        require(by == nullptr || to.host != here, "nobody goes to this machine by a proxy");
    // A host excepted by its name must be excepted for every port and scheme.
    if (by == nullptr) return;
    variables.no_proxy += "," + (to.host.find(':') == to.host.npos ? to.host : "[" + to.host + "]");
    require(http::detail::proxy_choice(proxy_variable).find(to, error) == nullptr,
            "who is excepted is asked without one");
    std::error_code wrong;
    const auto always = http::detail::proxy_choice::always(variables.http_proxy, wrong);
    require(always.find(to, error) != nullptr, "a proxy for all is one for all");
}

}  // namespace rota_fuzz
