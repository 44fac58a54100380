// Calls on descriptors: polling, sockets, reading and writing.
//
// Every function returns what the kernel has given, 0 or more, or else an errno value with its sign
// turned. errno itself is left to the program. They are system calls, not the C library's
// functions: a program may have put others in their place. None of them retries, waits longer than
// the kernel does, or knows a goroutine. SIGPIPE is never raised by what sends.
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
int io_event_create();  // a counter, 0, that does not block
// Sets it to 0: 1, or -EAGAIN if it is 0 already. Adds 1: 0, or -EAGAIN, and it is not 0 either
// way.
int io_event_take(int event);
int io_event_add(int event);
// Adds fd, for what `events` says; the kernel gives `tag` back with each of them.
int io_epoll_add(int epoll, int fd, std::uint32_t events, std::uint64_t tag);
int io_epoll_modify(int epoll, int fd, std::uint32_t events, std::uint64_t tag);
int io_epoll_remove(int epoll, int fd);
// Waits for at most `timeout` ns; below 0: for ever; 0: not at all. Returns the number of events.
int io_epoll_wait(int epoll, epoll_event* events, int max, std::int64_t timeout);

// Which of `events` (poll.h's) there are at this moment; what nobody asks for comes unasked.
int io_poll_now(int fd, short events);

// --- bytes ---------------------------------------------------------------------------------------

// io_receive and io_send: sys/io_bytes.hpp.
std::int64_t io_peek(int fd, void* to, std::size_t size);  // what is there stays
// `size` is that of the room at `from`, and becomes that of the sender's address.
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
// Neither blocks nor is inherited. `from` may be null; else its size is that of the room, and
// becomes that of the peer's address.
int io_accept(int fd, sockaddr* from = nullptr, std::uint32_t* from_size = nullptr);
int io_connect(int fd, const sockaddr* to, std::uint32_t size);
int io_shutdown(int fd, int how);
int io_set_option(int fd, int level, int name, int value);
int io_get_option(int fd, int level, int name, int& value);
// How many of the bytes that have been sent the peer has not taken yet.
int io_unsent(int fd);
int io_local_address(int fd, sockaddr* to, std::uint32_t& size);
int io_remote_address(int fd, sockaddr* to, std::uint32_t& size);

// Which file it is, among all that exist at the same time.
struct file_identity {
    std::uint64_t device = 0, number = 0;
    friend bool operator==(const file_identity&, const file_identity&) = default;
};
int io_identity_of(const char* path, file_identity& to);  // of a link itself
// Removes the file if it is this one; -ESTALE: it is another.
int io_unlink_if(const char* path, const file_identity& file);

}  // namespace rota::rt
