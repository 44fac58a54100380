// Cases of hook.cpp in which the kernel, or a second user of a descriptor, behaves unusually.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/ucontext.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <rota/hook.hpp>
#include <rota/os/file.hpp>

#include "confined.hpp"
#include "hook_tools.hpp"

namespace rota_test {

// The runtime must file each event under the direction in which the goroutine waits. A wake that is
// filed under the other direction is lost.
inline void poll_of_every_event() {
    constexpr short normal = POLLRDNORM, band = POLLRDBAND;
    for (const short events : {normal, static_cast<short>(normal | band), short{POLLIN},
                               static_cast<short>(POLLPRI | POLLIN), short{POLLRDHUP}}) {
        const pair s;
        pollfd one{s.a, events, 0};
        while_it_waits([&] { REQUIRE(::poll(&one, 1, -1) == 1); },
                       [&] {
                           REQUIRE(::write(s.b, "x", 1) == 1);
                           if (events == POLLRDHUP) REQUIRE(::shutdown(s.b, SHUT_WR) == 0);
                       });
        REQUIRE((one.revents & events) != 0);
    }
    const std::vector<char> bytes(much);
    std::vector<char> room(much);
    for (const int others : {POLLRDHUP, POLLPRI | POLLWRNORM, 0}) {
        const pair s;
        const auto events = static_cast<short>(POLLOUT | others);
        REQUIRE(::fcntl(s.a, F_SETFL, O_NONBLOCK) == 0);
        while (::write(s.a, bytes.data(), much) > 0) {
        }
        pollfd one{s.a, events, 0};
        while_it_waits([&] { REQUIRE(::poll(&one, 1, -1) == 1); },
                       [&] {
                           if (others == POLLRDHUP) {
                               REQUIRE(::shutdown(s.b, SHUT_WR) == 0);
                               return;
                           }
                           REQUIRE(::fcntl(s.b, F_SETFL, O_NONBLOCK) == 0);
                           while (::read(s.b, room.data(), much) > 0) {
                           }
                       });
        REQUIRE((one.revents & events) != 0);
    }
}

// A single record waits for several descriptors. Each of their events must reach it. It must not be
// armed for two directions, since the goroutine waits in the word of a single direction. An arming
// that remains after the wait must end no later wait.
inline void poll_of_one_direction_and_of_two() {
    const pair s, t;
    pollfd both[] = {{s.a, POLLIN, 0}, {-1, POLLOUT, 0}, {t.a, POLLIN, 0}};
    for (const pair* const p : {&s, &t, &s}) {
        while_it_waits([&] { REQUIRE(::poll(both, 3, -1) == 1); },
                       [&] { REQUIRE(::write(p->b, "x", 1) == 1); });
        REQUIRE((both[0].revents == POLLIN) == (p == &s) && both[1].revents == 0);
        REQUIRE(byte_from(p->a) == 'x');
    }
    REQUIRE(of("poll").waits == 3);
    while_it_waits([&] { REQUIRE(byte_from(s.a) == 'y'); },
                   [&] {
                       REQUIRE(::write(t.b, "x", 1) == 1);  // t.a is still armed
                       REQUIRE(::write(s.b, "y", 1) == 1);
                   });
    REQUIRE(of("read").waits == 1 && byte_from(t.a) == 'x');
    const std::vector<char> bytes(much);
    std::vector<char> room(much);
    while (::send(s.a, bytes.data(), much, MSG_DONTWAIT) > 0) {
    }
    pollfd mixed[] = {{s.a, POLLOUT, 0}, {t.a, POLLIN, 0}};
    while_it_waits([&] { REQUIRE(::poll(mixed, 2, -1) == 1 && mixed[1].revents == POLLIN); },
                   [&] { REQUIRE(::write(t.b, "x", 1) == 1); });
    REQUIRE(byte_from(t.a) == 'x');
    while_it_waits([&] { REQUIRE(::poll(mixed, 2, -1) == 1 && mixed[0].revents == POLLOUT); },
                   [&] {
                       while (::recv(s.b, room.data(), much, MSG_DONTWAIT) > 0) {
                       }
                   });
}

// A listener with a full queue does not answer: connect waits until its time limit.
inline void connect_parks() {
    tcp_listener listener(0);
    std::vector<int> all;
    for (int i = 0; i < 8 && parked("connect") == 0; ++i) {
        all.push_back(::socket(AF_INET, SOCK_STREAM, 0));
        limit_time(all.back(), SO_SNDTIMEO, 50ms);
        const int r = listener.connect(all.back());
        REQUIRE(r == 0 || error_now() == EINPROGRESS);
    }
    REQUIRE(parked("connect") == 1);
    for (const int fd : all) ::close(fd);
}

// poll reports an unconnected datagram socket as writable, whatever the state of the receiver's
// queue. The sender must not loop because of that.
inline void full_receivers_are_waited_for_in_the_kernel() {
    const int from = ::socket(AF_UNIX, SOCK_DGRAM, 0), to = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    socklen_t size = sizeof(sa_family_t);  // the kernel chooses an abstract name
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    REQUIRE(from >= 0 && to >= 0 && ::bind(to, address, size) == 0);
    size = sizeof at;
    REQUIRE(::getsockname(to, address, &size) == 0);
    int queued = 0;
    while (::sendto(from, "x", 1, MSG_DONTWAIT, address, size) == 1) ++queued;
    REQUIRE(error_now() == EAGAIN && queued > 0);
    rota::wait_group ended;
    ended.go([&] { REQUIRE(::sendto(from, "y", 1, 0, address, size) == 1); });
    await([] { return of("sendto").blocked == 1; });
    for (int i = 0; i < queued; ++i) REQUIRE(byte_from(to) == 'x');
    REQUIRE(byte_from(to) == 'y');
    ended.wait();
    ::close(from), ::close(to);
}

// Every second ppoll and pselect6 without a sixth argument returns EINTR, as if a signal had come.
// The handler's own calls carry a sixth argument, and pass.
inline constexpr unsigned long passes = 0x726f7461;
inline std::atomic<unsigned> questions = 0;

inline void answer_question(int, siginfo_t* about, void* context) {
    auto& at = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto argument = [&](int i) {
        constexpr int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
        return static_cast<unsigned long>(at.gregs[registers[i]]);
    };
    auto& result = at.gregs[REG_RAX];
#else
    const auto argument = [&](int i) {
        return static_cast<unsigned long>(at.regs[static_cast<unsigned>(i)]);
    };
    auto& result = at.regs[0];
#endif
    const int error_before = errno;
    long answer = -EINTR;
    if (questions.fetch_add(1) % 2 == 1) {
        static const unsigned long no_mask[2] = {};
        const unsigned long last =
            about->si_syscall == SYS_ppoll ? passes : reinterpret_cast<unsigned long>(no_mask);
        answer = ::syscall(about->si_syscall, argument(0), argument(1), argument(2), argument(3),
                           argument(4), last);
        if (answer < 0) answer = -errno;
    }
    errno = error_before;
    result = static_cast<std::remove_reference_t<decltype(result)>>(answer);
}

inline void interrupt_questions() {
    struct sigaction act{};
    act.sa_sigaction = answer_question;
    act.sa_flags = SA_SIGINFO | SA_NODEFER;
    REQUIRE(::sigaction(SIGSYS, &act, nullptr) == 0);
    constexpr auto low = offsetof(seccomp_data, args) + 5 * sizeof(std::uint64_t);
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ppoll, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, passes, 4, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pselect6, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    const sock_fprog filter{std::size(code), code};
    REQUIRE(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
            ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) ==
                0);
}

