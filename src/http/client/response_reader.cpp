// Reads the answers of servers for a client: the head, then the body as the head frames it.
#include "http/client/response_reader.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "http/client/request_writer.hpp"
#include "http/message/grammar.hpp"
#include "http/message/trailers.hpp"

namespace rota::http::detail {

namespace {

constexpr int switching_protocols = 101, ok = 200, no_content = 204, not_modified = 304;
// interim answers (1xx) before the final one; a server may announce its answer, but not for ever
constexpr int interim_max = 16;
constexpr std::size_t field_cost = 32, trailer_max = 64 * 1024;

// Makes room behind `used` bytes of a body. A length that a server promises is trusted up to 64
// KiB.
void make_room(std::string& body, std::size_t used, std::uint64_t promised) {
    constexpr std::size_t first = 1024, trusted = 64 * 1024;
    if (used < body.size()) return;
    const auto believed = static_cast<std::size_t>(std::min<std::uint64_t>(promised, trusted));
    body.resize(used + std::max(believed != 0 ? believed : first, used));
}

struct field_sink {
    header_map& fields;
    bool is_malformed = false;
};

// llhttp has checked the field. A field that llhttp accepts and header_map does not is malformed
// too.
void keep_field(void* to, std::string_view name, std::string_view value) {
    field_sink& sink = *static_cast<field_sink*>(to);
    if (is_token(name) && is_field_value(value)) sink.fields.add(name, value);
    else sink.is_malformed = true;
}

}  // namespace

std::int64_t response_reader::length() const {
    if (head_.has_length) return static_cast<std::int64_t>(head_.content_length);
    return has_body() ? -1 : 0;
}

bool response_reader::has_body() const {
    return !to_head_ && head_.status >= ok && head_.status != no_content &&
           head_.status != not_modified;
}

bool response_reader::keeps_connection() const {
    if (!head_.keep_alive || !c_.in.is_empty() || head_.status < ok) return false;
    if (has_body()) return head_.chunked || head_.has_length;
    // A server may send a body with an answer that must not have one.
    return head_.status != no_content || (!head_.chunked && head_.content_length == 0);
}

// False at the end, and on errors. EINTR does not arrive here.
bool response_reader::fill(std::error_code& error) {
    const std::size_t n = c_.wire.read(c_.in.room(), error);
    c_.in.filled(n);
    has_begun_ = has_begun_ || n != 0;
    return n != 0;
}

// --- the head ------------------------------------------------------------------------------------

void response_reader::read_head(header_map& fields, request_writer* sending,
                                std::error_code& error) {
    constexpr int go_on = 100;
    c_.in.settle();
    for (int interim = 0; interim <= interim_max; ++interim) {
        fields = header_map();
        read_one_head(fields, error);
        if (error) return;
        const bool is_final = head_.status >= ok || head_.status == switching_protocols;
        if (sending != nullptr && is_final) sending->on_answer();
        if (sending != nullptr && head_.status == go_on) sending->on_continue();
        if (is_final) return begin_body(error);
    }
    error = http_errc::malformed_response;
}

void response_reader::read_one_head(header_map& fields, std::error_code& error) {
    using outcome = head_scanner::outcome;
    input_buffer& in = c_.in;
    scanner_.reset();
    outcome seen = outcome::more;
    while ((seen = scanner_.scan(in.unread())) == outcome::more) {
        if (scanner_.begin() != 0) break;
        if (in.unread().size() >= head_left_) {
            error = http_errc::response_too_large;
            return;
        }
        if (fill(error)) continue;
        if (error) return;
        error = has_begun_ ? http_errc::incomplete_response : http_errc::server_closed;
        return;
    }
    if (seen != outcome::whole || scanner_.begin() != 0) {
        error = http_errc::malformed_response;
        return;
    }
    const std::size_t size = scanner_.end(), cost = size + field_cost * (scanner_.lines() - 1);
    if (cost > head_left_) {
        error = http_errc::response_too_large;
        return;
    }
    head_left_ -= cost;
    field_sink sink{fields};
    if (!parse_head(in.unread().substr(0, size), head_, keep_field, &sink) || sink.is_malformed)
        error = http_errc::malformed_response;
    in.consume(size);
    in.settle();
}

// --- the body ------------------------------------------------------------------------------------

void response_reader::begin_body(std::error_code& error) {
    has_ended_ = !has_body();
    if (has_ended_) return;
    if (head_.chunked) chunks_.reset(trailer_max, &trailer_lines_);
    if (!head_.has_length) return;
    left_ = head_.content_length;
    has_ended_ = left_ == 0;
    if (body_max_ != 0 && left_ > body_max_) error = http_errc::response_too_large;
}

std::size_t response_reader::read(std::span<char> to, std::error_code& error) {
    if (has_ended_ || to.empty()) return 0;
    const std::size_t n = head_.chunked      ? read_chunks(to, error)
                          : head_.has_length ? read_length(to, error)
                                             : read_to_end(to, error);
    read_ += n;
    if (!error && body_max_ != 0 && read_ > body_max_) error = http_errc::response_too_large;
    return error ? 0 : n;
}

void response_reader::read_all(std::string& body, std::error_code& error) {
    std::size_t size = 0;
    while (!has_ended_) {
        make_room(body, size, left_);
        const std::size_t n = read(std::span(body).subspan(size), error);
        if (n == 0) break;
        size += n;
    }
    body.resize(size);
}

void response_reader::take_trailers(header_map& to) const { add_trailers(to, trailer_lines_); }

// Takes bytes that have arrived, else reads from the connection. 0 at the end, and on errors.
std::size_t response_reader::take(std::span<char> to, std::error_code& error) {
    const std::string_view there = c_.in.unread();
    if (there.empty()) return c_.wire.read(std::as_writable_bytes(to), error);
    const std::size_t n = std::min(to.size(), there.size());
    std::memcpy(to.data(), there.data(), n);
    c_.in.consume(n);
    return n;
}

std::size_t response_reader::read_length(std::span<char> to, std::error_code& error) {
    const std::size_t n =
        take(to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), left_))), error);
    if (n == 0 && !error) error = http_errc::incomplete_response;
    left_ -= n;
    has_ended_ = left_ == 0;
    return n;
}

std::size_t response_reader::read_chunks(std::span<char> to, std::error_code& error) {
    using outcome = chunk_decoder::outcome;
    for (;;) {
        const std::string_view there = c_.in.unread();
        const chunk_decoder::step s =
            chunks_.decode(there.data(), there.size(), to.data(), to.size());
        c_.in.consume(s.consumed);
        has_ended_ = s.what == outcome::done;
        if (s.what == outcome::malformed) error = http_errc::malformed_response;
        if (error || has_ended_ || s.produced != 0) return s.produced;
        c_.in.rewind_to(0);
        if (fill(error)) continue;
        if (!error) error = http_errc::incomplete_response;
        return 0;
    }
}

std::size_t response_reader::read_to_end(std::span<char> to, std::error_code& error) {
    const std::size_t n = take(to, error);
    has_ended_ = n == 0 && !error;
    return n;
}

}  // namespace rota::http::detail
