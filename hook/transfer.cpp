// read, write, recv, send and their kin.
//
// On a socket each attempt is a recvmsg or sendmsg with MSG_DONTWAIT. The descriptor's flags are
// not touched, and no other reader can come between a question and the call. On a pipe the attempt
// is a preadv2 or pwritev2 with RWF_NOWAIT. Some files know neither: a terminal, a pipe before
// Linux 6.4. For these the goroutine waits until the file is ready, and makes the call in a
// blocking section. Such a pipe is written in pieces of PIPE_BUF, which a ready pipe takes whole. A
// regular file is left to the C library.
//
// A call that need not wait does nothing to the scheduler. Handlers of signals, which may run amid
// malloc, write to pipes and files.
//
// A blocking send returns when all bytes have been sent. After a part and then an error, or the
// time limit, it returns the part, as the kernel does. recv with MSG_WAITALL does the same.
#include <climits>
#include <cstdlib>
#include <cstring>

#include <sys/stat.h>

#include "call.hpp"
#include "export.hpp"

namespace rota::hook {

namespace {

constexpr int flags_of(bool may_block) { return may_block ? 0 : MSG_DONTWAIT; }

// Flags with which a call does not block, or waits for an event that poll does not report.
constexpr int immediate = MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB;

bool is_stream(int fd) {
    int type = 0;
    socklen_t size = sizeof type;
    return rt::call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
           type == SOCK_STREAM;
}

long receive_once(call& c, int fd, void* to, std::size_t size, int flags, sockaddr* from,
                  socklen_t* from_size) {
    return until_done(c, fd, POLLIN, SO_RCVTIMEO, [&](bool may_block) {
        return rt::call(SYS_recvfrom, fd, to, size, flags | flags_of(may_block), from, from_size);
    });
}

// -ENOTSOCK: fd is no socket. Not for MSG_PEEK with MSG_WAITALL.
long receive(call& c, int fd, void* to, std::size_t size, int flags, sockaddr* from,
             socklen_t* from_size) {
    long n = receive_once(c, fd, to, size, flags, from, from_size);
    if ((flags & MSG_WAITALL) == 0 || n <= 0 || static_cast<std::size_t>(n) == size ||
        !is_stream(fd) || is_nonblocking(fd))
        return n;
    for (std::size_t done = static_cast<std::size_t>(n); done < size;) {
        n = receive_once(c, fd, static_cast<char*>(to) + done, size - done, flags, nullptr,
                         nullptr);
        if (n <= 0) return static_cast<long>(done);
        done += static_cast<std::size_t>(n);
    }
    return static_cast<long>(size);
}

// send(done, flags) sends the bytes that follow the first `done` bytes.
template <class F>
long send_all(call& c, int fd, std::size_t size, F send) {
    std::size_t done = 0;
    for (;;) {
        // After the first part, a broken connection is an error of the next call.
        const int flags = done > 0 ? MSG_NOSIGNAL : 0;
        const long n = until_done(c, fd, POLLOUT, SO_SNDTIMEO, [&](bool may_block) {
            return send(done, flags | flags_of(may_block));
        });
        if (n < 0) return done > 0 ? static_cast<long>(done) : n;
        done += static_cast<std::size_t>(n);
        if (done >= size || n == 0 || is_nonblocking(fd)) return static_cast<long>(done);
    }
}

long send_bytes(call& c, int fd, const void* from, std::size_t size, int flags, const sockaddr* to,
                socklen_t to_size) {
    return send_all(c, fd, size, [&](std::size_t done, int more) {
        return rt::call(SYS_sendto, fd, static_cast<const char*>(from) + done, size - done,
                        flags | more, to, to_size);
    });
}

// A list of parts without its first bytes.
class parts_left {
  public:
    parts_left(const iovec* parts, std::size_t count) : parts_(parts), count_(count) {}
    ~parts_left() { std::free(copy_); }
    parts_left(const parts_left&) = delete;
    parts_left& operator=(const parts_left&) = delete;

