// Deadlines and the end of sockets: waiters are woken for the right reason, and no byte is lost.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <rota/synctest.hpp>

#include "../asleep.hpp"
#include "../port_of_nobody.hpp"
#include "sockets.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

TEST_ANYWHERE(net_deadline, ends_a_read_that_waits) {
    const ends both = connected();
    both.server.set_read_deadline(in(20ms));
    EXPECT_EQ(read_error(both.server), std::errc::timed_out);
    EXPECT_EQ(read_error(both.server), std::errc::timed_out);  // it stays expired
    both.client.write("x");
    both.server.set_read_deadline({});
    EXPECT_EQ(read_text(both.server), "x");
}

TEST_ANYWHERE(net_deadline, of_the_past_ends_calls_at_once) {
    // Data that is there does not count: the call is too late.
    const ends both = connected();
    both.client.write("x");
    both.server.set_deadline(in(-1s));
    EXPECT_EQ(read_error(both.server), std::errc::timed_out);
    std::error_code error;
    both.server.write("y", error);
    EXPECT_EQ(error, std::errc::timed_out);
    both.server.set_deadline({});
    EXPECT_EQ(read_text(both.server), "x");
}

TEST_ANYWHERE(net_deadline, ends_a_write_that_waits) {
    const ends both = connected();
    both.client.set_write_deadline(in(30ms));
    std::error_code error;
    both.client.write(std::string(64 << 20, 'x'), error);
    EXPECT_EQ(error, std::errc::timed_out);
}

TEST_ANYWHERE(net_deadline, set_by_another_ends_a_read_under_way) {
    // A waiting reader must learn of a deadline that is set, moved, and removed.
    const ends both = connected();
    std::atomic<bool> ended{false};
    rota::wait_group reader;
    reader.go([&] {
        EXPECT_EQ(read_error(both.server), std::errc::timed_out);
        ended = true;
    });
    both.server.set_read_deadline(in(1h));
    both.server.set_read_deadline({});
    both.server.set_read_deadline(in(2h));
    both.server.set_read_deadline(in(1ms));
    reader.wait();
    EXPECT_TRUE(ended.load());
}

TEST_ANYWHERE(net_deadline, of_one_direction_leaves_the_other_alone) {
    const ends both = connected();
    both.server.set_read_deadline(in(-1s));
    EXPECT_EQ(read_error(both.server), std::errc::timed_out);
    both.server.write("x");
    EXPECT_EQ(read_text(both.client), "x");
}

TEST_ANYWHERE(net_deadline, ends_an_accept) {
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    l.set_deadline(in(10ms));
    std::error_code error;
    EXPECT_FALSE(l.accept(error));
    EXPECT_EQ(error, std::errc::timed_out);
    l.set_deadline({});
    const net::conn c = net::dial("tcp", l.addr().to_string());
    EXPECT_TRUE(l.accept());
}

TEST_ANYWHERE(net_deadline, set_in_a_bubble_leaves_later_ones_to_the_real_clock) {
    // The timer could stay with the clock of the bubble, which stands still from then on.
    const ends both = connected();
    rota::synctest::test([&] { both.server.set_read_deadline(in(1h)); });
    both.server.set_read_deadline(in(1ms));
    EXPECT_EQ(read_error(both.server), std::errc::timed_out);
}

TEST_ANYWHERE(net_goroutines, that_wait_for_their_turn_keep_a_bubble_from_leaping) {
    // The holder of the turn may be outside, and so may the event for which it waits: time would
    // leap at a random moment.
    const ends both = connected();
    std::atomic<bool> waits{false};
    rota::wait_group outside;
    outside.go([&] { EXPECT_EQ(read_text(both.server, 1), "x"); });
    outside.go([&] {
        EXPECT_TRUE(eventually([&] { return waits.load(); }));
        for (int i = 0; i < 1000; ++i) give_way();
        both.client.write("xx");
    });
    for (int i = 0; i < 100; ++i) give_way();
    rota::synctest::test([&] {
        const auto start = rota::clock::now();
        rota::wait_group inside;
        inside.go([&] {
            waits = true;
            EXPECT_EQ(read_text(both.server, 1), "x");
            EXPECT_EQ(rota::clock::now(), start);
        });
        rota::sleep_for(1h);
        inside.wait();
    });
    outside.wait();
}

