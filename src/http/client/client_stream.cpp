// The wire of a client's connection: reads and writes a socket, or TLS over it.
#include "http/client/client_stream.hpp"

#include <array>
#include <cerrno>

#include <sys/socket.h>

#include "fd/fd.hpp"
#include "tls/stream.hpp"

namespace rota::http {

void client_stream::secure(const tls::config& c, std::string_view server, std::error_code& error) {
    secure_ = tls::conn::client(socket_, c, server, error);
    if (!error) secure_.handshake(error);
}

void client_stream::write(std::string_view one, std::string_view two, std::string_view three,
                          std::error_code& error) {
    const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
    const std::array<std::span<const std::byte>, 3> pieces{bytes(one), bytes(two), bytes(three)};
    if (secure_) secure_.write(std::span(pieces), error);
    else if (two.empty() && three.empty()) socket_.write(one, error);
    else socket_.write(std::span(pieces), error);
}

void client_stream::limit(std::int64_t when) {
    std::error_code none;
    if (secure_) secure_.get()->set_deadline(true, true, when, none);
    else (void)socket_.descriptor()->set_deadline(true, true, when);
}

void client_stream::close() const noexcept {
    std::error_code none;
    if (secure_) secure_.close(none);
    else socket_.close(none);
}

void client_stream::abort() const noexcept {
    std::error_code none;
    if (secure_) secure_.get()->abort();
    else socket_.close(none);
}

void client_stream::end_writes() const noexcept { (void)socket_.descriptor()->shutdown(SHUT_WR); }

// TLS carries messages that are no data, tickets for example.
bool client_stream::is_quiet() {
    std::byte first;
    if (!secure_) return socket_.descriptor()->try_read(&first, 1) == -EAGAIN;
    std::error_code error;
    return secure_.get()->try_read({&first, 1}, error) == 0 &&
           error == std::errc::resource_unavailable_try_again;
}

}  // namespace rota::http
