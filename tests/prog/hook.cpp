// Goroutines that use the C library's calls alone, with librota_hook.so in the process: linked
// here, preloaded in hook_preloaded.cpp, which includes this file. Each case ends with status 0 and
// prints nothing.
#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <rota/hook.hpp>

#include "hook_edges.hpp"
#include "hook_tools.hpp"
#include "hook_turns.hpp"
#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// --- bytes
// ----------------------------------------------------------------------------------------

void bytes_park() {
    const pair s;
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    while_it_waits([&] { REQUIRE(byte_from(s.a) == 'x'); },
                   [&] { REQUIRE(::send(s.b, "x", 1, 0) == 1); });
    REQUIRE(parked("read") == 1);
    while_it_waits([&] { REQUIRE(byte_from(ends[0]) == 'y'); },
                   [&] { REQUIRE(::write(ends[1], "y", 1) == 1); });
    REQUIRE(parked("read") == 2);
    char bytes[8];
    iovec part{bytes, sizeof bytes};
    msghdr m{};
    m.msg_iov = &part;
    m.msg_iovlen = 1;
    const auto poke = [&] { REQUIRE(::write(s.b, "zz", 2) == 2); };
    while_it_waits([&] { REQUIRE(::recv(s.a, bytes, sizeof bytes, 0) == 2); }, poke);
    while_it_waits([&] { REQUIRE(::recvfrom(s.a, bytes, sizeof bytes, 0, nullptr, nullptr) == 2); },
                   poke);
    while_it_waits([&] { REQUIRE(::recvmsg(s.a, &m, 0) == 2); }, poke);
    while_it_waits([&] { REQUIRE(::readv(s.a, &part, 1) == 2); }, poke);
    for (const char* const name : {"recv", "recvfrom", "recvmsg", "readv"})
        REQUIRE(parked(name) == 1);
    // The end of the stream.
    while_it_waits([&] { REQUIRE(::recv(s.a, bytes, sizeof bytes, 0) == 0); },
                   [&] { ::shutdown(s.b, SHUT_WR); });
    ::close(ends[0]);
    ::close(ends[1]);
}

