// Clients that neither take an answer nor send the rest of a request: how long a server bears it.
#include <netinet/in.h>
#include <sys/socket.h>

#include "h2_client.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view stall_plain = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::uint32_t cancel_code = 8;

// Only the stall limits are short: what ends early is ended by them.
http::server_options stalls(std::chrono::milliseconds limit) {
    http::server_options o;
    o.read_stall_timeout = o.write_stall_timeout = limit;
    return o;
}

// A settings frame that sets each stream's window.
std::string window_of_streams(std::uint32_t size) {
    return frame(h2_settings, 0, 0, std::string("\x00\x04", 2) + word(size));
}

// Writes until that fails.
auto writes_endlessly(const rota::chan<std::error_code>& outcome) {
    return [outcome](http::response_writer& w, http::request&) {
        std::error_code error;
        for (const std::string block(1 << 20, 'x'); !error;) w.write(block, error);
        outcome.send(error);
    };
}

// The answer to a request that comes piece by piece, with a pause behind each piece.
std::string answer_to_pieces(const http_server& s, std::string_view head, std::string_view piece,
                             int count, std::chrono::milliseconds pause) {
    const net::conn c = s.dial();
    std::error_code gone;  // the server may have had enough
    c.write(head, gone);
    for (int i = 0; i < count; ++i) {
        rota::sleep_for(pause);
        c.write(piece, gone);
    }
    return statuses(read_to_end(c));
}

}  // namespace

// --- answers -------------------------------------------------------------------------------------

TEST_ANYWHERE(http_stall, an_answer_that_is_not_taken_ends) {
    // A client that reads nothing could keep the handler and its connection for ever.
    const auto outcome = rota::make_chan<std::error_code>(1);
    const http_server s(writes_endlessly(outcome), stalls(100ms));
    const net::conn c = s.dial();
    c.write(stall_plain);
    EXPECT_EQ(*outcome.recv(), std::errc::timed_out);
}

TEST(http_stall, answers_in_a_pipeline_that_are_not_taken_end) {
    // Answers that are held back for the next one are sent by another goroutine.
    rota::run([] {
        (void)connected();  // the poller has its descriptors from here on
        const int before = open_descriptors();
        const http_server s([](auto& w, auto&) { w.write(std::string(256 << 10, 'x')); },
                            stalls(100ms));
        {
            const net::conn c = s.dial();
            std::string many;
            for (int i = 0; i < 100; ++i) many += stall_plain;
            c.write(many);
            EXPECT_TRUE(eventually([&] { return open_descriptors() == before + 2; }));
        }
    });
}

TEST(http_stall, an_answer_that_is_taken_slowly_does_not_end) {
    // Each byte that moves must begin the time anew, also where it makes no room to write.
    rota::run([] {
        constexpr std::size_t size = 4 << 20;
        constexpr auto limit = 400ms;
        const http_server s([](auto& w, auto&) { w.write(std::string(size, 'x')); }, stalls(limit));
        // A client that the machine holds up for as long as the limit gets less.
        EXPECT_TRUE(eventually([&] {
            const net::conn c = s.dial();
            const auto begun = std::chrono::steady_clock::now();
            c.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            std::size_t got = 0;
            std::error_code error;
            std::string part(size / 16, '\0');
            while (const std::size_t n =
                       c.read_full(std::as_writable_bytes(std::span(part)), error)) {
                got += n;
                rota::sleep_for(50ms);
            }
            return got > size && std::chrono::steady_clock::now() - begun > limit;
        }));
    });
}

TEST(http_stall, a_hijacked_connection_has_no_limit) {
    // It is the handler's own, and so is the time for it.
    rota::run([] {
        constexpr auto limit = 50ms;
        constexpr std::size_t size = 16 << 20;
        rota::wait_group writing;
        std::error_code error;
        const http_server s(
            [&](http::response_writer& w, http::request&) {
                const net::conn own = w.hijack();
                writing.go([&error, own] {
                    own.write(std::string_view(std::string(size, 'x')), error);
                    own.close();
                });
            },
            stalls(limit));
        const net::conn c = s.dial();
        writing.add(1);
        c.write(stall_plain);
        EXPECT_EQ(read_exactly(c, 1), "x");
        rota::sleep_for(4 * limit);
        EXPECT_EQ(read_to_end(c).size(), size - 1);
        writing.done();
        writing.wait();
        EXPECT_EQ(error, std::error_code()) << error.message();
    });
}

