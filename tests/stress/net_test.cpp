// The network under load: connections that come and go, and the check that they leave nothing
// behind.
#include "../api/sockets.hpp"
#include "../port_of_nobody.hpp"
#include "load.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// A server that echoes, with a time limit on silent clients. Chaos starves a thread for up to 2 s,
// no two times within 8 s: a client that is served in turn is never silent for as long as the
// limit.
class echo_server {
  public:
    echo_server() : l_(net::listen("tcp", "127.0.0.1:0")) {
        all_.go([this] {
            std::error_code error;
            for (;;) {
                const net::conn c = l_.accept(error);
                if (error == net::net_errc::closed) return;
                if (error) continue;
                all_.go([c] { serve(c); });
            }
        });
    }
    ~echo_server() {
        l_.close();
        all_.wait();
    }
    std::string address() const { return l_.addr().to_string(); }

  private:
    static void serve(const net::conn& c) {
        std::array<std::byte, 256> buffer;
        std::error_code error;
        for (;;) {
            c.set_read_deadline(in(5s), error);
            const std::size_t n = c.read(buffer, error);
            if (error || n == 0) return;
            c.write(std::span(buffer).first(n), error);
            if (error) return;
        }
    }

    net::listener l_;
    rota::wait_group all_;
};

// A client: it asks, and hangs up in one of several rude ways. Returns the number of its answers.
int visit(const std::string& at, choices& choose) {
    std::error_code error;
    const net::conn c = net::dial("tcp", at, error);
    if (error) return 0;
    int answers = 0;
    for (unsigned n = choose.below(6); n > 0 && !error; --n) {
        const std::string text(1 + choose.below(200), static_cast<char>('a' + choose.below(26)));
        c.write(text, error);
        if (choose.once_in(5)) return answers;  // without reading the answer: reset
        if (error) break;
        const std::string got = read_exactly(c, text.size());
        EXPECT_EQ(got, text);
        ++answers;
    }
    switch (choose.below(4)) {
        case 0: c.close_write(error); break;
        case 1: c.close(); break;
        case 2: c.write("half a request", error); break;
        default: break;
    }
    return answers;
}

}  // namespace

TEST(kb35_net_storm, of_connect_and_vanish_ends_at_the_base_line) {
    // A client that vanishes could leave behind a descriptor, a goroutine, a poll record or a count
    // of waiters. A count that stays too high would silence the deadlock detector. A count that is
    // too low makes the detector report a false deadlock: tests/prog checks that.
    rota::run([] {
        const int descriptors = open_descriptors();
        const int goroutines = rota::runtime::num_goroutine();
        const time_box box;
        std::atomic<long> answers{0}, visits{0};
        {
            const echo_server server;
            rota::wait_group clients;
            for (std::uint64_t i = 0; i < 16; ++i) {
                clients.go([&, i] {
                    choices choose(i);
                    do {
                        answers += visit(server.address(), choose);
                        ++visits;
                    } while (box.open());
                });
            }
            clients.wait();
        }
        EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() <= goroutines; }))
            << rota::runtime::num_goroutine() << " goroutines, before: " << goroutines;
        // Two descriptors of the poller remain.
        EXPECT_LE(open_descriptors(), descriptors + 2);
        EXPECT_GT(answers.load(), 0);
        std::printf("%ld visits, %ld answers\n", visits.load(), answers.load());
    });
}

TEST(kb32_net_reuse, a_hundred_thousand_dials_find_no_event_of_an_earlier_one) {
    // The number and the record of a connection go to the next connection at once. An event for the
    // old connection would make a dial believe that it is connected, or wake a reader that finds
    // nothing.
    const int count = by_effort(scaled(100'000) - 1);
    if (scaled(10) != 10) std::puts("a tenth of the dials: a sanitizer's take ten times as long");
    rota::run([count] {
        constexpr int dialers = 8;
        const net::listener l = net::listen("tcp", "0.0.0.0:0");
        const std::string port = ":" + std::to_string(l.addr().port());
        const port_of_nobody nobody;
        rota::wait_group server, all;
        server.go([&] {
            for (std::error_code error; error != net::net_errc::closed;) {
                const net::conn c = l.accept(error);
                std::error_code gone;
                if (!error) c.write("x", gone);
            }
        });
        std::atomic<int> left{count}, connected{0};
        for (int k = 0; k < dialers; ++k) {
            all.go([&] {
                for (int i = 0; (i = left.fetch_sub(1)) > 0;) {
                    const auto [ctx, cancel] = rota::with_cancel(rota::background());
                    if (i % 3 == 0) rota::go([cancel = cancel] { cancel(); });
                    const bool is_to_nobody = i % 8 == 1;
                    std::error_code error;
                    // Many addresses, since a port rests for a minute after each call to an
                    // address.
                    const net::conn c =
                        net::dial(ctx, "tcp",
                                  is_to_nobody ? nobody.address()
                                               : "127.0.0." + std::to_string(1 + i % 200) + port,
                                  error);
                    cancel();
                    if (is_to_nobody) {
                        EXPECT_TRUE(error) << "connected to nobody";
                    } else if (error) {
                        EXPECT_EQ(error, rota::context_errc::canceled) << error.message();
                    } else {
                        ++connected;
                        if (i % 2 == 0) {
                            EXPECT_EQ(read_text(c), "x");
                        }
                    }
                }
            });
        }
        all.wait();
        l.close();
        server.wait();
        EXPECT_GT(connected.load(), count / 8);
        std::printf("%d dials, %d connected\n", count, connected.load());
    });
}

TEST(kb02_net_load, many_connections_and_busy_goroutines_all_get_on) {
    // Wake-ups by the poller could wake no further m: connections that stand still end the test.
    rota::run([] {
        const time_box box;
        const echo_server server;
        constexpr int count = 32;
        std::vector<std::unique_ptr<std::atomic<std::uint64_t>>> rounds;
        for (int i = 0; i < count; ++i)
            rounds.push_back(std::make_unique<std::atomic<std::uint64_t>>(0));
        rota::wait_group all;
        for (int i = 0; i < count; ++i) {
            all.go([&, i] {
                const net::conn c = net::dial("tcp", server.address());
                do {
                    c.write("ping");
                    if (read_exactly(c, 4) != "ping") break;
                    rounds[static_cast<std::size_t>(i)]->fetch_add(1);
                } while (box.open());
            });
        }
        all.go([&] {
            while (box.open()) {
                burn(100us);
                rota::runtime::gosched();
            }
        });
        all.wait();
        for (int i = 0; i < count; ++i)
            EXPECT_GT(rounds[static_cast<std::size_t>(i)]->load(), 0U) << i;
    });
}
