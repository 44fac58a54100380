// The wire of a served connection: its socket, or a layer between the socket and HTTP.
//
// Without a layer, a call costs one test of a pointer. Nothing here knows which layers exist: a
// program that serves no TLS is linked without it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

#include <sys/socket.h>
#include <rota/net.hpp>

#include "fd/fd.hpp"

namespace rota::http {

using pieces = std::span<const std::span<const std::byte>>;

// A protocol over a socket. Of results below 0, -EAGAIN and -ETIMEDOUT keep their meaning; any
// other stands for an end.
class layer {
  public:
    virtual std::size_t read(std::span<std::byte> to, std::error_code& error) = 0;
    virtual void write(pieces from, std::error_code& error) = 0;
    virtual std::int64_t try_read(std::span<std::byte> to) = 0;
    // The number of bytes that are there, at most one; 0 at the end.
    virtual std::int64_t peek() = 0;
    virtual void end_writing() = 0;
    virtual void set_deadline(bool of_reads, bool of_writes, std::int64_t when) = 0;

  protected:
    ~layer() = default;
};

class transport {
  public:
    explicit transport(const net::conn& s, layer* l = nullptr) : socket_(s), layer_(l) {}

    std::size_t read(std::span<std::byte> to, std::error_code& error) const {
        return layer_ == nullptr ? socket_.read(to, error) : layer_->read(to, error);
    }
    void write(pieces from, std::error_code& error) const {
        if (layer_ == nullptr) socket_.write(from, error);
        else layer_->write(from, error);
    }
    void write(std::string_view text, std::error_code& error) const {
        if (layer_ == nullptr) socket_.write(text, error);
        else write(std::array{std::as_bytes(std::span(text))}, error);
    }
    // -EAGAIN: no byte is there yet.
    std::int64_t try_read(std::span<std::byte> to) const {
        return layer_ == nullptr ? descriptor().try_read(to.data(), to.size())
                                 : layer_->try_read(to);
    }
    // 0: as a rule there is a byte to read; below 0: an error, or the end.
    int wait_readable() const {
        if (layer_ == nullptr) return descriptor().wait_readable();
        const std::int64_t n = layer_->peek();
        return n > 0 ? 0 : n == 0 ? -1 : static_cast<int>(n);
    }
    // Waits for a byte, and does not consume it; 0 at the end.
    std::int64_t peek() const {
        char next;
        return layer_ == nullptr ? descriptor().peek(&next, 1) : layer_->peek();
    }
    void end_writing() const {
        if (layer_ != nullptr) layer_->end_writing();
        (void)descriptor().shutdown(SHUT_WR);
    }
    // Ends reads that wait; the reading goroutine then closes the connection. Unless `at_once`, a
    // layer can tell the peer before.
    void wake(bool at_once) const {
        (void)descriptor().shutdown(layer_ == nullptr || at_once ? SHUT_RDWR : SHUT_RD);
    }
    void set_deadline(bool of_reads, bool of_writes, std::int64_t when) const {
        if (layer_ == nullptr) (void)descriptor().set_deadline(of_reads, of_writes, when);
        else layer_->set_deadline(of_reads, of_writes, when);
    }

    const net::conn& socket() const { return socket_; }
    bool has_layer() const { return layer_ != nullptr; }

  private:
    rt::fd& descriptor() const { return *socket_.descriptor(); }

    const net::conn& socket_;
    layer* const layer_;
};

}  // namespace rota::http
