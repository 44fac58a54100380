// Requests whose body is read by one goroutine while another one writes the answer, and reads that
// a context ends.
//
// Of a connection's own requests the two have different halves: the body is read into `in`, and
// written is what stands in `out`. What a read had to send before it waits, answers to earlier
// requests, is sent when the handler says that there will be two; a `100 Continue` goes out as long
// as the head has not been put into `out`.
//
// A context that ends sets the deadline of reads back, at any moment until the read has seen to it
// that it does not any more. Whoever else waits at the socket meanwhile would be hit too, and the
// watch for a client that leaves takes that for its own end: so it begins when the read is over.
// The limit of reads is the reader's until then, and the watch's from then on, under shared_mu.
#include <utility>

#include <rota/chan.hpp>
#include <rota/detail/time_engine.hpp>

#include "http/exchange.hpp"
#include "http/server.hpp"

namespace rota::http::detail {

void exchange::enable_duplex(std::error_code& error) {
    error.clear();
    if (c->hijacked || is_duplex) return;
    if (over == nullptr) send(error);
    is_duplex = !error;
}

// As a deadline that has passed long ago does.
void exchange::interrupt_reads(bool on) noexcept {
    constexpr std::int64_t long_ago = 1;
    if (over != nullptr) return over->interrupt_reads(on);
    if (on) c->stream.set_deadline(true, false, long_ago);
    else c->limit_reads(0);
}

namespace {

// While it lives, a context that ends calls f. There is nothing left of that call at its end.
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

    // True: it has been called.
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
    // Nothing sets it again on the way to the socket, where the interruption would be lost.
    if (over == nullptr)
        c->limit_reads(earlier(
            body_limit, later(rota::detail::clock_now(), c->server.options.read_stall_timeout)));
    bool is_called_off = true;  // nobody knows, when it throws
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
        if (over == nullptr) c->read_limit = -1;  // whatever has been set
        interrupt_reads(false);
    }
    if (over == nullptr && body_ended && has_ctx) begin_watch();
}

}  // namespace rota::http::detail