TEST_ANYWHERE(kb28_net_deadline, moved_by_many_at_the_moment_of_expiry) {
    // set_deadline and the expiry take two locks: in opposite orders they would wait for each
    // other. An old expiry must not end a read that has a later deadline.
    constexpr int movers = 8;
    const ends both = connected();
    std::atomic<bool> stop{false};
    rota::wait_group all;
    for (int i = 0; i < movers; ++i) {
        all.go([&, i] {
            for (int n = 0; !stop.load(); ++n) {
                std::error_code ignored;
                both.server.set_read_deadline(in(std::chrono::microseconds((n * 7 + i * 13) % 200)),
                                              ignored);
                if (n % 16 == 0) rota::runtime::gosched();
            }
        });
    }
    int timeouts = 0;
    std::uint64_t sent = 0, got = 0;
    const auto until = std::chrono::steady_clock::now() + 300ms;
    while (std::chrono::steady_clock::now() < until) {
        both.client.write("x");
        ++sent;
        std::array<std::byte, 16> buffer;
        std::error_code error;
        got += both.server.read(buffer, error);
        EXPECT_TRUE(!error || error == std::errc::timed_out) << error.message();
        timeouts += error ? 1 : 0;
        rota::runtime::gosched();
    }
    stop = true;
    all.wait();
    both.server.set_read_deadline({});
    got += read_exactly(both.server, sent - got).size();
    EXPECT_EQ(got, sent);
    both.server.set_read_deadline(in(1h));
    both.client.write("last");
    EXPECT_EQ(read_text(both.server), "last");
    std::printf("%d timeouts, %llu bytes\n", timeouts, static_cast<unsigned long long>(sent));
}

TEST_ANYWHERE(kb28_net_deadline, moved_by_many_against_reads_and_a_close) {
    // The close removes the deadline from the heap while it expires, and while eight goroutines
    // move it: the readers end, once, and the close returns.
    constexpr int movers = 8, readers = 2, rounds = scaled(200);
    if (scaled(10) != 10) std::puts("a tenth of the rounds: a sanitizer's take ten times as long");
    for (int round = 0; round < rounds; ++round) {
        const ends both = connected();
        std::atomic<int> closed{0};
        rota::wait_group all;
        for (int i = 0; i < movers; ++i) {
            all.go([&, i] {
                std::error_code error;
                for (int n = round; !error; ++n) {
                    both.server.set_read_deadline(
                        in(std::chrono::microseconds((n * 7 + i * 13) % 100)), error);
                    if (n % 8 == 0) rota::runtime::gosched();
                }
                EXPECT_EQ(error, net::net_errc::closed) << error.message();
            });
        }
        for (int i = 0; i < readers; ++i) {
            all.go([&] {
                std::error_code error;
                do error = read_error(both.server);
                while (error == std::errc::timed_out);
                EXPECT_EQ(error, net::net_errc::closed) << error.message();
                ++closed;
            });
        }
        for (int k = 0; k < round % 20; ++k) give_way();
        both.server.close();
        all.wait();
        EXPECT_EQ(closed.load(), readers);
    }
}

TEST_ANYWHERE(kb37_net_deadline, that_races_with_data_loses_no_byte) {
    // Bytes that have been taken from the kernel could be dropped with the time-out.
    const ends both = connected();
    std::string expected, got;
    rota::wait_group writer;
    constexpr int rounds = scaled(2000);
    for (int i = 0; i < rounds; ++i) expected += static_cast<char>('a' + i % 26);
    writer.go([&] {
        for (const char each : expected) {
            both.client.write(std::string_view(&each, 1));
            if (each == 'm') rota::sleep_for(20us);  // the load: a pause in the arriving bytes
            else rota::runtime::gosched();
        }
        both.client.close_write();
    });
    for (bool open = true; open;) {
        both.server.set_read_deadline(in(5us));
        std::array<char, 3> buffer;
        std::error_code error;
        const std::size_t n = both.server.read(std::as_writable_bytes(std::span(buffer)), error);
        got.append(buffer.data(), n);
        EXPECT_TRUE(!error || error == std::errc::timed_out) << error.message();
        open = error || n != 0;
    }
    writer.wait();
    EXPECT_EQ(got, expected);
}

