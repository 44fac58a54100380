// A call is one request on one connection, from its first byte to the last byte of its answer.
//
//     begin()      writes the request, or begins to, and reads the answer's head
//     read...()    the body; at its end the connection is given back, or closed
//
// Destroying a call before that closes the connection and waits for the upload.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include <rota/context.hpp>
#include <rota/http.hpp>

#include "http/client/close_on_cancel.hpp"
#include "http/client/idle_pool.hpp"
#include "http/client/request_writer.hpp"
#include "http/client/response_reader.hpp"

namespace rota::http::detail {

struct hop;

class call {
  public:
    // `until`: ns of the clock; when the whole call must be done; 0: never.
    call(std::shared_ptr<idle_pool> idle, std::unique_ptr<client_connection> c,
         const client_options& o, const hop& h, framing how, context ctx, std::int64_t until);
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    // Throws std::bad_alloc, and exceptions of the program's body that are no std::system_error.
    // The reads do too.
    void begin(std::string request_head, clock::duration continue_patience, std::error_code& error);
    // begin() has failed as on a connection that its server has closed: before the first byte of an
    // answer. The request is as whole as before.
    bool may_be_repeated() const { return may_be_repeated_; }

    // Reads the bytes of the body that are there; 0 at its end, and on errors.
    std::size_t read(std::span<char> to, std::error_code& error);
    void read_all(std::string& body, std::error_code& error);
    // The caller does not want the body. The rest of a short body is read, so that the connection
    // can be used again. A longer body, or a failed read, ends the connection. Rethrows exceptions
    // of the program's body.
    void discard();
    // The caller does not want the rest: closes the connection.
    void close() noexcept;

    int status() const { return response_.status(); }
    std::int64_t length() const { return response_.length(); }
    bool has_ended() const { return response_.has_ended(); }

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
    response_reader response_;
    std::optional<request_writer> sending_;
    std::optional<close_on_cancel> watched_;
    std::error_code failed_;
    bool may_be_repeated_ = false;
};

}  // namespace rota::http::detail
