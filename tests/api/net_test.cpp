// Sockets as programs see them: bytes and messages arrive, once and in order; addresses and errors
// are correct.
#include <algorithm>
#include <fstream>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../port_of_nobody.hpp"
#include "no_descriptors.hpp"
#include "sockets.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

TEST_ANYWHERE(net_stream, carries_bytes_both_ways) {
    // Bytes could be lost, doubled or out of order where a read is short or a write is cut.
    for (const char* network : {"tcp", "tcp4", "unix"}) {
        const ends both = connected(network);
        EXPECT_EQ(both.client.write("hello"), 5U) << network;
        EXPECT_EQ(read_text(both.server), "hello") << network;
        both.server.write("and back");
        EXPECT_EQ(read_exactly(both.client, 8), "and back") << network;
    }
}

TEST_ANYWHERE(net_stream, write_sends_all_however_slow_the_reader) {
    // A write longer than the buffers together could return after a part of it.
    const ends both = connected();
    static constexpr std::size_t size = 4 << 20;
    rota::wait_group writer;
    writer.go([c = both.client] {
        std::string text(size, '\0');
        for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 >> 7);
        EXPECT_EQ(c.write(text), size);
        c.close_write();
    });
    std::size_t got = 0;
    bool same = true;
    for (std::string piece = read_text(both.server, 10'000); !piece.empty();
         piece = read_text(both.server, 10'000)) {
        for (const char each : piece) {
            same = same && each == static_cast<char>(got * 31 >> 7);
            ++got;
        }
    }
    writer.wait();
    EXPECT_EQ(got, size);
    EXPECT_TRUE(same);
}

TEST_ANYWHERE(net_stream, write_of_many_pieces_sends_all_in_order) {
    // A vectored write that is cut in the middle of a piece could skip or repeat bytes.
    const ends both = connected();
    std::string expected;
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i) {
        texts.push_back(i % 7 == 0 ? ""
                                   : std::string(static_cast<std::size_t>(i % 900), 'a') +
                                         std::to_string(i));
        expected += texts.back();
    }
    std::vector<std::span<const std::byte>> pieces;
    for (const std::string& t : texts) pieces.push_back(std::as_bytes(std::span(t)));
    rota::wait_group writer;
    writer.go([&] {
        EXPECT_EQ(both.client.write(pieces), expected.size());
        both.client.close_write();
    });
    const std::string got = read_exactly(both.server, expected.size() + 1);
    writer.wait();
    EXPECT_TRUE(got == expected) << got.size() << " of " << expected.size();
}

TEST_ANYWHERE(net_stream, end_of_the_peer_is_a_read_of_nothing) {
    // The end could be taken for an error, or for no data yet: after a short read the next read
    // waits for a change, and the end that came with the data has already been reported.
    for (int i = 0; i < 200; ++i) {
        const ends both = connected();
        both.client.write("last words");
        both.client.close();
        EXPECT_EQ(read_text(both.server), "last words");
        EXPECT_EQ(read_text(both.server), "");
        EXPECT_EQ(read_text(both.server), "");
    }
}

TEST_ANYWHERE(net_stream, half_close_leaves_the_other_direction_open) {
    const ends both = connected();
    both.client.write("question");
    both.client.close_write();
    EXPECT_EQ(read_text(both.server), "question");
    EXPECT_EQ(read_text(both.server), "");
    both.server.write("answer");
    EXPECT_EQ(read_text(both.client), "answer");
}

TEST_ANYWHERE(kb37_net_stream, buffer_of_no_bytes_reads_nothing_and_is_no_end) {
    // A read into an empty buffer could wait, or be taken for the peer's end.
    const ends both = connected();
    EXPECT_EQ(both.server.read(std::span<std::byte>()), 0U);
    EXPECT_EQ(both.client.write(""), 0U);
    both.client.write("x");
    EXPECT_EQ(read_text(both.server), "x");
}

TEST_ANYWHERE(net_stream, peer_that_is_gone_gives_an_error_and_no_signal) {
    // A write to a closed peer could raise SIGPIPE, or report success for ever.
    const ends both = connected();
    both.server.close();
    std::error_code error;
    ASSERT_TRUE(eventually([&] {
        both.client.write("x", error);
        return static_cast<bool>(error);
    }));
    EXPECT_TRUE(error == std::errc::broken_pipe || error == std::errc::connection_reset) << error;
}

