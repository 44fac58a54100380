// Names and what they stand for.
#pragma once

#include <string_view>
#include <system_error>
#include <vector>

#include <rota/context.hpp>
#include <rota/net.hpp>

#include "net/address.hpp"

namespace rota::net {

// The addresses to try for `address` in `network`, in order; not empty unless there is an error.
// Without a host: of this machine, to connect to, or if `to_listen`, all of them. Blocks while a
// name is looked up, but no longer than ctx lives.
std::vector<endpoint> addresses_of(const context& ctx, const network_kind& network,
                                   std::string_view address, bool to_listen,
                                   std::error_code& error);

}  // namespace rota::net