    // False: no memory.
    bool skip(std::size_t bytes) {
        if (bytes == 0) return true;
        if (copy_ == nullptr) {
            copy_ = static_cast<iovec*>(std::malloc(count_ * sizeof(iovec)));
            if (copy_ == nullptr) return false;
            std::memcpy(copy_, parts_, count_ * sizeof(iovec));
            parts_ = copy_;
        }
        iovec* at = copy_ + (static_cast<const iovec*>(parts_) - copy_);
        while (count_ > 0 && bytes >= at->iov_len) {
            bytes -= at->iov_len;
            ++at;
            --count_;
        }
        if (bytes > 0) {
            at->iov_base = static_cast<char*>(at->iov_base) + bytes;
            at->iov_len -= bytes;
        }
        parts_ = at;
        return true;
    }
    iovec* parts() const { return const_cast<iovec*>(parts_); }
    std::size_t count() const { return count_; }

  private:
    const iovec* parts_;
    std::size_t count_;
    iovec* copy_ = nullptr;
};

std::size_t size_of(const iovec* parts, std::size_t count) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) size += parts[i].iov_len;
    return size;
}

long send_message(call& c, int fd, const msghdr& m, int flags) {
    msghdr left = m;
    parts_left parts(m.msg_iov, m.msg_iovlen);
    std::size_t before = 0;
    return send_all(c, fd, size_of(m.msg_iov, m.msg_iovlen),
                    [&](std::size_t done, int more) -> long {
                        if (!parts.skip(done - before)) return -ENOBUFS;
                        before = done;
                        left.msg_iov = parts.parts();
                        left.msg_iovlen = parts.count();
                        if (done > 0) left.msg_controllen = 0;  // sent with the first part
                        return rt::call(SYS_sendmsg, fd, &left, flags | more);
                    });
}

// --- other files
// ----------------------------------------------------------------------------

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

mode_t mode_of(int fd) {
    struct stat about{};
    return ::fstat(fd, &about) == 0 ? about.st_mode : 0;
}

// A read of these waits for a disk, of which poll reports nothing.
bool is_on_disk(mode_t mode) { return S_ISREG(mode) || S_ISBLK(mode) || S_ISDIR(mode); }

// Whether that error means that this kind of file has no calls without waiting, or that these are
// forbidden.
bool is_refused(long n) { return n == -EOPNOTSUPP || n == -EINVAL || rt::is_absent(n); }

template <class Real>
long read_file(call& c, int fd, const iovec* parts, std::size_t count, Real real) {
    if (is_on_disk(mode_of(fd))) return c.leave(real);
    const long n = until_done(c, fd, POLLIN, SO_RCVTIMEO, [&](bool may_block) {
        return rt::call(SYS_preadv2, fd, parts, count, -1L, -1L, may_block ? 0 : RWF_NOWAIT);
    });
    return is_refused(n) ? when_ready(c, fd, POLLIN, 0, real) : n;
}

// Each piece fits into a pipe that is ready. After a part and then an error: the part.
long write_piecewise(call& c, int fd, const iovec* parts, std::size_t count) {
    long done = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto* const from = static_cast<const char*>(parts[i].iov_base);
        const std::size_t size = parts[i].iov_len;
        for (std::size_t at = 0; at < size;) {
            const std::size_t piece = size - at < PIPE_BUF ? size - at : PIPE_BUF;
            const long n = when_ready(c, fd, POLLOUT, 0,
                                      [&] { return ROTA_REAL(write)(fd, from + at, piece); });
            if (n <= 0) return done > 0 ? done : n;
            at += static_cast<std::size_t>(n);
            done += n;
        }
    }
    return done;
}