void read_much(int fd, char first) {
    std::vector<char> bytes(100'000);
    for (std::size_t done = 0; done < much;) {
        const ssize_t n = ::read(fd, bytes.data(), bytes.size());
        REQUIRE(n > 0);
        for (ssize_t i = 0; i < n; ++i)
            REQUIRE(bytes[static_cast<std::size_t>(i)] ==
                    static_cast<char>(
                        first + static_cast<char>((done + static_cast<std::size_t>(i)) % 97)));
        done += static_cast<std::size_t>(n);
    }
}

// A call that sends returns when all bytes have been sent, as in a thread.
void all_is_sent() {
    std::vector<char> bytes(much);
    for (std::size_t i = 0; i < much; ++i) bytes[i] = static_cast<char>(' ' + i % 97);
    const auto through = [&](int to, int from, auto send) {
        rota::wait_group ended;
        ended.go([&] { read_much(from, ' '); });
        REQUIRE(send(to) == static_cast<ssize_t>(much));
        ended.wait();
    };
    iovec parts[] = {{bytes.data(), 1'000'001}, {bytes.data() + 1'000'001, much - 1'000'001}};
    msghdr m{};
    m.msg_iov = parts;
    m.msg_iovlen = 2;
    const pair s;
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    through(s.a, s.b, [&](int fd) { return ::write(fd, bytes.data(), much); });
    through(s.a, s.b, [&](int fd) { return ::send(fd, bytes.data(), much, 0); });
    through(s.a, s.b, [&](int fd) { return ::sendto(fd, bytes.data(), much, 0, nullptr, 0); });
    through(s.a, s.b, [&](int fd) { return ::writev(fd, parts, 2); });
    through(s.a, s.b, [&](int fd) { return ::sendmsg(fd, &m, 0); });
    through(ends[1], ends[0], [&](int fd) { return ::write(fd, bytes.data(), much); });
    through(ends[1], ends[0], [&](int fd) { return ::writev(fd, parts, 2); });
    for (const char* const name : {"write", "send", "sendto", "writev", "sendmsg"})
        REQUIRE(parked(name) >= 1);
    // MSG_WAITALL: as many as there is room for.
    std::vector<char> room(much);
    rota::wait_group ended;
    ended.go([&] { REQUIRE(::send(s.a, bytes.data(), much, 0) == static_cast<ssize_t>(much)); });
    REQUIRE(::recv(s.b, room.data(), much, MSG_WAITALL) == static_cast<ssize_t>(much));
    REQUIRE(room == bytes);
    ended.wait();
    ::close(ends[0]);
    ::close(ends[1]);
}

void time_limits_of_sockets() {
    const pair s;
    char byte = 0;
    limit_time(s.a, SO_RCVTIMEO, 30ms);
    limit_time(s.a, SO_SNDTIMEO, 30ms);
    const auto expires = [](auto call) {
        set_error(0);
        const auto took = time_of([&] { REQUIRE(call() == -1 && error_now() == EAGAIN); });
        REQUIRE(took >= 30ms);
    };
    expires([&] { return ::recv(s.a, &byte, 1, 0); });
    expires([&] { return ::read(s.a, &byte, 1); });
    REQUIRE(parked("recv") == 1 && parked("read") == 1);
    // A send that has sent a part returns its size; the next send sends nothing.
    const std::vector<char> bytes(much);
    const ssize_t part = ::send(s.a, bytes.data(), much, 0);
    REQUIRE(part > 0 && part < static_cast<ssize_t>(much));
    expires([&] { return ::send(s.a, bytes.data(), much, 0); });
    // Bytes that come within the limit are received.
    ssize_t n = 0;
    limit_time(s.b, SO_RCVTIMEO, 20s);
    std::vector<char> room(much);
    while (n < part) n += ::read(s.b, room.data(), much);
    while_it_waits([&] { REQUIRE(byte_from(s.b) == 'q'); },
                   [&] { REQUIRE(::write(s.a, "q", 1) == 1); });
}

// --- descriptors of all kinds
// ---------------------------------------------------------------------

void nonblocking_stays_so() {
    const pair s;
    int ends[2];
    REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
    REQUIRE(::fcntl(s.a, F_SETFL, O_NONBLOCK) == 0);
    char byte = 0;
    REQUIRE(::read(s.a, &byte, 1) == -1 && error_now() == EAGAIN);
    REQUIRE(::recv(s.a, &byte, 1, 0) == -1 && error_now() == EAGAIN);
    REQUIRE(::read(ends[0], &byte, 1) == -1 && error_now() == EAGAIN);
    REQUIRE(::recv(s.b, &byte, 1, MSG_DONTWAIT) == -1 && error_now() == EAGAIN);
    const std::vector<char> bytes(much);
    const ssize_t part = ::write(s.a, bytes.data(), much);
    REQUIRE(part > 0 && part < static_cast<ssize_t>(much));
    REQUIRE(::write(s.a, bytes.data(), much) == -1 && error_now() == EAGAIN);
    REQUIRE(::write(ends[1], bytes.data(), much) > 0);
    REQUIRE(::write(ends[1], bytes.data(), much) == -1 && error_now() == EAGAIN);
    for (const rota::hook::call_stats& c : rota::hook::stats()) REQUIRE(c.parked == 0);
}

void files_and_errno() {
    char path[] = "/tmp/rota-hook-XXXXXX";
    const int fd = ::mkstemp(path);
    REQUIRE(fd >= 0 && ::unlink(path) == 0);
    set_error(77);
    REQUIRE(::write(fd, "text", 4) == 4 && error_now() == 77);
    REQUIRE(::lseek(fd, 0, SEEK_SET) == 0);
    REQUIRE(byte_from(fd) == 't' && error_now() == 77);
    pollfd one{fd, POLLIN | POLLOUT, 0};
    REQUIRE(::poll(&one, 1, -1) == 1 && one.revents == (POLLIN | POLLOUT));
    char byte = 0;
    REQUIRE(::read(-1, &byte, 1) == -1 && error_now() == EBADF);
    REQUIRE(::recv(fd, &byte, 1, 0) == -1 && error_now() == ENOTSOCK);
    REQUIRE(::write(STDOUT_FILENO, "", 0) == 0);
    // flock: one descriptor holds the lock; a goroutine waits for it, its processor free.
    const int other = ::open("/proc/self/exe", O_RDONLY),
              again = ::open("/proc/self/exe", O_RDONLY);
    REQUIRE(other >= 0 && again >= 0 && ::flock(other, LOCK_EX) == 0);
    REQUIRE(::flock(again, LOCK_EX | LOCK_NB) == -1 && error_now() == EWOULDBLOCK);
    rota::wait_group ended;
    ended.go([&] { REQUIRE(::flock(again, LOCK_EX) == 0); });
    await([] { return of("flock").blocked >= 2; });
    REQUIRE(::flock(other, LOCK_UN) == 0);
    ended.wait();
    addrinfo* found = nullptr;
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    REQUIRE(::getaddrinfo("127.0.0.1", "80", &hints, &found) == 0 && found != nullptr);
    ::freeaddrinfo(found);
    REQUIRE(::getaddrinfo("not a number", nullptr, &hints, &found) == EAI_NONAME);
    REQUIRE(of("getaddrinfo").blocked == 2);
    for (const int f : {fd, other, again}) ::close(f);
}

void copies_and_numbers_used_again() {
    for (int i = 0; i < 50; ++i) {
        int a[2], b[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, a) == 0);
        const int number = a[0];
        while_it_waits([&] { REQUIRE(byte_from(number) == '1'); },
                       [&] { REQUIRE(::write(a[1], "1", 1) == 1); });
        // A copy keeps the open file, and its registration, when the number is given up.
        const int copy = ::dup(number);
        REQUIRE(copy >= 0 && ::close(number) == 0);
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, b) == 0 && b[0] == number);
        while_it_waits([&] { REQUIRE(byte_from(number) == '2'); },
                       [&] {
                           REQUIRE(::write(a[1], "3", 1) == 1);  // not for that number any more
                           REQUIRE(::write(b[1], "2", 1) == 1);
                       });
        REQUIRE(byte_from(copy) == '3');
        // dup2 gives the number to another file without a call of close.
        REQUIRE(::dup2(copy, number) == number);
        while_it_waits([&] { REQUIRE(byte_from(number) == '4'); },
                       [&] { REQUIRE(::write(a[1], "4", 1) == 1); });
        // A system call closes the number, which the library does not see.
        REQUIRE(::syscall(SYS_close, number) == 0);
        int c[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, c) == 0 && c[0] == number);
        while_it_waits([&] { REQUIRE(byte_from(number) == '5'); },
                       [&] { REQUIRE(::write(c[1], "5", 1) == 1); });
        for (const int fd : {copy, a[1], b[1], c[0], c[1]}) ::close(fd);
    }
}