TEST(http_stall, an_answer_of_http2_without_a_window_is_reset) {
    // A stream without a window could keep its handler, and what it has written, for ever.
    rota::run([] {
        const auto outcome = rota::make_chan<std::error_code>(1);
        auto o = stalls(100ms);
        const h2_server s(writes_endlessly(outcome), o);
        const h2_client c(s);
        c.send(window_of_streams(0) + get(1));
        EXPECT_EQ(code_of(c.next_of(h2_reset, 1)), cancel_code);
        EXPECT_EQ(*outcome.recv(), std::errc::timed_out);
    });
}

TEST(http_stall, what_a_handler_of_http2_leaves_behind_is_reset) {
    // The handler has gone: nobody waits who could find out. A request with pings behind it keeps
    // the connection in motion, which is no motion of the answer.
    rota::run([] {
        const h2_server s([](auto& w, auto&) { w.write("hello"); }, stalls(100ms));
        const h2_client c(s);
        c.send(window_of_streams(0) + get(1));
        for (h2_frame f; f.type != h2_reset;) {
            c.send(frame(h2_ping, 0, 0, "12345678"));
            f = c.next();
            ASSERT_NE(f.type, -1);
            if (f.type == h2_reset) {
                EXPECT_EQ(code_of(f), cancel_code);
            }
        }
        c.send(window_of_streams(100) + get(3));
        EXPECT_EQ(c.body(3), "hello");
    });
}

TEST(http_stall, an_answer_of_http2_whose_handler_goes_on_is_reset) {
    // The handler waits for something else than the client, and does not find out by writing.
    rota::run([] {
        const h2_server s(
            [](http::response_writer& w, http::request& r) {
                const rota::context ctx = r.ctx();
                w.write("hello");
                w.flush();
                (void)ctx.done().recv();
            },
            stalls(100ms));
        const h2_client c(s);
        c.send(window_of_streams(0) + get(1));
        EXPECT_EQ(code_of(c.next_of(h2_reset, 1)), cancel_code);
    });
}

TEST(http_stall, an_answer_of_http2_that_is_taken_slowly_does_not_end) {
    rota::run([] {
        constexpr auto limit = 400ms;
        constexpr std::uint32_t pieces = 16;
        const h2_server s([](auto& w, auto&) { w.write(std::string(pieces, 'x')); }, stalls(limit));
        // A client that the machine holds up for as long as the limit gets less.
        EXPECT_TRUE(eventually([&] {
            const h2_client c(s);
            c.send(window_of_streams(0) + get(1));
            std::string got;
            for (std::uint32_t i = 0; i < pieces; ++i) {
                rota::sleep_for(40ms);
                c.send(frame(h2_window, 0, 1, word(1)));
            }
            return c.body(1).size() == pieces;
        }));
    });
}

// --- requests ------------------------------------------------------------------------------------

TEST_ANYWHERE(http_stall, a_body_that_stops_ends) {
    // A client that sends half a body could keep the handler and its connection for ever.
    const http_server s([](auto& w, auto& r) { w.write(r.body()); }, stalls(100ms));
    for (const std::string_view rest :
         {"Content-Length: 5\r\n\r\n123", "Content-Length: 5000\r\n\r\n123",
          "Transfer-Encoding: chunked\r\n\r\n1", "Content-Length: 5\r\n\r\n",
          "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"}) {
        const std::string text = "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(rest);
        EXPECT_EQ(statuses(ask(s, text)), "408") << rest;
    }
}

