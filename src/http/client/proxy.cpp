// Chooses the proxy for a URL: by HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or as the program says.
#include "http/client/proxy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include <arpa/inet.h>

#include <rota/http.hpp>

#include "http/message/grammar.hpp"

namespace rota::http::detail {

namespace {

// An address in 16 bytes; of IPv4 as ::ffff:a.b.c.d.
struct ip {
    std::array<unsigned char, 16> bytes{};
    bool is_v4 = false;
    std::string zone;  // of an IPv6 address; may be empty
};

bool parse_ip(const std::string& text, ip& to) {
    const std::size_t percent = text.find('%');
    const std::string address = text.substr(0, percent);
    to = {};
    if (percent != text.npos) to.zone = text.substr(percent + 1);
    if (::inet_pton(AF_INET6, address.c_str(), to.bytes.data()) == 1) {
        constexpr unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
        to.is_v4 = std::memcmp(to.bytes.data(), mapped, sizeof mapped) == 0;
        return true;
    }
    if (percent != text.npos) return false;
    to = {};
    to.bytes[10] = to.bytes[11] = 0xff;
    to.is_v4 = true;
    return ::inet_pton(AF_INET, address.c_str(), to.bytes.data() + 12) == 1;
}

bool is_loopback(const ip& a) {
    if (a.is_v4) return a.bytes[12] == 127;
    return std::all_of(a.bytes.begin(), a.bytes.end() - 1, [](auto b) { return b == 0; }) &&
           a.bytes[15] == 1;
}

// True: the first `bits` of both addresses are equal; the bits of IPv4 count from its own
// beginning. A network without a zone stands for every zone.
bool is_within(const ip& a, const ip& network, int bits) {
    if (a.is_v4 != network.is_v4) return false;
    if (!network.zone.empty() && a.zone != network.zone) return false;
    const std::size_t count = static_cast<std::size_t>(bits) + (a.is_v4 ? 96 : 0);
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned mask = 0x80U >> i % 8;
        if ((a.bytes[i / 8] & mask) != (network.bytes[i / 8] & mask)) return false;
    }
    return true;
}

// Parses the URL of a proxy, which may lack its scheme.
std::error_code parse_proxy(std::string_view text, url& to) {
    const bool has_scheme = text.find("://") != text.npos;
    const std::error_code error =
        parse_url(has_scheme ? std::string(text) : "http://" + std::string(text), to);
    if (error) return error;
    return to.is_secure ? http_errc::unsupported_scheme : std::error_code();
}

}  // namespace

proxy_choice proxy_choice::always(std::string_view proxy, std::error_code& error) {
    proxy_choice c;
    error = parse_proxy(proxy, c.plain_.at);
    c.plain_.is_set = true;
    c.secure_ = c.plain_;
    c.goes_always_ = true;
    return c;
}

proxy_choice::proxy_choice(variables get) {
    // In a CGI program a client's field "Proxy" becomes HTTP_PROXY. No field becomes a name in
    // lower case.
    set(plain_, get("REQUEST_METHOD") == nullptr ? "HTTP_PROXY" : "http_proxy", "http_proxy", get);
    set(secure_, "HTTPS_PROXY", "https_proxy", get);
    const char* list = get("NO_PROXY");
    if (list == nullptr || *list == '\0') list = get("no_proxy");
    if (list != nullptr) add_exceptions(list);
}

void proxy_choice::set(proxy& p, const char* upper, const char* lower_case, variables get) {
    const char* text = get(upper);
    if (text == nullptr || *text == '\0') text = get(lower_case);
    p.is_set = text != nullptr && *text != '\0';
    if (p.is_set) p.error = parse_proxy(text, p.at);
}

void proxy_choice::add_exceptions(std::string_view list) {
    for (;;) {
        const std::size_t comma = list.find(',');
        const std::string_view text = trimmed(list.substr(0, comma));
        if (text == "*") goes_never_ = true;
        else if (!text.empty()) add_exception(text);
        if (comma == list.npos) return;
        list.remove_prefix(comma + 1);
    }
}

// Adds "1.2.3.4", "1.2.3.0/24", "name", ".name" or "*.name"; a port may follow, except after the
// second form.
void proxy_choice::add_exception(std::string_view text) {
    constexpr int v4_bits = 32, v6_bits = 128;
    exception e;
    ip address;
    if (const std::size_t slash = text.find('/'); slash != text.npos) {
        const auto bits = decimal(text.substr(slash + 1));
        e.name = text.substr(0, slash);
        if (!bits || !parse_ip(e.name, address)) return;
        if (*bits > static_cast<unsigned>(address.is_v4 ? v4_bits : v6_bits)) return;
        e.bits = static_cast<int>(*bits);
        return exceptions_.push_back(std::move(e));
    }
    const std::size_t end = text.starts_with('[') ? text.find(']') : text.npos;
    const std::size_t colon = text.rfind(':');
    const bool is_bare_v6 = end == text.npos && colon != text.find(':');
    if (colon != text.npos && !is_bare_v6 && (end == text.npos || colon > end)) {
        e.port = text.substr(colon + 1);
        text = text.substr(0, colon);
    }
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    e.name = text;
    if (parse_ip(e.name, address)) {
        e.bits = address.is_v4 ? v4_bits : v6_bits;
        return exceptions_.push_back(std::move(e));
    }
    std::transform(e.name.begin(), e.name.end(), e.name.begin(), lower);
    if (e.name.starts_with("*.")) e.name.erase(0, 1);
    e.is_name_itself = !e.name.starts_with('.');
    if (e.is_name_itself) e.name.insert(0, 1, '.');
    exceptions_.push_back(std::move(e));
}

bool proxy_choice::is_exempt(const url& to) const {
    if (goes_never_ || to.host == "localhost") return true;
    ip address, network;
    const bool is_address = parse_ip(to.host, address);
    if (is_address && is_loopback(address)) return true;
    return std::any_of(exceptions_.begin(), exceptions_.end(), [&](const exception& e) {
        if (!e.port.empty() && e.port != to.port) return false;
        // An address is compared only with addresses: its zone may be any text, and could end like
        // a name of the list.
        if ((e.bits >= 0) != is_address) return false;
        if (is_address) return parse_ip(e.name, network) && is_within(address, network, e.bits);
        return to.host.ends_with(e.name) ||
               (e.is_name_itself && to.host == std::string_view(e.name).substr(1));
    });
}

const url* proxy_choice::find(const url& to, std::error_code& error) const {
    const proxy& p = to.is_secure ? secure_ : plain_;
    if (!p.is_set || (!goes_always_ && is_exempt(to))) return nullptr;
    error = p.error;
    return &p.at;
}

}  // namespace rota::http::detail