void close_wakes_waiters() {
    char byte = 0;
    {
        pair s;
        while_it_waits([&] { REQUIRE(::recv(s.a, &byte, 1, 0) == -1 && error_now() == EBADF); },
                       [&] { REQUIRE(::close(s.a) == 0); });
        s.a = -1;
    }
    {
        const pair s, other;  // dup2 closes too
        while_it_waits([&] { REQUIRE(::read(s.a, &byte, 1) == -1 && error_now() == EBADF); },
                       [&] { REQUIRE(::dup2(other.a, s.a) == s.a); });
    }
    {
        pair s, other;
        pollfd two[] = {{other.a, POLLIN, 0}, {s.a, POLLIN, 0}};
        while_it_waits([&] { REQUIRE(::poll(two, 2, -1) == 1 && two[1].revents == POLLNVAL); },
                       [&] { REQUIRE(::close(s.a) == 0); });
        s.a = -1;
    }
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    FILE* const file = ::fdopen(ends[0], "r");
    while_it_waits([&] { REQUIRE(::read(ends[0], &byte, 1) == -1 && error_now() == EBADF); },
                   [&] { REQUIRE(::fclose(file) == 0); });
    ::close(ends[1]);
}

// A reader and a writer, and several readers, of one descriptor.
void several_wait_for_one() {
    const pair s;
    std::vector<char> bytes(much);
    rota::wait_group ended;
    std::atomic<int> got = 0;
    for (int i = 0; i < 3; ++i)
        ended.go([&] {
            (void)byte_from(s.a);
            ++got;
        });
    ended.go([&] { REQUIRE(::send(s.a, bytes.data(), much, 0) == static_cast<ssize_t>(much)); });
    await([] { return parked("read") >= 3 && parked("send") >= 1; });
    REQUIRE(got == 0);
    REQUIRE(::write(s.b, "abc", 3) == 3);
    std::size_t n = 0;
    while (n < much) n += static_cast<std::size_t>(::read(s.b, bytes.data(), much));
    ended.wait();
    REQUIRE(got == 3);
}

