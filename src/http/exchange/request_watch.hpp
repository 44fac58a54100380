// The context of a request, and the watch for a client that leaves before the answer.
#pragma once

#include <cstdint>

#include <rota/context.hpp>
#include <rota/sync/wait_group.hpp>

#include "http/exchange/wire.hpp"

namespace rota::http::detail {

class request_watch {
  public:
    explicit request_watch(exchange_wire& wire) : wire_(wire) {}
    request_watch(const request_watch&) = delete;
    request_watch& operator=(const request_watch&) = delete;

    // A request begins: it may be watched, and has no context until the handler asks for it.
    void begin_request() noexcept { state_ = state::none; }
    // The handler has returned: ends the watch and the context.
    void end_request() noexcept;
    // Drops the context without ending it; for another connection.
    void reset() noexcept;

    // The callers below hold lock_shared(), or are alone.
    bool has_context() const { return ctx_.node() != nullptr; }
    // Returns the context, and makes it at the first call. `may_begin`: nothing reads the
    // connection any more, so that a watch may begin. Throws std::bad_alloc.
    context request_context(bool may_begin);
    // Begins to watch, unless a watch goes on or has ended. Caller: reads nothing any more.
    void begin() noexcept;
    // Ends the watch of this request for good.
    void end() noexcept;

  private:
    enum class state : std::uint8_t { none, watching, over };

    exchange_wire& wire_;
    context ctx_;  // without a node: the handler has not asked for it
    cancel_func cancel_;
    state state_ = state::none;
    wait_group watcher_;
};

}  // namespace rota::http::detail