template <class Real>
long write_file(call& c, int fd, const iovec* parts, std::size_t count, Real real) {
    const mode_t mode = mode_of(fd);
    if (is_on_disk(mode)) return c.leave(real);
    const std::size_t size = size_of(parts, count);
    parts_left left(parts, count);
    std::size_t before = 0;
    const long n = send_all(c, fd, size, [&](std::size_t done, int flags) -> long {
        if (!left.skip(done - before)) return -ENOMEM;
        before = done;
        const int how = (flags & MSG_DONTWAIT) != 0 ? RWF_NOWAIT : 0;
        return rt::call(SYS_pwritev2, fd, left.parts(), left.count(), -1L, -1L, how);
    });
    if (!is_refused(n)) return n;
    if (S_ISFIFO(mode) && size > PIPE_BUF && !is_nonblocking(fd))
        return write_piecewise(c, fd, parts, count);
    return when_ready(c, fd, POLLOUT, 0, real);
}

bool is_list(const iovec* parts, int count) {
    return parts != nullptr && count > 0 && count <= IOV_MAX;
}

// --- the functions
// --------------------------------------------------------------------------------

ssize_t hooked_read(int fd, void* to, std::size_t size) {
    const auto real = [&] { return ROTA_REAL(read)(fd, to, size); };
    return make(hooked::read, size == 0, real, [&](call& c) {
        const long n = receive(c, fd, to, size, 0, nullptr, nullptr);
        const iovec all{to, size};
        return n == -ENOTSOCK ? read_file(c, fd, &all, 1, real) : n;
    });
}

// `which` is recv or recvfrom.
template <class Real>
ssize_t hooked_receive(hooked which, int fd, void* to, std::size_t size, int flags, sockaddr* from,
                       socklen_t* from_size, Real real) {
    constexpr int peek_all = MSG_PEEK | MSG_WAITALL;
    return make(which, (flags & immediate) != 0, real, [&](call& c) {
        if ((flags & peek_all) == peek_all) return c.block(real);
        return receive(c, fd, to, size, flags, from, from_size);
    });
}

ssize_t hooked_recv(int fd, void* to, std::size_t size, int flags) {
    return hooked_receive(hooked::recv, fd, to, size, flags, nullptr, nullptr,
                          [&] { return ROTA_REAL(recv)(fd, to, size, flags); });
}

ssize_t hooked_recvfrom(int fd, void* to, std::size_t size, int flags, sockaddr* from,
                        socklen_t* from_size) {
    return hooked_receive(hooked::recvfrom, fd, to, size, flags, from, from_size, [&] {
        return ROTA_REAL(recvfrom)(fd, to, size, flags, from, from_size);
    });
}

ssize_t hooked_write(int fd, const void* from, std::size_t size) {
    const auto real = [&] { return ROTA_REAL(write)(fd, from, size); };
    return make(hooked::write, size == 0, real, [&](call& c) {
        const long n = send_bytes(c, fd, from, size, 0, nullptr, 0);
        const iovec all{const_cast<void*>(from), size};
        return n == -ENOTSOCK ? write_file(c, fd, &all, 1, real) : n;
    });
}

ssize_t hooked_send(int fd, const void* from, std::size_t size, int flags) {
    return make(
        hooked::send, (flags & immediate) != 0,
        [&] { return ROTA_REAL(send)(fd, from, size, flags); },
        [&](call& c) { return send_bytes(c, fd, from, size, flags, nullptr, 0); });
}

}  // namespace

}  // namespace rota::hook

using namespace rota::hook;

ROTA_EXPORT ssize_t read(int fd, void* to, size_t size) { return hooked_read(fd, to, size); }
ROTA_EXPORT ssize_t __read(int fd, void* to, size_t size) { return hooked_read(fd, to, size); }
ROTA_EXPORT ssize_t __read_chk(int fd, void* to, size_t size, size_t room) {
    if (size > room) __chk_fail();
    return hooked_read(fd, to, size);
}