TEST_ANYWHERE(kb33_net_stream, single_bytes_are_all_told_of) {
    // Readiness that is cleared after it has been set again is lost: the reader would sleep on.
    const ends both = connected();
    constexpr int rounds = scaled(3000);
    rota::wait_group server;
    server.go([c = both.server] {
        for (std::string byte = read_text(c, 1); !byte.empty(); byte = read_text(c, 1))
            c.write(byte);
    });
    for (int i = 0; i < rounds; ++i) {
        const char sent[3] = {static_cast<char>(i), static_cast<char>(i >> 8), 'x'};
        both.client.write(std::string_view(sent, 3));
        EXPECT_EQ(read_exactly(both.client, 3), std::string_view(sent, 3));
    }
    both.client.close();
    server.wait();
}

TEST_ANYWHERE(net_stream, readers_take_turns) {
    // Two readers at once could wait in one place, and one of them for ever.
    const ends both = connected();
    std::atomic<int> got{0};
    rota::wait_group readers;
    constexpr int count = 16;
    for (int i = 0; i < count; ++i)
        readers.go([&] { got += static_cast<int>(read_text(both.server, 1).size()); });
    for (int i = 0; i < count; ++i) both.client.write("x");
    readers.wait();
    EXPECT_EQ(got.load(), count);
}

TEST_ANYWHERE(net_address, is_what_was_asked_for) {
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    EXPECT_EQ(l.addr().host(), "127.0.0.1");
    EXPECT_NE(l.addr().port(), 0);
    const net::conn c = net::dial("tcp", l.addr().to_string());
    const net::conn s = l.accept();
    EXPECT_EQ(c.remote_addr(), l.addr());
    EXPECT_EQ(c.local_addr(), s.remote_addr());
    EXPECT_EQ(c.remote_addr().to_string(), "127.0.0.1:" + std::to_string(l.addr().port()));
    EXPECT_GE(c.fd(), 0);
}

TEST_ANYWHERE(net, peers_of_ipv4_are_told_as_such) {
    // A listener of both families sees them as ::ffff:127.0.0.1, which no list of addresses
    // contains.
    const net::listener l = net::listen("tcp", ":0");
    const net::conn c = net::dial("tcp", "127.0.0.1:" + std::to_string(l.addr().port()));
    const net::conn peer = l.accept();
    EXPECT_EQ(peer.remote_addr().host(), "127.0.0.1");
    EXPECT_EQ(peer.remote_addr().to_string(), c.local_addr().to_string());
    EXPECT_EQ(peer.local_addr().to_string(), c.remote_addr().to_string());
    // Parsed from its text it is the same address.
    EXPECT_EQ(net::resolve("tcp", "[::ffff:1.2.3.4]:5").to_string(), "1.2.3.4:5");
}

TEST_ANYWHERE(net_address, without_a_host_means_all_of_this_machine) {
    const net::listener l = net::listen("tcp", ":0");
    const net::conn four = net::dial("tcp4", ":" + std::to_string(l.addr().port()));
    EXPECT_TRUE(l.accept());
    EXPECT_EQ(four.remote_addr().host(), "127.0.0.1");
}

TEST_ANYWHERE(net_address, of_ipv6_has_brackets) {
    // Without IPv6 the error says so.
    std::error_code error;
    const net::listener l = net::listen("tcp6", "[::1]:0", error);
    if (error) {
        EXPECT_TRUE(error == std::errc::address_family_not_supported ||
                    error == std::errc::address_not_available)
            << error.message();
        std::printf("no IPv6 here: %s\n", error.message().c_str());
        return;
    }
    EXPECT_EQ(l.addr().to_string(), "[::1]:" + std::to_string(l.addr().port()));
    const net::conn c = net::dial("tcp", l.addr().to_string());
    EXPECT_EQ(c.remote_addr(), l.addr());
}

