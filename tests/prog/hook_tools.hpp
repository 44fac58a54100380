// Helpers of the cases of hook.cpp.
#pragma once

#include <cerrno>
#include <cstddef>
#include <vector>

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <rota/hook.hpp>

#include "program.hpp"

namespace rota_test {

using namespace std::chrono_literals;

// The compiler keeps errno's address across a call, and the goroutine may come back from one on
// another thread.
[[gnu::noinline]] inline int error_now() {
    asm volatile("" ::: "memory");
    return errno;
}
[[gnu::noinline]] inline void set_error(int value) {
    asm volatile("" ::: "memory");
    errno = value;
}

#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            const int error_then = error_now(); \
            std::fprintf(stderr, "%s:%d: not so: %s (errno %d)\n", __FILE_NAME__, __LINE__, \
                         #condition, error_then); \
            ::_exit(1); \
        } \
    } while (false)

inline rota::hook::call_stats of(std::string_view name) {
    for (const rota::hook::call_stats& s : rota::hook::stats())
        if (s.name == name) return s;
    std::fprintf(stderr, "%.*s is not hooked\n", static_cast<int>(name.size()), name.data());
    ::_exit(1);
}

// How many calls of that function have parked.
std::uint64_t parked(std::string_view name) { return of(name).parked; }

struct pair {
    int a = -1, b = -1;
    explicit pair(int type = SOCK_STREAM) {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, type, 0, ends) == 0);
        a = ends[0], b = ends[1];
    }
    ~pair() {
        if (a >= 0) ::close(a);
        if (b >= 0) ::close(b);
    }
    pair(const pair&) = delete;
    pair& operator=(const pair&) = delete;
};

// Listens at a port of 127.0.0.1 that the kernel chooses.
struct tcp_listener {
    int fd = -1;
    sockaddr_in at{};
    explicit tcp_listener(int backlog) : fd(::socket(AF_INET, SOCK_STREAM, 0)) {
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        REQUIRE(::bind(fd, address(), sizeof at) == 0 && ::listen(fd, backlog) == 0);
        REQUIRE(::getsockname(fd, address(), &size) == 0);
    }
    ~tcp_listener() {
        if (fd >= 0) ::close(fd);
    }
    tcp_listener(const tcp_listener&) = delete;
    tcp_listener& operator=(const tcp_listener&) = delete;

    sockaddr* address() { return reinterpret_cast<sockaddr*>(&at); }
    int connect(int client) { return ::connect(client, address(), sizeof at); }
};

inline int thread_count() {
    int n = 0;
    DIR* const d = ::opendir("/proc/self/task");
    REQUIRE(d != nullptr);
    while (const dirent* e = ::readdir(d)) n += e->d_name[0] != '.' ? 1 : 0;
    ::closedir(d);
    return n;
}

inline void limit_time(int fd, int option, std::chrono::microseconds us) {
    const timeval limit{us.count() / 1'000'000, us.count() % 1'000'000};
    REQUIRE(::setsockopt(fd, SOL_SOCKET, option, &limit, sizeof limit) == 0);
}

template <class F>
std::chrono::nanoseconds time_of(F f) {
    const auto began = std::chrono::steady_clock::now();
    f();
    return std::chrono::steady_clock::now() - began;
}

// Runs f in a goroutine, waits until that goroutine waits for a descriptor or sleeps, runs then().
template <class F, class G>
inline void while_it_waits(F f, G then) {
    const auto waiting = [] {
        for (const auto& g : rota::leak::find({.max_wait = 0ns}))
            if (g.name == "waits" && (g.state == "IO wait" || g.state == "sleep")) return true;
        return false;
    };
    rota::wait_group ended;
    ended.add(1);
    rota::go({.name = "waits"}, [&] {
        f();
        ended.done();
    });
    await(waiting);
    then();
    ended.wait();
}

inline char byte_from(int fd) {
    char byte = 0;
    REQUIRE(::read(fd, &byte, 1) == 1);
    return byte;
}

inline constexpr std::size_t much = 3'000'000;

}  // namespace rota_test
