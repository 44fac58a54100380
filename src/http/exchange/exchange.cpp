// Serves requests in turn: reads a head, runs the handler, finishes the response.
#include "http/exchange/exchange.hpp"

#include <algorithm>
#include <exception>

#include <rota/detail/time_engine.hpp>

#include "base/fatal.hpp"
#include "fd/fd.hpp"
#include "http/connection/server_state.hpp"
#include "http/exchange/panic_report.hpp"
#include "http/message/deadline.hpp"

namespace rota::http::detail {

namespace {

constexpr std::chrono::seconds error_patience{5};  // for a client to take an error answer

}  // namespace

void exchange::reset() noexcept {
    watch.reset();
    reader.reset();
    sender.reset();
    wire.reset();
}

next_step exchange::serve() {
    connection& c = *wire.c;
    for (;;) {
        int reject = 0;
        const next_step step = reader.read_head(reject);
        if (step != next_step::go_on) return step;
        if (c.is_first && reject == 0 && reader.is_preface()) return next_step::multiplex;
        const next_step then = reject != 0 ? reject_request(reject) : answer_request();
        if (c.hijacked) return next_step::close;
        std::error_code error;
        if (then == next_step::go_on && !reader.input.is_empty() && !c.server.is_closing())
            continue;
        sender.send(error);
        if (then == next_step::linger && !error) linger();
        if (error || then != next_step::go_on || !c.become_idle()) return next_step::close;
        return next_step::wait;
    }
}

next_step exchange::reject_request(int code) {
    reader.drop_head();
    sender.begin(reader.head);
    sender.put_error(code);
    wire.c->limit_writes(later(rota::detail::clock_now(), error_patience));
    return next_step::linger;
}

// Unread input would make the kernel reset the connection, and drop the answer on its way. So the
// server ends its sending side, and drops input: until the client is silent for patience_ns, until
// in_all_ns have passed, or until `most` bytes have come. A client may send its whole body before
// it reads the answer. Go: closeWriteAndWait, which waits and reads nothing.
void exchange::linger() {
    constexpr std::int64_t patience_ns = 500'000'000, in_all_ns = 10 * patience_ns;
    constexpr std::size_t most = 16 << 20;
    wire.c->stream.end_writing();
    if (!wire.c->become_idle()) return;
    const std::int64_t since = rota::detail::clock_now();
    reader.input.shrink();
    std::error_code error;
    for (std::size_t thrown_away = 0; thrown_away < most;) {
        wire.c->limit_reads(std::min(rota::detail::clock_now() + patience_ns, since + in_all_ns));
        const std::size_t n = wire.c->stream.read(reader.input.room(), error);
        if (n == 0) return;
        thrown_away += n;
    }
}

next_step exchange::answer_request() {
    connection& c = *wire.c;
    const server_options& o = c.server.options;
    if (const int code = reader.parse_head()) return reject_request(code);
    const std::int64_t now =
        o.read_timeout.count() > 0 || o.write_timeout.count() > 0 ? rota::detail::clock_now() : 0;
    reader.begin_body(later(c.head_since != 0 ? c.head_since : now, o.read_timeout));
    c.head_since = 0;
    c.is_first = false;
    c.limit_writes(later(now, o.write_timeout));
    sender.begin(reader.head);
    std::error_code error;
    sender.hold(error);
    if (error) return next_step::close;
    run_handler();
    if (wire.broken) return next_step::close;
    if (!sender.ends_connection()) return next_step::go_on;
    return reader.leaves_input() ? next_step::linger : next_step::close;
}

void exchange::serve_stream(int reject) {
    const server_options& o = wire.c->server.options;
    const std::int64_t now = rota::detail::clock_now();
    reader.head.keep_alive = true;
    reader.begin_body(later(now, o.read_timeout));
    sender.begin(reader.head);
    sender.set_limit(later(now, o.write_timeout));
    if (reject == 0) reject = reader.check_head();
    if (reject != 0) return sender.put_error(reject);
    run_handler();
}

// --- the handler ---------------------------------------------------------------------------------

void exchange::run_handler() {
    struct request_end {
        exchange& x;
        ~request_end() {
            x.watch.end_request();
            x.wire.is_duplex = false;  // the reading goroutine has ended
        }
    };
    watch.begin_request();
    {
        const request_end at_end{*this};
        try {
            call_handler();
        } catch (...) {
            if (std::current_exception() == nullptr) throw;  // goexit, which must go on
            on_exception();
            return;
        }
    }
    if (wire.c->hijacked) return;
    finish_response();
}

namespace {

// The status for an error of the request's body, which is the client's fault. 0: no error.
int status_of(const std::error_code& error) {
    if (error == http_errc::body_too_large) return too_large;
    if (error == std::errc::timed_out) return request_timeout;
    return error ? bad_request : 0;
}

struct handler_call {
    exchange& x;
    static void run(void* self) {
        exchange& x = static_cast<handler_call*>(self)->x;
        x.wire.c->server.answer(x.outgoing, x.incoming);
    }
    static bool is_news(void* self) {
        // Runs while the throwing handler still holds its locks: so it takes none.
        const exchange& x = static_cast<handler_call*>(self)->x;
        return !x.wire.broken && !x.wire.body_failed;
    }
};

}  // namespace

void exchange::call_handler() {
    if (reader.head.target == "*") {  // the client asks for the abilities of the server itself
        sender.fields.set("Content-Length", "0");
        return;
    }
    handler_call call{*this};
    traced_call traced{handler_call::run, handler_call::is_news, &call, {}};
    try {
        call_traced(traced);
    } catch (const std::system_error&) {
        // A failure of the client or the connection is no fault of the handler.
        if (handler_call::is_news(&call)) log_panic(traced.trace);
        throw;
    } catch (...) {
        if (std::current_exception() == nullptr) throw;  // goexit, which must go on
        log_panic(traced.trace);
        throw;
    }
}

// Go: "http: panic serving".
void exchange::log_panic(const std::string& trace) noexcept {
    try {
        std::string text = "http: panic serving " + wire.c->peer.to_string() + ": " + panic_text();
        text.append("\n").append(trace);
        if (!text.ends_with('\n')) text += '\n';
        rt::write_error(text.data(), text.size());
    } catch (...) {
        rt::print_error("http: panic serving a client; no memory for the trace\n");
    }
}

void exchange::on_exception() {
    sender.end_connection();
    reader.leave_input();
    if (wire.c->hijacked || wire.broken) return;
    // The time for the answer may have run out while the handler read the body.
    const std::int64_t limit = later(rota::detail::clock_now(), error_patience);
    if (wire.over == nullptr) wire.c->limit_writes(limit);
    else sender.set_limit(limit);
    const std::error_code error = reader.error_of_body();
    sender.put_error(error ? status_of(error) : 500);
}

// For HTTP/1.1: leaves the rest of the response in the output. The rest of the body is read before
// a head that has not been sent: the head may have to tell of a fault in the body.
void exchange::finish_response() {
    if (wire.over != nullptr) return sender.finish_stream();
    sender.end_head();
    if (sender.has_sent_head()) {
        sender.finish();
        if (!reader.drain_body()) sender.end_connection();
        return;
    }
    if (!reader.drain_body()) {
        const std::error_code error = reader.error_of_body();
        if (error == http_errc::malformed_body) return sender.put_error(bad_request);
        if (error == http_errc::body_too_large) return sender.put_error(too_large);
        sender.end_connection();
    }
    sender.finish();
}

// --- for the handler -----------------------------------------------------------------------------

context exchange::request_context() {
    const auto turn = wire.lock_shared();
    return watch.request_context(reader.is_quiet());
}

// On a connection of HTTP/1.1 the two goroutines use different halves: one fills the input, the
// other sends the output. A read sends the answers to earlier requests before it waits: they are
// sent here, so that it need not. A "100 Continue" goes out as long as the head has not.
void exchange::enable_duplex(std::error_code& error) {
    error.clear();
    if (wire.c->hijacked || wire.is_duplex) return;
    if (wire.over == nullptr) sender.send(error);
    wire.is_duplex = !error;
}

net::conn exchange::hijack() {
    connection& c = *wire.c;
    if (c.hijacked) throw std::system_error(http_errc::hijacked, "rota::http: hijack");
    if (c.stream.has_layer() || wire.over != nullptr)
        throw std::system_error(http_errc::cannot_hijack, "rota::http: hijack");
    watch.end();
    std::error_code error;
    if (sender.phase() != response_phase::open) sender.flush(error);
    else sender.send(error);
    const std::string_view rest = reader.input.unread();
    if (!rest.empty()) (void)c.stream.socket().descriptor()->unread(rest.data(), rest.size());
    reader.input.consume(rest.size());
    c.limit_reads(0);
    c.limit_writes(0);
    c.stream.socket().descriptor()->set_write_stall(0);
    c.hijacked = true;
    c.server.remove(c);
    c.server.leave();
    return c.stream.socket();
}

}  // namespace rota::http::detail
