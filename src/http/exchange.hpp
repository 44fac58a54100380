// What a connection needs while requests are being answered: buffers, the request, the answer.
//
// The object is borrowed from the server for as long as there is something to be read or answered,
// and keeps its memory for whoever borrows it next: answering a small request allocates nothing.
// All of it belongs to the connection's goroutine, which is the one that runs the handler.
//
// The request's views (head, fields) are of `in`: it is not moved until the request has been
// answered. The body is read behind the head, or right to where the handler wants it.
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
#include "http/buffer.hpp"
#include "http/chunked.hpp"
#include "http/connection.hpp"
#include "http/grammar.hpp"
#include "http/head.hpp"
#include "http/output.hpp"
#include "http/port.hpp"
#include "http/short_text.hpp"

namespace rota::http::detail {

// Of a head what the server adds itself.
using head_text = short_text<128>;

enum class next_step : std::uint8_t { go_on, wait, close, linger, multiplex };

// Set and looked at by both goroutines of one that is read and written at once. relaxed: it hands
// over nothing, and who looks a little early meets the failure itself.
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
    // Answers what has come. wait: there is no more; close: that was the last one; multiplex: `in`
    // begins with the preface of HTTP/2.
    next_step serve();

    // --- one request, without a connection of its own: stream_answer.cpp --------------------
    void clear_fields() noexcept;
    void add_field(std::string_view name, std::string_view value);  // which stay
    // `reject`: 0, or the status to answer with.
    void serve_stream(int reject);

    // --- the request's body: body.cpp ---------------------------------------------------
    bool has_body() const { return head.chunked || head.content_length > 0; }
    void begin_body();
    std::size_t read_body(std::span<std::byte> to, std::error_code& error);
    // For no longer than the context.
    std::size_t read_body(const context& until, std::span<std::byte> to, std::error_code& error);
    // Reads what is left if it is not much. False: the connection cannot be used again.
    bool drain_body();
    // More bytes into `in`; false at the end, and on errors. What is to be sent is sent before.
    // `limit`: the moment when the client's time is over, 0 for none.
    bool fill(std::int64_t limit, std::error_code& error);

    // --- the answer: answer.cpp ----------------------------------------------------------
    void begin_answer();
    void write_header(int code);
    void write(std::string_view data, std::error_code& error);
    void flush(std::error_code& error);
    // Adds `count` bytes of a file, from `offset` on. How many it were: fewer if the file ends
    // before, or at an error. Its length is declared already: file_body.cpp.
    std::uint64_t write_file(rt::fd& from, std::uint64_t offset, std::uint64_t count,
                             std::error_code& error);
    // The handler has returned.
    void finish_answer();
    // Another answer, of the server's own, if nothing has been sent; the connection is closed.
    void answer_error(int code);
    void send(std::error_code& error);  // what is in `out`
    net::conn hijack();

    // --- both at once: duplex.cpp ----------------------------------------------------------
    void enable_duplex(std::error_code& error);
    // What reading and writing share, if two goroutines may do it. Nobody waits with shared_mu for
    // the client. With head_mu one does who writes in front of the body, for the client to take it:
    // only who has to write behind that waits for head_mu, and takes it before shared_mu.
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

    // Tells the server what memory the request holds beyond the usual, if that has grown by a step:
    // a large head, or the string of request::body, of so many bytes.
    void note_held(std::size_t body);
    void note_input() {
        if (in.capacity() > input_buffer::kept_max) note_held(body_held);
    }
    // What the server has been told.
    std::int64_t forget_held() noexcept {
        body_held = 0;
        return std::exchange(held_told, 0);
    }

    // Ready for another connection, with no more memory than is usual.
    void reset() noexcept;
    void attach(connection& to) noexcept { c = &to; }

    // For handlers of the library's own. Throws panic_error for a request that a program has made.
    static exchange& of(request& r);

    connection* c = nullptr;
    port* over = nullptr;           // null: the connection is the exchange's alone
    std::int64_t answer_limit = 0;  // of a stream: when it must have been sent

    // --- input -------------------------------------------------------------------------
    input_buffer in;
    head_scanner scanner;
    request_head head;
    header_map fields;
    std::string path;  // if the target's has escapes
    std::vector<std::pair<std::string_view, std::string>> path_values;
    bool path_has_escapes = false;

    // --- body ----------------------------------------------------------------------------
    chunk_decoder chunks;
    std::uint64_t body_left = 0;  // of a Content-Length
    std::uint64_t body_read = 0;
    std::size_t body_at = 0;  // where in `in` there is room for it
    std::int64_t body_limit = 0;
    bool body_ended = true;
    bool continue_due = false;  // the client waits to be told that it may send the body
    std::error_code body_error;
    shared_flag body_failed;     // with body_error
    std::size_t body_held = 0;   // of the string of request::body
    std::int64_t held_told = 0;  // bytes that the server counts for this request
    std::string trailer_lines;   // as they came in chunks
    header_map trailers;         // there when the body has ended

    // --- output ------------------------------------------------------------------------------
    output out;               // to be sent next, heads and all
    std::string collected;    // of the body, behind `out`
    std::string sent_fields;  // as text
    header_map answer_fields, answer_trailers;
    int status = 0;  // 0: the head goes on
    std::uint64_t written = 0;
    std::uint64_t declared = 0;  // by Content-Length
    bool has_declared = false;
    bool has_date = false;
    bool has_connection = false;
    bool announces_trailers = false;  // by a field Trailer of the handler's
    bool head_sent = false;
    bool in_chunks = false;
    bool close_after = false;
    bool unread_input = false;  // there is something that is never going to be read
    shared_flag broken;         // the connection fails: what exceptions say of it is no news
    std::int64_t date_second = -1;
    char date[date_size];

    // --- context ------------------------------------------------------------------------------
    context ctx;
    cancel_func cancel;
    bool has_ctx = false, watching = false, unwatched = false;
    wait_group watcher;

    // --- both at once ----------------------------------------------------------------------
    // One goroutine reads the body while another one writes. Set before there are two. shared_mu
    // guards then body_ended, body_error, has_ctx and the watch; head_mu continue_due, head_sent,
    // and `out` until the head has been put there, from when on it is the writer's.
    bool is_duplex = false;
    bool may_be_interrupted = false;  // the reader writes it; under shared_mu when it ends
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
