// A channel of ints, for schedules: one handle, as rota::chan holds it.
#pragma once

#include <rota/detail/chan_engine.hpp>

#include "chan/hchan.hpp"
#include "explore.hpp"

namespace model {

class channel {
  public:
    using result = rota::detail::chan_result;

    explicit channel(std::size_t capacity = 0)
        : c_(rota::detail::chan_make(sizeof(int), capacity, nullptr)) {
        // The memory is the schedule's own: no name lasts longer.
        the_engine->name(c_, 256, "chan");
    }
    ~channel() { rota::detail::chan_release(c_); }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;

    bool send(int v) { return chan_send(c_, &v, true) == result::ok; }
    // What was received; -1: closed, or of the forms that do not wait, nothing there.
    int recv() {
        int v = 0;
        return chan_recv(c_, &v, true) == result::ok ? v : -1;
    }
    void close() { chan_close(c_); }

    // As those of rota::chan, which look before they take the lock.
    bool try_send(int v) { return chan_try_send(c_, &v) == result::ok; }
    int try_recv() {
        int v = 0;
        return chan_try_recv(c_, &v) == result::ok ? v : -1;
    }
    result look_and_recv() {
        int v = 0;
        return chan_try_recv(c_, &v);
    }
    // The same under the lock alone.
    bool attempt_send(int v) { return chan_send(c_, &v, false) == result::ok; }
    int attempt_recv() {
        int v = 0;
        return chan_recv(c_, &v, false) == result::ok ? v : -1;
    }

    bool sender_waits() const ROTA_NO_TSA { return c_->sendq.has_any(); }  // a hint
    rota::detail::hchan* get() const { return c_; }

  private:
    rota::detail::hchan* c_;
};

}  // namespace model