// A poll or select that a signal interrupts has no result: the runtime repeats it.
inline void questions_are_asked_again() {
    const pair s;
    interrupt_questions();
    pollfd one{s.a, POLLIN, 0};
    REQUIRE(::poll(&one, 1, 5) == 0);
    fd_set in;
    FD_ZERO(&in);
    FD_SET(s.a, &in);
    timeval limit{0, 5'000};
    REQUIRE(::select(s.a + 1, &in, nullptr, nullptr, &limit) == 0);
    REQUIRE(questions >= 4);
    // A connection that no listener answers is not made.
    connect_parks();
}

// The child of a vfork shares the parent's memory, but not its descriptors: it closes its own.
inline void child_of_a_vfork_closes_its_own() {
    const pair s;
    while_it_waits(
        [&] { REQUIRE(byte_from(s.a) == 'x'); },
        [&] {
            const pid_t child = ::vfork();
            if (child == 0) {
                ::close(s.a);
                ::_exit(0);
            }
            REQUIRE(child > 0);
            int status = 0;
            REQUIRE(rota::blocking([&] { return ::waitpid(child, &status, 0); }) == child &&
                    status == 0);
            REQUIRE(::write(s.b, "x", 1) == 1);
        });
}

// A close that lingers has released the number long before it returns.
inline void a_slow_close_spares_the_next_file() {
    tcp_listener listener(1);
    const int number = ::socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(listener.connect(number) == 0);
    const int far = ::accept(listener.fd, nullptr, nullptr);
    REQUIRE(far >= 0);
    const std::vector<char> bytes(much);
    while (::send(number, bytes.data(), much, MSG_DONTWAIT) > 0) {
    }
    const linger slow{1, 20};
    REQUIRE(::setsockopt(number, SOL_SOCKET, SO_LINGER, &slow, sizeof slow) == 0);
    std::thread closer([&] { REQUIRE(::close(number) == 0); });
    await([&] { return ::fcntl(number, F_GETFD) < 0; });
    const pair s;
    const int again = s.a == number ? number : ::fcntl(s.a, F_DUPFD, number);
    REQUIRE(again == number);
    while_it_waits([&] { REQUIRE(byte_from(number) == 'x'); },
                   [&] {
                       REQUIRE(::close(far) == 0);  // unread bytes: a reset, which ends the linger
                       rota::blocking([&] { closer.join(); });
                       REQUIRE(::write(s.b, "x", 1) == 1);
                   });
    if (number != s.a) ::close(number);
}

// The program polls a file that the runtime reads by itself: both get its events.
inline void files_of_the_runtimes_own_can_be_polled() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
    const rota::os::file file = rota::os::file::from_fd(ends[0]);
    const int number = file.fd();
    for (int i = 0; i < 3; ++i) {
        pollfd one{number, POLLIN, 0};
        while_it_waits([&] { REQUIRE(::poll(&one, 1, -1) == 1 && one.revents == POLLIN); },
                       [&] { REQUIRE(::write(ends[1], "x", 1) == 1); });
        for (const char expected : {'x', 'y'}) {
            std::byte byte{};
            const auto read = [&] {
                REQUIRE(file.read(std::span(&byte, 1)) == 1);
                REQUIRE(byte == static_cast<std::byte>(expected));
            };
            if (expected == 'x') read();
            else while_it_waits(read, [&] { REQUIRE(::write(ends[1], "y", 1) == 1); });
        }
    }
    ::close(ends[1]);
}

}  // namespace rota_test
