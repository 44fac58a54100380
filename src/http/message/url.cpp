// Parses URLs, and resolves references against them.
#include "http/message/url.hpp"

#include <algorithm>
#include <cstddef>

#include <arpa/inet.h>

#include <rota/http.hpp>

#include "http/message/grammar.hpp"

namespace rota::http {

namespace {

constexpr std::size_t npos = std::string_view::npos;

// A URL or a reference to one, in its parts. RFC 3986, appendix B.
struct url_parts {
    std::string_view scheme, authority, path, query;  // the query with its question mark
    bool has_scheme = false, has_authority = false;
};

bool is_visible(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return u <= 0x20 || u == 0x7f;
    });
}

bool is_scheme(std::string_view text) {
    return !text.empty() && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
           });
}

url_parts split_reference(std::string_view text) {
    url_parts parts;
    text = text.substr(0, text.find('#'));
    const std::size_t colon = text.find_first_of(":/?");
    if (colon != npos && text[colon] == ':' && is_scheme(text.substr(0, colon))) {
        parts.scheme = text.substr(0, colon);
        parts.has_scheme = true;
        text.remove_prefix(colon + 1);
    }
    if (text.starts_with("//")) {
        text.remove_prefix(2);
        parts.authority = text.substr(0, text.find_first_of("/?"));
        parts.has_authority = true;
        text.remove_prefix(parts.authority.size());
    }
    parts.path = text.substr(0, text.find('?'));
    parts.query = text.substr(parts.path.size());
    return parts;
}

// --- the authority -------------------------------------------------------------------------------

bool is_ipv6(std::string_view text) {
    const std::string address(text.substr(0, text.find('%')));
    in6_addr ignored;
    return ::inet_pton(AF_INET6, address.c_str(), &ignored) == 1;
}

// The zone of an address is written %25eth0 in a URL. RFC 6874.
bool put_ipv6(std::string_view text, url& to) {
    if (!append_unescaped(to.host, text, false) || !is_ipv6(to.host)) return false;
    const std::size_t zone = to.host.find('%');
    if (zone == npos) return true;
    return zone + 1 < to.host.size() &&
           std::all_of(to.host.begin() + static_cast<std::ptrdiff_t>(zone) + 1, to.host.end(),
                       [](char c) {
                           return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
                       });
}

bool put_name(std::string_view text, url& to) {
    to.host = text;
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
    });
}

bool put_port(std::string_view text, url& to) {
    constexpr std::uint64_t most = 65535;
    to.port = to.is_secure ? "443" : "80";
    if (text.empty()) return true;
    const auto number = decimal(text);
    if (!number || *number > most) return false;
    to.port = std::to_string(*number);
    return true;
}

// RFC 3986, 3.2.1; escapes are judged where they are undone.
bool is_user_info(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter(c) || is_digit(c) || std::string_view("-._~!$&'()*+,;=:%").find(c) != npos;
    });
}

bool put_authority(std::string_view text, url& to) {
    if (const std::size_t at = text.rfind('@'); at != npos) {
        to.has_user_info = true;
        const std::string_view user = text.substr(0, at);
        if (!is_user_info(user) || !append_unescaped(to.user_info, user, false)) return false;
        if (to.user_info.find(':') == npos) to.user_info += ':';
        text.remove_prefix(at + 1);
    }
    const bool is_literal = text.starts_with('[');
    const std::size_t end = is_literal ? text.find(']') : text.find(':');
    if (is_literal && end == npos) return false;
    std::string_view port = end == npos ? std::string_view() : text.substr(end + is_literal);
    if (!(is_literal ? put_ipv6(text.substr(1, end - 1), to) : put_name(text.substr(0, end), to)))
        return false;
    // Names of interfaces keep their case.
    const std::size_t zone = std::min(to.host.find('%'), to.host.size());
    std::transform(to.host.begin(), to.host.begin() + static_cast<std::ptrdiff_t>(zone),
                   to.host.begin(), lower);
    if (!port.empty() && port.front() != ':') return false;
    if (!port.empty()) port.remove_prefix(1);
    if (!put_port(port, to)) return false;
    const std::string without_zone = to.host.substr(0, zone);
    to.authority = is_literal ? "[" + without_zone + "]" : to.host;
    if (!port.empty()) to.authority.append(":").append(to.port);
    return true;
}

