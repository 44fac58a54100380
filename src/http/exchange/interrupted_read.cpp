// Reads a body for as long as a context lasts.
//
// A context that ends sets the deadline of reads to the past. It may do so at any moment until the
// read has made sure that it no longer does. The deadline would also hit any other waiter at the
// socket, and the watch for a client that leaves would take it for its own end. So the watch begins
// when the read is over. Until then the limit of reads is the reader's, and from then on the
// watch's, under shared_mu.
#include <utility>

#include <rota/chan.hpp>
#include <rota/detail/time_engine.hpp>

#include "http/connection/server_state.hpp"
#include "http/exchange/request_reader.hpp"
#include "http/message/deadline.hpp"

namespace rota::http::detail {

// Interrupts reads by a deadline that passed long ago, or removes that deadline.
void request_reader::interrupt_reads(bool on) noexcept {
    constexpr std::int64_t long_ago = 1;
    if (wire_.over != nullptr) return wire_.over->interrupt_reads(on);
    if (on) wire_.c->stream.set_deadline(true, false, long_ago);
    else wire_.c->limit_reads(0);
}

namespace {

// While this object lives, the end of the context calls f. At its end no such call is running.
template <class F>
class calling_when_done {
  public:
    calling_when_done(const context& ctx, F f)
        : called_(make_chan<unit>(1)), stop_(after_func(ctx, [f, called = called_] {
              f();
              called.send({});
          })) {}
    ~calling_when_done() { (void)end(); }
    calling_when_done(const calling_when_done&) = delete;
    calling_when_done& operator=(const calling_when_done&) = delete;

    // True: f has been called.
    bool end() {
        if (!stop_ || std::exchange(stop_, nullptr)()) return false;
        (void)called_.recv();
        return true;
    }

  private:
    const chan<unit> called_;
    decltype(after_func(context(), [] {})) stop_;
};

}  // namespace

std::size_t request_reader::read_body(const context& until, std::span<std::byte> to,
                                      std::error_code& error) {
    if (until.node() == nullptr || wire_.c->hijacked || body_ended_) return read_body(to, error);
    // Nothing sets the deadline again on the way to the socket: the interruption would be lost.
    if (wire_.over == nullptr)
        wire_.c->limit_reads(
            earlier(body_limit_,
                    later(rota::detail::clock_now(), wire_.c->server.options.read_stall_timeout)));
    bool is_called_off = true;  // stays true if the read throws: an interruption is possible
    std::size_t n = 0;
    {
        struct interruptible {
            request_reader& x;
            const bool& is_called_off;
            ~interruptible() { x.end_interruptions(is_called_off); }
        } const reading{*this, is_called_off};
        may_be_interrupted_ = true;
        calling_when_done watched(until, [this] { interrupt_reads(true); });
        n = read_body(to, error);
        is_called_off = watched.end();
    }
    const bool is_interrupted =
        is_called_off && (error == std::errc::timed_out || error == std::errc::operation_canceled);
    return is_interrupted ? fail_body(until.err(), error) : n;
}

void request_reader::end_interruptions(bool is_called_off) noexcept {
    const auto turn = wire_.lock_shared();
    may_be_interrupted_ = false;
    if (is_called_off) {
        if (wire_.over == nullptr)
            wire_.c->read_limit = -1;  // unknown: an interruption may have set it
        interrupt_reads(false);
    }
    if (wire_.over == nullptr && body_ended_ && watch_.has_context()) watch_.begin();
}

}  // namespace rota::http::detail
