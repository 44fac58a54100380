// Turns OpenSSL's errors into error codes. OpenSSL keeps the errors of a thread in a queue, so a
// goroutine takes its own errors from the queue before it can park and move to another thread.
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

// Returns the first error in the thread's queue, and empties the queue. If a refused certificate is
// anywhere in the queue, the reason comes from `ssl` instead, unless that is null. Caller: has
// cleared the queue before the call that failed, and has not parked since.
std::error_code take_error(SSL* ssl) noexcept;

}  // namespace rota::tls::detail
