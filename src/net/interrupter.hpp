// Ends the calls on a connection when a context ends, by a function that their caller gives.
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
    // `end` is called by another goroutine, at most once. It does not wait for the calls that it
    // ends.
    interrupter(const context& ctx, End end) : state_(std::make_shared<state>()) {
        state_->end.emplace(std::move(end));
        stop_ = after_func(ctx, [s = state_] {
            const std::lock_guard guard(s->mu);
            if (s->end) (*s->end)();
        });
    }
    // From here on the context's end has no effect. The effect of an earlier end stays.
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
