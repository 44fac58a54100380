// Reads one answer from a client's connection: the head, then the body, piece by piece or whole,
// then the trailers. It judges answers as strictly as the server judges requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

#include <rota/http.hpp>

#include "http/client/idle_pool.hpp"
#include "http/message/chunked.hpp"
#include "http/message/head.hpp"

namespace rota::http::detail {

class request_writer;

class response_reader {
  public:
    response_reader(client_connection& c, const client_options& o, bool to_head)
        : c_(c), head_left_(o.max_header_bytes), body_max_(o.max_body_bytes), to_head_(to_head) {}

    // Reads the final head and skips the 1xx answers before it. Reports a 100 to `sending`. Throws
    // std::bad_alloc.
    void read_head(header_map& fields, request_writer* sending, std::error_code& error);
    // Reads the bytes of the body that are there; waits for the first. 0: at its end, and on
    // errors.
    std::size_t read(std::span<char> to, std::error_code& error);
    // Reads the whole body. Throws std::bad_alloc.
    void read_all(std::string& body, std::error_code& error);
    // Adds the trailers to `to`. Caller: has read the body. Throws std::bad_alloc.
    void take_trailers(header_map& to) const;

    int status() const { return head_.status; }
    // bytes of the body; -1: not known
    std::int64_t length() const;
    bool has_begun() const { return has_begun_; }  // a byte has come
    bool has_ended() const { return has_ended_; }  // the body has been read to its end
    // The connection can carry another request. Caller: the answer has been read.
    bool keeps_connection() const;

  private:
    void read_one_head(header_map& fields, std::error_code& error);
    void begin_body(std::error_code& error);
    std::size_t read_length(std::span<char> to, std::error_code& error);
    std::size_t read_chunks(std::span<char> to, std::error_code& error);
    std::size_t read_to_end(std::span<char> to, std::error_code& error);
    bool has_body() const;
    bool fill(std::error_code& error);
    std::size_t take(std::span<char> to, std::error_code& error);

    client_connection& c_;
    std::size_t head_left_;
    const std::size_t body_max_;
    const bool to_head_;
    bool has_begun_ = false, has_ended_ = false;
    head_scanner scanner_;
    response_head head_;
    chunk_decoder chunks_;
    std::uint64_t left_ = 0;  // bytes; not read yet, of a body with a length
    std::uint64_t read_ = 0;  // bytes of the body that have been read
    std::string trailer_lines_;
};

}  // namespace rota::http::detail
