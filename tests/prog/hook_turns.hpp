// Cases of hook.cpp in which many goroutines wait for one file, or for room in one listener's
// queue.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <rota/hook.hpp>

#include "hook_tools.hpp"

namespace rota_test {

// A listener on a Unix socket, under a name that the kernel has chosen.
struct unix_listener {
    int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    socklen_t size = sizeof name;

    explicit unix_listener(int backlog) {
        name.sun_family = AF_UNIX;
        REQUIRE(fd >= 0 && ::bind(fd, address(), sizeof(sa_family_t)) == 0);
        REQUIRE(::listen(fd, backlog) == 0 && ::getsockname(fd, address(), &size) == 0);
    }
    ~unix_listener() { close(); }
    unix_listener(const unix_listener&) = delete;
    unix_listener& operator=(const unix_listener&) = delete;

    sockaddr* address() { return reinterpret_cast<sockaddr*>(&name); }
    void close() {
        if (fd >= 0) REQUIRE(::close(fd) == 0);
        fd = -1;
    }
};

// Forty goroutines make the call `name`; five events end five of them. take() makes the call and
// returns whether it got something. Of the wakes, at most one for each event may bring nothing: the
// wait to which the turn was passed.
template <class Take, class Give, class Close>
inline void one_event_ends_one_wait(std::string_view name, Take take, Give give, Close close) {
    constexpr std::uint64_t waiters = 40, events = 5;
    const std::uint64_t parked_before = parked(name), waits_before = of(name).waits;
    rota::wait_group ended;
    std::atomic<std::uint64_t> taken = 0, refused = 0;
    for (std::uint64_t i = 0; i < waiters; ++i) ended.go([&] { ++(take() ? taken : refused); });
    await([&] { return parked(name) == parked_before + waiters; });
    for (std::uint64_t i = 1; i <= events; ++i) {
        give();
        await([&] { return taken == i; });
    }
    close();  // it ends the waits of the queue too
    ended.wait();
    REQUIRE(refused == waiters - events);
    REQUIRE(of(name).waits - waits_before <= waiters + events);
}

inline void waits_for_one_file_take_turns() {
    unix_listener listener(8);
    one_event_ends_one_wait(
        "accept",
        [&] {
            const int fd = ::accept(listener.fd, nullptr, nullptr);
            if (fd < 0) REQUIRE(error_now() == EBADF);
            return fd >= 0 && ::close(fd) == 0;
        },
        [&] {
            const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
            REQUIRE(::connect(fd, listener.address(), listener.size) == 0 && ::close(fd) == 0);
        },
        [&] { listener.close(); });
    char byte = 0;
    pair s;
    one_event_ends_one_wait(
        "recv",
        [&] {
            const ssize_t n = ::recv(s.a, &byte, 1, 0);
            if (n < 0) REQUIRE(error_now() == EBADF);
            return n == 1;
        },
        [&] { REQUIRE(::write(s.b, "x", 1) == 1); },
        [&] {
            REQUIRE(::close(s.a) == 0);
            s.a = -1;
        });
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    one_event_ends_one_wait(
        "read", [&] { return ::read(ends[0], &byte, 1) == 1; },
        [&] { REQUIRE(::write(ends[1], "x", 1) == 1); }, [&] { REQUIRE(::close(ends[0]) == 0); });
    ::close(ends[1]);
}

// The leader gives up at its time limit: the event must wake the wait that queued behind it.
inline void a_turn_is_passed_at_the_time_limit() {
    const pair s;
    rota::wait_group ended;
    limit_time(s.a, SO_RCVTIMEO, 100ms);
    std::atomic<bool> gave_up = false;
    ended.go([&] {
        char byte = 0;
        REQUIRE(::recv(s.a, &byte, 1, 0) == -1 && error_now() == EAGAIN);
        gave_up = true;
    });
    await([] { return parked("recv") == 1; });
    limit_time(s.a, SO_RCVTIMEO, 60s);
    ended.go([&] { REQUIRE(byte_from(s.a) == 'x'); });
    await([&] { return parked("read") == 1 && gave_up; });
    REQUIRE(::write(s.b, "x", 1) == 1);
    ended.wait();
}

// A system call closes a number unseen, and another file gets it: the wait for the earlier file
// goes on, and no wait for the later file may queue behind it.
inline void no_wait_queues_behind_another_file() {
    int old[2], fresh[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, old) == 0);
    while_it_waits(
        [&] {
            char byte = 0;
            REQUIRE(::recv(old[0], &byte, 1, 0) == -1 && error_now() == EBADF);
        },
        [&] {
            REQUIRE(::syscall(SYS_close, old[0]) == 0);
            REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, fresh) == 0 && fresh[0] == old[0]);
            rota::wait_group ended;
            ended.go([&] { REQUIRE(byte_from(fresh[0]) == 'x'); });
            await([] { return parked("read") == 1; });
            REQUIRE(::write(fresh[1], "x", 1) == 1);
            ended.wait();
            REQUIRE(::close(fresh[0]) == 0);  // a close that is seen ends the earlier wait too
        });
    ::close(old[1]), ::close(fresh[1]);
}

// More clients than the queue of a Unix listener has room for: they park, and each gets through.
inline void unix_connects_wait_for_room() {
    constexpr int clients = 100;
    unix_listener listener(0);
    rota::wait_group ended;
    std::atomic<int> connected = 0;
    const auto connect = [&](std::chrono::microseconds limit) {
        const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
        limit_time(fd, SO_SNDTIMEO, limit);
        const int r = ::connect(fd, listener.address(), listener.size);
        if (r == 0) ++connected;
        else REQUIRE(error_now() == EAGAIN);
        REQUIRE((::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0 && ::close(fd) == 0);
        return r == 0;
    };
    for (int i = 0; i < clients; ++i) ended.go([&] { REQUIRE(connect(60s)); });
    await([&] { return parked("connect") + static_cast<unsigned>(connected) == clients; });
    REQUIRE(connected >= 1 && connected < clients && thread_count() < 30);
    const auto took = time_of([&] { REQUIRE(!connect(20ms)); });
    REQUIRE(took >= 20ms && of("connect").blocked == 0);
    for (int i = 0; i < clients; ++i) {
        const int fd = ::accept(listener.fd, nullptr, nullptr);
        REQUIRE(fd >= 0 && ::close(fd) == 0);
    }
    ended.wait();
    REQUIRE(connected == clients);
}

}  // namespace rota_test
