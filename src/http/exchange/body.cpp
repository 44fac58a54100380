// Reads the bodies of requests: for the handler, and the rest of a body that the handler has left.
#include <algorithm>
#include <cstring>
#include <utility>

#include <rota/detail/time_engine.hpp>

#include "http/client/made_request.hpp"
#include "http/connection/server_state.hpp"
#include "http/exchange/exchange.hpp"
#include "http/message/deadline.hpp"
#include "http/message/trailers.hpp"

namespace rota::http {
namespace detail {

namespace {

// bytes; reads of this size go right to the reader's memory, smaller ones are worth a copy
constexpr std::size_t direct_min = 1024;
// bytes read of a body that no handler reads: more is not worth the wait. Go:
// maxPostHandlerReadBytes.
constexpr std::uint64_t drained_max = 256 * 1024;

}  // namespace

void exchange::begin_body() {
    body_at = in.position();
    body_left = head.content_length;
    body_read = 0;
    body_error.clear();
    body_failed = false;
    continue_due = head.expects_continue;
    body_ended = !has_body();
    trailer_lines.clear();
    trailers.clear();
    if (head.chunked) chunks.reset(c->server.options.max_header_bytes, &trailer_lines);
}

void exchange::end_body() {
    add_trailers(trailers, trailer_lines);
    const auto turn = lock_shared();
    body_ended = true;
    if (has_ctx) begin_watch();
}

std::size_t exchange::fail_body(std::error_code why, std::error_code& error) {
    const auto turn = lock_shared();
    body_error = error = why;
    body_failed = true;
    return 0;
}

// A read that a context may interrupt has its deadline already, and nothing may move that deadline.
std::size_t exchange::read_socket(std::span<std::byte> to, std::int64_t limit,
                                  std::error_code& error) {
    return may_be_interrupted ? c->stream.read(to, error) : c->read(to, limit, error);
}

bool exchange::fill(std::int64_t limit, std::error_code& error) {
    if (!is_duplex) send(error);
    if (error) return false;
    const std::span<std::byte> room = in.room();
    note_input();
    const std::size_t n = read_socket(room, limit, error);
    in.filled(n);
    return n != 0;
}

void exchange::note_held(std::size_t body) {
    body_held = body;
    const std::size_t head_size = in.capacity() > input_buffer::kept_max ? in.capacity() : 0;
    const auto now = static_cast<std::int64_t>(head_size + body);
    if (now - held_told < held_memory::step) return;
    c->server.note_held(now - held_told);
    held_told = now;
}

void exchange::send_continue(std::error_code& error) {
    const auto turn = lock_head();
    if (!std::exchange(continue_due, false) || head_sent) return;
    if (over != nullptr) return over->send_head(100, {}, false, error);
    out.text() += "HTTP/1.1 100 Continue\r\n\r\n";
    out.send(c->stream, error);
    if (error) broken = true;  // no more than this flag: the writer may be at work
}

std::size_t exchange::read_body(std::span<std::byte> to, std::error_code& error) {
    error.clear();
    if (c->hijacked) {
        error = http_errc::hijacked;
        return 0;
    }
    if (body_error) {
        error = body_error;
        return 0;
    }
    if (body_ended || to.empty()) return 0;
    if (head.expects_continue) send_continue(error);
    if (error) return fail_body(error, error);
    if (over != nullptr) return read_stream(to, error);
    return head.chunked ? read_chunks(to, error) : read_length(to, error);
}

std::size_t exchange::read_length(std::span<std::byte> to, std::error_code& error) {
    to = to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), body_left)));
    std::size_t n = 0;
    if (in.is_empty()) {
        in.rewind_to(body_at);
        if (to.size() >= direct_min) {
            if (!is_duplex) send(error);
            if (!error) n = read_socket(to, body_limit, error);
        } else {
            (void)fill(body_limit, error);
        }
        if (error) return fail_body(error, error);
        if (n == 0 && in.is_empty()) return fail_body(http_errc::unexpected_end, error);
    }
    if (n == 0) {
        n = std::min(to.size(), in.unread().size());
        std::memcpy(to.data(), in.unread().data(), n);
        in.consume(n);
    }
    body_left -= n;
    body_read += n;
    if (body_left == 0) end_body();
    return n;
}

std::size_t exchange::read_chunks(std::span<std::byte> to, std::error_code& error) {
    const std::size_t most = c->server.options.max_body_bytes;
    for (;;) {
        const std::string_view there = in.unread();
        const chunk_decoder::step s = chunks.decode(there.data(), there.size(),
                                                    reinterpret_cast<char*>(to.data()), to.size());
        in.consume(s.consumed);
        body_read += s.produced;
        if (s.what == chunk_decoder::outcome::malformed)
            return fail_body(http_errc::malformed_body, error);
        if (most != 0 && body_read > most) return fail_body(http_errc::body_too_large, error);
        if (s.what == chunk_decoder::outcome::done) end_body();
        if (s.produced != 0 || body_ended) return s.produced;
        in.rewind_to(body_at);
        if (fill(body_limit, error)) continue;
        return fail_body(error ? error : http_errc::unexpected_end, error);
    }
}

bool exchange::drain_body() {
    if (body_ended) return true;
    if (body_error || continue_due || body_left > drained_max) {
        unread_input = true;
        return false;
    }
    // The handler has returned. A client that sends the rest slowly gets a limit here if it has
    // none.
    if (body_limit == 0)
        body_limit = later(rota::detail::clock_now(), c->server.options.read_header_timeout);
    char rest[1024];
    std::error_code error;
    for (std::uint64_t drained = 0; !body_ended && drained <= drained_max && !error;)
        drained += read_body(std::as_writable_bytes(std::span(rest)), error);
    unread_input = !body_ended;
    return body_ended;
}

}  // namespace detail

std::size_t request::read(std::span<std::byte> to, std::error_code& error) {
    if (x_ != nullptr) return x_->read_body(to, error);
    error.clear();
    return own_->read(to);
}
std::size_t request::read(const context& ctx, std::span<std::byte> to, std::error_code& error) {
    if (x_ != nullptr) return x_->read_body(ctx, to, error);
    error = ctx.err();
    return error ? 0 : own_->read(to);
}
std::size_t request::read(const context& ctx, std::span<std::byte> to) {
    std::error_code error;
    const std::size_t n = read(ctx, to, error);
    if (error) throw std::system_error(error, "rota::http: read");
    return n;
}
std::size_t request::read(std::span<std::byte> to) {
    std::error_code error;
    const std::size_t n = read(to, error);
    if (error) throw std::system_error(error, "rota::http: read");
    return n;
}

// A length that a client promises is trusted up to 64 KiB: it is no reason to reserve more.
std::string request::body() {
    if (x_ == nullptr) return own_->rest();
    constexpr std::size_t first = 512, trusted = 64 * 1024;
    std::string all;
    for (std::size_t size = 0;;) {
        if (size == all.size()) {
            const auto promised = static_cast<std::size_t>(
                std::min<std::uint64_t>(x_->head.chunked ? 0 : x_->body_left, trusted));
            all.resize(size + std::max({first, promised, size}));
            x_->note_held(all.capacity());
        }
        const std::size_t n = read(std::as_writable_bytes(std::span(all).subspan(size)));
        size += n;
        if (n == 0 || x_->body_ended) {
            all.resize(size);
            return all;
        }
    }
}

}  // namespace rota::http
