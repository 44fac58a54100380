// The calls for files: of those that can be polled, as of sockets; of the others, handed off.
#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "fd/turn.hpp"
#include "sys/file.hpp"

namespace rota::rt {

std::int64_t fd::read_file(void* to, std::size_t size) {
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (poll_ != nullptr) {
        if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    }
    if (size == 0) return 0;
    return try_file(poll_dir::read, [&] { return file_read(number_, to, size); });
}

// SIGPIPE is for what the program writes to its own output: nobody is there to see an error.
std::int64_t fd::write_some(const char* from, std::size_t size) {
    if (kind_ == kind::regular || number_ == STDOUT_FILENO || number_ == STDERR_FILENO)
        return file_write(number_, from, size);
    return file_write_quietly(number_, from, size);
}

std::int64_t fd::write_file(const void* from, std::size_t size) {
    const writing turn(*this);
    if (!turn) return -error_closed;
    if (poll_ != nullptr) {
        if (const int error = poll_check(*poll_, poll_dir::write)) return -error;
    }
    const char* const bytes = static_cast<const char*>(from);
    std::size_t done = 0;
    while (done < size) {
        const std::int64_t n =
            try_file(poll_dir::write, [&] { return write_some(bytes + done, size - done); });
        if (n < 0) return n;
        if (n == 0) return -EIO;  // it takes nothing, and gives no reason
        done += static_cast<std::size_t>(n);
    }
    return static_cast<std::int64_t>(done);
}

// No turn: the place is the caller's, not the file's.
std::int64_t fd::read_file_at(void* to, std::size_t size, std::int64_t offset) {
    return use_blocking([=](int number) { return file_read_at(number, to, size, offset); });
}

std::int64_t fd::write_file_at(const void* from, std::size_t size, std::int64_t offset) {
    const char* const bytes = static_cast<const char*>(from);
    std::size_t done = 0;
    while (done < size) {
        const std::int64_t n = use_blocking([&](int number) {
            return file_write_at(number, bytes + done, size - done,
                                 offset + static_cast<std::int64_t>(done));
        });
        if (n < 0) return n;
        if (n == 0) return -EIO;
        done += static_cast<std::size_t>(n);
    }
    return static_cast<std::int64_t>(done);
}

// The disk may have to be waited for, so each call is handed off; for the peer the goroutine parks.
std::int64_t fd::send_file(fd& from, std::int64_t offset, std::uint64_t count) {
    constexpr std::uint64_t at_once = 1 << 20;  // between two looks at the deadline
    if (!from.is_regular() || offset < 0 || is_file() || has_messages()) return -EINVAL;
    const writing turn(*this);
    if (!turn) return -error_closed;
    std::uint64_t done = 0;
    while (done < count) {
        std::int64_t n = -poll_check(*poll_, poll_dir::write);
        if (n == 0) {
            const auto size = static_cast<std::size_t>(std::min(count - done, at_once));
            n = from.use_blocking(
                [&](int number) { return file_send(number_, number, offset, size); });
            if (n == -EAGAIN) {
                n = -poll_wait(*poll_, poll_dir::write);
                if (n == 0) continue;
            }
        }
        if (n < 0 && done == 0) return n;
        if (n <= 0) break;
        done += static_cast<std::uint64_t>(n);
    }
    return static_cast<std::int64_t>(done);
}

}  // namespace rota::rt
