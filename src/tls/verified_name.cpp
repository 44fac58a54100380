// Names and addresses that can be verified.
//
// OpenSSL takes a name that begins with a dot for all names that end so, and a NUL for its end; and
// texts around an IPv4 address for nothing. The zone of an address says which of our own networks
// leads there, and nothing of whom it belongs to.
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
