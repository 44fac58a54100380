// Declares a connection of HTTP/2 (session) and its streams (request_stream), which
// http/h2/multiplex.hpp describes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <rota/context.hpp>
#include <rota/sync/condition_variable.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/sync/wait_group.hpp>

#include "http/connection/connection.hpp"
#include "http/connection/multiplexed.hpp"
#include "http/exchange/stream_transport.hpp"
#include "http/h2/frame_tracker.hpp"
#include "http/message/deadline.hpp"

struct nghttp2_session;

namespace rota::http::detail {

struct exchange;

class session;

// A request and its answer. Its owners are the session, until nghttp2 closes the stream, and the
// handler's goroutine.
class request_stream final : public stream_transport {
  public:
    request_stream(session& of, std::int32_t id) : of_(of), id_(id) {}

    std::size_t read(std::span<std::byte> to, std::int64_t limit, std::error_code& error) override;
    void interrupt_reads(bool on) noexcept override;
    void take_trailers(header_map& to) override;
    void send_head(int status, std::string_view fields, bool ends, std::error_code& error) override;
    void send_body(std::string_view one, std::string_view other, bool ends, std::int64_t limit,
                   std::error_code& error) override;
    void send_trailers(std::string_view fields, std::error_code& error) override;
    void watch(const cancel_func& cancel) override;

    // Gives nghttp2 more of the answer's body, as an nghttp2_data_source_read_callback. Caller:
    // holds the session's lock.
    std::int64_t give(std::uint8_t* to, std::size_t size, std::uint32_t& flags);

  private:
    friend class session;
    friend struct session_calls;
    struct field {
        std::string name, value;
    };
    static constexpr std::size_t no_cookie = static_cast<std::size_t>(-1);
    std::int64_t stall_ends() const;
    std::error_code why_gone() const;
    std::int64_t late_at() const { return is_late_ ? 0 : earlier(left_limit_, stall_ends()); }
    bool put(std::unique_lock<mutex>& lock, std::string_view piece, std::int64_t limit,
             std::error_code& error);
    void resume();
    bool give_trailers(std::uint32_t& flags) noexcept;

    // --- fixed ---------------------------------------------------------------------------
    session& of_;
    const std::int32_t id_;

    // --- guarded by the session's lock; from the handler's start on, owned by the handler -------
    std::string method_, authority_, target_;
    std::vector<field> fields_;
    std::size_t head_size_ = 0;
    std::size_t cookie_at_ = no_cookie;  // index in fields_ of the field that collects cookies
    bool is_large_ = false;              // the head is larger than allowed

    // --- guarded by the session's lock ----------------------------------------------------------
    std::string in_, out_;  // bytes: the request's body as received; the answer's body to send
    std::vector<field> trailers_;  // of the request, as received
    std::string out_trailers_;     // lines to send behind the body
    std::size_t trailer_size_ = 0;
    std::size_t in_at_ = 0, out_at_ = 0;
    std::size_t head_kept_ = 0;  // bytes; its part of session::heads_kept_
    bool begun_ = false;         // the head has been received to its end
    bool started_ = false;       // a handler has been started for it
    bool in_ended_ = false;      // the request's body is over
    bool in_interrupted_ = false;
    bool in_whole_ = false;   // END_STREAM: the client has ended the body
    bool out_ended_ = false;  // the handler has written the whole answer
    bool deferred_ = false;   // nghttp2 waits for more of the answer's body
    bool owes_ = false;       // nghttp2 has not taken a part of the answer's body, or its end
    bool is_late_ = false;    // the stream was reset: the client was too slow
    bool closed_ = false;
    bool done_ = false;  // the handler has returned, or none will start
    bool has_cancel_ = false;
    std::int64_t response_limit_ = 0;  // ns; when the client must have the answer; 0: never
    std::int64_t left_limit_ = 0;      // ns; response_limit_, once the handler has left some unsent
    std::int64_t moved_at_ = 0;        // ns; when nghttp2 last took a part, or owes_ became true
    cancel_func cancel_;
    condition_variable changed_;
};

class session final : public multiplexed {
  public:
    explicit session(connection& c) : c_(c) {}
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    void serve(std::string_view left);
    void go_away() noexcept override;

