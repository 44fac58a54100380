// Converts addresses between text and the kernel's form. It sends no query: net/resolve looks up
// names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <rota/net.hpp>

#include "fd/fd.hpp"

struct sockaddr;

namespace rota::net {

// The meaning of a network's name ("tcp", "udp6").
struct network_kind {
    int family;  // AF_INET, AF_INET6, AF_UNIX; AF_UNSPEC: IPv4 and IPv6
    int type;    // SOCK_STREAM, SOCK_DGRAM
    bool is_unix() const;
    rt::fd::kind descriptor() const;
};
std::optional<network_kind> network_of(std::string_view name);

// The parts of "host:port", without brackets. Empty: `address` does not have that form.
struct host_port {
    std::string_view host, port;
};
std::optional<host_port> split(std::string_view address);

// An IPv4 or IPv6 address as text; an IPv6 address may have a zone. Empty: `host` is a name, or the
// zone is not known.
std::optional<endpoint> literal(std::string_view host, std::uint16_t port);
// Why the zone of an IPv6 address is not known: errc::no_such_device, or the system's error. None
// for every text that `literal` takes, and for names.
std::error_code zone_error(std::string_view host);

// A path, or an abstract name behind an @. Empty: too long for the kernel.
std::optional<endpoint> unix_endpoint(std::string_view path);

int family_of(const endpoint& e);
// The wildcard address of the family.
endpoint any_address(int family, std::uint16_t port);
endpoint with_port(endpoint e, std::uint16_t port);
inline const sockaddr* as_sockaddr(const endpoint& e) {
    return static_cast<const sockaddr*>(e.data());
}

}  // namespace rota::net