TEST_ANYWHERE(net_address, that_makes_no_sense_is_refused) {
    std::error_code error;
    for (const char* bad :
         {"", "nonsense", "1.2.3.4", "1.2.3.4:99999", "::1:80", "[::1:80", ":x y"})
        EXPECT_FALSE(net::dial("tcp", bad, error)) << bad;
    (void)net::dial("tcp", "1.2.3.4:99999", error);
    EXPECT_EQ(error, net::net_errc::bad_address);
    (void)net::listen("tcp", "::1:80", error);
    EXPECT_EQ(error, net::net_errc::bad_address);
    (void)net::listen("udp", "127.0.0.1:0", error);
    EXPECT_EQ(error, net::net_errc::unknown_network);
    (void)net::dial("tpc", "127.0.0.1:1", error);
    EXPECT_EQ(error, net::net_errc::unknown_network);
    (void)net::listen_packet("tcp", "127.0.0.1:0", error);
    EXPECT_EQ(error, net::net_errc::unknown_network);
    (void)net::dial("unix", std::string(200, 'x'), error);
    EXPECT_EQ(error, net::net_errc::bad_address);
    (void)net::dial("tcp6", "127.0.0.1:1", error);
    EXPECT_EQ(error, net::net_errc::no_such_host);
}

TEST_ANYWHERE(net_dial, that_is_refused_says_so) {
    const rota_test::port_of_nobody port;
    const std::string& nobody = port.address();
    std::error_code error;
    EXPECT_FALSE(net::dial("tcp", nobody, error));
    EXPECT_EQ(error, std::errc::connection_refused);
    try {
        (void)net::dial("tcp", nobody);
        ADD_FAILURE() << "no exception";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::connection_refused);
        EXPECT_NE(std::string(e.what()).find("dial tcp " + nobody), std::string::npos) << e.what();
    }
}

TEST_ANYWHERE(net_dial, ends_with_its_context) {
    // A listener whose queue is full does not answer: the attempt could go on for ever.
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    (void)::listen(l.fd(), 0);
    std::vector<net::conn> queued;
    const auto [ctx, cancel] = rota::with_cancel(rota::background());
    std::error_code error;
    for (int i = 0; i < 20 && !error; ++i) {
        const auto [brief, stop] = rota::with_timeout(ctx, i < 1 ? 2s : 50ms);
        queued.push_back(net::dial(brief, "tcp", l.addr().to_string(), error));
        stop();
    }
    EXPECT_EQ(error, rota::context_errc::deadline_exceeded);
    rota::wait_group dialer;
    dialer.go([&, ctx = ctx] {
        std::error_code why;
        (void)net::dial(ctx, "tcp", l.addr().to_string(), why);
        EXPECT_EQ(why, rota::context_errc::canceled);
    });
    cancel();
    dialer.wait();
    (void)net::dial(ctx, "tcp", "localhost:1", error);
    EXPECT_EQ(error, rota::context_errc::canceled);
}

TEST_ANYWHERE(net_dial, to_a_name_finds_the_address_that_answers) {
    // Only one of the addresses of localhost has a listener.
    const net::listener l = net::listen("tcp4", "localhost:0");
    EXPECT_EQ(l.addr().host(), "127.0.0.1");
    const net::conn c = net::dial("tcp", "localhost:" + std::to_string(l.addr().port()));
    EXPECT_EQ(c.remote_addr(), l.addr());
    const auto [ctx, cancel] = rota::with_timeout(rota::background(), 10s);
    const net::conn d = net::dial(ctx, "tcp", "localhost:" + std::to_string(l.addr().port()));
    EXPECT_EQ(d.remote_addr(), l.addr());
    cancel();
}

TEST_ANYWHERE(net_lookup, of_a_name_and_of_an_address) {
    const std::vector<std::string> all = net::lookup_host("localhost");
    EXPECT_NE(std::find(all.begin(), all.end(), "127.0.0.1"), all.end());
    EXPECT_EQ(net::lookup_host("::1"), std::vector<std::string>{"::1"});
    std::error_code error;
    EXPECT_TRUE(net::lookup_host("no-such-host.invalid", error).empty());
    EXPECT_TRUE(error == net::net_errc::no_such_host || error == net::net_errc::lookup_failed)
        << error.message();
    EXPECT_EQ(net::resolve("udp", "127.0.0.1:53").to_string(), "127.0.0.1:53");
}

