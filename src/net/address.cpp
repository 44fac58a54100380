// Reads and writes addresses as text.
#include "net/address.hpp"

#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "sys/call/fault.hpp"

namespace rota::net {

namespace {

template <class T>
T read_as(const endpoint& e) {
    T a{};
    std::memcpy(&a, e.data(), e.size() < sizeof a ? e.size() : sizeof a);
    return a;
}

template <class T>
endpoint made_of(const T& a, std::size_t size = sizeof(T)) {
    static_assert(sizeof(T) <= endpoint::capacity);
    endpoint e;
    std::memcpy(e.data(), &a, size);
    e.resize(static_cast<std::uint32_t>(size));
    return e;
}

std::string path_of(const endpoint& e) {
    const auto a = read_as<sockaddr_un>(e);
    constexpr std::size_t before = offsetof(sockaddr_un, sun_path);
    if (e.size() <= before) return {};
    std::string path(a.sun_path, e.size() - before);
    if (path[0] == '\0') path[0] = '@';
    else path.resize(std::strlen(path.c_str()));
    return path;
}

// A zone is the name or the number of an interface. `error`: an errno value, ENODEV if there is
// none of that name.
std::uint32_t zone_number(const std::string& zone, int& error) {
    error = 0;
    std::uint32_t n = 0;
    const char* const end = zone.data() + zone.size();
    const auto [rest, failed] = std::from_chars(zone.data(), end, n);
    if (failed == std::errc{} && rest == end) return n;
    error = rt::fault_at(rt::sys_call::resolve, "if_nametoindex");
    if (error != 0) return 0;
    n = ::if_nametoindex(zone.c_str());
    if (n == 0) error = errno;
    return n;
}

// Of an IPv6 address: what stands behind the percent sign.
std::optional<std::string> zone_of(const std::string& text) {
    const std::size_t percent = text.find('%');
    if (percent == std::string::npos) return std::nullopt;
    return text.substr(percent + 1);
}

bool parse_v6(const std::string& text, in6_addr& to) {
    return ::inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(), &to) == 1;
}

}  // namespace

bool network_kind::is_unix() const { return family == AF_UNIX; }

rt::fd::kind network_kind::descriptor() const {
    if (type == SOCK_DGRAM)
        return is_unix() ? rt::fd::kind::local_datagram : rt::fd::kind::datagram;
    return is_unix() ? rt::fd::kind::stream : rt::fd::kind::tcp;
}

std::optional<network_kind> network_of(std::string_view name) {
    static constexpr struct {
        std::string_view name;
        network_kind kind;
    } all[] = {{"tcp", {AF_UNSPEC, SOCK_STREAM}}, {"tcp4", {AF_INET, SOCK_STREAM}},
               {"tcp6", {AF_INET6, SOCK_STREAM}}, {"udp", {AF_UNSPEC, SOCK_DGRAM}},
               {"udp4", {AF_INET, SOCK_DGRAM}},   {"udp6", {AF_INET6, SOCK_DGRAM}},
               {"unix", {AF_UNIX, SOCK_STREAM}},  {"unixgram", {AF_UNIX, SOCK_DGRAM}}};
    for (const auto& each : all) {
        if (each.name == name) return each.kind;
    }
    return std::nullopt;
}

std::optional<host_port> split(std::string_view address) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    host_port parts{address.substr(0, colon), address.substr(colon + 1)};
    if (parts.host.starts_with('[')) {
        if (!parts.host.ends_with(']')) return std::nullopt;
        parts.host = parts.host.substr(1, parts.host.size() - 2);
    } else if (parts.host.find(':') != std::string_view::npos) {
        return std::nullopt;  // an IPv6 address without brackets: where does it end?
    }
    if (parts.host.find_first_of(std::string_view("[]\0", 3)) != std::string_view::npos ||
        parts.port.find_first_of(std::string_view("[]\0", 3)) != std::string_view::npos)
        return std::nullopt;
    return parts;
}

