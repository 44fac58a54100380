// What a client's connection reads and writes: a socket.
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

namespace rota::http {

class stream {
  public:
    explicit stream(net::conn socket) : socket_(std::move(socket)) {}

    // As net::conn::read.
    std::size_t read(std::span<std::byte> to, std::error_code& error) {
        return socket_.read(to, error);
    }
    // Both, one behind the other.
    void write(std::string_view head, std::string_view body, std::error_code& error);
    // Until when reads and writes may last; 0: for ever.
    void limit(std::int64_t when);
    void close() const noexcept;
    // Nothing has come, not even the end. Does not wait. Caller: reads nothing now.
    bool is_quiet();

    const net::conn& socket() const { return socket_; }

  private:
    net::conn socket_;
};

}  // namespace rota::http
