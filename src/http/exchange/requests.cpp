// Serves requests in turn: reads a head, runs the handler, finishes the answer.
#include <algorithm>
#include <cerrno>
#include <exception>

#include <sys/socket.h>

#include <rota/detail/time_engine.hpp>

#include "base/fatal.hpp"
#include "fd/fd.hpp"
#include "http/connection/server_state.hpp"
#include "http/exchange/exchange.hpp"
#include "http/exchange/panic_report.hpp"
#include "http/message/deadline.hpp"

namespace rota::http::detail {

namespace {

constexpr std::chrono::seconds error_patience{5};  // for a client to take an error answer
constexpr int request_timeout = 408, too_large = 413, target_too_long = 414, fields_too_large = 431;

}  // namespace

void exchange::reset() noexcept {
    constexpr std::size_t kept_max = 16 * 1024;
    // clear() keeps the memory
    for (header_map* const each : {&fields, &trailers, &answer_fields, &answer_trailers}) {
        if (each->size() > kept_max / sizeof(header_map::value_type)) *each = header_map();
        else each->clear();
    }
    path_values.clear();
    ctx = {};
    cancel = {};
    in.shrink();
    out.reset();
    for (std::string* const each : {&collected, &sent_fields, &path, &trailer_lines})
        if (each->capacity() > kept_max) std::string().swap(*each);
    scanner.reset();
    body_ended = true;
    broken = unread_input = is_duplex = false;
    c = nullptr;
    over = nullptr;
}

next_step exchange::serve() {
    for (;;) {
        int reject = 0;
        const next_step step = read_head(reject);
        if (step != next_step::go_on) return step;
        if (c->is_first && reject == 0 && is_preface()) return next_step::multiplex;
        const next_step then = reject != 0 ? reject_request(reject) : answer_request();
        if (c->hijacked) return next_step::close;
        std::error_code error;
        if (then == next_step::go_on && !in.is_empty() && !c->server.is_closing()) continue;
        send(error);
        if (then == next_step::linger && !error) linger();
        if (error || then != next_step::go_on || !c->become_idle()) return next_step::close;
        return next_step::wait;
    }
}

// --- the head ------------------------------------------------------------------------------------

// go_on: the head is complete, or `reject` is the status to answer with.
next_step exchange::read_head(int& reject) {
    const server_options& o = c->server.options;
    const std::size_t most = o.max_header_bytes;
    in.settle();
    scanner.reset();
    bool waited = false;
    for (;;) {
        const head_scanner::outcome seen = scanner.scan(in.unread());
        if (seen == head_scanner::outcome::malformed) reject = 400;
        else if (seen == head_scanner::outcome::whole ? scanner.end() > most
                                                      : in.unread().size() >= most)
            reject = scanner.has_request_line() ? fields_too_large : target_too_long;
        if (reject != 0 || seen == head_scanner::outcome::whole) break;
        if (!in.is_empty() && c->head_since == 0) c->head_since = rota::detail::clock_now();
        std::error_code error;
        if (!waited) send(error);
        if (error || (!waited && !c->become_idle())) return next_step::close;
        waited = true;
        if (in.is_empty()) {  // a connection gives its exchange back before it waits for a request
            const std::span<std::byte> room = in.room();
            const std::int64_t n = c->stream.try_read(room);
            // The passed deadline may be the end of a pause: wait_for_request() decides.
            if (n == -EAGAIN || n == -ETIMEDOUT) return next_step::wait;
            if (n <= 0) return next_step::close;
            in.filled(static_cast<std::size_t>(n));
            continue;
        }
        if (fill(earlier(later(c->head_since, o.read_header_timeout),
                         later(c->head_since, o.read_timeout)),
                 error))
            continue;
        const bool begun = in.unread().size() > scanner.begin();
        if (error != std::errc::timed_out || !begun) return next_step::close;
        reject = request_timeout;
        break;
    }
    return c->become_active() ? next_step::go_on : next_step::close;
}

// True: the input begins with the preface of a client that speaks HTTP/2 without asking: RFC 9113,
// 3.3 and 3.4. The preface has the form of a head of HTTP/1.1.
bool exchange::is_preface() const {
    constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\n";
    return scanner.begin() == 0 && scanner.end() == preface.size() &&
           in.unread().starts_with(preface) && c->server.options.h2c;
}

next_step exchange::reject_request(int code) {
    head = {};
    begin_body();
    begin_answer();
    answer_error(code);
    c->limit_writes(later(rota::detail::clock_now(), error_patience));
    return next_step::linger;
}

// Unread input would make the kernel reset the connection, and drop the answer on its way. So the
// server ends its sending side, and drops input: until the client is silent for patience_ns, until
// in_all_ns have passed, or until `most` bytes have come. A client may send its whole body before
// it reads the answer. Go: closeWriteAndWait, which waits and reads nothing.
void exchange::linger() {
    constexpr std::int64_t patience_ns = 500'000'000, in_all_ns = 10 * patience_ns;
    constexpr std::size_t most = 16 << 20;
    c->stream.end_writing();
    if (!c->become_idle()) return;
    const std::int64_t since = rota::detail::clock_now();
    in.shrink();
    std::error_code error;
    for (std::size_t thrown_away = 0; thrown_away < most;) {
        c->limit_reads(std::min(rota::detail::clock_now() + patience_ns, since + in_all_ns));
        const std::size_t n = c->stream.read(in.room(), error);
        if (n == 0) return;
        thrown_away += n;
    }
}

// --- the answer ----------------------------------------------------------------------------------

bool exchange::accept_target() {
    path_has_escapes = head.raw_path.find('%') != std::string_view::npos;
    if (!path_has_escapes) return true;
    path.clear();
    return append_unescaped(path, head.raw_path, false);
}

next_step exchange::answer_request() {
    const server_options& o = c->server.options;
    constexpr std::size_t body_room = 1024, field_cost = 32;
    const std::size_t begin = scanner.begin(), end = scanner.end();
    if (end + field_cost * (scanner.lines() - 1) > o.max_header_bytes)
        return reject_request(fields_too_large);
    in.reach(end, body_room);  // the input does not move from here on
    fields.clear();
    path_values.clear();
    const auto keep = [](void* to, std::string_view name, std::string_view value) {
        static_cast<exchange*>(to)->fields.borrow(name, value);
    };
    if (const int code = parse_head(in.unread().substr(begin, end - begin), head, keep, this))
        return reject_request(code);
    if (!accept_target()) return reject_request(400);
    if (o.max_body_bytes != 0 && !head.chunked && head.content_length > o.max_body_bytes)
        return reject_request(too_large);
    in.consume(end);
    const std::int64_t now =
        o.read_timeout.count() > 0 || o.write_timeout.count() > 0 ? rota::detail::clock_now() : 0;
    body_limit = later(c->head_since != 0 ? c->head_since : now, o.read_timeout);
    c->head_since = 0;
    c->is_first = false;
    c->limit_writes(later(now, o.write_timeout));
    begin_body();
    begin_answer();
    std::error_code error;
    out.hold(c->stream, error);
    if (error) return next_step::close;
    run_handler();
    if (broken) return next_step::close;
    if (!close_after) return next_step::go_on;
    return unread_input ? next_step::linger : next_step::close;
}

void exchange::run_handler() {
    struct request_end {
        exchange& x;
        ~request_end() {
            x.end_watch();
            x.is_duplex = false;  // the reading goroutine has ended
            if (!x.has_ctx) return;
            x.cancel();
            x.ctx = {};
            x.cancel = {};
            x.has_ctx = false;
        }
    };
    unwatched = false;
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
    if (c->hijacked) return;
    finish_answer();
}

namespace {

// The status for an error of the request's body, which is the client's fault. 0: no error.
int status_of(const std::error_code& error) {
    if (error == http_errc::body_too_large) return too_large;
    if (error == std::errc::timed_out) return request_timeout;
    return error ? 400 : 0;
}

struct handler_call {
    exchange& x;
    static void run(void* self) {
        exchange& x = static_cast<handler_call*>(self)->x;
        x.c->server.answer(x.outgoing, x.incoming);
    }
    static bool is_news(void* self) {
        // Runs while the throwing handler still holds its locks: so it takes none.
        const exchange& x = static_cast<handler_call*>(self)->x;
        return !x.broken && !x.body_failed;
    }
};

}  // namespace

void exchange::call_handler() {
    if (head.target == "*") {  // the client asks for the abilities of the server itself
        answer_fields.set("Content-Length", "0");
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
        std::string text = "http: panic serving " + c->peer.to_string() + ": " + panic_text();
        text.append("\n").append(trace);
        if (!text.ends_with('\n')) text += '\n';
        rt::write_error(text.data(), text.size());
    } catch (...) {
        rt::print_error("http: panic serving a client; no memory for the trace\n");
    }
}

void exchange::on_exception() {
    close_after = unread_input = true;
    if (c->hijacked || broken) return;
    // The time for the answer may have run out while the handler read the body.
    const std::int64_t limit = later(rota::detail::clock_now(), error_patience);
    if (over == nullptr) c->limit_writes(limit);
    else answer_limit = limit;
    const std::error_code error = error_of_body();
    answer_error(error ? status_of(error) : 500);
}

}  // namespace rota::http::detail
