// Turns a redirect into the next request: its URL, method, body and fields.
//
// A redirect that leads away from the host and its subdomains removes the credentials for good. Go:
// redirectBehavior, makeHeadersCopier.
#include <array>
#include <string_view>

#include "http/client/client.hpp"
#include "http/message/grammar.hpp"

namespace rota::http::detail {

namespace {

enum class redirection : std::uint8_t { none, by_get, as_it_was };

redirection kind_of(int status) {
    constexpr int moved = 301, found = 302, see_other = 303, temporary = 307, permanent = 308;
    switch (status) {
        case moved:
        case found:
        case see_other: return redirection::by_get;
        case temporary:
        case permanent: return redirection::as_it_was;
        default: return redirection::none;
    }
}

// True: `host` is `other` or a subdomain of it. An IPv6 address is a subdomain of nothing.
bool is_same_or_below(const std::string& host, const std::string& other) {
    if (host == other) return true;
    if (host.find(':') != host.npos || host.find('%') != host.npos) return false;
    return host.ends_with("." + other);
}

// True: credentials for `from` may go to `to`, which has the same host or a subdomain of it, and
// the same port. Plain and secure HTTP on their default ports count as one server. Credentials
// never go from https to http.
bool may_know_secrets_of(const url& from, const url& to) {
    if (from.is_secure && !to.is_secure) return false;
    if (!is_same_or_below(to.host, from.host)) return false;
    const bool is_upgrade =
        !from.is_secure && to.is_secure && from.port == "80" && to.port == "443";
    return from.port == to.port || is_upgrade;
}

constexpr std::array<std::string_view, 6> secrets = {
    "Authorization", "Www-Authenticate",    "Cookie",
    "Cookie2",       "Proxy-Authorization", "Proxy-Authenticate"};
constexpr std::array<std::string_view, 4> about_body = {"Content-Type", "Content-Encoding",
                                                        "Content-Language", "Content-Location"};

// Sets Referer to the URL of the last request, unless the program has set the field. An https URL
// does not go to an http server.
void set_referer(hop& at, const url& from) {
    if (from.is_secure && !at.to.is_secure) at.fields.del("Referer");
    else if (!at.has_own_referer) at.fields.set("Referer", from.text());
}

}  // namespace

bool follow(hop& at, const call& answer, bool& has_left_host, std::error_code& error) {
    const redirection kind = kind_of(answer.status());
    const std::string_view location = answer.fields.get("Location");
    if (kind == redirection::none || location.empty()) return false;
    // A body that can be read only once has been used up.
    if (kind == redirection::as_it_was && at.body != nullptr && at.body->once) return false;
    url next;
    bool names_host = false;
    if (const std::error_code why = resolve_url(at.to, location, next, names_host)) {
        error = why == http_errc::malformed_url ? http_errc::malformed_location : why;
        return false;
    }
    const url from = std::exchange(at.to, std::move(next));
    if (kind == redirection::by_get && (at.method != "GET" && at.method != "HEAD"))
        at.method = "GET";
    if (kind == redirection::by_get) {
        at.body = nullptr;
        at.fields.del("Expect");
        at.fields.del("Trailer");
        for (const std::string_view name : about_body) at.fields.del(name);
    }
    if (names_host) at.fields.del("Host");
    // Removed credentials stay removed, also when a later redirect leads back to the first host.
    has_left_host = has_left_host || !may_know_secrets_of(from, at.to);
    if (has_left_host)
        for (const std::string_view name : secrets) at.fields.del(name);
    set_referer(at, from);
    at.is_redirected = true;
    return true;
}

}  // namespace rota::http::detail
