// One request on one connection, from its first byte to the last of its answer.
//
//     begin()      writes the request, or begins to, and reads the answer's head
//     read...()    the body; behind its end the connection is given back, or closed
//
// Whoever drops it before closes the connection and waits for the upload.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include <rota/context.hpp>
#include <rota/http.hpp>

#include "http/answer_reader.hpp"
#include "http/closing_when_done.hpp"
#include "http/idle_pool.hpp"
#include "http/upload.hpp"

namespace rota::http::detail {

struct hop;

class call {
  public:
    // `until`: when all of it must have been done; 0: never.
    call(std::shared_ptr<idle_pool> idle, std::unique_ptr<client_connection> c,
         const client_options& o, const hop& h, framing how, context ctx, std::int64_t until);
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    // Throws std::bad_alloc, and what the program's body throws that is no std::system_error; so do
    // the reads.
    void begin(std::string request_head, clock::duration continue_patience, std::error_code& error);
    // begin() has failed as it does on a connection that its server has closed, before the first
    // byte of an answer, and the request is as whole as it was.
    bool may_be_repeated() const { return may_be_repeated_; }

    // Of the body what is there; 0 at its end, and on errors.
    std::size_t read(std::span<char> to, std::error_code& error);
    void read_all(std::string& body, std::error_code& error);
    // Nobody wants the body. Of a short one what is left is read, for the connection to be used
    // again; it ends with any other, and with one that fails. Throws what the program's body has
    // thrown.
    void discard();
    // Nobody wants the rest.
    void close() noexcept;

    int status() const { return answer_.status(); }
    std::int64_t length() const { return answer_.length(); }
    bool has_ended() const { return answer_.has_ended(); }

    header_map fields;
    header_map trailers;  // behind the body's end

  private:
    void fail(std::error_code& error);
    void finish();

    const std::shared_ptr<idle_pool> idle_;
    const context ctx_;
    const std::int64_t until_;
    const bool asks_to_close_;
    std::string head_;                      // of the request
    std::unique_ptr<client_connection> c_;  // null: the call has ended
    answer_reader answer_;
    std::optional<upload> sending_;
    std::optional<closing_when_done> watched_;
    std::error_code failed_;
    bool may_be_repeated_ = false;
};

}  // namespace rota::http::detail
