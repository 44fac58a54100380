// Writes the response to a request: its head, the framing of its body, and its trailers.
//
// The bytes of a handler's writes are collected. If the handler returns while the body is still
// small, its length is known, and one call sends head and body. Otherwise the head goes first. The
// body follows in chunks, or as it is if its length was declared; for HTTP/1.0 it lasts until the
// connection ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <rota/http.hpp>

#include "fd/fd.hpp"
#include "http/exchange/output.hpp"
#include "http/exchange/wire.hpp"
#include "http/message/date.hpp"
#include "http/message/grammar.hpp"
#include "http/message/head.hpp"
#include "http/message/short_text.hpp"

namespace rota::http::detail {

// The part of a head that the server adds itself.
using head_text = short_text<128>;

//     open ── write_header() or write() ──► final_head ── the head is put out ──► body_as_is,
//                                                                                 body_in_chunks
enum class response_phase : std::uint8_t {
    open,           // the handler may still choose the status, and change the fields
    final_head,     // status and fields are final; nothing of them has been sent
    body_as_is,     // the body goes as it is, or in the frames of HTTP/2; or there is none
    body_in_chunks  // each piece of the body goes as a chunk; the last chunk is still to come
};

class response_sender {
  public:
    explicit response_sender(exchange_wire& wire) : wire_(wire) {}
    response_sender(const response_sender&) = delete;
    response_sender& operator=(const response_sender&) = delete;

    // A request begins: forgets the last response. `to`: the request's head, which stays.
    void begin(const request_head& to);
    // Keeps no more memory than is usual; for another connection.
    void reset() noexcept;

    // --- for the handler -----------------------------------------------------------------
    header_map fields, trailers;
    void write_header(int code);
    void write(std::string_view data, std::error_code& error);
    void flush(std::error_code& error);
    // Adds `count` bytes of a file, from `offset` on, to a body whose length is declared. Returns
    // how many: fewer if the file ends early, or at an error. See file_body.cpp.
    std::uint64_t write_file(rt::fd& from, std::uint64_t offset, std::uint64_t count,
                             std::error_code& error);

    // --- for the exchange ----------------------------------------------------------------
    // relaxed: see phase_
    response_phase phase() const { return phase_.load(rt::memory_order_relaxed); }
    bool has_sent_head() const { return phase() >= response_phase::body_as_is; }
    // Makes the head final, with status 200 unless the handler has chosen another.
    void end_head() {
        if (phase() == response_phase::open) end_head(200);
    }
    // The handler has returned. finish() leaves the rest of the response in the output of a
    // connection of HTTP/1.1; finish_stream() sends it on a stream of HTTP/2.
    void finish();
    void finish_stream();
    // Responds with an error of the server's own, if nothing has been sent; ends the connection.
    void put_error(int code);
    // The connection ends after this response.
    bool ends_connection() const { return ends_connection_; }
    void end_connection() { ends_connection_ = true; }
    // ns; of a stream's response: when it must have been sent.
    void set_limit(std::int64_t when) { limit_ = when; }

    // --- the output ----------------------------------------------------------------------
    // Sends the output of this response, and of responses before it.
    void send(std::error_code& error);
    // Holds the output of earlier responses back for a moment: this one may go with it.
    void hold(std::error_code& error) { out_.hold(wire_.c->stream, error); }

    // --- 100 Continue, for the request_reader --------------------------------------------
    // The client waits for leave to send the body, and has got none.
    bool is_continue_due() const { return continue_due_; }
    void send_continue(std::error_code& error);

  private:
    // Fields of the handler's that the server must not add itself.
    enum own_field : std::uint8_t { own_date = 1, own_connection = 2, own_trailer = 4 };

    void restart();
    bool is_to_head() const { return request_->method == "HEAD"; }
    bool allows_body() const { return status_ >= 200 && status_ != 204 && status_ != 304; }
    bool wants_trailers() const;
    // The declared length has not been written.
    bool is_short() const { return declared_ && written_ < *declared_ && !is_to_head(); }
    void fail() { wire_.broken = ends_connection_ = true; }
    // relaxed: see phase_
    void enter(response_phase next) { phase_.store(next, rt::memory_order_relaxed); }

    void end_head(int code);
    void note_field(std::string_view name, std::string_view value);
    void send_early_head(int code);
    void append_early_fields(std::string& to) const;
    bool send_head_first(std::error_code& error);
    void put_status_line(int code);
    void put_date(head_text& to);
    void put_length(head_text& to) const;
    void put_framing(head_text& to, bool is_complete);
    void put_head(bool is_complete);
    void put_rest();
    void send_body(std::string_view more, std::error_code& error);
    std::uint64_t send_file(rt::fd& from, std::uint64_t offset, std::uint64_t count,
                            std::error_code& error);
    void send_stream_head(bool is_complete, bool is_over, std::error_code& error);
    void send_stream_body(std::string_view more, bool ends, std::error_code& error);

    exchange_wire& wire_;
    const request_head* request_ = nullptr;
    std::int64_t limit_ = 0;                 // ns; see set_limit
    output out_;                             // sent next, heads included
    std::string collected_;                  // bytes of the body, behind out_
    std::string lines_;                      // the final head's fields, as text
    std::optional<std::uint64_t> declared_;  // bytes; by Content-Length
    std::uint64_t written_ = 0;              // bytes
    int status_ = 0;
    // Writer: the goroutine that writes; takes head_mu for the step to a body. relaxed: the
    // goroutine that reads the body asks under head_mu whether the head has been sent.
    rt::atomic<response_phase> phase_{response_phase::open};
    std::uint8_t own_fields_ = 0;  // of own_field
    bool continue_due_ = false;
    bool ends_connection_ = false;
    std::int64_t date_second_ = -1;  // s; the moment that date_ names
    char date_[date_size];
};

}  // namespace rota::http::detail
