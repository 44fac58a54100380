// Parses the host name or IP address that a server's certificate must be for.
//
// OpenSSL matches a name that begins with a dot with every name that ends in it, takes a NUL as the
// end of a name, and ignores text around an IPv4 address. So parse() refuses such names itself. The
// zone of an address names a network of this machine, not the owner of the address: it is cut off.
#include "tls/verified_name.hpp"

#include <algorithm>

#include <arpa/inet.h>

namespace rota::tls::detail {

bool verified_name::parse(std::string_view name) {
    constexpr std::size_t longest = 253;
    static_assert(sizeof address == sizeof(in6_addr));
    if (name.find('\0') != name.npos) return false;
    host = name;
    if (name.find(':') != name.npos) host.resize(std::min(host.size(), name.find('%')));
    if (::inet_pton(AF_INET, host.c_str(), address) == 1) address_size = sizeof(in_addr);
    else if (::inet_pton(AF_INET6, host.c_str(), address) == 1) address_size = sizeof(in6_addr);
    if (address_size != 0) return true;
    if (host.ends_with('.')) host.pop_back();
    return !host.empty() && !host.starts_with('.') && host.size() <= longest;
}

}  // namespace rota::tls::detail
