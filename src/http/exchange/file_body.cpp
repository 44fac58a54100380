// Writes a piece of a file as a piece of the answer's body: by the kernel alone where it can, else
// through a buffer. Memory is constant, however large the file is.
#include <algorithm>

#include <sys/types.h>

#include "fd/errors.hpp"
#include "fd/fd.hpp"
#include "http/exchange/response_sender.hpp"

namespace rota::http::detail {

namespace {

// bytes; a shorter piece goes with the head in one call, which costs less than two without a copy
constexpr std::uint64_t copied_max = 16 * 1024;
constexpr std::size_t buffer_size = 32 * 1024;

}  // namespace

// Bytes sent of the file, and bytes collected before, are known to be right. A file that has become
// shorter leaves the declared length unmet, and so ends the connection.
std::uint64_t response_sender::write_file(rt::fd& from, std::uint64_t offset, std::uint64_t count,
                                          std::error_code& error) {
    error.clear();
    if (is_to_head()) return count;
    std::uint64_t done = 0;
    // The kernel would send it unchanged, past TLS and past the frames of HTTP/2.
    const bool is_bare =
        !wire_.c->hijacked && !wire_.c->stream.has_layer() && wire_.over == nullptr;
    if (count > copied_max && declared_ && allows_body() && is_bare)
        done = send_file(from, offset, count, error);
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_size, count - done));
    if (error || size == 0) return done;
    const std::unique_ptr<char[]> buffer(new char[size]);
    while (done < count && !error) {
        const std::int64_t n = from.read_file_at(
            buffer.get(), static_cast<std::size_t>(std::min<std::uint64_t>(size, count - done)),
            static_cast<std::int64_t>(offset + done));
        if (n < 0) error = rt::error_of(n);
        if (n <= 0) break;
        write({buffer.get(), static_cast<std::size_t>(n)}, error);
        if (!error) done += static_cast<std::uint64_t>(n);
    }
    return done;
}

// Returns 0 if the kernel cannot send this file.
std::uint64_t response_sender::send_file(rt::fd& from, std::uint64_t offset, std::uint64_t count,
                                         std::error_code& error) {
    if (count > *declared_ - written_) {
        error = http_errc::content_length;
        return 0;
    }
    if (!send_head_first(error)) return 0;
    send_body({}, error);
    if (error) return 0;
    std::uint64_t done = 0;
    while (done < count) {
        wire_.c->note_response();
        const std::int64_t n = wire_.c->stream.socket().descriptor()->send_file(
            from, static_cast<std::int64_t>(offset + done), count - done);
        if (n == -EINVAL || n == -ENOSYS || n == -EOPNOTSUPP) break;
        if (n < 0) {
            error = rt::error_of(n);
            fail();
        }
        if (n <= 0) break;
        done += static_cast<std::uint64_t>(n);
        written_ += static_cast<std::uint64_t>(n);
    }
    return done;
}

}  // namespace rota::http::detail
