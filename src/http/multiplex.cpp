// The session: reading, writing, and how it ends.
#include "http/multiplex.hpp"

#include <cerrno>
#include <exception>

#include <nghttp2/nghttp2.h>
#include <rota/detail/time_engine.hpp>
#include <rota/go.hpp>

#include "http/server.hpp"
#include "http/session.hpp"
#include "http/session_calls.hpp"

namespace rota::http::detail {

namespace {

constexpr std::uint32_t streams_max = 250, stream_window = 256 * 1024;
constexpr std::int32_t connection_window = 1 << 20;
constexpr std::size_t written_at_once = 64 * 1024;
// Frames that wait for the client to take them: more is malice.
constexpr std::size_t frames_max = 10'000;

// Out of line, so that the pages of its buffer are not those on which the connection waits.
[[gnu::noinline]] std::size_t read_some(connection& c, std::string& to, std::error_code& error) {
    std::byte buffer[8192];
    const std::size_t n = c.stream.read(buffer, error);
    to.assign(reinterpret_cast<const char*>(buffer), n);
    return n;
}

}  // namespace

// --- beginning -----------------------------------------------------------------------------------

bool session::begin() {
    ng_ = make_session(*this);
    if (ng_ == nullptr) return false;
    const auto most = static_cast<std::uint32_t>(
        std::min<std::size_t>(c_.server.options.max_header_bytes, 1U << 30));
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams_max},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, most},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    const bool is_set =
        nghttp2_submit_settings(ng_, NGHTTP2_FLAG_NONE, settings, std::size(settings)) == 0 &&
        nghttp2_session_set_local_window_size(ng_, NGHTTP2_FLAG_NONE, 0, connection_window) == 0;
    has_output_ = true;
    head_since_ = rota::detail::clock_now();
    return is_set;
}

void session::serve(std::string_view left) {
    if (!begin()) {
        nghttp2_session_del(ng_);
        return;
    }
    writer_.go([this] { write_all(); });
    if (c_.server.share(c_, this)) go_away();
    try {
        read_all(left);
    } catch (const std::bad_alloc&) {  // it ends, in order
    }
    c_.server.share(c_, nullptr);
    end();
    nghttp2_session_del(ng_);
}

// --- reading -------------------------------------------------------------------------------------

void session::read_all(std::string_view left) {
    bool goes_on = left.empty() || take(left);
    std::string bytes;
    while (goes_on && wait_for_bytes()) {
        std::error_code error;
        const std::size_t n = read_some(c_, bytes, error);
        if (error == std::errc::timed_out) continue;
        goes_on = n != 0 && take(bytes);
    }
}

// False: there is nothing more to be read.
bool session::take(std::string_view bytes) {
    std::unique_lock lock(mu_);
    const auto* const from = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const auto taken = nghttp2_session_mem_recv(ng_, from, bytes.size());
    if (nghttp2_session_get_outbound_queue_size(ng_) > frames_max) dead_ = true;
    signal();
    const bool goes_on = taken >= 0 && !dead_ && !is_over();
    cancel_some(lock);
    return goes_on;
}

// Caller: holds mu_.
bool session::is_over() {
    return nghttp2_session_want_read(ng_) == 0 && nghttp2_session_want_write(ng_) == 0;
}

// Who is given up is told so without the lock, which is held again afterwards.
void session::cancel_some(std::unique_lock<mutex>& lock) {
    std::vector<cancel_func> all;
    all.swap(given_up_);
    if (all.empty()) return;
    lock.unlock();
    for (const cancel_func& cancel : all) cancel();
    lock.lock();
}

// Caller: holds mu_. A connection without requests has the time of an idle one, a head its own, and
// while handlers run there is none.
void session::set_limit() {
    const server_options& o = c_.server.options;
    const std::int64_t now = rota::detail::clock_now();
    std::int64_t limit = 0;
    if (head_since_ != 0)
        limit =
            earlier(later(head_since_, o.read_header_timeout), later(head_since_, o.read_timeout));
    else if (running_ == 0) limit = later(now, o.idle_timeout);
    if (limit == limit_) return;
    limit_ = limit;
    c_.stream.set_deadline(true, false, limit);
}

// False: the client has left, or it is time to close.
bool session::wait_for_bytes() {
    {
        const std::lock_guard guard(mu_);
        set_limit();
    }
    for (;;) {
        const int failed = c_.stream.wait_readable();
        if (failed == 0) return true;
        if (failed != -ETIMEDOUT) return false;
        const std::lock_guard guard(mu_);
        const bool is_late = limit_ != 0 && rota::detail::clock_now() >= limit_;
        if (is_late) {
            (void)nghttp2_session_terminate_session(ng_, NGHTTP2_NO_ERROR);
            return false;
        }
        limit_ = 0;
        set_limit();
    }
}

// --- writing -------------------------------------------------------------------------------------

// Caller: holds mu_. False: nothing can be sent any more.
bool session::collect(std::string& to) {
    to.clear();
    has_output_ = false;
    while (to.size() < written_at_once) {
        const std::uint8_t* data = nullptr;
        const auto n = nghttp2_session_mem_send(ng_, &data);
        if (n < 0) return false;
        if (n == 0) return true;
        to.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(n));
    }
    has_output_ = true;
    return true;
}

// The writer's goroutine.
void session::write_all() {
    std::string bytes;
    std::unique_lock lock(mu_);
    for (;;) {
        wake_.wait(lock, [this] { return has_output_ || is_ending_ || dead_; });
        if (dead_) return;
        std::error_code error;
        try {
            dead_ = !collect(bytes);
        } catch (const std::bad_alloc&) {
            dead_ = true;
        }
        cancel_some(lock);
        const bool is_last = !has_output_ && (is_ending_ || is_over());
        lock.unlock();
        if (!bytes.empty()) c_.stream.write(std::string_view(bytes), error);
        if (bytes.capacity() > written_at_once * 2) bytes = {};
        lock.lock();
        if (!error && !dead_ && (!is_last || has_output_)) continue;
        if (error) dead_ = true;
        if (is_ending_) return;
        // The reader finds the end, and comes back with is_ending_.
        lock.unlock();
        if (!dead_) c_.stream.end_writing();
        c_.stream.wake(dead_);
        lock.lock();
        wake_.wait(lock, [this] { return is_ending_; });
        return;
    }
}

// --- the end -------------------------------------------------------------------------------------

// What has been read is answered no more; what nghttp2 has to say to that is sent.
void session::end() {
    {
        std::unique_lock lock(mu_);
        is_ending_ = true;
        wake_.notify_all();
    }
    constexpr std::int64_t patience = 500'000'000;  // ns
    c_.stream.set_deadline(false, true, rota::detail::clock_now() + patience);
    writer_.wait();
    {
        std::unique_lock lock(mu_);
        dead_ = true;
        waiting_.clear();
        while (!streams_.empty()) {
            const stream_ptr s = streams_.begin()->second;
            streams_.erase(streams_.begin());
            close(*s, true);
        }
        cancel_some(lock);
    }
    handlers_.wait();
}

void session::go_away() noexcept {
    const std::lock_guard guard(mu_);
    (void)nghttp2_submit_goaway(ng_, NGHTTP2_FLAG_NONE,
                                nghttp2_session_get_last_proc_stream_id(ng_), NGHTTP2_NO_ERROR,
                                nullptr, 0);
    signal();
}

void serve_multiplexed(connection& c, std::string_view left) {
    const auto s = std::make_unique<session>(c);
    s->serve(left);
}

}  // namespace rota::http::detail
