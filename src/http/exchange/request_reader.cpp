// Reads the heads of requests.
#include "http/exchange/request_reader.hpp"

#include <cerrno>

#include <rota/detail/time_engine.hpp>

#include "http/connection/server_state.hpp"
#include "http/message/deadline.hpp"
#include "http/message/grammar.hpp"

namespace rota::http::detail {

namespace {

constexpr int target_too_long = 414, fields_too_large = 431;

}  // namespace

void request_reader::reset() noexcept {
    for (header_map* const each : {&fields, &trailers}) {
        if (each->size() > kept_max / sizeof(header_map::value_type)) *each = header_map();
        else each->clear();  // which keeps the memory
    }
    path_values.clear();
    input.shrink();
    for (std::string* const each : {&path, &trailer_lines_})
        if (each->capacity() > kept_max) std::string().swap(*each);
    scanner_.reset();
    body_ended_ = true;
    leaves_input_ = false;
}

next_step request_reader::read_head(int& reject) {
    connection& c = *wire_.c;
    const server_options& o = c.server.options;
    const std::size_t most = o.max_header_bytes;
    input.settle();
    scanner_.reset();
    bool waited = false;
    for (;;) {
        const head_scanner::outcome seen = scanner_.scan(input.unread());
        if (seen == head_scanner::outcome::malformed) reject = bad_request;
        else if (seen == head_scanner::outcome::whole ? scanner_.end() > most
                                                      : input.unread().size() >= most)
            reject = scanner_.has_request_line() ? fields_too_large : target_too_long;
        if (reject != 0 || seen == head_scanner::outcome::whole) break;
        if (!input.is_empty() && c.head_since == 0) c.head_since = rota::detail::clock_now();
        std::error_code error;
        if (!waited) sender_.send(error);
        if (error || (!waited && !c.become_idle())) return next_step::close;
        waited = true;
        // A connection gives its exchange back before it waits for a request.
        if (input.is_empty()) {
            const std::span<std::byte> room = input.room();
            const std::int64_t n = c.stream.try_read(room);
            // The passed deadline may be the end of a pause: wait_for_request() decides.
            if (n == -EAGAIN || n == -ETIMEDOUT) return next_step::wait;
            if (n <= 0) return next_step::close;
            input.filled(static_cast<std::size_t>(n));
            continue;
        }
        if (fill(earlier(later(c.head_since, o.read_header_timeout),
                         later(c.head_since, o.read_timeout)),
                 error))
            continue;
        const bool begun = input.unread().size() > scanner_.begin();
        if (error != std::errc::timed_out || !begun) return next_step::close;
        reject = request_timeout;
        break;
    }
    return c.become_active() ? next_step::go_on : next_step::close;
}

// RFC 9113, 3.3 and 3.4. The preface has the form of a head of HTTP/1.1.
bool request_reader::is_preface() const {
    constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\n";
    return scanner_.begin() == 0 && scanner_.end() == preface.size() &&
           input.unread().starts_with(preface) && wire_.c->server.options.h2c;
}

int request_reader::parse_head() {
    constexpr std::size_t body_room = 1024, field_cost = 32;
    const std::size_t begin = scanner_.begin(), end = scanner_.end();
    if (end + field_cost * (scanner_.lines() - 1) > wire_.c->server.options.max_header_bytes)
        return fields_too_large;
    input.reach(end, body_room);  // the input does not move from here on
    clear_fields();
    const auto keep = [](void* to, std::string_view name, std::string_view value) {
        static_cast<request_reader*>(to)->add_field(name, value);
    };
    if (const int code =
            http::parse_head(input.unread().substr(begin, end - begin), head, keep, this))
        return code;
    if (const int code = check_head()) return code;
    input.consume(end);
    return 0;
}

void request_reader::clear_fields() noexcept {
    fields.clear();
    path_values.clear();
}

void request_reader::add_field(std::string_view name, std::string_view value) {
    fields.borrow(name, value);
}

int request_reader::check_head() {
    path_has_escapes = head.raw_path.find('%') != std::string_view::npos;
    if (path_has_escapes) {
        path.clear();
        if (!append_unescaped(path, head.raw_path, false)) return bad_request;
    }
    const std::size_t most = wire_.c->server.options.max_body_bytes;
    return most != 0 && !head.chunked && head.content_length > most ? too_large : 0;
}

void request_reader::drop_head() {
    head = {};
    begin_body(0);
}

}  // namespace rota::http::detail
