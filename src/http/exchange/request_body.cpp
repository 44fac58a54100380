// Reads the bodies of requests: for the handler, and the rest of a body that the handler has left.
#include <algorithm>
#include <cstring>

#include <rota/detail/time_engine.hpp>

#include "http/connection/server_state.hpp"
#include "http/exchange/request_reader.hpp"
#include "http/message/deadline.hpp"
#include "http/message/trailers.hpp"

namespace rota::http::detail {

namespace {

// bytes; reads of this size go right to the reader's memory, smaller ones are worth a copy
constexpr std::size_t direct_min = 1024;
// bytes read of a body that no handler reads: more is not worth the wait. Go:
// maxPostHandlerReadBytes.
constexpr std::uint64_t drained_max = 256 * 1024;

}  // namespace

void request_reader::begin_body(std::int64_t limit) {
    body_at_ = input.position();
    body_left_ = head.content_length;
    body_read_ = 0;
    body_limit_ = limit;
    body_error_.clear();
    wire_.body_failed = false;
    body_ended_ = !head.chunked && head.content_length == 0;
    trailer_lines_.clear();
    trailers.clear();
    if (head.chunked) chunks_.reset(wire_.c->server.options.max_header_bytes, &trailer_lines_);
}

void request_reader::end_body() {
    add_trailers(trailers, trailer_lines_);
    const auto turn = wire_.lock_shared();
    body_ended_ = true;
    if (watch_.has_context() && !may_be_interrupted_) watch_.begin();
}

std::size_t request_reader::fail_body(std::error_code why, std::error_code& error) {
    const auto turn = wire_.lock_shared();
    body_error_ = error = why;
    wire_.body_failed = true;
    return 0;
}

// A read that a context may interrupt has its deadline already, and nothing may move that deadline.
std::size_t request_reader::read_socket(std::span<std::byte> to, std::int64_t limit,
                                        std::error_code& error) {
    return may_be_interrupted_ ? wire_.c->stream.read(to, error) : wire_.c->read(to, limit, error);
}

bool request_reader::fill(std::int64_t limit, std::error_code& error) {
    if (!wire_.is_duplex) sender_.send(error);
    if (error) return false;
    const std::span<std::byte> room = input.room();
    note_input();
    const std::size_t n = read_socket(room, limit, error);
    input.filled(n);
    return n != 0;
}

void request_reader::note_held(std::size_t body) {
    body_held_ = body;
    const std::size_t head_size = input.capacity() > input_buffer::kept_max ? input.capacity() : 0;
    const auto now = static_cast<std::int64_t>(head_size + body);
    if (now - held_told_ < held_memory::step) return;
    wire_.c->server.note_held(now - held_told_);
    held_told_ = now;
}

std::size_t request_reader::read_body(std::span<std::byte> to, std::error_code& error) {
    error.clear();
    if (wire_.c->hijacked) {
        error = http_errc::hijacked;
        return 0;
    }
    if (body_error_) {
        error = body_error_;
        return 0;
    }
    if (body_ended_ || to.empty()) return 0;
    if (head.expects_continue) sender_.send_continue(error);
    if (error) return fail_body(error, error);
    if (wire_.over != nullptr) return read_stream(to, error);
    return head.chunked ? read_chunks(to, error) : read_length(to, error);
}

std::size_t request_reader::read_length(std::span<std::byte> to, std::error_code& error) {
    to = to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), body_left_)));
    std::size_t n = 0;
    if (input.is_empty()) {
        input.rewind_to(body_at_);
        if (to.size() >= direct_min) {
            if (!wire_.is_duplex) sender_.send(error);
            if (!error) n = read_socket(to, body_limit_, error);
        } else {
            (void)fill(body_limit_, error);
        }
        if (error) return fail_body(error, error);
        if (n == 0 && input.is_empty()) return fail_body(http_errc::unexpected_end, error);
    }
    if (n == 0) {
        n = std::min(to.size(), input.unread().size());
        std::memcpy(to.data(), input.unread().data(), n);
        input.consume(n);
    }
    body_left_ -= n;
    body_read_ += n;
    if (body_left_ == 0) end_body();
    return n;
}

std::size_t request_reader::read_chunks(std::span<std::byte> to, std::error_code& error) {
    const std::size_t most = wire_.c->server.options.max_body_bytes;
    for (;;) {
        const std::string_view there = input.unread();
        const chunk_decoder::step s = chunks_.decode(there.data(), there.size(),
                                                     reinterpret_cast<char*>(to.data()), to.size());
        input.consume(s.consumed);
        body_read_ += s.produced;
        if (s.what == chunk_decoder::outcome::malformed)
            return fail_body(http_errc::malformed_body, error);
        if (most != 0 && body_read_ > most) return fail_body(http_errc::body_too_large, error);
        if (s.what == chunk_decoder::outcome::done) end_body();
        if (s.produced != 0 || body_ended_) return s.produced;
        input.rewind_to(body_at_);
        if (fill(body_limit_, error)) continue;
        return fail_body(error ? error : http_errc::unexpected_end, error);
    }
}

std::size_t request_reader::read_stream(std::span<std::byte> to, std::error_code& error) {
    const std::size_t n = wire_.over->read(to, body_limit_, error);
    if (error) return fail_body(error, error);
    body_read_ += n;
    const std::size_t most = wire_.c->server.options.max_body_bytes;
    if (most != 0 && body_read_ > most) return fail_body(http_errc::body_too_large, error);
    if (n == 0) {
        wire_.over->take_trailers(trailers);
        const auto turn = wire_.lock_shared();
        body_ended_ = true;
    }
    return n;
}

bool request_reader::drain_body() {
    if (body_ended_) return true;
    if (body_error_ || sender_.is_continue_due() || body_left_ > drained_max) {
        leaves_input_ = true;
        return false;
    }
    // The handler has returned. A client that sends the rest slowly gets a limit here if it has
    // none.
    if (body_limit_ == 0)
        body_limit_ = later(rota::detail::clock_now(), wire_.c->server.options.read_header_timeout);
    char rest[1024];
    std::error_code error;
    for (std::uint64_t drained = 0; !body_ended_ && drained <= drained_max && !error;)
        drained += read_body(std::as_writable_bytes(std::span(rest)), error);
    leaves_input_ = !body_ended_;
    return body_ended_;
}

}  // namespace rota::http::detail