TEST_ANYWHERE(net_messages, keep_their_bounds_and_name_their_sender) {
    const net::packet_conn a = net::listen_packet("udp", "127.0.0.1:0");
    const net::packet_conn b = net::listen_packet("udp4", "127.0.0.1:0");
    EXPECT_EQ(a.write_to(std::as_bytes(std::span("one", 3)), b.addr()), 3U);
    EXPECT_EQ(a.write_to({}, b.addr()), 0U);
    EXPECT_EQ(a.write_to(std::as_bytes(std::span("three", 5)), b.addr()), 5U);
    std::array<std::byte, 64> buffer;
    for (const std::size_t size : {3, 0, 5}) {
        const auto [n, from] = b.read_from(buffer);
        EXPECT_EQ(n, size);
        EXPECT_EQ(from, a.local_addr());
    }
    const net::conn c = net::dial("udp", a.addr().to_string());
    c.write("hello");
    const auto [n, from] = a.read_from(buffer);
    EXPECT_EQ(n, 5U);
    (void)a.write_to(std::span(buffer).first(n), from);
    EXPECT_EQ(read_text(c), "hello");
}

TEST_ANYWHERE(net_messages, of_unix_sockets) {
    const std::string here = socket_name();
    const net::packet_conn a = net::listen_packet("unixgram", here);
    EXPECT_EQ(a.addr().to_string(), here);
    const net::conn c = net::dial("unixgram", here);
    c.write("one");
    c.write("two");
    std::array<std::byte, 64> buffer;
    EXPECT_EQ(a.read_from(buffer).first, 3U);
    EXPECT_EQ(a.read_from(buffer).first, 3U);
}