std::optional<endpoint> literal(std::string_view host, std::uint16_t port) {
    const std::string text(host);
    sockaddr_in v4{};
    if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        return made_of(v4);
    }
    sockaddr_in6 v6{};
    if (!parse_v6(text, v6.sin6_addr)) return std::nullopt;
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (const auto zone = zone_of(text)) {
        int error = 0;
        v6.sin6_scope_id = zone_number(*zone, error);
        if (error != 0) return std::nullopt;
    }
    return made_of(v6);
}

std::error_code zone_error(std::string_view host) {
    const std::string text(host);
    in6_addr ignored;
    const auto zone = zone_of(text);
    if (!zone || !parse_v6(text, ignored)) return {};
    int error = 0;
    (void)zone_number(*zone, error);
    return {error, std::system_category()};
}

std::optional<endpoint> unix_endpoint(std::string_view path) {
    sockaddr_un a{};
    const bool is_abstract = path.starts_with('@');
    // A path ends with a zero; an abstract name is as long as it is.
    if (path.empty() || path.size() + (is_abstract ? 0 : 1) > sizeof a.sun_path)
        return std::nullopt;
    if (!is_abstract && path.find('\0') != std::string_view::npos) return std::nullopt;
    a.sun_family = AF_UNIX;
    std::memcpy(a.sun_path, path.data(), path.size());
    if (is_abstract) a.sun_path[0] = '\0';
    return made_of(a, offsetof(sockaddr_un, sun_path) + path.size() + (is_abstract ? 0 : 1));
}

int family_of(const endpoint& e) {
    return e.size() < sizeof(sa_family_t) ? AF_UNSPEC : read_as<sockaddr>(e).sa_family;
}

endpoint any_address(int family, std::uint16_t port) {
    if (family == AF_INET6) {
        sockaddr_in6 a{};
        a.sin6_family = AF_INET6;
        a.sin6_port = htons(port);
        return made_of(a);
    }
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(port);
    return made_of(a);
}

endpoint with_port(endpoint e, std::uint16_t port) {
    // At the same place in both.
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    const in_port_t p = htons(port);
    std::memcpy(static_cast<char*>(e.data()) + offsetof(sockaddr_in, sin_port), &p, sizeof p);
    return e;
}

std::string endpoint::host() const {
    char text[INET6_ADDRSTRLEN] = {};
    switch (family_of(*this)) {
        case AF_UNIX: return path_of(*this);
        case AF_INET: {
            const auto a = read_as<sockaddr_in>(*this);
            return ::inet_ntop(AF_INET, &a.sin_addr, text, sizeof text);
        }
        case AF_INET6: {
            const auto a = read_as<sockaddr_in6>(*this);
            // A peer of IPv4, as a socket of both families has it.
            constexpr std::size_t v4_at = 12;
            if (IN6_IS_ADDR_V4MAPPED(&a.sin6_addr))
                return ::inet_ntop(AF_INET, a.sin6_addr.s6_addr + v4_at, text, sizeof text);
            std::string host = ::inet_ntop(AF_INET6, &a.sin6_addr, text, sizeof text);
            if (a.sin6_scope_id == 0) return host;
            char zone[IF_NAMESIZE] = {};
            const char* const name = ::if_indextoname(a.sin6_scope_id, zone);
            return host + "%" + (name != nullptr ? name : std::to_string(a.sin6_scope_id));
        }
        default: return {};
    }
}

std::uint16_t endpoint::port() const noexcept {
    switch (family_of(*this)) {
        case AF_INET: return ntohs(read_as<sockaddr_in>(*this).sin_port);
        case AF_INET6: return ntohs(read_as<sockaddr_in6>(*this).sin6_port);
        default: return 0;
    }
}

std::string endpoint::to_string() const {
    switch (family_of(*this)) {
        case AF_INET: return host() + ":" + std::to_string(port());
        case AF_INET6: {
            const std::string at = host(), number = std::to_string(port());
            return at.find(':') == std::string::npos ? at + ":" + number : "[" + at + "]:" + number;
        }
        default: return host();
    }
}

bool operator==(const endpoint& a, const endpoint& b) noexcept {
    return a.size_ == b.size_ && std::memcmp(a.bytes_, b.bytes_, a.size_) == 0;
}

}  // namespace rota::net
