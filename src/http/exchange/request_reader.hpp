// Reads a request: its head, and its body as the handler asks for it.
//
// The views of the request (head, fields) point into `input`, which does not move until the
// response has been completed. The body is read behind the head, or right into the handler's
// memory. A stream of HTTP/2 brings its head along, and its body comes from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <rota/context.hpp>
#include <rota/http.hpp>

#include "http/exchange/request_watch.hpp"
#include "http/exchange/response_sender.hpp"
#include "http/exchange/wire.hpp"
#include "http/message/buffer.hpp"
#include "http/message/chunked.hpp"
#include "http/message/head.hpp"

namespace rota::http::detail {

// What a connection does next.
enum class next_step : std::uint8_t { go_on, wait, close, linger, multiplex };

// Statuses of rejected requests.
inline constexpr int bad_request = 400, request_timeout = 408, too_large = 413;

class request_reader {
  public:
    // `sender` sends what the client must get before it sends more.
    request_reader(exchange_wire& wire, response_sender& sender, request_watch& watch)
        : wire_(wire), sender_(sender), watch_(watch) {}
    request_reader(const request_reader&) = delete;
    request_reader& operator=(const request_reader&) = delete;

    // --- the request as it has been read -------------------------------------------------
    input_buffer input;
    request_head head;
    header_map fields;
    header_map trailers;  // filled when the body has ended
    std::string path;     // if the target's path has escapes
    bool path_has_escapes = false;
    std::vector<std::pair<std::string_view, std::string>> path_values;

    // --- the head: request_reader.cpp ----------------------------------------------------
    // Waits for a whole head. go_on: it is there, or `reject` is the status to respond with. wait:
    // no more requests have come.
    next_step read_head(int& reject);
    // True: the input begins with the preface of a client that speaks HTTP/2 without asking.
    bool is_preface() const;
    // Parses the head that read_head has found. Returns 0, or the status to respond with.
    int parse_head();
    // A stream of HTTP/2 fills the head and the fields itself. The texts stay: they are borrowed.
    void clear_fields() noexcept;
    void add_field(std::string_view name, std::string_view value);
    // Checks what both protocols have in common. Returns 0, or the status to respond with.
    int check_head();
    // Forgets the request, which has no head that can be used.
    void drop_head();

    // --- the body: request_body.cpp ------------------------------------------------------
    // The head is complete. `limit`: the moment when the body must be there, 0 for none.
    void begin_body(std::int64_t limit);
    std::size_t read_body(std::span<std::byte> to, std::error_code& error);
    // Like read_body; the context may end it too. See interrupted_read.cpp.
    std::size_t read_body(const context& until, std::span<std::byte> to, std::error_code& error);
    // Reads the rest of a short body. False: the connection cannot be used again.
    bool drain_body();
    bool has_ended() const { return body_ended_; }
    // bytes left of a Content-Length
    std::uint64_t body_left() const { return body_left_; }
    // True: nothing reads the body any more, and no context interrupts a read.
    bool is_quiet() const { return body_ended_ && !may_be_interrupted_; }
    std::error_code error_of_body() {
        const auto turn = wire_.lock_shared();
        return body_error_;
    }
    // Some input will never be read: the client must get the response all the same.
    bool leaves_input() const { return leaves_input_; }
    void leave_input() { leaves_input_ = true; }

    // --- memory --------------------------------------------------------------------------
    // Tells the server how much memory the request holds beyond the usual, if that has grown by a
    // step: a large head, or the string of request::body, of `body` bytes.
    void note_held(std::size_t body);
    // Returns the bytes that the server counts for this request, and forgets them.
    std::int64_t forget_held() noexcept {
        body_held_ = 0;
        return std::exchange(held_told_, 0);
    }
    // Keeps no more memory than is usual; for another connection.
    void reset() noexcept;

  private:
    // Reads more bytes into the input; false at the end, and on errors. Sends pending output first.
    // `limit`: the moment when the client's time is over, 0 for none.
    bool fill(std::int64_t limit, std::error_code& error);
    std::size_t read_socket(std::span<std::byte> to, std::int64_t limit, std::error_code& error);
    std::size_t read_length(std::span<std::byte> to, std::error_code& error);
    std::size_t read_chunks(std::span<std::byte> to, std::error_code& error);
    std::size_t read_stream(std::span<std::byte> to, std::error_code& error);
    void end_body();
    std::size_t fail_body(std::error_code why, std::error_code& error);
    void note_input() {
        if (input.capacity() > input_buffer::kept_max) note_held(body_held_);
    }
    void interrupt_reads(bool on) noexcept;
    void end_interruptions(bool is_called_off) noexcept;

    exchange_wire& wire_;
    response_sender& sender_;
    request_watch& watch_;

    head_scanner scanner_;
    chunk_decoder chunks_;
    std::uint64_t body_left_ = 0;  // bytes left of a Content-Length
    std::uint64_t body_read_ = 0;  // bytes
    std::size_t body_at_ = 0;      // offset in `input` of the room for the body
    std::int64_t body_limit_ = 0;  // ns; when the body must be there; 0: never
    std::error_code body_error_;   // why the body cannot be read on; guarded by shared_mu
    std::string trailer_lines_;    // trailers as they came in chunks
    std::size_t body_held_ = 0;    // bytes of the string of request::body
    std::int64_t held_told_ = 0;   // bytes that the server counts for this request
    bool body_ended_ = true;       // writer: the reading goroutine, under shared_mu
    // A context may end the read that goes on. Writer: the reading goroutine; under shared_mu when
    // it ends.
    bool may_be_interrupted_ = false;
    bool leaves_input_ = false;
};

}  // namespace rota::http::detail