  private:
    friend class request_stream;
    friend struct session_calls;  // the callbacks for nghttp2
    static constexpr std::int64_t resets_max = 1000, resets_a_second = 33;  // nghttp2's defaults
    using stream_ptr = std::shared_ptr<request_stream>;
    struct deleter {
        void operator()(nghttp2_session* s) const noexcept;
    };

    bool begin();
    void read_all(std::string_view left);
    bool take(std::string_view bytes);
    bool is_over();
    bool wait_for_bytes();
    std::int64_t patience_ends() const;
    void set_limit();
    void reset_late(std::int64_t now);
    void end() noexcept;
    void linger() const noexcept;
    void write_all();
    bool collect(std::string& to);
    void signal() {
        has_output_ = true;
        wake_.notify_all();
    }
    void cancel_some(std::unique_lock<mutex>& lock);

    void take_request(const stream_ptr& s);
    void start(const stream_ptr& s);
    void run(stream_ptr s);
    void answer(exchange& x, request_stream& s);
    void leave(const stream_ptr& s);
    void close(request_stream& s, bool is_given_up);
    void note_idle();
    void abandon(request_stream& s);
    std::size_t affordable(std::size_t most) const;
    std::size_t unsent_limit() const;
    bool may_keep(request_stream& s, std::size_t more);
    void forget_head(request_stream& s);
    void reset(std::int32_t id, std::uint32_t why);
    void note_bytes(std::string_view bytes);
    void note_held() noexcept;
    void count_reset();

    // --- fixed ---------------------------------------------------------------------------
    connection& c_;

    // --- guarded by mu_ ----------------------------------------------------------------------
    mutex mu_;
    std::unique_ptr<nghttp2_session, deleter> ng_;
    std::map<std::int32_t, stream_ptr> streams_;
    std::deque<stream_ptr> waiting_;     // requests that wait for a running handler to end
    std::vector<cancel_func> given_up_;  // of given-up requests; called without the lock
    std::size_t running_ = 0;            // handlers that have started and not ended
    std::size_t heads_kept_ = 0;         // bytes; for the heads of the streams
    std::size_t unsent_ = 0;             // bytes; of answers, not yet taken by nghttp2
    std::int64_t held_told_ = 0;   // bytes of the heap that the server counts for this connection
    frame_tracker frames_;         // the client's position in its frames
    std::uint64_t serial_ = 0;     // frames_.serial() of the head that head_since_ is about
    std::int64_t head_since_ = 0;  // ns; when the head being read began; 0: none is being read
    std::int64_t read_at_ = 0;     // ns; when the last bytes came that ended within a frame
    std::int64_t resets_ = resets_max;  // resets that are still allowed at once
    std::int64_t resets_at_ = 0;        // ns; when resets_ last grew
    std::int64_t idle_since_ = 0;  // ns; when the connection became idle: no stream, no handler
    std::int64_t moved_at_ = 0;    // ns; when nghttp2 or the socket last took a part of any answer
    bool is_writing_ = false;      // the writer is writing a part of an answer
    std::int64_t late_at_ = 0;     // ns; no stream's late_at() is earlier; 0: no stream has one
    std::int64_t limit_ = -1;      // ns; the deadline of reads, unless is_over_; -1: not set
    bool has_output_ = false;      // nghttp2 may have bytes to send
    bool is_first_ = true;         // no head has been received to its end
    bool dead_ = false;            // nothing more can be sent
    bool is_over_ = false;         // the writer has sent everything: the reader must leave
    bool is_ending_ = false;       // end() has begun: the writer sends the rest, then stops
    condition_variable wake_;      // wakes the writer

    wait_group handlers_, writer_;
};

}  // namespace rota::http::detail
