// Makes the system calls on descriptors, or gives them to the simulated kernel of a test.
#include "sys/io/io.hpp"

#include <cerrno>
#include <ctime>

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "sys/call/call.hpp"
#include "sys/call/fault.hpp"
#include "sys/call/number.hpp"
#include "sys/io/io_bytes.hpp"
#include "sys/io/socket_kernel.hpp"

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

namespace rota::rt {

namespace {

// epoll_pwait2 came with Linux 5.11; some containers forbid calls that they do not know.
constinit atomic<bool> waits_coarsely{false};  // relaxed: every thread finds the same

int wait_coarsely(int epoll, epoll_event* events, int max, std::int64_t timeout) {
    constexpr std::int64_t ms = 1'000'000, most = 1'000'000'000;  // ns; ms: some 11 days
    const std::int64_t rounded = timeout < 0 ? -1 : timeout / ms + (timeout % ms != 0 ? 1 : 0);
    return call_int(SYS_epoll_pwait, epoll, events, max,
                    static_cast<int>(rounded < most ? rounded : most), nullptr, 8UL);
}

}  // namespace

int io_epoll_create() {
    if (const int error = fault_at(sys_call::poll_create)) return -error;
    return above_standard(call_int(SYS_epoll_create1, EPOLL_CLOEXEC));
}

int io_event_create() {
    if (const int error = fault_at(sys_call::poll_create)) return -error;
    return above_standard(call_int(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK));
}

int io_epoll_add(int epoll, int fd, std::uint32_t events, std::uint64_t tag) {
    if (const int error = fault_at(sys_call::poll_add)) return -error;
    epoll_event e{};
    e.events = events;
    e.data.u64 = tag;
    return call_int(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, fd, &e);
}

int io_epoll_modify(int epoll, int fd, std::uint32_t events, std::uint64_t tag) {
    if (const int error = fault_at(sys_call::poll_add)) return -error;
    epoll_event e{};
    e.events = events;
    e.data.u64 = tag;
    return call_int(SYS_epoll_ctl, epoll, EPOLL_CTL_MOD, fd, &e);
}

int io_epoll_remove(int epoll, int fd) {
    if (const int error = fault_at(sys_call::poll_remove)) return -error;
    epoll_event ignored{};
    return call_int(SYS_epoll_ctl, epoll, EPOLL_CTL_DEL, fd, &ignored);
}

int io_epoll_wait(int epoll, epoll_event* events, int max, std::int64_t timeout) {
    if (const int error = fault_at(sys_call::poll_wait)) return -error;
    if (timeout <= 0 || waits_coarsely.load(memory_order_relaxed))  // relaxed: see there
        return wait_coarsely(epoll, events, max, timeout);
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(timeout / 1'000'000'000);
    limit.tv_nsec = static_cast<long>(timeout % 1'000'000'000);
    const int n = call_int(SYS_epoll_pwait2, epoll, events, max, &limit, nullptr, 8UL);
    if (!is_absent(n)) return n;
    waits_coarsely.store(true, memory_order_relaxed);  // relaxed: see there
    return wait_coarsely(epoll, events, max, timeout);
}

int io_poll_now(int fd, short events) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->poll(fd, events);
    pollfd asked{fd, events, 0};
    constexpr timespec at_once{};
    const int n = call_int(SYS_ppoll, &asked, 1, &at_once, nullptr, 8UL);
    return n <= 0 ? n : asked.revents;
}

int io_event_take(int event) {
    if (const int error = fault_at(sys_call::event)) return -error;
    std::uint64_t times = 0;
    const auto n = call_int(SYS_read, event, &times, sizeof times);
    return n < 0 ? n : 1;
}

int io_event_add(int event) {
    if (const int error = fault_at(sys_call::event)) return -error;
    const std::uint64_t once = 1;
    const auto n = call_int(SYS_write, event, &once, sizeof once);
    return n < 0 ? n : 0;
}

std::int64_t receive_by_either(int fd, void* to, std::size_t size, int flags) {
    if (socket_kernel* const k = kernel_of(fd)) return k->receive(fd, to, size, false);
    return call(SYS_recvfrom, fd, to, size, flags, nullptr, nullptr);
}

std::int64_t send_by_either(int fd, const void* from, std::size_t size) {
    if (socket_kernel* const k = kernel_of(fd)) {
        const iovec all{const_cast<void*>(from), size};
        return k->send(fd, &all, 1);
    }
    return call(SYS_sendto, fd, from, size, MSG_NOSIGNAL, nullptr, 0);
}

std::int64_t io_peek(int fd, void* to, std::size_t size) {
    if (const int error = faulty_size(sys_call::read, size)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->receive(fd, to, size, true);
    return call(SYS_recvfrom, fd, to, size, MSG_PEEK, nullptr, nullptr);
}

std::int64_t io_receive_from(int fd, void* to, std::size_t size, sockaddr* from,
                             std::uint32_t& from_size) {
    if (const int error = fault_at(sys_call::read)) return -error;
    return call(SYS_recvfrom, fd, to, size, 0, from, &from_size);
}

std::int64_t io_send_to(int fd, const void* from, std::size_t size, const sockaddr* to,
                        std::uint32_t to_size) {
    if (const int error = fault_at(sys_call::write)) return -error;
    return call(SYS_sendto, fd, from, size, MSG_NOSIGNAL, to, to_size);
}

std::int64_t io_send_parts(int fd, const iovec* parts, std::size_t count) {
    std::size_t most = count > 0 ? parts->iov_len : 0;
    if (const int error = faulty_size(sys_call::write, most)) return -error;
    iovec first{};  // the part that is sent where a fault has cut it
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = count;
    if (count > 0 && most < parts->iov_len) {
        first = {parts->iov_base, most};
        message.msg_iov = &first;
        message.msg_iovlen = 1;
    }
    if (socket_kernel* const k = kernel_of(fd))
        return k->send(fd, message.msg_iov, message.msg_iovlen);
    return call(SYS_sendmsg, fd, &message, MSG_NOSIGNAL);
}

int io_close(int fd) {
    if (socket_kernel* const k = kernel_of(fd)) k->close(fd);
    const int result = call_int(SYS_close, fd);
    if (const int error = fault_at(sys_call::close_socket)) return -error;
    return result;
}

namespace {

int make_socket(int family, int type, int protocol) {
    return above_standard(
        call_int(SYS_socket, family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
}

int accept_of(socket_kernel& k, int fd, sockaddr* from, std::uint32_t* from_size) {
    const int fresh = make_socket(AF_UNIX, SOCK_STREAM, 0);
    const int failed = fresh < 0 ? fresh : k.accept(fd, fresh, from, from_size);
    if (failed < 0 && fresh >= 0) (void)call_int(SYS_close, fresh);
    return failed < 0 ? failed : fresh;
}

}  // namespace

int io_socket(int family, int type, int protocol) {
    if (const int error = fault_at(sys_call::socket)) return -error;
    socket_kernel* const k = other_kernel.load(memory_order_relaxed);  // relaxed: see there
    if (k == nullptr || !k->takes(family, type)) return make_socket(family, type, protocol);
    const int number = make_socket(AF_UNIX, SOCK_STREAM, 0);
    const int failed = number < 0 ? number : k->adopt(number, family);
    if (failed < 0 && number >= 0) (void)call_int(SYS_close, number);
    return failed < 0 ? failed : number;
}

int io_bind(int fd, const sockaddr* to, std::uint32_t size) {
    if (const int error = fault_at(sys_call::bind)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->bind(fd, to, size);
    return call_int(SYS_bind, fd, to, size);
}

int io_listen(int fd, int backlog) {
    if (const int error = fault_at(sys_call::listen)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->listen(fd, backlog);
    return call_int(SYS_listen, fd, backlog);
}

int io_accept(int fd, sockaddr* from, std::uint32_t* from_size) {
    if (const int error = fault_at(sys_call::accept)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return accept_of(*k, fd, from, from_size);
    return above_standard(call_int(SYS_accept4, fd, from, from_size, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int io_connect(int fd, const sockaddr* to, std::uint32_t size) {
    if (const int error = fault_at(sys_call::connect)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->connect(fd, to, size);
    return call_int(SYS_connect, fd, to, size);
}

int io_shutdown(int fd, int how) {
    if (const int error = fault_at(sys_call::change)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->shutdown(fd, how);
    return call_int(SYS_shutdown, fd, how);
}

int io_set_option(int fd, int level, int name, int value) {
    if (const int error = fault_at(sys_call::change)) return -error;
    if (kernel_of(fd) != nullptr) return 0;
    return call_int(SYS_setsockopt, fd, level, name, &value, sizeof value);
}

int io_get_option(int fd, int level, int name, int& value) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->get_option(fd, level, name, value);
    socklen_t size = sizeof value;
    return call_int(SYS_getsockopt, fd, level, name, &value, &size);
}

int io_unsent(int fd) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    if (kernel_of(fd) != nullptr) return -EOPNOTSUPP;
    int bytes = 0;
    const int error = call_int(SYS_ioctl, fd, SIOCOUTQ, &bytes);
    return error < 0 ? error : bytes;
}

int io_local_address(int fd, sockaddr* to, std::uint32_t& size) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->address(fd, false, to, size);
    return call_int(SYS_getsockname, fd, to, &size);
}

int io_remote_address(int fd, sockaddr* to, std::uint32_t& size) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    if (socket_kernel* const k = kernel_of(fd)) return k->address(fd, true, to, size);
    return call_int(SYS_getpeername, fd, to, &size);
}

int io_identity_of(const char* path, file_identity& to) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    struct ::stat now{};
    const int r = call_int(SYS_newfstatat, AT_FDCWD, path, &now, AT_SYMLINK_NOFOLLOW);
    if (r == 0) to = {now.st_dev, now.st_ino};
    return r;
}

int io_unlink_if(const char* path, const file_identity& file) {
    file_identity now;
    if (const int r = io_identity_of(path, now); r < 0) return r;
    if (now != file) return -ESTALE;
    if (const int error = fault_at(sys_call::change)) return -error;
    return call_int(SYS_unlinkat, AT_FDCWD, path, 0);
}

}  // namespace rota::rt
