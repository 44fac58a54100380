// Reads one answer from a client's connection, judged as strictly as a server's requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include <rota/http.hpp>

#include "http/chunked.hpp"
#include "http/head.hpp"
#include "http/idle_pool.hpp"

namespace rota::http::detail {

class answer_reader {
  public:
    answer_reader(client_connection& c, const client_options& o, bool to_head)
        : c_(c), head_left_(o.max_header_bytes), body_max_(o.max_body_bytes), to_head_(to_head) {}

    // Throws std::bad_alloc.
    void read(response& to, std::error_code& error);

    bool has_begun() const { return has_begun_; }  // a byte has come
    // The connection is good for another request. Caller: the answer has been read.
    bool keeps_connection() const;

  private:
    void read_final_head(header_map& fields, std::error_code& error);
    void read_head(header_map& fields, std::error_code& error);
    void read_body(std::string& body, std::error_code& error);
    void read_length(std::string& body, std::error_code& error);
    void read_chunks(std::string& body, std::error_code& error);
    void read_to_end(std::string& body, std::error_code& error);
    bool has_body() const;
    bool fill(std::error_code& error);
    std::size_t take(char* to, std::size_t room, std::error_code& error);

    client_connection& c_;
    std::size_t head_left_;
    const std::size_t body_max_;
    const bool to_head_;
    bool has_begun_ = false;
    head_scanner scanner_;
    response_head head_;
    chunk_decoder chunks_;
};

}  // namespace rota::http::detail
