// Serves the streams of HTTP/2: accepts requests, runs handlers, and serves their reads and writes.
#include "http/h2/session.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include <nghttp2/nghttp2.h>
#include <rota/detail/time_engine.hpp>
#include <rota/go.hpp>

#include "http/connection/server_state.hpp"
#include "http/exchange/exchange.hpp"
#include "http/exchange/loan.hpp"
#include "http/message/deadline.hpp"
#include "http/message/grammar.hpp"

namespace rota::http::detail {

namespace {

constexpr std::size_t handlers_max = 250, waiting_max = 4 * handlers_max;
// Bytes of an answer that a stream may hold unsent: the least, once the connection holds much.
constexpr std::size_t unsent_max = 64 * 1024;
constexpr std::size_t unsent_least = 4 * 1024;
constexpr int head_too_large = 431;

// Waits for a notification of `changed`. False: the moment `limit` has passed; 0: no limit.
bool wait_until(condition_variable& changed, std::unique_lock<mutex>& lock, std::int64_t limit) {
    if (limit == 0) {
        changed.wait(lock);
        return true;
    }
    return changed.wait_until(lock, clock::time_point(clock::duration(limit))) ==
           std::cv_status::no_timeout;
}

// Drops the used part of a body, its first `at` bytes, once the rest is no longer than that part.
// So each used byte pays for at most one moved byte, and a body of any length takes at most twice
// the memory of its rest. Memory for more than a frame is freed when most of it is empty: there are
// many streams, and each may once have held a full window.
void forget(std::string& body, std::size_t& at) {
    constexpr std::size_t kept_max = 16 * 1024;
    if (at == 0 || at < body.size() - at) return;
    body.erase(0, at);
    at = 0;
    if (body.capacity() > std::max(kept_max, 4 * body.size()))
        body.shrink_to_fit();  // without memory the text stays as it is
}

// Turns lines "Name: value\r\n" into nghttp2's form: in lower case, and without the fields that
// belong to a connection. The values are views of the lines.
class fields_to_send {
  public:
    explicit fields_to_send(std::string_view lines) { names_.reserve(lines.size()); }
    fields_to_send(const fields_to_send&) = delete;
    fields_to_send& operator=(const fields_to_send&) = delete;

