// Calls on descriptors: polling, sockets, reading and writing.
//
// Every function returns the kernel's result, 0 or more, or else a negative errno value. errno
// itself is left to the program. The functions make system calls, not the C library's functions: a
// program may have replaced these. None of them retries, waits longer than the kernel does, or
// knows a goroutine. A function that sends never raises SIGPIPE.
#pragma once

#include <cstddef>
#include <cstdint>

struct epoll_event;
struct sockaddr;
struct msghdr;
struct iovec;

namespace rota::rt {

// --- polling -------------------------------------------------------------------------------------

int io_epoll_create();
int io_event_create();  // a counter that starts at 0 and does not block
// Sets the counter to 0: 1, or -EAGAIN if it is 0 already.
// Adds 1: 0, or -EAGAIN; in both cases the counter is then not 0.
int io_event_take(int event);
int io_event_add(int event);
// Adds fd, for the events of `events`; the kernel gives `tag` back with each event.
int io_epoll_add(int epoll, int fd, std::uint32_t events, std::uint64_t tag);
int io_epoll_modify(int epoll, int fd, std::uint32_t events, std::uint64_t tag);
int io_epoll_remove(int epoll, int fd);
// Waits for at most `timeout` ns; below 0: for ever; 0: not at all. Returns the number of events.
int io_epoll_wait(int epoll, epoll_event* events, int max, std::int64_t timeout);

// The events of `events` (poll.h's) that are there at this moment; POLLERR, POLLHUP and POLLNVAL
// come unasked.
int io_poll_now(int fd, short events);

// --- bytes ---------------------------------------------------------------------------------------

// io_receive and io_send: sys/io/io_bytes.hpp.
std::int64_t io_peek(int fd, void* to, std::size_t size);  // the bytes stay
// `size` is the size of the room at `from`, and becomes the size of the sender's address.
std::int64_t io_receive_from(int fd, void* to, std::size_t size, sockaddr* from,
                             std::uint32_t& from_size);
std::int64_t io_send_to(int fd, const void* from, std::size_t size, const sockaddr* to,
                        std::uint32_t to_size);
std::int64_t io_send_parts(int fd, const iovec* parts, std::size_t count);
int io_close(int fd);

// --- sockets -------------------------------------------------------------------------------------

int io_socket(int family, int type, int protocol);  // neither blocks nor is inherited
int io_bind(int fd, const sockaddr* to, std::uint32_t size);
int io_listen(int fd, int backlog);
// The result neither blocks nor is inherited. `from` may be null; else its size is that of the
// room, and becomes the size of the peer's address.
int io_accept(int fd, sockaddr* from = nullptr, std::uint32_t* from_size = nullptr);
int io_connect(int fd, const sockaddr* to, std::uint32_t size);
int io_shutdown(int fd, int how);
int io_set_option(int fd, int level, int name, int value);
int io_get_option(int fd, int level, int name, int& value);
// How many of the sent bytes the peer has not taken yet.
int io_unsent(int fd);
int io_local_address(int fd, sockaddr* to, std::uint32_t& size);
int io_remote_address(int fd, sockaddr* to, std::uint32_t& size);

// Identifies a file among the files that exist at the same time.
struct file_identity {
    std::uint64_t device = 0, number = 0;
    friend bool operator==(const file_identity&, const file_identity&) = default;
};
int io_identity_of(const char* path, file_identity& to);  // of a link itself
// Removes the file if it is this file; -ESTALE: it is a different file.
int io_unlink_if(const char* path, const file_identity& file);

}  // namespace rota::rt
