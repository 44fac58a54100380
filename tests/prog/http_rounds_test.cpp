// Checks that memory which clients make a server hold returns to the kernel after they have left.
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../resident.hpp"
#include "child.hpp"

using namespace rota_test;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

namespace {

constexpr long mib = 1024;  // KiB

class socket_of_client {
  public:
    explicit socket_of_client(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(port));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
        const timeval patience{20, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    }
    ~socket_of_client() { ::close(fd_); }
    socket_of_client(socket_of_client&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
    socket_of_client(const socket_of_client&) = delete;
    socket_of_client& operator=(const socket_of_client&) = delete;
    socket_of_client& operator=(socket_of_client&&) = delete;

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            ASSERT_GT(n, 0) << "the server takes no more";
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    // Waits until the text has come.
    void await(std::string_view text) const {
        std::string all;
        char some[4096];
        while (all.find(text) == std::string::npos) {
            const ssize_t n = ::recv(fd_, some, sizeof some, 0);
            ASSERT_GT(n, 0) << "the server says nothing more";
            all.append(some, static_cast<std::size_t>(n));
        }
    }

  private:
    int fd_;
};

std::string number(std::size_t n, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(n >> shift);
    return text;
}

std::string frame(unsigned type, unsigned flags, unsigned id, std::string_view payload) {
    return (number(payload.size(), 3) + number(type, 1) + number(flags, 1) + number(id, 4))
        .append(payload);
}

// Sends a megabyte of a body of eight megabytes, and no more.
void begin_body(const socket_of_client& c) {
    c.send("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 8388608\r\n\r\n");
    c.send(std::string(1 << 20, 'b'));
}

// 250 requests; the server may not send their answers, because the window of each stream is 0.
void ask_and_take_nothing(const socket_of_client& c) {
    constexpr unsigned headers = 1, settings = 4, whole = 5;
    std::string all("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    all += frame(settings, 0, 0, number(4, 2) + number(0, 4));
    for (unsigned i = 0; i < 250; ++i)
        all += frame(headers, whole, 2 * i + 1, "\x82\x86\x84\x41\x01\x61"sv);
    c.send(all);
}

// Waits until the condition holds for the resident memory of the process, in KiB, for at most 20 s.
// Returns the memory.
template <class Condition>
long resident_when(const child& of, Condition is_met) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    const std::string pid = std::to_string(of.pid());
    long now = resident_kib(pid);
    while (!is_met(now) && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(10ms);  // between two readings
        now = resident_kib(pid);
    }
    return now;
}

}  // namespace

TEST(http_rounds, memory_of_hostile_connections_goes_back_to_the_kernel) {
    // Fails if the C library's allocator, spare buffers of the server, or stacks keep the memory of
    // a hundred connections: the process then stays as large, or grows with each round.
    if (!plain_build) {
        std::printf("%s: the sanitizer's own allocator keeps what is freed\n", sanitizer_name);
        return;
    }
    constexpr long allowed = 32 * mib, least_taken = 200 * mib;
    constexpr int rounds = 3, of_http_1 = 60, of_http_2 = 40;
    child server(program("http_rounds", {}));
    ASSERT_TRUE(server.says("\n"));
    const int port = std::stoi(server.so_far().out);
    {
        const socket_of_client first(port);
        first.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        first.await("\r\n0\r\n");
    }
    const long before = resident_kib(std::to_string(server.pid()));
    long most = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<socket_of_client> all;
        for (int i = 0; i < of_http_1; ++i) begin_body(all.emplace_back(port));
        for (int i = 0; i < of_http_2; ++i) ask_and_take_nothing(all.emplace_back(port));
        most = std::max(
            most, resident_when(server, [&](long kib) { return kib >= before + least_taken; }));
        ASSERT_GE(most, before + least_taken) << "the clients have made the server hold little";
    }
    const auto since = std::chrono::steady_clock::now();
    const long now = resident_when(server, [&](long kib) { return kib <= before + allowed; });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - since;
    std::printf("%ld MiB before, at least %ld with the clients, %ld %.1f s after the last one\n",
                before / mib, most / mib, now / mib, took.count());
    EXPECT_LE(now, before + allowed);
    EXPECT_EQ(server.kill_and_finish().err, "");
}
