// The context of a request: it ends with the handler's call, or when the client leaves.
//
// Only a handler that asks for the context has one. A goroutine then watches whether the client is
// still there. It takes no byte out of the socket: none is lost or out of order, and a hijacked
// connection has them all. Once bytes have arrived it watches no further, as in Go. Go:
// backgroundRead, abortPendingRead.
#include "http/exchange/request_watch.hpp"

#include <cerrno>
#include <tuple>

namespace rota::http::detail {

context request_watch::request_context(bool may_begin) {
    if (!has_context()) {
        std::tie(ctx_, cancel_) = with_cancel(background());
        if (wire_.over != nullptr) wire_.over->watch(cancel_);
        else if (may_begin && !wire_.c->hijacked) begin();
    }
    return ctx_;
}

void request_watch::begin() noexcept {
    if (state_ != state::none) return;
    wire_.c->limit_reads(0);
    try {
        watcher_.go([&stream = wire_.c->stream, stop = cancel_] {
            const std::int64_t n = stream.peek();
            if (n != -ETIMEDOUT && n <= 0) stop();
        });
        state_ = state::watching;
    } catch (...) {  // no room for a goroutine: the request goes on without
    }
}

void request_watch::end() noexcept {
    const bool is_watching = std::exchange(state_, state::over) == state::watching;
    if (!is_watching) return;
    constexpr std::int64_t long_ago = 1;
    wire_.c->limit_reads(long_ago);
    watcher_.wait();
    wire_.c->limit_reads(0);
}

void request_watch::end_request() noexcept {
    end();
    if (!has_context()) return;
    cancel_();
    reset();
}

void request_watch::reset() noexcept {
    ctx_ = {};
    cancel_ = {};
}

}  // namespace rota::http::detail
