// Messages under load: sockets that close under their readers, deadlines, and changes of
// GOMAXPROCS. The kernel may lose a message, but the runtime may not, and no message comes twice or
// in pieces.
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "../api/sockets.hpp"
#include "base_line.hpp"
#include "load.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

struct numbered_message {
    std::uint64_t number = 0;
    std::array<char, 200> text{};
};

// Answers each message with itself, with several readers at one socket.
class echo_socket {
  public:
    explicit echo_socket(const std::string& network)
        : socket_(net::listen_packet(network, local_address(network))) {
        for (int i = 0; i < 3; ++i) readers_.go([this] { serve(); });
    }
    ~echo_socket() {
        socket_.close();
        readers_.wait();
    }
    std::string address() const { return socket_.addr().to_string(); }
    long served() const { return served_; }

  private:
    void serve() {
        std::array<std::byte, sizeof(numbered_message) + 1> buffer;
        for (;;) {
            std::error_code error;
            const auto [size, from] = socket_.read_from(buffer, error);
            if (error == net::net_errc::closed) return;
            if (error) continue;  // caused by a peer that has gone
            ++served_;
            socket_.write_to(std::span(buffer).first(size), from, error);
        }
    }

    net::packet_conn socket_;
    std::atomic<long> served_{0};
    rota::wait_group readers_;
};

struct udp_counts {
    std::atomic<long> sent{0}, answered{0}, timed_out{0}, closed{0}, strayed{0};
};

// Asks on a socket of its own and waits for the answer, for a random time, or until another
// goroutine closes the socket.
void ask_by_messages(const std::string& to, udp_counts& n, choices& choose, std::uint64_t first) {
    const net::packet_conn c = net::listen_packet("udp", "127.0.0.1:0");
    const net::endpoint server = net::resolve("udp", to);
    rota::wait_group closing;
    const bool is_closed_by_another = choose.once_in(4);
    if (is_closed_by_another) {
        const auto pause = std::chrono::microseconds(choose.below(1000));
        closing.go([c, pause] {
            rota::sleep_for(pause);
            c.close();
        });
    }
    std::vector<bool> seen;
    for (std::uint64_t i = 0; i < 20; ++i) {
        numbered_message out{first + i, {}};
        out.text.fill(static_cast<char>('a' + out.number % 26));
        std::error_code error;
        c.write_to(std::as_bytes(std::span(&out, 1)), server, error);
        if (!error) ++n.sent;
        seen.push_back(false);
        c.set_read_deadline(in(std::chrono::microseconds(choose.below(4) * 500)), error);
        numbered_message back;
        const auto [size, from] = c.read_from(std::as_writable_bytes(std::span(&back, 1)), error);
        if (error == net::net_errc::closed) {
            EXPECT_TRUE(is_closed_by_another);
            ++n.closed;
            break;
        }
        if (error) {
            EXPECT_EQ(error, std::errc::timed_out) << error.message();
            ++n.timed_out;
            continue;
        }
        EXPECT_EQ(size, sizeof back);
        EXPECT_EQ(from, server);
        EXPECT_EQ(back.text[0], static_cast<char>('a' + back.number % 26));
        EXPECT_EQ(back.text.back(), back.text[0]);
        // of this message, or of an earlier message
        const std::uint64_t which = back.number - first;
        if (which > i) {
            ++n.strayed;  // for a closed socket whose port this socket has got
            continue;
        }
        ++n.answered;
        EXPECT_FALSE(seen[which]) << "twice: " << back.number;
        seen[which] = true;
    }
    closing.wait();
}

}  // namespace

TEST(udp_storm, of_deadlines_and_closes_brings_each_message_once_at_most) {
    // A message could come to two readers, a deadline end another socket's read, or a close leave a
    // reader or its descriptor behind.
    rota::run([] {
        const base_line before;
        udp_counts n;
        {
            constexpr std::size_t workers = 8;
            const echo_socket server("udp");
            const time_box box;
            progress steps(workers);
            rota::wait_group all;
            for (std::size_t i = 0; i < workers; ++i) {
                all.go([&, i] {
                    choices choose(i);
                    std::uint64_t first = i << 40;
                    do {
                        ask_by_messages(server.address(), n, choose, first += 100);
                        steps.step(i);
                    } while (box.open());
                    steps.finish(i);
                });
            }
            all.go([&] { change_processors(box); });
            all.wait();
            EXPECT_LE(server.served(), n.sent.load());
            EXPECT_LE(n.answered.load(), server.served());
        }
        EXPECT_GT(n.answered.load(), 0);
        before.expect();
        std::printf("%ld messages, %ld answered, %ld timed out, %ld closed, %ld strayed\n",
                    n.sent.load(), n.answered.load(), n.timed_out.load(), n.closed.load(),
                    n.strayed.load());
    });
}
