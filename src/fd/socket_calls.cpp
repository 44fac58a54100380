// Makes the calls on sockets: bytes, messages and connections. Each may be interrupted, have to
// wait, do a part, be closed meanwhile, or be too late.
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "fd/fd.hpp"
#include "fd/poll_wait.hpp"
#include "fd/turn.hpp"
#include "sys/call/fault.hpp"
#include "sys/io/io.hpp"
#include "sys/io/io_bytes.hpp"

namespace rota::rt {

// --- bytes ---------------------------------------------------------------------------------------

// The bytes follow the object in memory.
struct fd::returned {
    std::size_t at, size;
    const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

// The poller reports a later change anew. An earlier change that is not data has set `ended`.
bool fd::has_drained(std::int64_t n, std::size_t size) const {
    return kind_ == kind::tcp && n > 0 && static_cast<std::size_t>(n) < size &&
           !poll_->ended.load(memory_order_relaxed);  // relaxed: passed on by `ready`
}

std::int64_t fd::peek(void* to, std::size_t size) {
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    if (returned_ != nullptr) return take_returned(to, size, true);
    if (drained_) {
        if (const int error = poll_wait(*poll_, poll_dir::read)) return -error;
        drained_ = false;
    }
    return try_until_done(poll_dir::read, [&] { return io_peek(number_, to, size); });
}

int fd::wait_readable() {
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    if (returned_ != nullptr) return 0;
    if (!drained_) {
        char first;
        const std::int64_t n =
            try_until_done(poll_dir::read, [&] { return io_peek(number_, &first, 1); });
        return n < 0 ? static_cast<int>(n) : 0;
    }
    if (const int error = poll_wait(*poll_, poll_dir::read)) return -error;
    drained_ = false;
    return 0;
}

std::int64_t fd::try_read(void* to, std::size_t size) {
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    if (size == 0 && !has_messages()) return 0;
    if (returned_ != nullptr) return take_returned(to, size, false);
    if (!has_messages()) (void)faulty_size(sys_call::room, size, "fd::try_read");
    std::int64_t n = 0;
    do n = io_receive(number_, to, size);
    while (n == -EINTR);
    drained_ = n == -EAGAIN || has_drained(n, size);
    return n;
}

std::int64_t fd::take_returned(void* to, std::size_t size, bool stays) {
    returned& r = *returned_;
    const std::size_t left = r.size - r.at, n = size < left ? size : left;
    std::memcpy(to, r.bytes() + r.at, n);
    if (stays) return static_cast<std::int64_t>(n);
    r.at += n;
    if (n == left) ::operator delete(std::exchange(returned_, nullptr));
    return static_cast<std::int64_t>(n);
}

int fd::unread(const void* from, std::size_t size) {
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (size == 0) return 0;
    const std::size_t before = returned_ == nullptr ? 0 : returned_->size - returned_->at;
    auto* const all = new (::operator new(sizeof(returned) + size + before)) returned;
    all->at = 0;
    all->size = size + before;
    std::memcpy(all->bytes(), from, size);
    if (before != 0) std::memcpy(all->bytes() + size, returned_->bytes() + returned_->at, before);
    ::operator delete(std::exchange(returned_, all));
    return 0;
}

std::int64_t fd::write(const void* from, std::size_t size) {
    const writing turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::write)) return -error;
    if (size == 0 && !has_messages()) return 0;
    const std::int64_t n = io_send(number_, from, size);
    if (ROTA_LIKELY(n == static_cast<std::int64_t>(size))) return n;
    return write_on(static_cast<const char*>(from), size, n);
}

// The kernel reports `ready` when much of its buffer is free. A peer that takes little for a long
// time shows in the count of bytes that it has not taken.
ROTA_NOINLINE int fd::wait_for_room(std::int64_t stall_ns) {
    const int before = io_unsent(number_);
    bool is_over = false;
    const int error = poll_wait_at_most(*poll_, poll_dir::write, stall_ns, is_over);
    if (error != 0 || !is_over) return error;
    // A kernel that does not report that count decides nothing: the deadline does.
    return before >= 0 && io_unsent(number_) == before ? ETIMEDOUT : 0;
}