TEST_ANYWHERE(net_close, wakes_all_who_wait) {
    // A waiter that is not woken sleeps for ever; so does the close, if it waits for that waiter.
    const ends both = connected();
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    rota::wait_group all;
    std::atomic<int> waiting{0};
    for (int i = 0; i < 4; ++i) {
        all.go([&] {
            ++waiting;
            EXPECT_EQ(read_error(both.server), net::net_errc::closed);
        });
        all.go([&] {
            ++waiting;
            std::error_code error;
            (void)l.accept(error);
            EXPECT_EQ(error, net::net_errc::closed);
        });
    }
    all.go([&] {
        ++waiting;
        std::error_code error;
        for (const std::string block(1 << 20, 'x'); !error;) both.server.write(block, error);
        EXPECT_EQ(error, net::net_errc::closed);
    });
    ASSERT_TRUE(eventually([&] { return waiting.load() == 9; }));
    for (int i = 0; i < 1000; ++i) give_way();
    both.server.close();
    both.server.close();
    l.close();
    all.wait();
    EXPECT_EQ(both.server.fd(), -1);
    EXPECT_EQ(read_error(both.server), net::net_errc::closed);
    std::error_code error;
    both.server.set_deadline({}, error);
    EXPECT_EQ(error, net::net_errc::closed);
    EXPECT_EQ(both.server.local_addr(error), net::endpoint());
    EXPECT_EQ(error, net::net_errc::closed);
}

TEST_ANYWHERE(kb34_net_close, under_pending_calls_gives_no_byte_to_another_file) {
    // If a number is freed under a call, another file has it when the call gets to it. Each
    // connection has its own letter, and no other letter may be read from it.
    constexpr int rounds = scaled(100);
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    const std::string at = l.addr().to_string();
    std::atomic<int> wrong{0};
    for (int round = 0; round < rounds; ++round) {
        const char letter = static_cast<char>('a' + round % 26);
        const net::conn client = net::dial("tcp", at);
        const net::conn server = l.accept();
        rota::wait_group all;
        for (int i = 0; i < 2; ++i) {
            all.go([&] {
                std::array<char, 64> buffer;
                std::error_code error;
                while (!error) {
                    const std::size_t n =
                        server.read(std::as_writable_bytes(std::span(buffer)), error);
                    if (n == 0) break;
                    for (std::size_t k = 0; k < n; ++k) wrong += buffer[k] == letter ? 0 : 1;
                }
            });
            all.go([&] {
                std::error_code error;
                for (const std::string text(64, letter); !error; rota::runtime::gosched())
                    client.write(text, error);
            });
        }
        for (int k = 0; k < round % 5; ++k) give_way();
        server.close();
        client.close();
        all.wait();
    }
    EXPECT_EQ(wrong.load(), 0);
}

namespace {

// Whether it becomes so within 1 s, by a clock that stands still while the machine does: a thousand
// sleeps of a millisecond.
template <class C>
bool within_a_second(C is_so) {
    for (int i = 0; i < 1000 && !is_so(); ++i) rota::sleep_for(1ms);
    return is_so();
}

// Closes a socket while `callers` goroutines are in calls that `call` makes. Returns how many of
// these and of the close ended within a second.
template <class Socket, class Call>
int ended_by_close(const Socket& s, int callers, Call call) {
    std::atomic<int> ended{0}, begun{0};
    rota::wait_group all;
    for (int i = 0; i < callers; ++i) {
        all.go([&] {
            ++begun;
            call(s);
            ++ended;
        });
    }
    EXPECT_TRUE(eventually([&] { return begun == callers; }));
    all.go([&] {
        std::error_code error;
        s.close(error);
        EXPECT_FALSE(error) << error.message();
        ++ended;
    });
    (void)within_a_second([&] { return ended == callers + 1; });
    const int in_time = ended;
    all.wait();
    return in_time;
}

}  // namespace