ROTA_EXPORT ssize_t recv(int fd, void* to, size_t size, int flags) {
    return hooked_recv(fd, to, size, flags);
}
ROTA_EXPORT ssize_t __recv_chk(int fd, void* to, size_t size, size_t room, int flags) {
    if (size > room) __chk_fail();
    return hooked_recv(fd, to, size, flags);
}

ROTA_EXPORT ssize_t recvfrom(int fd, void* to, size_t size, int flags, sockaddr* from,
                             socklen_t* from_size) {
    return hooked_recvfrom(fd, to, size, flags, from, from_size);
}
ROTA_EXPORT ssize_t __recvfrom_chk(int fd, void* to, size_t size, size_t room, int flags,
                                   sockaddr* from, socklen_t* from_size) {
    if (size > room) __chk_fail();
    return hooked_recvfrom(fd, to, size, flags, from, from_size);
}

ROTA_EXPORT ssize_t recvmsg(int fd, msghdr* m, int flags) {
    const auto real = [&] { return ROTA_REAL(recvmsg)(fd, m, flags); };
    return make(hooked::recvmsg, (flags & immediate) != 0, real, [&](call& c) {
        if ((flags & MSG_WAITALL) != 0) return c.block(real);
        return until_done(c, fd, POLLIN, SO_RCVTIMEO, [&](bool may_block) {
            return rota::rt::call(SYS_recvmsg, fd, m, flags | flags_of(may_block));
        });
    });
}

ROTA_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
    const auto real = [&] { return ROTA_REAL(readv)(fd, parts, count); };
    return make(hooked::readv, !is_list(parts, count), real, [&](call& c) {
        msghdr m{};
        m.msg_iov = const_cast<iovec*>(parts);
        m.msg_iovlen = static_cast<std::size_t>(count);
        const long n = until_done(c, fd, POLLIN, SO_RCVTIMEO, [&](bool may_block) {
            return rota::rt::call(SYS_recvmsg, fd, &m, flags_of(may_block));
        });
        return n == -ENOTSOCK ? read_file(c, fd, parts, m.msg_iovlen, real) : n;
    });
}

ROTA_EXPORT ssize_t write(int fd, const void* from, size_t size) {
    return hooked_write(fd, from, size);
}
ROTA_EXPORT ssize_t __write(int fd, const void* from, size_t size) {
    return hooked_write(fd, from, size);
}

ROTA_EXPORT ssize_t send(int fd, const void* from, size_t size, int flags) {
    return hooked_send(fd, from, size, flags);
}
ROTA_EXPORT ssize_t __send(int fd, const void* from, size_t size, int flags) {
    return hooked_send(fd, from, size, flags);
}

ROTA_EXPORT ssize_t sendto(int fd, const void* from, size_t size, int flags, const sockaddr* to,
                           socklen_t to_size) {
    return make(
        hooked::sendto, (flags & immediate) != 0,
        [&] { return ROTA_REAL(sendto)(fd, from, size, flags, to, to_size); },
        [&](call& c) { return send_bytes(c, fd, from, size, flags, to, to_size); });
}

ROTA_EXPORT ssize_t sendmsg(int fd, const msghdr* m, int flags) {
    return make(
        hooked::sendmsg, (flags & immediate) != 0, [&] { return ROTA_REAL(sendmsg)(fd, m, flags); },
        [&](call& c) { return send_message(c, fd, *m, flags); });
}

ROTA_EXPORT ssize_t writev(int fd, const iovec* parts, int count) {
    const auto real = [&] { return ROTA_REAL(writev)(fd, parts, count); };
    return make(hooked::writev, !is_list(parts, count), real, [&](call& c) {
        msghdr m{};
        m.msg_iov = const_cast<iovec*>(parts);
        m.msg_iovlen = static_cast<std::size_t>(count);
        const long n = send_message(c, fd, m, 0);
        return n == -ENOTSOCK ? write_file(c, fd, parts, m.msg_iovlen, real) : n;
    });
}
