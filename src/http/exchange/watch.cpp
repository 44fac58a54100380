// The context of a request: it ends with the handler's call, or when the client leaves.
//
// Only a handler that asks for the context has one. A goroutine then watches whether the client is
// still there. It takes no byte out of the socket: none is lost or out of order, and a hijacked
// connection has them all. Once bytes have arrived it watches no further, as in Go. Go:
// backgroundRead, abortPendingRead.
#include "fd/fd.hpp"
#include "http/exchange/exchange.hpp"

namespace rota::http {
namespace detail {

context exchange::request_context() {
    const auto turn = lock_shared();
    if (!has_ctx) {
        std::tie(ctx, cancel) = with_cancel(background());
        has_ctx = true;
        if (over != nullptr) over->watch(cancel);
        else if (body_ended && !c->hijacked) begin_watch();
    }
    return ctx;
}

void exchange::begin_watch() noexcept {
    if (watching || unwatched || may_be_interrupted) return;
    c->limit_reads(0);
    try {
        watcher.go([&stream = c->stream, stop = cancel] {
            const std::int64_t n = stream.peek();
            if (n != -ETIMEDOUT && n <= 0) stop();
        });
        watching = true;
    } catch (...) {  // no room for a goroutine: the request goes on without
    }
}

void exchange::end_watch() noexcept {
    unwatched = true;
    if (!watching) return;
    constexpr std::int64_t long_ago = 1;
    c->limit_reads(long_ago);
    watcher.wait();
    c->limit_reads(0);
    watching = false;
}

}  // namespace detail

context request::ctx() const { return x_ != nullptr ? x_->request_context() : background(); }

}  // namespace rota::http
