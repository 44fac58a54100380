// Parses the name for which a server's certificate must be valid: a host or an address.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rota::tls::detail {

struct verified_name {
    std::string host;
    unsigned char address[16];
    std::size_t address_size = 0;  // bytes; 0: the name is `host`

    // False: no server can have that name. Throws std::bad_alloc.
    bool parse(std::string_view name);
};

}  // namespace rota::tls::detail
