// The buffers, the request and the answer that a connection uses while it answers requests.
//
// A connection borrows the object from the server while there are bytes to read or answer. The
// object keeps its memory for the next borrower: answering a small request allocates nothing. It
// belongs to the connection's goroutine, which also runs the handler.
//
// The views of the request (head, fields) point into `in`, which does not move until the request
// has been answered. The body is read behind the head, or right into the handler's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <rota/context.hpp>
#include <rota/detail/pool_engine.hpp>
#include <rota/http.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/sync/wait_group.hpp>

#include "base/atomic.hpp"
#include "http/connection/connection.hpp"
#include "http/exchange/output.hpp"
#include "http/exchange/port.hpp"
#include "http/message/buffer.hpp"
#include "http/message/chunked.hpp"
#include "http/message/grammar.hpp"
#include "http/message/head.hpp"
#include "http/message/short_text.hpp"

namespace rota::http::detail {

// The part of a head that the server adds itself.
using head_text = short_text<128>;

enum class next_step : std::uint8_t { go_on, wait, close, linger, multiplex };

// A flag that both goroutines of a full-duplex request set and read. relaxed: it hands over
// nothing, and a goroutine that reads it too early meets the failure itself.
class shared_flag {
  public:
    operator bool() const { return set_.load(rt::memory_order_relaxed); }  // relaxed: see above
    shared_flag& operator=(bool set) {
        set_.store(set, rt::memory_order_relaxed);  // relaxed: see above
        return *this;
    }

  private:
    rt::atomic<bool> set_{false};
};

struct exchange : rota::detail::pool_box {
    exchange() : incoming(*this), outgoing(*this) {
        destroy = [](pool_box* b) noexcept { delete static_cast<exchange*>(b); };
    }
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;

    // --- requests.cpp: one after the other ------------------------------------------------
    // Answers the requests that have arrived. wait: no more have arrived; close: that was the last
    // request; multiplex: `in` begins with the preface of HTTP/2.
    next_step serve();

    // --- one request, without a connection of its own: stream_answer.cpp --------------------
    void clear_fields() noexcept;
    void add_field(std::string_view name, std::string_view value);  // borrowed: the texts stay
    // `reject`: 0, or the status to answer with.
    void serve_stream(int reject);

    // --- the request's body: body.cpp ---------------------------------------------------
    bool has_body() const { return head.chunked || head.content_length > 0; }
    void begin_body();
    std::size_t read_body(std::span<std::byte> to, std::error_code& error);
    // Like read_body; the context may end it too.
    std::size_t read_body(const context& until, std::span<std::byte> to, std::error_code& error);
    // Reads the rest of a short body. False: the connection cannot be used again.
    bool drain_body();
    // Reads more bytes into `in`; false at the end, and on errors. Sends pending output first.
    // `limit`: the moment when the client's time is over, 0 for none.
    bool fill(std::int64_t limit, std::error_code& error);

    // --- the answer: answer.cpp ----------------------------------------------------------
    void begin_answer();
    void write_header(int code);
    void write(std::string_view data, std::error_code& error);
    void flush(std::error_code& error);
    // Adds `count` bytes of a file, from `offset` on, to a body whose length is declared. Returns
    // how many: fewer if the file ends early, or at an error. See file_body.cpp.
    std::uint64_t write_file(rt::fd& from, std::uint64_t offset, std::uint64_t count,
                             std::error_code& error);
    // The handler has returned.
    void finish_answer();
    // Answers with an error of the server's own, if nothing has been sent; closes the connection.
    void answer_error(int code);
    void send(std::error_code& error);  // sends `out`
    net::conn hijack();

    // --- both at once: duplex.cpp ----------------------------------------------------------
    void enable_duplex(std::error_code& error);
    // Locks for the state that reading and writing share, if two goroutines do both. No holder of
    // shared_mu waits for the client. A holder of head_mu may: it writes in front of the body, and
    // waits for the client to take that. Only a goroutine that must write behind it waits for
    // head_mu, and takes head_mu before shared_mu.
    std::unique_lock<mutex> lock_shared() {
        return is_duplex ? std::unique_lock(shared_mu) : std::unique_lock<mutex>();
    }
    std::unique_lock<mutex> lock_head() {
        return is_duplex ? std::unique_lock(head_mu) : std::unique_lock<mutex>();
    }

    // --- the request's context: watch.cpp ------------------------------------------------
    context request_context();
    void begin_watch() noexcept;
    void end_watch() noexcept;

    // Tells the server how much memory the request holds beyond the usual, if that has grown by a
    // step: a large head, or the string of request::body, of `body` bytes.
    void note_held(std::size_t body);
    void note_input() {
        if (in.capacity() > input_buffer::kept_max) note_held(body_held);
    }
    // Returns the bytes that the server counts for this request, and forgets them.
    std::int64_t forget_held() noexcept {
        body_held = 0;
        return std::exchange(held_told, 0);
    }