    void add(std::string_view name, std::string_view value) {
        const auto as_bytes = [](std::string_view text) {
            return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
        };
        all_.push_back(
            {as_bytes(name), as_bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    void add_lines(std::string_view lines) {
        for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 2) {
            end = lines.find("\r\n", at);
            const std::size_t colon = lines.find(": ", at);
            const std::size_t begin = names_.size();
            for (const char c : lines.substr(at, colon - at)) names_ += lower(c);
            const std::string_view name = std::string_view(names_).substr(begin);
            if (name == "connection" || name == "keep-alive" || name == "proxy-connection" ||
                name == "transfer-encoding" || name == "upgrade")
                continue;
            add(name, lines.substr(colon + 2, end - colon - 2));
        }
    }
    const nghttp2_nv* data() const { return all_.data(); }
    std::size_t size() const { return all_.size(); }

  private:
    std::string names_;  // reserved for the names of the lines, so that views of it stay valid
    std::vector<nghttp2_nv> all_;
};

// Gives nghttp2 more of a body. Caller: holds the session's lock, like every caller of nghttp2.
struct response_source {
    static ssize_t read(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t size,
                        std::uint32_t* flags, nghttp2_data_source* source, void*) {
        return static_cast<request_stream*>(source->ptr)->give(to, size, *flags);
    }
};

}  // namespace

// --- requests ------------------------------------------------------------------------------------

// Caller: holds mu_, in a callback of nghttp2.
void session::take_request(const stream_ptr& s) {
    if (dead_) return;
    if (running_ < handlers_max && waiting_.empty()) return start(s);
    if (waiting_.size() >= waiting_max) {
        (void)nghttp2_session_terminate_session(ng_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
        return;
    }
    waiting_.push_back(s);
}

// Caller: holds mu_.
void session::start(const stream_ptr& s) {
    ++running_;
    handlers_.add(1);
    s->started_ = true;
    try {
        go({.stack_size = c_.server.options.stack_size},
           [this, s]() mutable { run(std::move(s)); });
    } catch (const std::exception&) {  // no room for a goroutine
        --running_;
        handlers_.done();
        abandon(*s);
        reset(s->id_, NGHTTP2_REFUSED_STREAM);
    }
}

// Caller: holds mu_.
void session::reset(std::int32_t id, std::uint32_t why) {
    (void)nghttp2_submit_rst_stream(ng_.get(), NGHTTP2_FLAG_NONE, id, why);
    signal();
}

// Runs as the goroutine of a request. However it ends, also by goexit, it leaves the stream and
// drops its share of the stream.
void session::run(stream_ptr s) {
    struct leaving {
        session& of;
        stream_ptr& s;
        ~leaving() {
            of.leave(s);
            s.reset();
            of.handlers_.done();
        }
    } const at_end{*this, s};
    try {
        const loan borrowed(c_);
        borrowed->wire.over = s.get();
        answer(*borrowed, *s);
    } catch (const std::bad_alloc&) {  // leave() resets the stream
    }
}

// Makes the head for the exchange. Checks two things that nghttp2 does not: target and host.
void session::answer(exchange& x, request_stream& s) {
    request_head& head = x.reader.head;
    head = {};
    head.method = s.method_;
    head.target = s.method_ == "CONNECT" ? s.authority_ : s.target_;
    x.reader.clear_fields();
    std::int64_t length = 0;
    bool is_malformed = false;
    for (const auto& [name, value] : s.fields_) {
        x.reader.add_field(name, value);
        if (name == "content-length")
            length = static_cast<std::int64_t>(decimal(value).value_or(0));
        if (name == "host") {
            // RFC 9113, 8.3.1. A proxy may have checked the host that this server would ignore.
            if (!s.authority_.empty() && !equal_without_case(value, s.authority_))
                is_malformed = true;
            head.host = value;
        }
        if (name == "expect" && equal_without_case(value, "100-continue"))
            head.expects_continue = true;
    }
    if (!s.authority_.empty()) head.host = s.authority_;
    bool has_body = false;
    {
        const std::lock_guard guard(mu_);
        has_body = !s.in_ended_ || !s.in_.empty() || !s.trailers_.empty();
    }
    head.content_length = static_cast<std::uint64_t>(length);
    head.chunked = has_body && length == 0;
    if (!has_body) head.expects_continue = false;
    int reject = s.is_large_ ? head_too_large : 0;
    const std::string_view host = head.host;
    // Only HTTP/1.1 has an absolute form: here scheme and authority are separate fields.
    if (s.method_ != "CONNECT" && !s.target_.starts_with('/') && s.target_ != "*")
        is_malformed = true;
    if (reject == 0 && (is_malformed || !split_target(head) || (!host.empty() && !is_host(host))))
        reject = 400;
    if (!host.empty()) head.host = host;
    x.serve_stream(reject);
}

void session::leave(const stream_ptr& s) {
    {
        std::unique_lock lock(mu_);
        if (s->has_cancel_) s->cancel_ = {};
        if (!s->closed_ && !s->out_ended_) reset(s->id_, NGHTTP2_INTERNAL_ERROR);
        abandon(*s);
        if (!s->closed_) s->left_limit_ = s->response_limit_;
        late_at_ = earlier(late_at_, s->left_limit_);
        --running_;
        while (!waiting_.empty() && running_ < handlers_max && !dead_) {
            const stream_ptr next = std::move(waiting_.front());
            waiting_.pop_front();
            if (!next->closed_) start(next);
        }
        note_idle();
        note_held();
        if (!dead_) {
            signal();
            set_limit();
        }
    }
}

// Caller: holds mu_.
void session::close(request_stream& s, bool is_given_up) {
    s.closed_ = s.in_ended_ = true;
    unsent_ -= s.out_.size() - s.out_at_;
    std::string().swap(s.out_);
    s.out_at_ = 0;
    if (!s.started_) abandon(s);
    if (is_given_up && s.has_cancel_) given_up_.push_back(s.cancel_);
    s.changed_.notify_all();
}

// Caller: holds mu_.
void session::note_idle() {
    if (running_ != 0 || !streams_.empty()) return;
    idle_since_ = rota::detail::clock_now();
    c_.idle_since.store(idle_since_, rt::memory_order_relaxed);  // relaxed: a guess for evict_one
}

// Frees a stream that no handler reads any more. Gives the unread bytes of its body back to the
// connection's window, so that the client may send as many again. Caller: holds mu_.
void session::abandon(request_stream& s) {
    s.done_ = true;
    const std::size_t unread = s.in_.size() - s.in_at_;
    if (unread != 0 && !dead_) (void)nghttp2_session_consume_connection(ng_.get(), unread);
    std::string().swap(s.in_);
    s.in_at_ = 0;
    forget_head(s);
}

// The bytes of memory that a client may use: a multiple of the bytes that it has sent, and a credit
// for a new client; at most `most`. Caller: holds mu_.
std::size_t session::affordable(std::size_t most) const {
    constexpr std::uint64_t credit = 256 * 1024, for_each_byte = 64;
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(most, credit + for_each_byte * frames_.bytes()));
}

// Counts `more` bytes for a head; false: the memory of the connection's heads is used up. That
// memory is bounded since HPACK's table lets a few bytes stand for a long field. Caller: holds mu_.
bool session::may_keep(request_stream& s, std::size_t more) {
    constexpr std::size_t heads_max = 2, alone_max = 5, least = 1 << 20;
    const bool is_alone = heads_kept_ == s.head_kept_;
    // alone_max: short fields take several times the bytes that max_header_bytes counts.
    const std::size_t times = is_alone ? alone_max : heads_max;
    const std::size_t most = c_.server.options.max_header_bytes;
    const std::size_t budget =
        most > static_cast<std::size_t>(-1) / times ? most : std::max(times * most, least);
    if (heads_kept_ + more > affordable(budget)) return false;
    heads_kept_ += more;
    s.head_kept_ += more;
    return true;
}

// Caller: holds mu_; no handler uses the head.
void session::forget_head(request_stream& s) {
    heads_kept_ -= s.head_kept_;
    s.head_kept_ = 0;
    for (std::string* const each : {&s.method_, &s.authority_, &s.target_})
        std::string().swap(*each);
    std::vector<request_stream::field>().swap(s.fields_);
    std::vector<request_stream::field>().swap(s.trailers_);
}

// --- the handler's side --------------------------------------------------------------------------

void request_stream::watch(const cancel_func& cancel) {
    {
        const std::lock_guard guard(of_.mu_);
        if (!closed_) {
            cancel_ = cancel;
            has_cancel_ = true;
            return;
        }
    }
    cancel();
}

std::size_t request_stream::read(std::span<std::byte> to, std::int64_t limit,
                                 std::error_code& error) {
    error.clear();
    std::unique_lock lock(of_.mu_);
    if (in_at_ == in_.size() && !closed_ && !in_ended_)
        limit = earlier(limit,
                        later(rota::detail::clock_now(), of_.c_.server.options.read_stall_timeout));
    while (in_at_ == in_.size()) {
        if (in_interrupted_) error = std::make_error_code(std::errc::operation_canceled);
        if (error) return 0;
        if (closed_ && !in_whole_) error = http_errc::unexpected_end;
        if (closed_ || in_ended_) return 0;
        if (!wait_until(changed_, lock, limit)) {
            error = std::make_error_code(std::errc::timed_out);
            return 0;
        }
    }
    const std::size_t n = std::min(to.size(), in_.size() - in_at_);
    std::memcpy(to.data(), in_.data() + in_at_, n);
    in_at_ += n;
    forget(in_, in_at_);
    if (of_.dead_) return n;
    (void)nghttp2_session_consume(of_.ng_.get(), id_, n);
    of_.signal();
    return n;
}

void request_stream::interrupt_reads(bool on) noexcept {
    const std::lock_guard guard(of_.mu_);
    in_interrupted_ = on;
    changed_.notify_all();
}

void request_stream::take_trailers(header_map& to) {
    const std::lock_guard guard(of_.mu_);
    for (const auto& [name, value] : trailers_) to.add(name, value);
}

// The reason why nothing more can be sent. Caller: holds the lock.
std::error_code request_stream::why_gone() const {
    return std::make_error_code(is_late_ ? std::errc::timed_out : std::errc::connection_reset);
}

void request_stream::send_head(int status, std::string_view fields, bool ends,
                               std::error_code& error) {
    error.clear();
    const std::string code = std::to_string(status);
    fields_to_send all(fields);
    all.add(":status", code);
    all.add_lines(fields);
    const std::lock_guard guard(of_.mu_);
    if (closed_ || of_.dead_) {
        error = why_gone();
        return;
    }
    nghttp2_data_provider body{};
    body.source.ptr = this;
    body.read_callback = response_source::read;
    out_ended_ = ends;
    const int failed = status < 200
                           ? nghttp2_submit_headers(of_.ng_.get(), NGHTTP2_FLAG_NONE, id_, nullptr,
                                                    all.data(), all.size(), nullptr)
                           : nghttp2_submit_response(of_.ng_.get(), id_, all.data(), all.size(),
                                                     ends ? nullptr : &body);
    if (failed != 0) error = why_gone();
    of_.signal();
}

std::int64_t request_stream::give(std::uint8_t* to, std::size_t size, std::uint32_t& flags) {
    const std::size_t n = std::min(size, out_.size() - out_at_);
    if (n == 0 && !out_ended_) {
        deferred_ = true;
        owes_ = false;
        return NGHTTP2_ERR_DEFERRED;
    }
    std::memcpy(to, out_.data() + out_at_, n);
    out_at_ += n;
    of_.unsent_ -= n;
    of_.moved_at_ = moved_at_ = rota::detail::clock_now();
    if (out_at_ == out_.size() && out_ended_) {
        owes_ = false;
        flags |= NGHTTP2_DATA_FLAG_EOF;
        if (!out_trailers_.empty() && !give_trailers(flags))
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    forget(out_, out_at_);
    changed_.notify_all();
    return static_cast<std::int64_t>(n);
}

// Submits the trailers: their frame ends the stream in place of the body's last frame. False: the
// stream must be reset. Caller: holds the lock, in a callback of nghttp2.
bool request_stream::give_trailers(std::uint32_t& flags) noexcept {
    try {
        fields_to_send all(out_trailers_);
        all.add_lines(out_trailers_);
        flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        return nghttp2_submit_trailer(of_.ng_.get(), id_, all.data(), all.size()) == 0;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

// The moment at which the client will have taken nothing of the owed answer for too long; 0: never.
// A stream with an open window waits for streams that the client prefers, or for the socket: it is
// late only if no answer moves. Caller: holds the lock.
std::int64_t request_stream::stall_ends() const {
    if (!owes_) return 0;
    std::int64_t since = moved_at_;
    if (nghttp2_session_get_stream_remote_window_size(of_.ng_.get(), id_) > 0)
        since = of_.is_writing_ ? rota::detail::clock_now() : std::max(since, of_.moved_at_);
    return later(since, of_.c_.server.options.write_stall_timeout);
}

// Caller: holds the lock.
void request_stream::resume() {
    if (!owes_) {
        owes_ = true;
        moved_at_ = rota::detail::clock_now();
        of_.late_at_ = earlier(of_.late_at_, stall_ends());
    }
    if (deferred_) (void)nghttp2_session_resume_data(of_.ng_.get(), id_);
    deferred_ = false;
    of_.signal();
}

// The most bytes of an answer that a stream may hold unsent. Each stream may hold a few, so that no
// stream waits for another stream. Caller: holds mu_.
std::size_t session::unsent_limit() const {
    constexpr std::size_t most_of_all = 1 << 20;
    return unsent_ < affordable(most_of_all) ? unsent_max : unsent_least;
}

bool request_stream::put(std::unique_lock<mutex>& lock, std::string_view piece, std::int64_t limit,
                         std::error_code& error) {
    while (!piece.empty()) {
        if (closed_ || of_.dead_) {
            error = why_gone();
            return false;
        }
        const std::size_t unsent = out_.size() - out_at_;
        const std::size_t most = of_.unsent_limit();
        if (unsent >= most) {
            if (wait_until(changed_, lock, earlier(limit, stall_ends()))) continue;
            // Other streams may have moved meanwhile, and so the end.
            const std::int64_t end = earlier(limit, stall_ends());
            if (end == 0 || rota::detail::clock_now() < end) continue;
            is_late_ = true;
            error = why_gone();
            of_.reset(id_, NGHTTP2_CANCEL);
            return false;
        }
        const std::size_t n = std::min(piece.size(), most - unsent);
        out_.append(piece.substr(0, n));
        of_.unsent_ += n;
        piece.remove_prefix(n);
        resume();
    }
    return true;
}

void request_stream::send_body(std::string_view one, std::string_view other, bool ends,
                               std::int64_t limit, std::error_code& error) {
    error.clear();
    std::unique_lock lock(of_.mu_);
    response_limit_ = limit;
    if (!put(lock, one, limit, error) || !put(lock, other, limit, error)) return;
    if (closed_ || of_.dead_) {
        error = why_gone();
        return;
    }
    out_ended_ = out_ended_ || ends;
    resume();
}

void request_stream::send_trailers(std::string_view fields, std::error_code& error) {
    error.clear();
    const std::lock_guard guard(of_.mu_);
    if (closed_ || of_.dead_) {
        error = why_gone();
        return;
    }
    out_trailers_ = fields;
    out_ended_ = true;
    resume();
}

}  // namespace rota::http::detail
