// Sends a request: its head, and the body behind it.
//
// A small body goes with the head in one call. A goroutine sends a body that may not fit into the
// socket's buffers, that the program gives in pieces, or that waits until the server asks for it.
// So a server may answer before it has read the whole body. The destructor of a request_writer
// waits for that goroutine. Before that it ends the goroutine's waits: it closes the connection,
// and cancels the context of the program's function.
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

#include "http/client/client_stream.hpp"
#include "http/client/outgoing_body.hpp"

namespace rota::http::detail {

// True: the error says that the server has closed the connection.
bool is_broken(const std::error_code& error);

class request_writer {
  public:
    // `body`: null for none.
    request_writer(client_stream& wire, std::shared_ptr<outgoing_body> body, framing how);
    ~request_writer();
    request_writer(const request_writer&) = delete;
    request_writer& operator=(const request_writer&) = delete;

    // `ctx` and the moment `until` (0: never) end the program's function. `patience`: how long the
    // body waits for the server to ask for it; 0: not at all. Throws std::bad_alloc.
    void begin(std::string_view head, const context& ctx, std::int64_t until,
               clock::duration patience);
    // The server asks for the body; or it has answered, and wants no body that has not begun.
    void on_continue() { tell(true); }
    void on_answer() { tell(false); }

    // True: the whole request has been sent. Waits a moment: the upload of a request that the
    // server has answered is about to end, or never ends.
    bool has_ended();
    // The error of an upload that has ended; none while it runs.
    std::error_code error() const { return is_running_ ? std::error_code() : error_; }
    // Waits for the end, and returns its error. Caller: has closed the connection, which ends a
    // write.
    std::error_code final_error();
    // Ends the upload. If it still runs, closes the connection too.
    void stop() noexcept;

    // --- once the upload has ended -------------------------------------------------------
    // True: the body was not sent, since the server did not ask for it.
    bool was_skipped() const { return was_skipped_; }
    // Throws, once, an exception of the program's function that is no std::system_error. An
    // exception after the end of its context is dropped: it says only that the function gives up.
    void rethrow();
    // True: the program's function has failed.
    bool has_failed_source() const { return has_failed_source_; }
    // True: the body can be sent again from the beginning.
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

    // --- fixed from the goroutine's start on --------------------------------------------------
    client_stream& wire_;
    const std::shared_ptr<outgoing_body> body_;
    const framing how_;
    context ctx_;
    cancel_func cancel_;
    clock::duration patience_{0};
    chan<bool> told_;  // nil: the body does not wait for the server to ask
    chan<unit> ended_;

    // --- owner: the caller ----------------------------------------------------------------
    bool is_running_ = false;

    // --- owner: the goroutine until it sends to ended_, else the caller -----------------------
    std::error_code error_;
    std::exception_ptr thrown_;
    bool was_skipped_ = false, has_failed_source_ = false, has_read_once_ = false;
};

}  // namespace rota::http::detail
