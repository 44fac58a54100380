// Errors of descriptors beyond the operating system's: one category for sockets, files and pipes.
#pragma once

#include <system_error>

#include <rota/detail/exceptions.hpp>

namespace rota::net {

/// Errors of networks beyond the operating system's; `closed` is an error of files too. Converts to
/// std::error_code of the category "net".
enum class net_errc {
    closed = 1,           ///< "use of closed network connection or file": close has been called
    unknown_network = 2,  ///< "unknown network": not a name that the function takes
    bad_address = 3,      ///< "bad address": not host:port, or a port that does not exist
    no_such_host = 4,     ///< "no such host": the name has no address of the requested kind
    lookup_failed = 5,    ///< "name lookup failed": no name server answered; may succeed later
};
const std::error_category& net_category() noexcept;
inline std::error_code make_error_code(net_errc e) noexcept {
    return {static_cast<int>(e), net_category()};
}

}  // namespace rota::net

template <>
struct std::is_error_code_enum<rota::net::net_errc> : std::true_type {};