TEST(http_stall, a_body_that_stops_ends_a_read_with_a_context) {
    // That read has its deadline set before it begins, since the context may set it too.
    rota::run([] {
        const http_server s(
            [](http::response_writer& w, http::request& r) {
                const auto [ctx, stop] = rota::with_cancel(rota::background());
                std::array<std::byte, 8> part;
                while (r.read(ctx, part) != 0) {
                }
                w.write("whole");
            },
            stalls(100ms));
        EXPECT_EQ(statuses(ask(s, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12")),
                  "408");
    });
}

TEST(http_stall, a_body_that_stops_ends_a_request_of_http2) {
    rota::run([] {
        const h2_server s([](auto& w, auto& r) { w.write(r.body()); }, stalls(100ms));
        const h2_client c(s);
        c.send(frame(h2_headers, end_headers, 1, post_head) + frame(h2_data, 0, 1, "12"));
        EXPECT_EQ(c.body(1), "408 Request Timeout");
        c.send(get(3));
        EXPECT_EQ(c.body(3), "");
    });
}

TEST(http_stall, a_head_that_stops_ends_where_no_time_is_set_for_it) {
    rota::run([] {
        auto o = stalls(100ms);
        o.read_header_timeout = 0s;
        const http_server s([](auto& w, auto&) { w.write("hello"); }, o);
        EXPECT_EQ(statuses(ask(s, "GET / HT")), "408");
    });
}

TEST(http_stall, a_body_that_comes_slowly_does_not_end) {
    // Each byte begins the time anew, and a deadline that stands from the byte before must not end
    // the wait for the next.
    rota::run([] {
        constexpr auto limit = 400ms;
        const http_server s([](auto& w, auto& r) { w.write(r.body()); }, stalls(limit));
        const auto head = [](std::string_view rest) {
            return "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + std::string(rest) +
                   "\r\n";
        };
        // A client that the machine holds up for as long as the limit has another answer.
        EXPECT_TRUE(eventually([&] {
            return answer_to_pieces(s, head("Content-Length: 16\r\n"), "x", 16, 40ms) == "200";
        }));
        EXPECT_TRUE(eventually([&] {
            return answer_to_pieces(s, head("Transfer-Encoding: chunked\r\n") + "10\r\n", "x", 16,
                                    40ms) == "408";  // the chunks' end does not come
        }));
    });
}

TEST(http_stall, limits_of_0_let_clients_wait) {
    rota::run([] {
        http::server_options o = stalls(0ms);
        o.read_timeout = o.write_timeout = 150ms;
        const auto outcome = rota::make_chan<std::error_code>(1);
        const http_server s(writes_endlessly(outcome), o);
        const net::conn c = s.dial();
        c.write(stall_plain);
        EXPECT_EQ(*outcome.recv(), std::errc::timed_out);  // write_timeout's
    });
}

// --- heads of HTTP/2 -----------------------------------------------------------------------------

namespace {

// A field that HTTP/2 does not allow: its name is in upper case.
constexpr std::string_view faulty_field("\x00\x01\x41\x01\x62", 5);

}  // namespace

TEST(http_stall, a_head_of_http2_has_its_time_whatever_it_begins_with) {
    // nghttp2 resets the stream of a faulty head at once and tells nobody of the head's end: the
    // connection would count as idle meanwhile.
    rota::run([] {
        http::server_options o;
        o.read_header_timeout = 100ms;
        const h2_server s([](auto& w, auto&) { w.write("hello"); }, o);
        const std::string fault = std::string(get_head) + std::string(faulty_field);
        for (const bool is_first : {true, false}) {
            for (const std::string& begun :
                 {frame(h2_headers, end_stream, 3, get_head),
                  frame(h2_headers, end_stream, 3, fault),
                  frame(h2_headers, end_stream, 3, fault).substr(0, 12),
                  get(3) + frame(h2_headers, 0, 5, fault), get(3).substr(0, 4)}) {
                const h2_client c(s);
                (void)c.next_of(h2_settings, 0);  // and tells the server so: not within the head
                if (!is_first) {
                    c.send(get(1));
                    EXPECT_EQ(c.body(1), "hello");
                }
                c.send(begun);
                const h2_frame last = c.next_of(h2_goaway, 0);
                EXPECT_EQ(last.type, h2_goaway) << is_first;
                EXPECT_EQ(code_of(last), 0u) << last.payload;
            }
        }
    });
}

TEST(http_stall, a_faulty_head_of_http2_in_drips_has_its_time) {
    rota::run([] {
        http::server_options o;
        o.read_header_timeout = 200ms;
        const h2_server s([](auto& w, auto&) { w.write("hello"); }, o);
        const h2_client c(s);
        c.send(get(1));
        EXPECT_EQ(c.body(1), "hello");
        c.send(frame(h2_headers, end_stream, 3, std::string(get_head) + std::string(faulty_field)));
        c.send(frame(h2_continuation, 0, 3, std::string(16'000, '\x82')).substr(0, 9));
        std::atomic<bool> has_ended{false};
        rota::wait_group dripping;
        dripping.go([&] {
            for (std::error_code gone; !has_ended && !gone; rota::sleep_for(5ms))
                c.c.write(std::string_view("\x82"), gone);
        });
        while (c.next().type != -1) {
        }
        EXPECT_NE(read_error(c.c), std::errc::timed_out);
        has_ended = true;
        dripping.wait();
    });
}

TEST(http_stall, trailers_of_http2_have_the_time_of_a_head) {
    // No other stream goes on while one's head is open, and a handler that runs is no reason to
    // wait for it.
    rota::run([] {
        http::server_options o;
        o.read_header_timeout = 100ms;
        const h2_server s(
            [](http::response_writer&, http::request& r) { (void)r.ctx().done().recv(); }, o);
        const h2_client c(s);
        (void)c.next_of(h2_settings, 0);
        c.send(frame(h2_headers, end_headers, 1, post_head) +
               frame(h2_headers, end_stream, 1, std::string("\x00\x01\x61\x01\x62", 5)));
        const h2_frame last = c.next_of(h2_goaway, 0);
        EXPECT_EQ(last.type, h2_goaway);
        EXPECT_EQ(code_of(last), 0u) << last.payload;
    });
}

TEST(http_stall, a_frame_of_http2_that_stops_ends_the_connection) {
    rota::run([] {
        const h2_server s(
            [](http::response_writer&, http::request& r) { (void)r.ctx().done().recv(); },
            stalls(100ms));
        const h2_client c(s);
        c.send(frame(h2_headers, end_headers, 1, post_head) +
               frame(h2_data, 0, 1, std::string(100, 'x')).substr(0, 50));
        while (c.next().type != -1) {
        }
        EXPECT_NE(read_error(c.c), std::errc::timed_out);
    });
}

TEST(http2_resets, that_the_server_has_to_send_count_as_the_clients_do) {
    // A client that makes the server reset its streams has the handlers' work for nothing, and as
    // many streams as it likes.
    rota::run([] {
        std::atomic<int> answered{0};
        const h2_server s([&](auto&, auto&) { ++answered; });
        constexpr std::uint32_t calm = 11, many = 20'000;
        const auto overflow = [](std::uint32_t id) {
            return get(id) + frame(h2_window, 0, id, word(0x7fffffff));
        };
        const auto malformed = [](std::uint32_t id) {
            return frame(h2_headers, end_stream | end_headers, id,
                         std::string(get_head) + std::string(faulty_field));
        };
        const auto too_long = [](std::uint32_t id) {  // content-length: 1
            return frame(h2_headers, end_headers, id,
                         std::string(post_head) + std::string("\x0f\x0d\x01\x31", 4)) +
                   frame(h2_data, 0, id, "12");
        };
        const auto taken_back = [](std::uint32_t id) {
            return get(id) + frame(h2_reset, 0, id, word(cancel_code));
        };
        using maker = std::string (*)(std::uint32_t);
        for (const maker make :
             {maker(overflow), maker(malformed), maker(too_long), maker(taken_back)}) {
            answered = 0;
            const h2_client c(s);
            h2_frame last;
            // In lots that leave no more streams open than there may be.
            for (std::uint32_t i = 0; i < many && last.type != h2_goaway;) {
                std::string lot;
                for (const std::uint32_t end = i + 50; i < end; ++i) lot += make(2 * i + 1);
                c.send(lot + frame(h2_ping, 0, 0, "12345678"));
                do last = c.next();
                while (last.type != h2_ping && last.type != h2_goaway && last.type != -1);
                ASSERT_NE(last.type, -1) << i;
            }
            EXPECT_EQ(last.type, h2_goaway);
            EXPECT_EQ(code_of(last), calm) << make(1);
            EXPECT_LT(answered, 5000);
        }
    });
}