    // Makes the object ready for another connection, with no more memory than is usual.
    void reset() noexcept;
    void attach(connection& to) noexcept { c = &to; }

    // For the library's own handlers. Throws panic_error for a request that a program has made.
    static exchange& of(request& r);

    connection* c = nullptr;
    port* over = nullptr;           // null: the exchange has a connection of its own
    std::int64_t answer_limit = 0;  // ns; of a stream's answer: when it must have been sent

    // --- input -------------------------------------------------------------------------
    input_buffer in;
    head_scanner scanner;
    request_head head;
    header_map fields;
    std::string path;  // if the target's path has escapes
    std::vector<std::pair<std::string_view, std::string>> path_values;
    bool path_has_escapes = false;

    // --- body ----------------------------------------------------------------------------
    chunk_decoder chunks;
    std::uint64_t body_left = 0;  // bytes left of a Content-Length
    std::uint64_t body_read = 0;
    std::size_t body_at = 0;  // offset in `in` of the room for the body
    std::int64_t body_limit = 0;
    bool body_ended = true;
    bool continue_due = false;  // the client waits for leave to send the body
    std::error_code body_error;
    shared_flag body_failed;     // with body_error
    std::size_t body_held = 0;   // bytes of the string of request::body
    std::int64_t held_told = 0;  // bytes that the server counts for this request
    std::string trailer_lines;   // trailers as they came in chunks
    header_map trailers;         // filled when the body has ended

    // --- output ------------------------------------------------------------------------------
    output out;               // sent next, heads included
    std::string collected;    // bytes of the body, behind `out`
    std::string sent_fields;  // as text
    header_map answer_fields, answer_trailers;
    int status = 0;  // 0: the head is not final
    std::uint64_t written = 0;
    std::uint64_t declared = 0;  // bytes; by Content-Length
    bool has_declared = false;
    bool has_date = false;
    bool has_connection = false;
    bool announces_trailers = false;  // the handler has set a field Trailer
    bool head_sent = false;
    bool in_chunks = false;
    bool close_after = false;
    bool unread_input = false;  // some input will never be read
    shared_flag broken;         // the connection fails: exceptions about it are no news
    std::int64_t date_second = -1;
    char date[date_size];

    // --- context ------------------------------------------------------------------------------
    context ctx;
    cancel_func cancel;
    bool has_ctx = false, watching = false, unwatched = false;
    wait_group watcher;

    // --- both at once ----------------------------------------------------------------------
    // One goroutine reads the body while another writes. Set before both run. Then shared_mu guards
    // body_ended, body_error, has_ctx and the watch. head_mu guards continue_due, head_sent, and
    // `out` until the head is in it; from then on `out` is the writer's.
    bool is_duplex = false;
    bool may_be_interrupted = false;  // written by the reader; under shared_mu when it ends
    mutex head_mu, shared_mu;

    request incoming;
    response_writer outgoing;

  private:
    next_step read_head(int& reject);
    bool is_preface() const;
    next_step answer_request();
    next_step reject_request(int code);
    bool accept_target();
    void run_handler();
    void call_handler();
    void log_panic(const std::string& trace) noexcept;
    void on_exception();

    std::size_t read_socket(std::span<std::byte> to, std::int64_t limit, std::error_code& error);
    std::size_t read_length(std::span<std::byte> to, std::error_code& error);
    std::size_t read_chunks(std::span<std::byte> to, std::error_code& error);
    void end_body();
    std::size_t fail_body(std::error_code why, std::error_code& error);
    std::error_code error_of_body() {
        const auto turn = lock_shared();
        return body_error;
    }
    void send_continue(std::error_code& error);

    void end_head(int code);
    void send_early_head(int code);
    void append_early_fields(std::string& to) const;
    bool send_head_first(std::error_code& error);
    void note_field(std::string_view name, std::string_view value);
    void put_status_line(int code);
    void put_head(bool is_complete);
    void put_framing(head_text& to, bool is_complete);
    bool wants_trailers() const;
    void put_rest();
    void put_date(head_text& to);
    bool allows_body() const;
    bool is_head_method() const { return head.method == "HEAD"; }
    void send_body(std::string_view more, std::error_code& error);
    std::uint64_t send_file(rt::fd& from, std::uint64_t offset, std::uint64_t count,
                            std::error_code& error);
    void linger();

    void interrupt_reads(bool on) noexcept;
    void end_interruptions(bool is_called_off) noexcept;
    std::size_t read_stream(std::span<std::byte> to, std::error_code& error);
    void send_stream_head(bool is_complete, bool is_over, std::error_code& error);
    void send_stream_body(std::string_view more, bool ends, std::error_code& error);
    void finish_stream();
};

}  // namespace rota::http::detail