TEST_ANYWHERE(kb34_net_close, returns_within_a_second_and_so_does_every_call) {
    // A close could wait for a call that never ends, or a call for bytes that will never come.
    constexpr int rounds = scaled(20), callers = 4;
    const std::string large(8 << 20, 'w');
    const auto reads = [](const net::conn& c) {
        std::array<std::byte, 64> part;
        std::error_code error;
        while (c.read(part, error) != 0) {
        }
    };
    const auto writes = [&](const net::conn& c) {
        std::error_code error;
        c.write(large, error);  // more than the buffers can hold
        EXPECT_TRUE(error);
    };
    for (int round = 0; round < rounds; ++round) {
        for (const std::string_view network : {"tcp", "unix"}) {
            const ends idle = connected(network), full = connected(network),
                       busy = connected(network);
            EXPECT_EQ(ended_by_close(idle.server, callers, reads), callers + 1) << network;
            EXPECT_EQ(ended_by_close(full.client, callers, writes), callers + 1) << network;
            std::atomic<int> turn{0};
            EXPECT_EQ(ended_by_close(busy.client, callers,
                                     [&](const net::conn& c) {
                                         if (turn++ % 2 == 0) reads(c);
                                         else writes(c);
                                     }),
                      callers + 1)
                << network;
            const net::listener l = net::listen(network, local_address(network));
            EXPECT_EQ(ended_by_close(l, callers,
                                     [](const net::listener& door) {
                                         std::error_code error;
                                         (void)door.accept(error);
                                         EXPECT_EQ(error, net::net_errc::closed);
                                     }),
                      callers + 1)
                << network;
        }
    }
}

TEST_ANYWHERE(kb32_net_dial, numbers_that_are_used_again_bring_no_old_event) {
    // An event for the previous owner of a number or record would make a dial believe that it is
    // connected, or wake the wrong reader.
    constexpr int rounds = scaled(1500);
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    const std::string at = l.addr().to_string();
    const rota_test::port_of_nobody nobody;
    rota::wait_group server;
    server.go([&] {
        std::error_code error;
        while (!error) {
            const net::conn c = l.accept(error);
            if (error) return;
            c.write("x", error);
            error.clear();
        }
    });
    int connected = 0;
    for (int i = 0; i < rounds; ++i) {
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        if (i % 3 == 0) rota::go([cancel = cancel] { cancel(); });
        std::error_code error;
        const net::conn c = net::dial(ctx, "tcp", i % 4 == 1 ? nobody.address() : at, error);
        cancel();
        if (i % 4 == 1) {
            EXPECT_TRUE(error) << "connected to nobody";
            continue;
        }
        if (error) {
            EXPECT_EQ(error, rota::context_errc::canceled) << error.message();
            continue;
        }
        ++connected;
        if (i % 2 == 0) {
            EXPECT_EQ(read_text(c), "x");
        }
    }
    l.close();
    server.wait();
    EXPECT_GT(connected, rounds / 8);
}

TEST_ANYWHERE(net_goroutines, that_wait_for_the_network_are_not_deadlocked) {
    // Each goroutine waits, and the wake-up comes from outside: a deadlock report would end the
    // test.
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    std::thread outside([port = l.addr().port()] {
        bool rests = false;  // sysmon wakes for a moment now and then
        for (int i = 0; i < 20'000 && !rests; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // between two looks
            rests = rota_test::do_the_others_sleep();
        }
        EXPECT_TRUE(rests) << "the process has not come to rest";
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
        ASSERT_EQ(::send(fd, "hello", 5, 0), 5);
        ::close(fd);
    });
    const net::conn c = l.accept();
    EXPECT_EQ(read_exactly(c, 5), "hello");
    if (rota::runtime::goid() != 0) rota::blocking([&] { outside.join(); });
    else outside.join();
}

TEST(kb12_net, sockets_do_not_starve_beside_busy_goroutines) {
    // The poller could be asked only when there is no other work.
    rota::run([] {
        const int ps = rota::runtime::gomaxprocs(0);
        std::atomic<bool> stop{false};
        rota::wait_group all;
        for (int i = 0; i < ps; ++i) {
            auto there = rota::make_chan<int>(), back = rota::make_chan<int>();
            all.go([&stop, there, back] {
                while (!stop.load()) {
                    there.send(1);
                    back.recv();
                }
                there.close();
            });
            all.go([there, back] {
                for (int v : there) back.send(v);
            });
            all.go([&stop] {
                while (!stop.load()) rota::runtime::gosched();
            });
        }
        const ends both = connected();
        rota::wait_group echo;
        echo.go([c = both.server] {
            for (std::string text = read_text(c); !text.empty(); text = read_text(c)) c.write(text);
        });
        for (int i = 0; i < 50; ++i) {
            both.client.write("round");
            EXPECT_EQ(read_exactly(both.client, 5), "round");
        }
        stop = true;
        both.client.close();
        echo.wait();
        all.wait();
    });
}