ROTA_NOINLINE std::int64_t fd::write_on(const char* bytes, std::size_t size, std::int64_t n) {
    std::size_t done = 0;
    for (;;) {
        if (n == -EAGAIN) {
            if (const int error = wait_for_room()) return -error;
        } else if (n >= 0) {
            done += static_cast<std::size_t>(n);
            if (done >= size) return static_cast<std::int64_t>(done);
        } else if (n != -EINTR) {
            return n;
        }
        n = io_send(number_, bytes + done, size - done);
    }
}

std::int64_t fd::write_parts(iovec* parts, std::size_t count) {
    const writing turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::write)) return -error;
    if (has_messages()) {  // one message; the kernel may refuse its size
        return try_until_done(poll_dir::write,
                              [&] { return io_send_parts(number_, parts, count); });
    }
    std::int64_t done = 0;
    while (count > 0) {
        if (parts->iov_len == 0) {
            ++parts;
            --count;
            continue;
        }
        const std::size_t at_once = count < IOV_MAX ? count : IOV_MAX;
        const std::int64_t n =
            try_until_done(poll_dir::write, [&] { return io_send_parts(number_, parts, at_once); });
        if (n < 0) return n;
        done += n;
        auto left = static_cast<std::size_t>(n);
        while (count > 0 && left >= parts->iov_len) {
            left -= parts->iov_len;
            ++parts;
            --count;
        }
        if (left > 0) {
            parts->iov_base = static_cast<char*>(parts->iov_base) + left;
            parts->iov_len -= left;
        }
    }
    return done;
}

std::int64_t fd::receive_from(void* to, std::size_t size, sockaddr* from,
                              std::uint32_t& from_size) {
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    const std::uint32_t room = from_size;
    return try_until_done(poll_dir::read, [&] {
        from_size = room;
        return io_receive_from(number_, to, size, from, from_size);
    });
}

std::int64_t fd::send_to(const void* from, std::size_t size, const sockaddr* to,
                         std::uint32_t to_size) {
    const writing turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::write)) return -error;
    const auto call = [&] { return io_send_to(number_, from, size, to, to_size); };
    if (kind_ != kind::local_datagram) return try_until_done(poll_dir::write, call);
    std::int64_t n = 0;
    do n = call();
    while (n == -EINTR);
    return n;
}

// --- connections ---------------------------------------------------------------------------------

int fd::accept(sockaddr* from, std::uint32_t* from_size) {
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    const std::uint32_t room = from_size == nullptr ? 0 : *from_size;
    for (;;) {
        const auto n = static_cast<int>(try_until_done(poll_dir::read, [&] {
            if (from_size != nullptr) *from_size = room;
            return std::int64_t{io_accept(number_, from, from_size)};
        }));
        // A connection that has gone before it was accepted is no failure.
        if (n != -ECONNABORTED && n != -EPROTO) return n;
    }
}

int fd::connect(const sockaddr* to, std::uint32_t size) {
    const writing turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::write)) return -error;
    int r = 0;
    do r = io_connect(number_, to, size);  // a connect under way returns EALREADY
    while (r == -EINTR);
    if (r == 0 || r == -EISCONN) return 0;
    while (r == -EINPROGRESS || r == -EALREADY || r == -EINTR) {
        if (const int error = poll_wait(*poll_, poll_dir::write)) return -error;
        int outcome = 0;
        const int asked = io_get_option(number_, SOL_SOCKET, SO_ERROR, outcome);
        if (asked < 0) return asked;
        r = -outcome;
        if (r == -EISCONN) return 0;
        if (r != 0) continue;
        // `ready` may come too often (kb32): a connected socket has a peer.
        sockaddr_storage peer{};
        std::uint32_t room = sizeof peer;
        const int known = io_remote_address(number_, reinterpret_cast<sockaddr*>(&peer), room);
        if (known != -ENOTCONN) return known;
        r = -EINPROGRESS;
    }
    return r;
}

}  // namespace rota::rt
