// Implements the session of HTTP/2: its reader, its writer, and its end.
#include "http/h2/multiplex.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>

#include <nghttp2/nghttp2.h>
#include <rota/detail/time_engine.hpp>
#include <rota/go.hpp>

#include "http/connection/server_state.hpp"
#include "http/h2/session.hpp"
#include "http/h2/session_calls.hpp"
#include "http/message/deadline.hpp"

namespace rota::http::detail {

namespace {

constexpr std::uint32_t streams_max = 250, stream_window = 256 * 1024;
constexpr std::int32_t connection_window = 1 << 20;
constexpr std::size_t written_at_once = 64 * 1024;
// Frames that wait until the client takes them. A good client causes an answer to each of its
// pings, which nghttp2 bounds by 1,000, and a few frames for each stream. More frames are answers
// to faults that come faster than the answers leave: the session ends. A client that goes on to
// frames_max is malicious: the connection ends at once.
constexpr std::size_t frames_calm = 2'000, frames_max = 10'000;
// The bound that nghttp2 has had since 1.61. A library without it reads CONTINUATION frames, of 9
// bytes each, for as long as they come (CVE-2024-28182).
constexpr std::uint64_t continuations_max = 8;
constexpr std::int64_t end_patience = 500'000'000;  // ns

// Out of line, so that the pages of its buffer are not in the stack of a waiting connection.
[[gnu::noinline]] std::size_t read_some(connection& c, std::string& to, std::error_code& error) {
    std::byte buffer[8192];
    const std::size_t n = c.stream.read(buffer, error);
    to.assign(reinterpret_cast<const char*>(buffer), n);
    return n;
}

}  // namespace

// --- beginning -----------------------------------------------------------------------------------

bool session::begin() {
    ng_.reset(make_session(*this));
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
        nghttp2_submit_settings(ng_.get(), NGHTTP2_FLAG_NONE, settings, std::size(settings)) == 0 &&
        nghttp2_session_set_local_window_size(ng_.get(), NGHTTP2_FLAG_NONE, 0, connection_window) ==
            0;
    has_output_ = true;
    head_since_ = read_at_ = idle_since_ = rota::detail::clock_now();
    return is_set;
}

void session::serve(std::string_view left) {
    if (!begin()) return;
    writer_.go([this] { write_all(); });
    if (c_.server.share(c_, this)) go_away();
    try {
        read_all(left);
    } catch (const std::exception&) {  // the connection ends in the usual way
    }
    c_.server.share(c_, nullptr);
    end();
}

void session::deleter::operator()(nghttp2_session* s) const noexcept { nghttp2_session_del(s); }

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

// Gives bytes to nghttp2. False: nothing more must be read. After the last answer the writer sets
// is_over_ once it has sent everything; nghttp2 drops the bytes that come meanwhile.
bool session::take(std::string_view bytes) {
    std::unique_lock lock(mu_);
    note_bytes(bytes);
    if (frames_.continuations_most() > continuations_max) {
        (void)nghttp2_session_terminate_session(ng_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
        signal();
        return false;
    }
    const auto* const from = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const auto taken = nghttp2_session_mem_recv(ng_.get(), from, bytes.size());
    const std::size_t frames = nghttp2_session_get_outbound_queue_size(ng_.get());
    if (frames > frames_calm)
        (void)nghttp2_session_terminate_session(ng_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
    if (frames > frames_max) dead_ = true;
    signal();
    const bool goes_on = taken >= 0 && !dead_ && (!is_over() || streams_.empty());
    note_held();
    cancel_some(lock);
    return goes_on;
}

// Tells the server the bytes that the connection holds, if they have changed by a step. Caller:
// holds mu_.
void session::note_held() noexcept {
    const std::int32_t unread = nghttp2_session_get_effective_recv_data_length(ng_.get());
    const auto now = static_cast<std::int64_t>(heads_kept_ + unsent_) + unread +
                     static_cast<std::int64_t>(running_ + waiting_.size()) * exchange_cost;
    const std::int64_t change = now - held_told_;
    if (change > -held_memory::step && change < held_memory::step) return;
    held_told_ = now;
    c_.server.note_held(change);
}

// Notes when the current head began: the first head, at the connection's beginning. Caller: holds
// mu_.
void session::note_bytes(std::string_view bytes) {
    frames_.take(bytes);
    is_first_ = is_first_ && frames_.heads() == 0;
    if (!frames_.is_within()) {
        if (!is_first_) head_since_ = 0;
        return;
    }
    read_at_ = rota::detail::clock_now();
    if (is_first_) return;
    if (!frames_.is_within_head()) {
        head_since_ = 0;
    } else if (head_since_ == 0 || serial_ != frames_.serial()) {
        head_since_ = read_at_;
        serial_ = frames_.serial();
    }
}

// Counts a reset. A client that makes the server reset its streams makes it work for nothing, like
// a client that resets them itself. Callbacks for fields and for RST_STREAM call this. A callback
// for DATA must not: a library without the fix of CVE-2026-27135, and some libraries with it, may
// abort when such a callback ends the session and a frame of a wrong length follows. Caller: holds
// mu_.
void session::count_reset() {
    constexpr std::int64_t second = 1'000'000'000;  // ns
    const std::int64_t now = rota::detail::clock_now();
    if (resets_ == resets_max) resets_at_ = now;
    const std::int64_t seconds = (now - resets_at_) / second;
    resets_ = std::min(resets_max, resets_ + seconds * resets_a_second) - 1;
    resets_at_ += seconds * second;
    if (resets_ < 0) (void)nghttp2_session_terminate_session(ng_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
}

// Caller: holds mu_.
bool session::is_over() {
    return nghttp2_session_want_read(ng_.get()) == 0 && nghttp2_session_want_write(ng_.get()) == 0;
}

// Cancels the contexts of given-up requests. Releases the lock meanwhile, and takes it again.
void session::cancel_some(std::unique_lock<mutex>& lock) {
    std::vector<cancel_func> all;
    all.swap(given_up_);
    if (all.empty()) return;
    lock.unlock();
    for (const cancel_func& cancel : all) cancel();
    lock.lock();
}

// The moment at which the reader has waited too long; 0: never. Within a frame read_stall_timeout
// counts, and within a head also the limits of a head. A connection without requests has
// idle_timeout; while handlers run, no further limit counts. Caller: holds mu_.
std::int64_t session::patience_ends() const {
    const server_options& o = c_.server.options;
    const std::int64_t stall =
        frames_.is_within() ? later(read_at_, o.read_stall_timeout) : std::int64_t{0};
    if (head_since_ != 0)
        return earlier(stall, earlier(later(head_since_, o.read_header_timeout),
                                      later(head_since_, o.read_timeout)));
    if (stall != 0) return stall;
    return running_ == 0 && streams_.empty() ? later(idle_since_, o.idle_timeout) : 0;
}

// Sets the deadline of reads. A deadline that comes too early stays: one more wait costs less.
// Caller: holds mu_.
void session::set_limit() {
    const std::int64_t limit = earlier(patience_ends(), late_at_);
    if (is_over_ || (limit_ >= 0 && (limit == 0 || (limit_ != 0 && limit_ <= limit)))) return;
    limit_ = limit;
    c_.stream.set_deadline(true, false, limit);
}

// Resets a stream if the client has not taken the answer in time, or has taken nothing for too
// long. The handler may have returned. Caller: holds mu_.
void session::reset_late(std::int64_t now) {
    if (late_at_ == 0 || now < late_at_) return;
    late_at_ = 0;
    for (const auto& [id, s] : streams_) {
        const std::int64_t end = s->late_at();
        if (end == 0 || now < end) {
            late_at_ = earlier(late_at_, end);
        } else {
            s->is_late_ = true;
            reset(id, NGHTTP2_CANCEL);
        }
    }
}

// Waits for input. False: the client has left, or it is time to close.
bool session::wait_for_bytes() {
    {
        const std::lock_guard guard(mu_);
        if (is_over_) return false;
        set_limit();
    }
    for (;;) {
        const int failed = c_.stream.wait_readable();
        if (failed == 0) return true;
        if (failed != -ETIMEDOUT) return false;
        const std::lock_guard guard(mu_);
        if (is_over_) return false;
        const std::int64_t now = rota::detail::clock_now(), end = patience_ends();
        if (end != 0 && now >= end) {
            (void)nghttp2_session_terminate_session(ng_.get(), NGHTTP2_NO_ERROR);
            return false;
        }
        reset_late(now);
        limit_ = -1;
        set_limit();
    }
}

// --- writing -------------------------------------------------------------------------------------

// Takes bytes to send from nghttp2. False: nothing can be sent any more. Caller: holds mu_.
bool session::collect(std::string& to) {
    to.clear();
    has_output_ = false;
    note_held();
    while (to.size() < written_at_once) {
        const std::uint8_t* data = nullptr;
        const auto n = nghttp2_session_mem_send(ng_.get(), &data);
        if (n < 0) return false;
        if (n == 0) return true;
        to.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(n));
    }
    has_output_ = true;
    return true;
}

// Runs as the writer's goroutine.
void session::write_all() {
    std::string bytes;
    std::unique_lock lock(mu_);
    for (;;) {
        wake_.wait(lock, [this] { return has_output_ || is_ending_ || dead_; });
        if (dead_) return;
        std::error_code error;
        const std::int64_t moved_before = moved_at_;
        try {
            dead_ = !collect(bytes);
        } catch (const std::bad_alloc&) {
            dead_ = true;
        }
        cancel_some(lock);
        if (!dead_) set_limit();
        const bool is_last = !has_output_ && (is_ending_ || is_over());
        // The bytes are a part of an answer, which is late if the write exceeds write_timeout.
        const clock::duration most = c_.server.options.write_timeout;
        if (!is_ending_ && !bytes.empty() && most.count() > 0)
            c_.stream.set_deadline(false, true, later(rota::detail::clock_now(), most));
        is_writing_ = moved_at_ != moved_before;  // a part of an answer, not only a reply to a ping
        lock.unlock();
        if (!bytes.empty()) c_.stream.write(std::string_view(bytes), error);
        if (bytes.capacity() > written_at_once * 2) std::string().swap(bytes);
        lock.lock();
        if (is_writing_) moved_at_ = rota::detail::clock_now();
        is_writing_ = false;
        if (!error && !dead_ && (!is_last || has_output_)) continue;
        if (error) dead_ = true;
        if (is_ending_) return;
        // The reader sees is_over_, and end() sets is_ending_. Only a dead connection is shut down
        // here: an answer on its way may still need the socket.
        constexpr std::int64_t long_ago = 1;
        is_over_ = true;
        if (dead_) c_.stream.wake(true);
        else c_.stream.set_deadline(true, false, long_ago);
        wake_.wait(lock, [this] { return is_ending_; });
        return;
    }
}

// --- the end -------------------------------------------------------------------------------------

// Ends the session. Requests that have been read get no answer any more, and nghttp2's last frames
// are sent. There may be no memory.
void session::end() noexcept {
    {
        const std::lock_guard guard(mu_);
        is_ending_ = true;
        wake_.notify_all();
        c_.stream.set_deadline(false, true, rota::detail::clock_now() + end_patience);
    }
    writer_.wait();
    bool may_linger = false;
    {
        std::unique_lock lock(mu_);
        may_linger = !dead_;
        dead_ = true;
        waiting_.clear();
        while (!streams_.empty()) {
            const stream_ptr s = streams_.begin()->second;
            streams_.erase(streams_.begin());
            close(*s, false);
            if (!s->has_cancel_) continue;
            const cancel_func cancel = s->cancel_;
            lock.unlock();
            cancel();
            lock.lock();
        }
        cancel_some(lock);
    }
    if (may_linger) linger();
    handlers_.wait();
    c_.server.note_held(-std::exchange(held_told_, 0));  // no other goroutine is left
}

// Reads what the client still sends, if only WINDOW_UPDATE frames. Unread bytes would make the
// kernel reset the connection at its close, and drop the answers on their way. See
// exchange::linger.
void session::linger() const noexcept {
    constexpr std::size_t most = 16 << 20;
    constexpr std::int64_t in_all = 10 * end_patience;
    const std::int64_t since = rota::detail::clock_now();
    c_.stream.set_deadline(false, true, since + end_patience);
    c_.stream.end_writing();
    std::byte buffer[1024];
    for (std::size_t thrown_away = 0; thrown_away < most;) {
        const std::int64_t now = rota::detail::clock_now();
        c_.stream.set_deadline(true, false, std::min(now + end_patience, since + in_all));
        std::error_code error;
        const std::size_t n = c_.stream.read(buffer, error);
        if (n == 0) return;
        thrown_away += n;
    }
}

void session::go_away() noexcept {
    const std::lock_guard guard(mu_);
    (void)nghttp2_submit_goaway(ng_.get(), NGHTTP2_FLAG_NONE,
                                nghttp2_session_get_last_proc_stream_id(ng_.get()),
                                NGHTTP2_NO_ERROR, nullptr, 0);
    signal();
}

void serve_multiplexed(connection& c, std::string_view left) {
    const auto s = std::make_unique<session>(c);
    s->serve(left);
}

}  // namespace rota::http::detail
