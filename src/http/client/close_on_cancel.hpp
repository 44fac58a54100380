// close_on_cancel closes a client's connection when a context ends.
#pragma once

#include <utility>

#include <rota/context.hpp>

#include "http/client/client_stream.hpp"

namespace rota::http {

// While this object lives, a context that ends closes the connection, and waits for nothing: its
// call is over.
class close_on_cancel {
  public:
    close_on_cancel(const context& ctx, const client_stream& wire) {
        if (ctx.node() == nullptr) return;
        stop_ = after_func(ctx, [handle = wire] { handle.abort(); });
    }
    ~close_on_cancel() { (void)end(); }
    close_on_cancel(const close_on_cancel&) = delete;
    close_on_cancel& operator=(const close_on_cancel&) = delete;

    // From here on the context does not close the connection. False: it is doing so already.
    bool end() {
        if (!stop_) return true;
        return std::exchange(stop_, nullptr)();
    }

  private:
    decltype(after_func(context(), [] {})) stop_;
};

}  // namespace rota::http
