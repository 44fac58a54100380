// Errors as this room reports them.
#pragma once

#include <rota/net.hpp>

#include "fd/errors.hpp"
#include "fd/fd.hpp"

namespace rota::net {

using rt::checked;
using rt::error_of;

// The throwing form of a call: "rota::net: <what>: <the error>".
template <class Call>
auto throwing(const char* what, Call call) {
    return rt::throwing("net", what, call);
}

}  // namespace rota::net
