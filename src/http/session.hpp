// A connection of HTTP/2 and its streams: see http/multiplex.hpp.
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

#include "http/connection.hpp"
#include "http/frame_tracker.hpp"
#include "http/multiplex.hpp"
#include "http/port.hpp"

struct nghttp2_session;

namespace rota::http::detail {

struct exchange;

class session;

// A request and its answer. Shared by the session, until nghttp2 has closed it, and by the
// handler's goroutine.
class request_stream final : public port {
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

    // As nghttp2_data_source_read_callback. Caller: holds the session's lock.
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

    // --- the session's lock; then, from the handler's beginning, the handler's ----------------
    std::string method_, authority_, target_;
    std::vector<field> fields_;
    std::size_t head_size_ = 0;
    std::size_t cookie_at_ = no_cookie;  // in fields_
    bool is_large_ = false;              // the head is larger than allowed

    // --- the session's lock --------------------------------------------------------------------
    std::string in_, out_;         // of the bodies, what has come and what is to be sent
    std::vector<field> trailers_;  // that have come
    std::string out_trailers_;     // lines to be sent behind the body
    std::size_t trailer_size_ = 0;
    std::size_t in_at_ = 0, out_at_ = 0;
    std::size_t head_kept_ = 0;  // its part of the session's budget
    bool begun_ = false;         // its head is whole
    bool started_ = false;       // it has had a handler
    bool in_ended_ = false;      // nothing more comes
    bool in_interrupted_ = false;
    bool in_whole_ = false;   // the client has said that this is all
    bool out_ended_ = false;  // the handler has written all of it
    bool deferred_ = false;   // nghttp2 waits for more of it
    bool owes_ = false;       // there is some of it, or its end, that nghttp2 has not taken
    bool is_late_ = false;    // it has been reset because the client was too slow
    bool closed_ = false;
    bool done_ = false;  // its handler has returned, or it will have none
    bool has_cancel_ = false;
    std::int64_t answer_limit_ = 0;  // when its answer must have been taken; 0: never
    std::int64_t left_limit_ = 0;    // the same, when the handler has gone and has left some of it
    std::int64_t moved_at_ = 0;      // when nghttp2 took some of it, or owes_ became true
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
    friend struct session_calls;                                            // what nghttp2 calls
    static constexpr std::int64_t resets_max = 1000, resets_a_second = 33;  // as nghttp2 has them
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
    std::deque<stream_ptr> waiting_;     // for a handler to end
    std::vector<cancel_func> given_up_;  // to be called without the lock
    std::size_t running_ = 0;            // handlers
    std::size_t heads_kept_ = 0;         // bytes of all heads
    std::size_t unsent_ = 0;             // bytes of all answers that nghttp2 has not taken
    std::int64_t held_told_ = 0;         // bytes of the heap that the server counts for this one
    frame_tracker frames_;               // where the client is
    std::uint64_t serial_ = 0;           // of what head_since_ is about
    std::int64_t head_since_ = 0;        // when the head that is being read began; 0: none is
    std::int64_t read_at_ = 0;           // when the last bytes came, within a frame
    std::int64_t resets_ = resets_max;   // that are still allowed at once
    std::int64_t resets_at_ = 0;         // when resets_ was increased last
    std::int64_t idle_since_ = 0;        // when the last stream was closed and its handler gone
    std::int64_t moved_at_ = 0;          // when the client last took a part of any answer
    bool is_writing_ = false;            // the writer is in a write of a part of an answer
    std::int64_t late_at_ = 0;           // no stream's late_at() is earlier; 0: there is none
    std::int64_t limit_ = -1;            // the deadline of reads, unless is_over_; -1: not set yet
    bool has_output_ = false;            // nghttp2 may have something to be sent
    bool is_first_ = true;               // no head has come to its end
    bool dead_ = false;                  // nothing more can be sent
    bool is_over_ = false;               // all has been sent, and the reader is to leave
    bool is_ending_ = false;             // what there is is sent, then nothing more
    condition_variable wake_;            // of the writer

    wait_group handlers_, writer_;
};

}  // namespace rota::http::detail
