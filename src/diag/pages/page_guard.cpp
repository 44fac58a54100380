// Decides whether a request may see the debug pages: its Host, its site, its token, the program.
#include "diag/pages/page_guard.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace rota::rt {

namespace {

using http::request;
using http::response_writer;

constexpr std::string_view cookie_name = "rota_debug_token=";

bool may_stand_in_token(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void refuse(response_writer& w, int status, std::string_view why) {
    w.header().set("X-Content-Type-Options", "nosniff");
    w.header().set("Content-Type", "text/plain; charset=utf-8");
    w.header().set("X-Go-Pprof", "1");  // go tool pprof prints the text then
    w.write_header(status);
    w.write(std::string(why) + "\n");
}

// Browsers send the host in lower case; other clients may write it in any case.
std::string lowered(std::string_view text) {
    std::string low(text);
    std::transform(low.begin(), low.end(), low.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    return low;
}

bool is_name_of(const net::endpoint& own, std::string_view asked) {
    const std::string host = lowered(asked), port = ":" + std::to_string(own.port());
    const std::string own_host = own.host();
    const std::string in_brackets =
        own_host.find(':') == own_host.npos ? own_host : "[" + own_host + "]";
    for (const std::string_view name :
         {std::string_view("localhost"), std::string_view("127.0.0.1"), std::string_view("[::1]"),
          std::string_view(in_brackets)}) {
        if (host == std::string(name) + port || (own.port() == 80 && host == name)) return true;
    }
    return false;
}

// Whether a browser sends the request for another site. Tools send neither field.
bool is_for_another_site(const request& r) {
    const std::string_view site = r.headers().get("Sec-Fetch-Site");
    if (site == "cross-site" || site == "same-site") return true;
    const std::string origin = lowered(r.headers().get("Origin"));
    if (origin.empty()) return false;
    const std::string host = lowered(r.host());
    return origin != "http://" + host && origin != "https://" + host;
}

// The target without the parameter `token`.
std::string without_token(std::string_view target) {
    const std::size_t mark = target.find('?');
    std::string rest(target.substr(0, mark));
    if (mark == target.npos) return rest;
    char before = '?';
    for (std::string_view query = target.substr(mark + 1); !query.empty();) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        if (pair.starts_with("token=")) continue;
        rest += before;
        rest += pair;
        before = '&';
    }
    return rest;
}

// The token of a request: from its header, or from its cookie; "" without a token.
std::string_view token_of(const request& r) {
    constexpr std::string_view bearer = "Bearer ";
    const std::string_view given = r.headers().get("Authorization");
    if (given.starts_with(bearer)) return given.substr(bearer.size());
    std::string_view cookies = r.headers().get("Cookie");
    while (!cookies.empty()) {
        const std::size_t end = std::min(cookies.find(';'), cookies.size());
        std::string_view one = cookies.substr(0, end);
        cookies.remove_prefix(std::min(end + 1, cookies.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        if (one.starts_with(cookie_name)) return one.substr(cookie_name.size());
    }
    return {};
}

}  // namespace

bool is_loopback(const net::endpoint& e) {
    const std::string host = e.host();
    return host.starts_with("127.") || host == "::1" || host.starts_with('/') ||
           host.starts_with('@') || host.empty();
}

page_guard::page_guard(debug::options o) : options_(std::move(o)) {
    if (!std::all_of(options_.token.begin(), options_.token.end(), may_stand_in_token))
        throw std::invalid_argument(
            "rota::debug: a token has letters, digits and the characters -._~ alone");
}

// Takes the same time for each text of the token's length: otherwise the time of a comparison would
// tell how many characters are right. Not libcrypto's: a program without TLS is linked without it.
bool page_guard::is_token(std::string_view text) const {
    if (text.size() != options_.token.size()) return false;
    unsigned differences = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        differences |= static_cast<unsigned char>(text[i] ^ options_.token[i]);
        asm("" : "+r"(differences));  // the compiler must not end the loop early
    }
    return differences == 0;
}

bool page_guard::has_token(const request& r) const {
    const std::string_view given = token_of(r);
    return !given.empty() && is_token(given);
}

bool page_guard::admits(response_writer& w, const request& r) const {
    const net::endpoint own = r.local_addr();
    const bool is_local = is_loopback(own);
    if (is_local && own.port() != 0 && !is_name_of(own, r.host())) {
        refuse(w, 403,
               "these pages are served to http://localhost:" + std::to_string(own.port()) +
                   " alone: the Host is another one");
        return false;
    }
    if (is_for_another_site(r)) {
        refuse(w, 403, "a page of another site has asked for this one");
        return false;
    }
    if (!is_local && !covers_everybody()) {
        refuse(w, 403,
               "these pages are served on a loopback address alone: rota::debug::options has "
               "neither a token nor open_to_everybody");
        return false;
    }
    if (!options_.token.empty() && !has_token(r)) {
        if (const std::string once = r.query("token"); !once.empty() && is_token(once)) {
            w.header().set("Set-Cookie", std::string(cookie_name) + options_.token +
                                             "; HttpOnly; SameSite=Strict; Path=/");
            w.header().set("Referrer-Policy", "no-referrer");
            w.header().set("Location", without_token(r.target()));
            w.write_header(303);
            return false;
        }
        w.header().set("WWW-Authenticate", "Bearer");
        refuse(w, 401, "these pages ask for a token: Authorization: Bearer TOKEN, or ?token=TOKEN");
        return false;
    }
    if (options_.admit != nullptr && !options_.admit(r)) {
        refuse(w, 403, "this program does not show its pages to this request");
        return false;
    }
    return true;
}

}  // namespace rota::rt
