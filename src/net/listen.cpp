// Opens the sockets of listeners and of packet connections, and binds them to an address.
#include <memory>

#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "net/errors.hpp"
#include "net/options.hpp"
#include "net/resolve.hpp"
#include "sys/io/io.hpp"
#include "sys/io/limits.hpp"

namespace rota::net {

namespace {

constexpr int backlog = 65535;  // the kernel cuts it down to net.core.somaxconn

// A descriptor that is closed at the end of the scope, unless taken() has moved it out.
struct fresh_number {
    int number;
    explicit fresh_number(int n) : number(n) {}
    ~fresh_number() {
        if (number >= 0) (void)rt::io_close(number);
    }
    fresh_number(const fresh_number&) = delete;
    fresh_number& operator=(const fresh_number&) = delete;
    int taken() { return std::exchange(number, -1); }
};

// 0, or an error. Sets the options that connections inherit from their listener, once for every
// connection.
int prepare(int number, int family, bool both_families, network_kind kind) {
    if (family == AF_INET6) {
        const int r = rt::io_set_option(number, IPPROTO_IPV6, IPV6_V6ONLY, both_families ? 0 : 1);
        if (r < 0) return r;
    }
    if (kind.type == SOCK_DGRAM && family != AF_UNIX)
        return rt::io_set_option(number, SOL_SOCKET, SO_BROADCAST, 1);
    if (kind.type != SOCK_STREAM || family == AF_UNIX) return 0;
    if (const int r = rt::io_set_option(number, SOL_SOCKET, SO_REUSEADDR, 1); r < 0) return r;
    set_tcp_options(number);
    return 0;
}

// A socket bound to `where`; null and an error otherwise.
rt::fd* open_at(const endpoint& where, bool both_families, network_kind kind,
                std::error_code& error) {
    const int family = family_of(where);
    fresh_number fresh(rt::io_socket(family, kind.type, 0));
    int r = fresh.number;
    if (r >= 0) r = prepare(fresh.number, family, both_families, kind);
    if (r >= 0) r = rt::io_bind(fresh.number, as_sockaddr(where), where.size());
    if (r >= 0 && kind.type == SOCK_STREAM) r = rt::io_listen(fresh.number, backlog);
    rt::fd* made = nullptr;
    if (r >= 0) {
        r = -rt::fd::open(fresh.number, kind.descriptor(), made);
    }
    (void)checked(r, error);
    if (made != nullptr) (void)fresh.taken();
    return made;
}

// True for the errors of a kernel without IPv6. A listener at each address of this machine, in both
// families, has one IPv6 socket for both; without IPv6 it has an IPv4 socket.
bool has_no_ipv6(const std::error_code& error) {
    return error.category() == std::system_category() &&
           (error.value() == EAFNOSUPPORT || error.value() == EADDRNOTAVAIL ||
            error.value() == EPROTONOSUPPORT);
}

rt::fd* open_first(network_kind kind, std::string_view address, std::error_code& error) {
    std::vector<endpoint> all = addresses_of(background(), kind, address, true, error);
    if (error) return nullptr;
    const bool both = kind.family == AF_UNSPEC && all.size() == 2 &&
                      all[0] == any_address(AF_INET6, all[0].port());
    // Takes the first IPv4 address of the name, as Go does.
    if (!both && kind.family == AF_UNSPEC) {
        for (endpoint& e : all) {
            if (family_of(e) != AF_INET) continue;
            std::swap(all.front(), e);
            break;
        }
    }
    rt::fd* const made = open_at(all.front(), both, kind, error);
    if (made == nullptr && both && has_no_ipv6(error)) return open_at(all[1], false, kind, error);
    return made;
}

}  // namespace

listener listen(std::string_view network, std::string_view address, std::error_code& error) {
    const auto kind = network_of(network);
    if (!kind || kind->type != SOCK_STREAM) {
        error = net_errc::unknown_network;
        return {};
    }
    rt::raise_descriptor_limit();
    rt::fd* const made = open_first(*kind, address, error);
    if (made == nullptr) return {};
    listener l(made);
    if (kind->is_unix() && !address.starts_with('@')) made->unlink_at_close(address);
    return l;
}

packet_conn listen_packet(std::string_view network, std::string_view address,
                          std::error_code& error) {
    const auto kind = network_of(network);
    if (!kind || kind->type != SOCK_DGRAM) {
        error = net_errc::unknown_network;
        return {};
    }
    rt::fd* const made = open_first(*kind, address, error);
    return made == nullptr ? packet_conn() : packet_conn(made);
}

}  // namespace rota::net
