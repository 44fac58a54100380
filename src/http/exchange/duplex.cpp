// Full-duplex requests, whose body one goroutine reads while another writes the answer; and reads
// that a context ends.
//
// On a connection of HTTP/1.1 the two goroutines use different halves: the reader fills `in`, the
// writer sends `out`. Answers to earlier requests, which a read sends before it waits, are sent
// when the handler enables duplex. A `100 Continue` goes out as long as the head is not in `out`.
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
#include "http/exchange/exchange.hpp"
#include "http/message/deadline.hpp"

namespace rota::http::detail {

void exchange::enable_duplex(std::error_code& error) {
    error.clear();
    if (c->hijacked || is_duplex) return;
    if (over == nullptr) send(error);
    is_duplex = !error;
}

// Interrupts reads by a deadline that passed long ago, or removes that deadline.
void exchange::interrupt_reads(bool on) noexcept {
    constexpr std::int64_t long_ago = 1;
    if (over != nullptr) return over->interrupt_reads(on);
    if (on) c->stream.set_deadline(true, false, long_ago);
    else c->limit_reads(0);
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

std::size_t exchange::read_body(const context& until, std::span<std::byte> to,
                                std::error_code& error) {
    if (until.node() == nullptr || c->hijacked || body_ended) return read_body(to, error);
    // Nothing sets the deadline again on the way to the socket: the interruption would be lost.
    if (over == nullptr)
        c->limit_reads(earlier(
            body_limit, later(rota::detail::clock_now(), c->server.options.read_stall_timeout)));
    bool is_called_off = true;  // stays true if the read throws: an interruption is possible
    std::size_t n = 0;
    {
        struct interruptible {
            exchange& x;
            const bool& is_called_off;
            ~interruptible() { x.end_interruptions(is_called_off); }
        } const reading{*this, is_called_off};
        may_be_interrupted = true;
        calling_when_done watched(until, [this] { interrupt_reads(true); });
        n = read_body(to, error);
        is_called_off = watched.end();
    }
    const bool is_interrupted =
        is_called_off && (error == std::errc::timed_out || error == std::errc::operation_canceled);
    return is_interrupted ? fail_body(until.err(), error) : n;
}

void exchange::end_interruptions(bool is_called_off) noexcept {
    const auto turn = lock_shared();
    may_be_interrupted = false;
    if (is_called_off) {
        if (over == nullptr) c->read_limit = -1;  // unknown: an interruption may have set it
        interrupt_reads(false);
    }
    if (over == nullptr && body_ended && has_ctx) begin_watch();
}

}  // namespace rota::http::detail
