// What a client's connection reads and writes: a socket, or TLS over it.
//
// One goroutine reads while another writes. A close ends the calls of both; it is what a context
// does that has ended, by a handle of its own.
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

    // From here on it is TLS: makes the handshake with that server. Caller: uses it alone.
    void secure(const tls::config& c, std::string_view server, std::error_code& error);

    // As net::conn::read.
    std::size_t read(std::span<std::byte> to, std::error_code& error) {
        return secure_ ? secure_.read(to, error) : socket_.read(to, error);
    }
    // All three, one behind the other.
    void write(std::string_view one, std::string_view two, std::string_view three,
               std::error_code& error);
    // Until when reads and writes may last; 0: for ever.
    void limit(std::int64_t when);
    void close() const noexcept;
    // The same without a wait for the server: what has been written may be lost.
    void abort() const noexcept;
    // The server reads to what was written last; what it says still comes.
    void end_writes() const noexcept;
    // Nothing has come, not even the end. Does not wait. Caller: reads nothing now.
    bool is_quiet();

  private:
    net::conn socket_;
    tls::conn secure_;  // none: the socket as it is
};

}  // namespace rota::http
