// The calls for files: a file that can be polled is served like a socket, any other is handed off.
#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "fd/regular.hpp"
#include "fd/turn.hpp"
#include "sys/io/file.hpp"

namespace rota::rt {

std::int64_t fd::read_file(void* to, std::size_t size) {
    if (is_regular()) return read_regular(to, size);
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (poll_ != nullptr) {
        if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    }
    if (size == 0) return 0;
    return try_file(poll_dir::read, [&] { return file_read(number_, to, size); });
}

// SIGPIPE is for writes to the program's own output, where no caller checks errors.
std::int64_t fd::write_some(const char* from, std::size_t size) {
    if (number_ == STDOUT_FILENO || number_ == STDERR_FILENO)
        return file_write(number_, from, size);
    return file_write_quietly(number_, from, size);
}

// Calls `write(bytes, size, done)` for the rest until the rest is empty.
template <class Write>
std::int64_t fd::write_all(const void* from, std::size_t size, Write write) {
    const char* const bytes = static_cast<const char*>(from);
    std::size_t done = 0;
    while (done < size) {
        const std::int64_t n = write(bytes + done, size - done, done);
        if (n < 0) return n;
        if (n == 0) return -EIO;  // the write takes nothing, and gives no reason
        done += static_cast<std::size_t>(n);
    }
    return static_cast<std::int64_t>(done);
}

std::int64_t fd::write_file(const void* from, std::size_t size) {
    if (is_regular()) return write_regular(from, size);
    const writing turn(*this);
    if (!turn) return -error_closed;
    if (poll_ != nullptr) {
        if (const int error = poll_check(*poll_, poll_dir::write)) return -error;
    }
    return write_all(from, size, [this](const char* bytes, std::size_t left, std::size_t) {
        return try_file(poll_dir::write, [&] { return write_some(bytes, left); });
    });
}

// --- regular files -------------------------------------------------------------------------------

std::int64_t fd::read_regular(void* to, std::size_t size) {
    const positioned turn(*this);
    if (!turn) return -error_closed;
    if (size == 0) return 0;
    return regular_read(number_, to, size, at_position, has_position_alone());
}

std::int64_t fd::write_regular(const void* from, std::size_t size) {
    const positioned turn(*this);
    if (!turn) return -error_closed;
    return write_all(from, size, [this](const char* bytes, std::size_t left, std::size_t) {
        return regular_write(number_, bytes, left, at_position, has_position_alone());
    });
}

// Takes no turn: the position is the caller's, not the file's.
std::int64_t fd::read_file_at(void* to, std::size_t size, std::int64_t offset) {
    give_way_if_asked();
    if (!is_regular() || offset < 0 || size == 0)
        return use_blocking([=](int number) { return file_read_at(number, to, size, offset); });
    return use([=](int number) { return regular_read(number, to, size, offset, true); });
}

std::int64_t fd::write_file_at(const void* from, std::size_t size, std::int64_t offset) {
    return write_all(from, size, [=, this](const char* bytes, std::size_t left, std::size_t done) {
        const std::int64_t at = offset + static_cast<std::int64_t>(done);
        if (!is_regular() || offset < 0)
            return use_blocking([=](int number) { return file_write_at(number, bytes, left, at); });
        return use([=](int number) { return regular_write(number, bytes, left, at, true); });
    });
}

int fd::sync() {
    if (!is_regular()) return use_blocking(file_sync);
    return use(regular_sync);
}

void fd::await_position() {
    if (is_regular()) const positioned turn(*this);
}

std::int64_t fd::seek(std::int64_t offset, int whence) {
    const auto call = [=](int number) { return file_seek(number, offset, whence); };
    if (!is_regular()) return use(call);
    const positioned turn(*this);
    return turn ? call(number_) : -error_closed;
}

// --- to a socket ---------------------------------------------------------------------------------

// Each call is handed off, because it may wait for the disk. The goroutine parks to wait for the
// peer.
std::int64_t fd::send_file(fd& from, std::int64_t offset, std::uint64_t count) {
    constexpr std::uint64_t at_once = 1 << 20;  // bytes between two checks of the deadline
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
                n = -wait_for_room();
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
