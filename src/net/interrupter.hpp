// Ends what a context has ended: calls on a connection, in the way that their caller gives.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <rota/context.hpp>
#include <rota/sync/mutex.hpp>

namespace rota::net {

template <class End>
class interrupter {
  public:
    // end() is called by another goroutine, at most once. It does not wait for what it ends.
    interrupter(const context& ctx, End end) : state_(std::make_shared<state>()) {
        state_->end.emplace(std::move(end));
        stop_ = after_func(ctx, [s = state_] {
            const std::lock_guard guard(s->mu);
            if (s->end) (*s->end)();
        });
    }
    // From here on the context does not touch anything any more. What it has done stays.
    ~interrupter() {
        stop_();
        const std::lock_guard guard(state_->mu);
        state_->end.reset();
    }
    interrupter(const interrupter&) = delete;
    interrupter& operator=(const interrupter&) = delete;

  private:
    struct state {
        mutex mu;
        std::optional<End> end;
    };
    std::shared_ptr<state> state_;
    decltype(after_func(context(), [] {})) stop_;
};

}  // namespace rota::net
