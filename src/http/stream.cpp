// Streams over sockets.
#include "http/stream.hpp"

#include <array>
#include <cerrno>

#include "fd/fd.hpp"

namespace rota::http {

void stream::write(std::string_view head, std::string_view body, std::error_code& error) {
    if (body.empty()) {
        socket_.write(head, error);
        return;
    }
    const std::array<std::span<const std::byte>, 2> pieces{std::as_bytes(std::span(head)),
                                                           std::as_bytes(std::span(body))};
    socket_.write(std::span(pieces), error);
}

void stream::limit(std::int64_t when) {
    (void)socket_.descriptor()->set_deadline(true, true, when);
}

void stream::close() const noexcept {
    std::error_code none;
    socket_.close(none);
}

bool stream::is_quiet() {
    char first;
    return socket_.descriptor()->try_read(&first, 1) == -EAGAIN;
}

}  // namespace rota::http
