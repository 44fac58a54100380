// Ends what a context has ended: the calls on a connection, by a deadline that has passed.
#pragma once

#include <memory>
#include <mutex>

#include <rota/context.hpp>
#include <rota/net.hpp>
#include <rota/sync/mutex.hpp>

namespace rota::net {

class interrupter {
  public:
    interrupter(const context& ctx, const conn& c) : state_(std::make_shared<state>()) {
        state_->of = c;
        stop_ = after_func(ctx, [s = state_] {
            const std::lock_guard guard(s->mu);
            std::error_code ignored;
            if (s->of) s->of.set_deadline(clock::time_point(clock::duration(1)), ignored);
        });
    }
    // From here on the context does not touch the connection any more. What it has done to its
    // deadlines stays.
    ~interrupter() {
        stop_();
        const std::lock_guard guard(state_->mu);
        state_->of = {};
    }
    interrupter(const interrupter&) = delete;
    interrupter& operator=(const interrupter&) = delete;

  private:
    struct state {
        mutex mu;
        conn of;
    };
    std::shared_ptr<state> state_;
    decltype(after_func(context(), [] {})) stop_;
};

}  // namespace rota::net
