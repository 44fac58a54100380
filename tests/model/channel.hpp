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
        // The schedule owns the memory: no name outlives it.
        the_engine->name(c_, 256, "chan");
    }
    ~channel() { rota::detail::chan_release(c_); }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;

    bool send(int v) { return chan_send(c_, &v, true) == result::ok; }
    // The received value; -1: the channel is closed or, for a form that does not wait, empty.
    int recv() {
        int v = 0;
        return chan_recv(c_, &v, true) == result::ok ? v : -1;
    }
    void close() { chan_close(c_); }

    // As in rota::chan, these look at the channel before they take the lock.
    bool try_send(int v) { return chan_try_send(c_, &v) == result::ok; }
    int try_recv() {
        int v = 0;
        return chan_try_recv(c_, &v) == result::ok ? v : -1;
    }
    result look_and_recv() {
        int v = 0;
        return chan_try_recv(c_, &v);
    }
    // These decide only under the lock.
    bool attempt_send(int v) { return chan_send(c_, &v, false) == result::ok; }
    int attempt_recv() {
        int v = 0;
        return chan_recv(c_, &v, false) == result::ok ? v : -1;
    }

    // a hint: reads without the lock
    bool sender_waits() const ROTA_NO_TSA { return c_->sendq.has_any(); }
    rota::detail::hchan* get() const { return c_; }

  private:
    rota::detail::hchan* c_;
};

}  // namespace model