// --- the target ----------------------------------------------------------------------------------

void append_escaped(std::string& to, std::string_view text) {
    constexpr char digits[] = "0123456789ABCDEF";
    for (const char c : text) {
        const auto u = static_cast<unsigned char>(c);
        if (u < 0x80 && std::string_view("\"<>\\^`{|}").find(c) == npos) {
            to += c;
            continue;
        }
        to += '%';
        to += digits[u >> 4];
        to += digits[u & 15];
    }
}

bool put_target(std::string_view path, std::string_view query, url& to) {
    std::string undone;
    if (!append_unescaped(undone, path, false)) return false;
    to.target.clear();
    if (!path.starts_with('/')) to.target = "/";
    append_escaped(to.target, path);
    append_escaped(to.target, query);
    return true;
}

// RFC 3986, 5.2.4.
std::string without_dots(std::string_view path) {
    std::string clean;
    while (!path.empty()) {
        const std::string_view segment = path.substr(0, path.find('/', 1));
        path.remove_prefix(segment.size());
        if (segment == "/." || segment == "/..") {
            const std::size_t slash = clean.rfind('/');
            if (segment == "/..") clean.resize(slash == clean.npos ? 0 : slash);
            if (path.empty()) clean += '/';
        } else {
            clean += segment;
        }
    }
    return clean;
}

std::error_code put_parts(const url_parts& parts, url& to) {
    if (!parts.has_scheme) return http_errc::malformed_url;
    to.is_secure = equal_without_case(parts.scheme, "https");
    if (!to.is_secure && !equal_without_case(parts.scheme, "http"))
        return http_errc::unsupported_scheme;
    if (!parts.has_authority || !put_authority(parts.authority, to) ||
        !put_target(parts.path, parts.query, to))
        return http_errc::malformed_url;
    return {};
}

}  // namespace

std::string url::text() const { return (is_secure ? "https://" : "http://") + authority + target; }

std::string url::address() const {
    return (host.find(':') != npos ? "[" + host + "]" : host) + ":" + port;
}

std::string_view url::raw_path() const {
    return std::string_view(target).substr(0, target.find('?'));
}

std::string_view url::raw_query() const {
    const std::size_t mark = target.find('?');
    return mark == npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

std::error_code parse_url(std::string_view text, url& to) {
    to = {};
    if (!is_visible(text)) return http_errc::malformed_url;
    return put_parts(split_reference(text), to);
}

std::error_code resolve_url(const url& base, std::string_view reference, url& to,
                            bool& names_host) {
    if (!is_visible(reference)) return http_errc::malformed_url;
    url_parts parts = split_reference(reference);
    names_host = parts.has_authority;
    if (parts.has_authority) {
        to = {};
        if (!parts.has_scheme) parts.scheme = base.is_secure ? "https" : "http";
        parts.has_scheme = true;
        const std::string path = without_dots(parts.path);
        parts.path = path;
        return put_parts(parts, to);
    }
    if (parts.has_scheme) return put_parts(parts, to = {});
    std::string path;
    if (parts.path.empty()) {
        path = base.raw_path();
        if (parts.query.empty()) parts.query = std::string_view(base.target).substr(path.size());
    } else if (parts.path.starts_with('/')) {
        path = without_dots(parts.path);
    } else {
        const std::string_view beside = base.raw_path();
        path =
            without_dots(std::string(beside.substr(0, beside.rfind('/') + 1)).append(parts.path));
    }
    const std::string query(parts.query);
    to = base;
    return put_target(path, query, to) ? std::error_code() : http_errc::malformed_url;
}

std::string basic_credentials(std::string_view user_info) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text = "Basic ";
    for (std::size_t i = 0; i < user_info.size(); i += 3) {
        const auto byte = [&](std::size_t at) -> unsigned {
            return at < user_info.size() ? static_cast<unsigned char>(user_info[at]) : 0;
        };
        const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        text += digits[three >> 18];
        text += digits[three >> 12 & 63];
        text += i + 1 < user_info.size() ? digits[three >> 6 & 63] : '=';
        text += i + 2 < user_info.size() ? digits[three & 63] : '=';
    }
    return text;
}

}  // namespace rota::http
