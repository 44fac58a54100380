// Sends a response on a stream of HTTP/2, which frames the body itself.
#include <string>

#include "http/exchange/response_sender.hpp"
#include "http/message/trailers.hpp"

namespace rota::http::detail {

void response_sender::send_early_head(int code) {
    std::string lines;
    if (code != 100) append_early_fields(lines);
    std::error_code error;
    wire_.over->send_head(code, lines, false, error);
    if (error) throw std::system_error(error, "rota::http: write_header");
}

// Sends the head, without the fields of a connection: RFC 9113, 8.2.2 forbids them in a stream.
// `is_complete`: the handler has written the whole body. `is_over`: nothing follows the head.
void response_sender::send_stream_head(bool is_complete, bool is_over, std::error_code& error) {
    enter(response_phase::body_as_is);
    const bool has_length = allows_body() && (declared_ || (is_complete && written_ > 0) ||
                                              (is_complete && !is_to_head()));
    head_text own;
    if ((own_fields_ & own_date) == 0) put_date(own);
    if (has_length) put_length(own);
    lines_ += own.view();
    if ((own_fields_ & own_trailer) == 0 && allows_body() && !is_to_head())
        append_announcement(lines_, trailers);
    wire_.over->send_head(status_, lines_, is_over, error);
    if (error) wire_.broken = true;
}

void response_sender::send_stream_body(std::string_view more, bool ends, std::error_code& error) {
    wire_.over->send_body(collected_, more, ends, limit_, error);
    collected_.clear();
    if (error) wire_.broken = true;
}

void response_sender::finish_stream() {
    std::error_code error;
    if (wire_.broken) return;
    end_head();
    if (is_to_head()) collected_.clear();
    // A body shorter than declared does not end its stream: the session resets it, and the client
    // sees that the body is cut off.
    const bool is_cut = is_short();
    std::string lines;
    if (!is_cut && allows_body() && !is_to_head()) append_trailers(lines, trailers);
    const bool is_over = !has_sent_head() && !is_cut && collected_.empty() && lines.empty();
    if (!has_sent_head()) send_stream_head(!is_cut, is_over, error);
    if (error || is_over) return;
    send_stream_body({}, !is_cut && lines.empty(), error);
    if (!error && !lines.empty()) wire_.over->send_trailers(lines, error);
    if (error) wire_.broken = true;
}

}  // namespace rota::http::detail
