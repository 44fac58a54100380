// Errors as this room reports them: OpenSSL keeps those of a thread in a queue, and a goroutine
// takes what concerns it out of there before it does anything else.
#pragma once

#include <system_error>

#include <rota/tls.hpp>

#include "fd/errors.hpp"

typedef struct ssl_st SSL;

namespace rota::tls::detail {

using rt::checked;

// The throwing form of a call: "rota::tls: <what>: <the error>".
template <class Call, class... More>
auto throwing(const char* what, Call call, const More&... more) {
    return rt::throwing("tls", what, call, more...);
}

// The first error in the thread's queue, which is emptied. Of a refused certificate, wherever that
// stands in the queue, `ssl` (or null) knows the reason. Caller: has cleared the queue before the
// call that has failed, and has not parked since.
std::error_code take_error(SSL* ssl) noexcept;

}  // namespace rota::tls::detail
