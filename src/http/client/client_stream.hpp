// client_stream is the wire of a client's connection: a socket, or TLS over it.
//
// One goroutine may read while another writes. A close ends the calls of both. A context that ends
// closes the stream through a handle of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <rota/net.hpp>
#include <rota/tls.hpp>

namespace rota::http {

class client_stream {
  public:
    explicit client_stream(net::conn socket) : socket_(std::move(socket)) {}

    // Makes the TLS handshake with that server; TLS from here on. Caller: uses the stream alone.
    void secure(const tls::config& c, std::string_view server, std::error_code& error);

    // Like net::conn::read.
    std::size_t read(std::span<std::byte> to, std::error_code& error) {
        return secure_ ? secure_.read(to, error) : socket_.read(to, error);
    }
    // Writes the three texts, one behind the other.
    void write(std::string_view one, std::string_view two, std::string_view three,
               std::error_code& error);
    // Reads and writes fail after the moment `when`; 0: never.
    void limit(std::int64_t when);
    void close() const noexcept;
    // The same without a wait for the server: written bytes may be lost.
    void abort() const noexcept;
    // Ends the sending side. The server reads to the last byte, and can still answer.
    void end_writes() const noexcept;
    // True: nothing has arrived, not even the end. Does not wait. Caller: no read is in progress.
    bool is_quiet();

  private:
    net::conn socket_;
    tls::conn secure_;  // empty: the socket is used as it is
};

}  // namespace rota::http