// --- readiness
// ------------------------------------------------------------------------------------

void poll_of_several() {
    constexpr int count = 40;
    std::array<int, count> near{}, far{};
    pollfd all[count + 2] = {};
    for (std::size_t i = 0; i < count; ++i) {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        near[i] = ends[0], far[i] = ends[1];
        all[i] = {near[i], POLLIN, 0};
    }
    all[count] = {-1, POLLIN, 0};              // is left out
    all[count + 1] = {near[7], POLLRDHUP, 0};  // listed twice
    for (const std::size_t ready : {std::size_t{0}, std::size_t{17}, std::size_t{39}}) {
        while_it_waits([&] { REQUIRE(::poll(all, count + 2, -1) == 1); },
                       [&] { REQUIRE(::write(far[ready], "x", 1) == 1); });
        REQUIRE(all[ready].revents == POLLIN && byte_from(near[ready]) == 'x');
    }
    REQUIRE(parked("poll") == 3);
    const auto took = time_of([&] { REQUIRE(::poll(all, count + 2, 30) == 0); });
    REQUIRE(took >= 30ms);
    while_it_waits([&] { REQUIRE(::poll(all, count + 2, 20'000) == 2); },
                   [&] { REQUIRE(::shutdown(far[7], SHUT_WR) == 0); });
    REQUIRE(all[7].revents == POLLIN && all[count + 1].revents == POLLRDHUP);
    // Both directions of one: it can be written at once, and then not.
    pollfd both{near[0], POLLIN | POLLOUT, 0};
    REQUIRE(::poll(&both, 1, -1) == 1 && both.revents == POLLOUT);
    REQUIRE(::fcntl(near[0], F_SETFL, O_NONBLOCK) == 0);
    const std::vector<char> bytes(much);
    while (::write(near[0], bytes.data(), much) > 0) {
    }
    while_it_waits([&] { REQUIRE(::poll(&both, 1, -1) == 1 && both.revents == POLLIN); },
                   [&] { REQUIRE(::write(far[0], "x", 1) == 1); });
    REQUIRE(::poll(nullptr, 0, 5) == 0);
    timespec limit{0, 5'000'000};
    REQUIRE(::ppoll(all, count, &limit, nullptr) >= 0);
    for (std::size_t i = 0; i < count; ++i) ::close(near[i]), ::close(far[i]);
}

void selects() {
    const pair s, t;
    fd_set in, out;
    const auto prepare = [&] {
        FD_ZERO(&in);
        FD_ZERO(&out);
        FD_SET(s.a, &in);
        FD_SET(t.a, &in);
    };
    const int limit_fd = std::max(s.a, t.a) + 1;
    prepare();
    timeval limit{20, 0};
    while_it_waits([&] { REQUIRE(::select(limit_fd, &in, nullptr, nullptr, &limit) == 1); },
                   [&] { REQUIRE(::write(t.b, "x", 1) == 1); });
    REQUIRE(FD_ISSET(t.a, &in) && !FD_ISSET(s.a, &in) && limit.tv_sec < 20 && limit.tv_sec > 10);
    REQUIRE(byte_from(t.a) == 'x');
    prepare();
    limit = {0, 30'000};
    REQUIRE(time_of([&] { REQUIRE(::select(limit_fd, &in, nullptr, nullptr, &limit) == 0); }) >=
            30ms);
    REQUIRE(!FD_ISSET(t.a, &in) && limit.tv_sec == 0 && limit.tv_usec == 0);
    REQUIRE(parked("select") == 2);
    prepare();
    FD_SET(s.a, &out);
    REQUIRE(::select(limit_fd, &in, &out, nullptr, nullptr) == 1 && FD_ISSET(s.a, &out));
    prepare();
    while_it_waits(
        [&] { REQUIRE(::pselect(limit_fd, &in, nullptr, nullptr, nullptr, nullptr) == 1); },
        [&] { REQUIRE(::write(s.b, "x", 1) == 1); });
    limit = {0, 2'000};
    REQUIRE(::select(0, nullptr, nullptr, nullptr, &limit) == 0);
    const int copy = ::dup(s.a);
    fd_set closed;
    FD_ZERO(&closed);
    FD_SET(copy, &closed);
    REQUIRE(::close(copy) == 0);
    REQUIRE(::select(copy + 1, &closed, nullptr, nullptr, nullptr) == -1 && error_now() == EBADF);
}

void epoll_of_the_programs_own() {
    const pair s;
    const int epoll = ::epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = s.a;
    REQUIRE(epoll >= 0 && ::epoll_ctl(epoll, EPOLL_CTL_ADD, s.a, &event) == 0);
    event = {};
    REQUIRE(::epoll_wait(epoll, &event, 1, 0) == 0);
    REQUIRE(time_of([&] { REQUIRE(::epoll_wait(epoll, &event, 1, 30) == 0); }) >= 30ms);
    for (int i = 0; i < 3; ++i) {
        while_it_waits([&] { REQUIRE(::epoll_wait(epoll, &event, 1, -1) == 1); },
                       [&] { REQUIRE(::write(s.b, "x", 1) == 1); });
        REQUIRE(event.data.fd == s.a && byte_from(s.a) == 'x');
    }
    REQUIRE(parked("epoll_wait") == 4);
    ::close(epoll);
}

// --- connections
// ----------------------------------------------------------------------------------

void connections() {
    tcp_listener listener(64);
    for (int i = 0; i < 20; ++i) {
        int served = -1;
        const int c = ::socket(AF_INET, SOCK_STREAM, 0);
        const int flags = ::fcntl(c, F_GETFL);
        while_it_waits(
            [&] {
                served = i % 2 == 0 ? ::accept(listener.fd, nullptr, nullptr)
                                    : ::accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
            },
            [&] { REQUIRE(listener.connect(c) == 0); });
        REQUIRE(served >= 0 && ::fcntl(c, F_GETFL) == flags);
        while_it_waits([&] { REQUIRE(byte_from(served) == 'x'); },
                       [&] { REQUIRE(::write(c, "x", 1) == 1); });
        ::close(c), ::close(served);
    }
    REQUIRE(parked("accept") == 10 && parked("accept4") == 10);
    limit_time(listener.fd, SO_RCVTIMEO, 20ms);
    REQUIRE(::accept(listener.fd, nullptr, nullptr) == -1 && error_now() == EAGAIN);
    // Nobody listens there any more.
    ::close(std::exchange(listener.fd, -1));
    const int c = ::socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(listener.connect(c) == -1 && error_now() == ECONNREFUSED);
    ::close(c);
}

// --- time
// -----------------------------------------------------------------------------------------

void sleeps_park() {
    constexpr auto least = 40ms;
    const timespec t{0, 40'000'000};
    timespec until{};
    const auto sleeps = [&](auto f) { REQUIRE(time_of(f) >= least); };
    sleeps([&] { REQUIRE(::nanosleep(&t, nullptr) == 0); });
    sleeps([&] { REQUIRE(::usleep(40'000) == 0); });
    sleeps([&] { REQUIRE(::clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr) == 0); });
    for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
        ::clock_gettime(clock, &until);
        until.tv_nsec += 40'000'000;
        if (until.tv_nsec >= 1'000'000'000) ++until.tv_sec, until.tv_nsec -= 1'000'000'000;
        REQUIRE(::clock_nanosleep(clock, TIMER_ABSTIME, &until, nullptr) == 0);
        timespec now{};
        ::clock_gettime(clock, &now);
        REQUIRE(now.tv_sec > until.tv_sec ||
                (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
    }
    REQUIRE(parked("nanosleep") == 1 && parked("usleep") == 1 && parked("clock_nanosleep") == 3);
    const timespec bad{0, -1};
    REQUIRE(::nanosleep(&bad, nullptr) == -1 && error_now() == EINVAL);
    // Many at once sleep on few threads.
    rota::wait_group ended;
    std::atomic<int> most = 0;
    for (int i = 0; i < 500; ++i) ended.go([&] { ::usleep(30'000); });
    ended.go([&] { most = thread_count(); });
    ended.wait();
    REQUIRE(most < 30);
}

std::atomic<int> signals = 0;

// A signal neither ends a goroutine's wait nor prolongs it.
void signals_interrupt_no_parked_call() {
    struct sigaction act{};
    act.sa_handler = [](int) { ++signals; };
    REQUIRE(::sigaction(SIGUSR1, &act, nullptr) == 0);
    const pair s;
    char byte = 0;
    while_it_waits([&] { REQUIRE(::recv(s.a, &byte, 1, 0) == 1); },
                   [&] {
                       for (int i = 0; i < 20; ++i) ::kill(::getpid(), SIGUSR1);
                       await([] { return signals > 0; });
                       REQUIRE(::write(s.b, "x", 1) == 1);
                   });
    pollfd one{s.a, POLLIN, 0};
    rota::wait_group ended;
    ended.go([&] {
        for (int i = 0; i < 20; ++i) ::kill(::getpid(), SIGUSR1), ::usleep(1000);
    });
    REQUIRE(time_of([&] { REQUIRE(::poll(&one, 1, 40) == 0); }) >= 40ms);
    ended.wait();
}

// --- callers
// --------------------------------------------------------------------------------

void others_are_untouched() {
    const pair s;
    const auto calls = [] {
        std::uint64_t n = 0;
        for (const rota::hook::call_stats& c : rota::hook::stats()) n += c.calls;
        return n;
    };
    const std::uint64_t before = calls();
    std::thread other([&] {
        REQUIRE(byte_from(s.a) == 'x');
        REQUIRE(::poll(nullptr, 0, 2) == 0);
    });
    rota::blocking([&] { REQUIRE(::syscall(SYS_write, s.b, "x", 1L) == 1); });
    rota::blocking([&] { other.join(); });
    rota::blocking([&] { REQUIRE(::poll(nullptr, 0, 2) == 0); });
    REQUIRE(calls() == before);
    // A goroutine that keeps its thread does not park, and gives its processor away.
    const std::uint64_t parked_before = parked("poll");
    rota::runtime::lock_os_thread();
    const auto id = std::this_thread::get_id();
    REQUIRE(::poll(nullptr, 0, 5) == 0);
    REQUIRE(std::this_thread::get_id() == id);
    rota::runtime::unlock_os_thread();
    REQUIRE(parked("poll") == parked_before && of("poll").blocked == 1);
}

void child_of_a_fork() {
    const pair s;
    const pid_t child = ::fork();
    if (child == 0) {
        char byte = 0;
        pollfd one{s.b, POLLIN, 0};
        const bool good = ::poll(&one, 1, 20'000) == 1 && ::read(s.b, &byte, 1) == 1 &&
                          byte == 'x' && ::write(s.b, "y", 1) == 1 && ::usleep(1) == 0 &&
                          ::close(s.a) == 0;
        ::_exit(good ? 0 : 1);
    }
    REQUIRE(::write(s.a, "x", 1) == 1 && byte_from(s.a) == 'y');
    int status = 0;
    REQUIRE(rota::blocking([&] { return ::waitpid(child, &status, 0); }) == child && status == 0);
    // The child's copies of the descriptors change nothing for the parent.
    while_it_waits([&] { REQUIRE(byte_from(s.a) == 'z'); },
                   [&] { REQUIRE(::write(s.b, "z", 1) == 1); });
}

// Hundreds of goroutines wait on few threads, and each gets its bytes.
void many_on_few_threads() {
    constexpr std::size_t count = 400;
    std::vector<std::array<int, 2>> all(count);
    rota::wait_group ended;
    for (auto& ends : all) {
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        ended.go([&ends] {
            char byte = 0;
            for (int i = 0; i < 20; ++i) {
                if (i % 2 == 0) {
                    pollfd one{ends[0], POLLIN, 0};
                    REQUIRE(::poll(&one, 1, 60'000) == 1);
                }
                REQUIRE(::recv(ends[0], &byte, 1, 0) == 1 && byte == 'a' + i);
                REQUIRE(::send(ends[0], &byte, 1, 0) == 1);
            }
        });
    }
    await([] { return parked("poll") == count; });
    REQUIRE(thread_count() < 30);
    for (auto& ends : all)
        ended.go([&ends] {
            for (int i = 0; i < 20; ++i) {
                char byte = static_cast<char>('a' + i);
                REQUIRE(::send(ends[1], &byte, 1, 0) == 1);
                REQUIRE(::recv(ends[1], &byte, 1, 0) == 1 && byte == 'a' + i);
            }
        });
    ended.wait();
    REQUIRE(thread_count() < 30);
    for (auto& ends : all) ::close(ends[0]), ::close(ends[1]);
}

// pthread mutexes and conditions, with GODEBUG=hook=locks.
void locks_give_the_processor_away() {
    pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    bool is_set = false;
    rota::wait_group ended;
    REQUIRE(::pthread_mutex_lock(&mu) == 0);
    ended.go([&] {
        REQUIRE(::pthread_mutex_lock(&mu) == 0);
        while (!is_set) REQUIRE(::pthread_cond_wait(&changed, &mu) == 0);
        REQUIRE(::pthread_mutex_unlock(&mu) == 0);
    });
    await([] { return of("pthread_mutex_lock").blocked == 1; });
    REQUIRE(::pthread_mutex_unlock(&mu) == 0);
    await([] { return of("pthread_cond_wait").blocked == 1; });
    REQUIRE(::pthread_mutex_lock(&mu) == 0);
    is_set = true;
    REQUIRE(::pthread_mutex_unlock(&mu) == 0 && ::pthread_cond_signal(&changed) == 0);
    ended.wait();
}

template <void (*f)()>
int hooked_in_goroutine() {
    return rota::run([] {
        REQUIRE(rota::hook::is_attached());
        f();
        return 0;
    });
}

int off() {
    return rota::run([] {
        REQUIRE(!rota::hook::is_attached() && rota::hook::stats().empty());
        const pair s;
        REQUIRE(::write(s.b, "x", 1) == 1 && byte_from(s.a) == 'x');
        return 0;
    });
}

constexpr program_case cases[] = {
    {"bytes_park", hooked_in_goroutine<bytes_park>},
    {"all_is_sent", hooked_in_goroutine<all_is_sent>},
    {"time_limits_of_sockets", hooked_in_goroutine<time_limits_of_sockets>},
    {"nonblocking_stays_so", hooked_in_goroutine<nonblocking_stays_so>},
    {"files_and_errno", hooked_in_goroutine<files_and_errno>},
    {"copies_and_numbers_used_again", hooked_in_goroutine<copies_and_numbers_used_again>},
    {"close_wakes_waiters", hooked_in_goroutine<close_wakes_waiters>},
    {"several_wait_for_one", hooked_in_goroutine<several_wait_for_one>},
    {"turns", hooked_in_goroutine<waits_for_one_file_take_turns>},
    {"turn_at_time_limit", hooked_in_goroutine<a_turn_is_passed_at_the_time_limit>},
    {"turn_of_another_file", hooked_in_goroutine<no_wait_queues_behind_another_file>},
    {"unix_connects", hooked_in_goroutine<unix_connects_wait_for_room>},
    {"poll_of_several", hooked_in_goroutine<poll_of_several>},
    {"poll_of_every_event", hooked_in_goroutine<poll_of_every_event>},
    {"poll_of_directions", hooked_in_goroutine<poll_of_one_direction_and_of_two>},
    {"selects", hooked_in_goroutine<selects>},
    {"epoll_of_the_programs_own", hooked_in_goroutine<epoll_of_the_programs_own>},
    {"connections", hooked_in_goroutine<connections>},
    {"connect_parks", hooked_in_goroutine<connect_parks>},
    {"full_receivers", hooked_in_goroutine<full_receivers_are_waited_for_in_the_kernel>},
    {"sleeps_park", hooked_in_goroutine<sleeps_park>},
    {"signals_interrupt_no_parked_call", hooked_in_goroutine<signals_interrupt_no_parked_call>},
    {"questions_are_asked_again", hooked_in_goroutine<questions_are_asked_again>},
    {"others_are_untouched", hooked_in_goroutine<others_are_untouched>},
    {"child_of_a_fork", hooked_in_goroutine<child_of_a_fork>},
    {"child_of_a_vfork", hooked_in_goroutine<child_of_a_vfork_closes_its_own>},
    {"slow_close", hooked_in_goroutine<a_slow_close_spares_the_next_file>},
    {"runtimes_own", hooked_in_goroutine<files_of_the_runtimes_own_can_be_polled>},
    {"many_on_few_threads", hooked_in_goroutine<many_on_few_threads>},
    {"locks", hooked_in_goroutine<locks_give_the_processor_away>},
    {"off", off},
};

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, cases); }
