// Reads one answer from a client's connection, judged as strictly as a server's requests: the head,
// then the body, piece by piece or all of it, then the trailers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

#include <rota/http.hpp>

#include "http/chunked.hpp"
#include "http/head.hpp"
#include "http/idle_pool.hpp"

namespace rota::http::detail {

class upload;

class answer_reader {
  public:
    answer_reader(client_connection& c, const client_options& o, bool to_head)
        : c_(c), head_left_(o.max_header_bytes), body_max_(o.max_body_bytes), to_head_(to_head) {}

    // The final head; answers of 1xx before it are skipped. An upload is told of 100. Throws
    // std::bad_alloc.
    void read_head(header_map& fields, upload* sending, std::error_code& error);
    // Of the body what is there, waiting for the first byte. 0: at its end, and on errors.
    std::size_t read(std::span<char> to, std::error_code& error);
    // All of it. Throws std::bad_alloc.
    void read_all(std::string& body, std::error_code& error);
    // Behind the body. Throws std::bad_alloc.
    void take_trailers(header_map& to) const;

    int status() const { return head_.status; }
    // -1: it is not known.
    std::int64_t length() const;
    bool has_begun() const { return has_begun_; }  // a byte has come
    bool has_ended() const { return has_ended_; }  // the body has been read to its end
    // The connection is good for another request. Caller: the answer has been read.
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
    std::uint64_t left_ = 0;  // of a length
    std::uint64_t read_ = 0;  // of the body
    std::string trailer_lines_;
};

}  // namespace rota::http::detail
