// Serves a request that came on a stream of HTTP/2: the parts of an exchange without a connection
// of its own.

#include <rota/detail/time_engine.hpp>

#include "http/connection/server_state.hpp"
#include "http/exchange/exchange.hpp"
#include "http/message/deadline.hpp"
#include "http/message/trailers.hpp"

namespace rota::http::detail {

void exchange::clear_fields() noexcept {
    fields.clear();
    path_values.clear();
}

void exchange::add_field(std::string_view name, std::string_view value) {
    fields.borrow(name, value);
}

// Caller: has filled the head and the fields.
void exchange::serve_stream(int reject) {
    constexpr int too_large = 413;
    const server_options& o = c->server.options;
    const std::int64_t now = rota::detail::clock_now();
    body_limit = later(now, o.read_timeout);
    answer_limit = later(now, o.write_timeout);
    head.keep_alive = true;
    begin_body();
    begin_answer();
    if (reject != 0) return answer_error(reject);
    if (!accept_target()) return answer_error(400);
    if (o.max_body_bytes != 0 && head.content_length > o.max_body_bytes)
        return answer_error(too_large);
    run_handler();
}

std::size_t exchange::read_stream(std::span<std::byte> to, std::error_code& error) {
    const std::size_t n = over->read(to, body_limit, error);
    if (error) return fail_body(error, error);
    body_read += n;
    const std::size_t most = c->server.options.max_body_bytes;
    if (most != 0 && body_read > most) return fail_body(http_errc::body_too_large, error);
    if (n == 0) {
        over->take_trailers(trailers);
        const auto turn = lock_shared();
        body_ended = true;
    }
    return n;
}

// Sends the head, without the fields of a connection: RFC 9113, 8.2.2 forbids them in a stream.
// `is_complete`: the handler has written the whole body. `is_over`: nothing follows the head.
void exchange::send_stream_head(bool is_complete, bool is_over, std::error_code& error) {
    head_sent = true;
    const bool has_length = allows_body() && (has_declared || (is_complete && written > 0) ||
                                              (is_complete && !is_head_method()));
    head_text own;
    if (!has_date) put_date(own);
    if (has_length) {
        own.add("Content-Length: ");
        own.add_number(has_declared ? declared : written);
        own.add("\r\n");
    }
    sent_fields += own.view();
    if (!announces_trailers && allows_body() && !is_head_method())
        append_announcement(sent_fields, answer_trailers);
    over->send_head(status, sent_fields, is_over, error);
    if (error) broken = true;
}

void exchange::send_stream_body(std::string_view more, bool ends, std::error_code& error) {
    over->send_body(collected, more, ends, answer_limit, error);
    collected.clear();
    if (error) broken = true;
}

void exchange::finish_stream() {
    std::error_code error;
    if (broken) return;
    if (status == 0) end_head(200);
    if (is_head_method()) collected.clear();
    // A body shorter than declared does not end its stream: the session resets it, and the client
    // sees that the body is cut off.
    const bool is_short = has_declared && written < declared && !is_head_method();
    std::string lines;
    if (!is_short && allows_body() && !is_head_method()) append_trailers(lines, answer_trailers);
    const bool is_over = !head_sent && !is_short && collected.empty() && lines.empty();
    if (!head_sent) send_stream_head(!is_short, is_over, error);
    if (error || is_over) return;
    send_stream_body({}, !is_short && lines.empty(), error);
    if (!error && !lines.empty()) over->send_trailers(lines, error);
    if (error) broken = true;
}

}  // namespace rota::http::detail
