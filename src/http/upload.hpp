// Sends a request: its head, and the body behind it.
//
// A small body goes with the head in one call. One that may not fit into the socket's buffers, that
// the program gives piece by piece, or that waits until the server asks for it, is sent by a
// goroutine of its own meanwhile: a server may answer before it has read all of it, or while it
// reads. Whoever drops an upload waits for that goroutine, and before that ends what it may wait
// for: the connection is closed, and the context that the program's function has is done.
//
//     begin() ──► waiting ── on_continue(), or patience ends ──► sending ──► ended
//                    └────── on_answer() ──► ended, was_skipped()
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include <rota/chan.hpp>
#include <rota/context.hpp>
#include <rota/http.hpp>

#include "http/client_stream.hpp"
#include "http/outgoing_body.hpp"

namespace rota::http::detail {

// The server has closed the connection, in one way or another.
bool is_broken(const std::error_code& error);

class upload {
  public:
    // `body`: null, none.
    upload(client_stream& wire, std::shared_ptr<outgoing_body> body, framing how);
    ~upload();
    upload(const upload&) = delete;
    upload& operator=(const upload&) = delete;

    // `ctx` and `until` (0: never) end the program's function. With a patience the server has that
    // long to ask for the body. Throws std::bad_alloc.
    void begin(std::string_view head, const context& ctx, std::int64_t until,
               clock::duration patience);
    // The server asks for the body; it has answered, and a body that has not begun is not wanted.
    void on_continue() { tell(true); }
    void on_answer() { tell(false); }

    // Whether all has been sent. What the server has answered to is on its way to its end, or never
    // comes there.
    bool has_ended();
    // What has gone wrong so far.
    std::error_code error() const { return is_running_ ? std::error_code() : error_; }
    // The same when the connection is closed: a write ends then.
    std::error_code final_error();
    // Ends it, and the connection with it if it has not ended by itself.
    void stop() noexcept;

    // --- when it has ended --------------------------------------------------------------
    // The server has not asked for the body, and so has not got it.
    bool was_skipped() const { return was_skipped_; }
    // What the program's function has thrown, if it is no std::system_error, is thrown once. What
    // it throws when its context has ended is taken for what is said there: that it gives up.
    void rethrow();
    // It was that function that has failed.
    bool has_failed_source() const { return has_failed_source_; }
    // It can be sent again from the beginning.
    bool is_replayable() const { return !has_read_once_; }

  private:
    void tell(bool goes_on);
    void run(std::string_view head);
    void send_beside(std::string_view head);
    bool is_asked_for();
    void send_text(std::string_view head);
    void send_pieces();
    std::size_t next_piece(body_reader& anew, std::span<char> to);
    void write_piece(std::string_view data);
    void write(std::string_view one, std::string_view two, std::string_view three);
    void fail(std::error_code why);
    void fail_source(std::error_code why);

    // --- fixed, from the goroutine's beginning ------------------------------------------------
    client_stream& wire_;
    const std::shared_ptr<outgoing_body> body_;
    const framing how_;
    context ctx_;
    cancel_func cancel_;
    clock::duration patience_{0};
    chan<bool> told_;  // nil: it does not wait to be asked
    chan<unit> ended_;

    // --- the caller's ---------------------------------------------------------------------
    bool is_running_ = false;

    // --- the goroutine's, until it has said that it ended ----------------------------------------
    std::error_code error_;
    std::exception_ptr thrown_;
    bool was_skipped_ = false, has_failed_source_ = false, has_read_once_ = false;
};

}  // namespace rota::http::detail