TEST_ANYWHERE(net_messages, to_a_unix_socket_that_others_have_filled_wait_for_room) {
    // The kernel does not tell an unconnected sender that another sender's message has left the
    // queue. The sender could wait for ever, or past its deadline and its close.
    const net::packet_conn a = net::listen_packet("unixgram", socket_name());
    const net::packet_conn b = net::listen_packet("unixgram", socket_name());
    const net::packet_conn other = net::listen_packet("unixgram", socket_name());
    const auto message = std::as_bytes(std::span("message", 7));
    std::array<std::byte, 64> buffer;
    std::error_code error;
    other.set_write_deadline(in(20ms));
    while (!error) other.write_to(message, b.addr(), error);
    EXPECT_EQ(error, std::errc::timed_out);
    // The time may have been up before the queue was full.
    const net::endpoint to = b.addr();
    while (::sendto(other.fd(), message.data(), message.size(), MSG_DONTWAIT,
                    static_cast<const sockaddr*>(to.data()), to.size()) >= 0) {
    }
    EXPECT_EQ(errno, EAGAIN);
    a.set_write_deadline(in(1ms));
    a.write_to(message, b.addr(), error);
    EXPECT_EQ(error, std::errc::timed_out);
    a.set_write_deadline({});
    for (bool closes : {false, true}) {
        rota::wait_group sender;
        std::atomic<bool> begun{false}, ended{false};
        sender.go([&] {
            std::error_code why;
            begun = true;
            a.write_to(message, b.addr(), why);
            EXPECT_EQ(why, closes ? make_error_code(net::net_errc::closed) : std::error_code());
            ended = true;
        });
        EXPECT_TRUE(eventually([&] { return begun.load(); }));
        for (int i = 0; i < 10'000; ++i) give_way();
        EXPECT_FALSE(ended.load());
        if (closes) a.close();
        else EXPECT_EQ(b.read_from(buffer).first, 7U);
        sender.wait();
    }
}

TEST_ANYWHERE(net_messages, connected_to_a_full_unix_socket_wait_for_room) {
    const net::packet_conn b = net::listen_packet("unixgram", socket_name());
    const net::conn c = net::dial("unixgram", b.addr().to_string());
    constexpr int count = 2000;
    rota::wait_group writer;
    writer.go([&] {
        for (int i = 0; i < count; ++i) EXPECT_EQ(c.write("message"), 7U);
    });
    std::array<std::byte, 64> buffer;
    for (int i = 0; i < count; ++i) EXPECT_EQ(b.read_from(buffer).first, 7U);
    writer.wait();
}

TEST_ANYWHERE(net_messages, of_several_pieces_are_one) {
    // Pieces could be sent one by one, and empty messages left out.
    const net::packet_conn a = net::listen_packet("udp", "127.0.0.1:0");
    const net::conn c = net::dial("udp", a.addr().to_string());
    const auto piece = [](std::string_view text) { return std::as_bytes(std::span(text)); };
    const std::vector<std::span<const std::byte>> three = {piece("one"), piece(""), piece("two")};
    const std::vector<std::span<const std::byte>> nothing = {piece(""), piece("")};
    const std::vector<std::span<const std::byte>> too_many(3000, piece("x"));
    std::error_code error;
    EXPECT_EQ(c.write(three), 6U);
    EXPECT_EQ(c.write(nothing), 0U);
    EXPECT_EQ(c.write(too_many, error), 0U);
    EXPECT_EQ(error, std::errc::message_size);
    c.write("end");
    std::array<std::byte, 64> buffer;
    EXPECT_EQ(a.read_from(buffer).first, 6U);
    EXPECT_EQ(a.read_from(buffer).first, 0U);
    EXPECT_EQ(a.read_from(buffer).first, 3U);
}

TEST_ANYWHERE(net_listener, of_a_path_removes_it_when_closed) {
    const std::string path = testing::TempDir() + "rota-" + socket_name().substr(1);
    const net::listener l = net::listen("unix", path);
    EXPECT_EQ(l.addr().to_string(), path);
    const net::conn c = net::dial("unix", path);
    EXPECT_TRUE(l.accept());
    EXPECT_EQ(::access(path.c_str(), F_OK), 0);
    l.close();
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST_ANYWHERE(net_listener, leaves_what_is_at_its_path_if_that_is_another_file) {
    // A service that is replaced while it ends could remove the socket of its successor; an old
    // listener could remove any file that the program has put there.
    const std::string path = testing::TempDir() + "rota-" + socket_name().substr(1);
    const auto is_there = [&] { return ::access(path.c_str(), F_OK) == 0; };
    const net::listener old = net::listen("unix", path);
    ASSERT_EQ(::unlink(path.c_str()), 0);
    const net::listener successor = net::listen("unix", path);
    old.close();
    ASSERT_TRUE(is_there());
    const net::conn c = net::dial("unix", path);
    EXPECT_TRUE(successor.accept());

    ASSERT_EQ(::unlink(path.c_str()), 0);
    std::ofstream(path) << "data";
    successor.close();
    EXPECT_TRUE(is_there());
    ASSERT_EQ(::unlink(path.c_str()), 0);

    const net::listener moved = net::listen("unix", path);
    const std::string elsewhere = path + "-moved";
    ASSERT_EQ(::rename(path.c_str(), elsewhere.c_str()), 0);
    ASSERT_EQ(::symlink(elsewhere.c_str(), path.c_str()), 0);
    moved.close();
    EXPECT_EQ(::unlink(path.c_str()), 0) << "the link was removed";
    EXPECT_EQ(::unlink(elsewhere.c_str()), 0) << "what the link leads to was removed";
}

TEST_ANYWHERE(net_handles, share_one_socket_which_the_last_one_closes) {
    const int before = open_descriptors();
    {
        const ends both = connected();
        net::conn copy = both.client;
        EXPECT_EQ(copy, both.client);
        const net::conn moved = std::move(copy);
        EXPECT_FALSE(copy);
        moved.write("x");
        EXPECT_EQ(read_text(both.server), "x");
    }
    EXPECT_EQ(open_descriptors(), before);
    const net::conn none;
    EXPECT_EQ(read_error(none), net::net_errc::closed);
    none.close();
}

TEST(kb36_net, without_descriptors_every_call_says_so_and_recovers) {
    // A call could loop for ever, end the process, or lose the waiting connection.
    rota::run([] {
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        const std::string at = l.addr().to_string();
        const net::conn queued = net::dial("tcp", at);
        std::error_code error;
        {
            const no_descriptors none;
            (void)l.accept(error);
            EXPECT_EQ(error, std::errc::too_many_files_open);
            (void)l.accept(error);
            EXPECT_EQ(error, std::errc::too_many_files_open);
            (void)net::dial("tcp", at, error);
            EXPECT_EQ(error, std::errc::too_many_files_open);
            (void)net::listen("tcp", "127.0.0.1:0", error);
            EXPECT_EQ(error, std::errc::too_many_files_open);
            (void)net::listen_packet("udp", "127.0.0.1:0", error);
            EXPECT_EQ(error, std::errc::too_many_files_open);
        }
        const net::conn served = l.accept();
        queued.write("still here");
        EXPECT_EQ(read_text(served), "still here");
    });
}
