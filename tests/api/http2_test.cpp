// HTTP/2, frame by frame: the test's client can write any frame.
#include <algorithm>
#include <stdexcept>

#include "h2_client.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

TEST_ANYWHERE(http2, answers_many_requests_on_one_connection) {
    // An answer could go to another stream, or a body could be lost on its way.
    const h2_server s([](auto& w, auto& r) {
        if (r.method() == "POST") w.write("got " + r.body());
        else w.write(r.path());
    });
    const h2_client c(s);
    for (std::uint32_t id = 1; id < 40; id += 2) {
        c.send(frame(h2_headers, end_headers, id, post_head) +
               frame(h2_data, 0, id, "a" + std::to_string(id)) +
               frame(h2_data, end_stream, id, "z"));
    }
    std::vector<std::string> bodies(40);
    for (int left = 20; left > 0;) {
        const h2_frame f = c.next();
        ASSERT_NE(f.type, -1);
        if (f.type == h2_data) bodies[f.id] += f.payload;
        if (f.type == h2_data && (f.flags & end_stream) != 0) --left;
    }
    for (std::uint32_t id = 1; id < 40; id += 2)
        EXPECT_EQ(bodies[id], "got a" + std::to_string(id) + "z");
    c.send(get(41));
    EXPECT_EQ(c.body(41), "/");
}

TEST(http2, a_handler_waits_while_its_client_takes_nothing) {
    // Bytes written without bound would be kept without bound.
    rota::run([] {
        std::atomic<std::size_t> written{0};
        constexpr std::size_t window = 65'535, total = 1'000'000;
        const h2_server s([&](auto& w, auto&) {
            const std::string part(10'000, 'x');
            for (std::size_t i = 0; i < total; i += part.size()) {
                w.write(part);
                written = i + part.size();
            }
        });
        const h2_client c(s);
        c.send(get(1));
        std::size_t got = 0;
        while (got < window) {
            const h2_frame f = c.next();
            ASSERT_NE(f.type, -1);
            if (f.type == h2_data) got += f.payload.size();
        }
        EXPECT_EQ(got, window);
        c.send(get(3));  // further streams go on, as far as the connection's window lets them
        EXPECT_NE(c.next_of(h2_headers, 3).type, -1);
        EXPECT_LT(written, 250'000u);
        c.send(frame(h2_reset, 0, 3, word(8)));
        c.send(frame(h2_window, 0, 0, word(2'000'000)) + frame(h2_window, 0, 1, word(2'000'000)));
        EXPECT_EQ(c.body(1).size(), total - window);
    });
}

TEST(http2, a_body_comes_as_fast_as_it_is_read) {
    // A client could fill the server's memory, or wait for ever for permission to send.
    rota::run([] {
        std::atomic<bool> may_read{false};
        const h2_server s([&](auto& w, auto& r) {
            while (!may_read) rota::runtime::gosched();
            w.write(std::to_string(r.body().size()));
        });
        const h2_client c(s);
        c.send(frame(h2_headers, end_headers, 1, post_head));
        const std::string part(16'000, 'x');
        std::size_t window = 65'535, sent = 0;
        const std::size_t total = 1'600'000;
        may_read = true;
        while (sent < total) {
            while (window < part.size()) {
                const h2_frame f = c.next();
                ASSERT_NE(f.type, -1);
                if (f.type == h2_window && f.id == 1) window += code_of(f);
                if (f.type == h2_settings && (f.flags & 1) == 0) window += 262'144 - 65'535;
            }
            sent += part.size();
            window -= part.size();
            c.send(frame(h2_data, sent == total ? end_stream : 0, 1, part));
        }
        EXPECT_EQ(c.body(1), std::to_string(total));
    });
}

TEST_ANYWHERE(kb37_http2, a_reset_ends_the_request_s_context) {
    std::atomic<int> ended{0};
    const h2_server s([&](auto&, auto& r) {
        (void)r.ctx().done().recv();
        ++ended;
    });
    const h2_client c(s);
    c.send(get(1) + frame(h2_reset, 0, 1, word(8)) + get(3));
    EXPECT_TRUE(eventually([&] { return ended == 1; }));
    net::conn(c.c).close();
    EXPECT_TRUE(eventually([&] { return ended == 2; }));
}

TEST(http2, an_exception_ends_its_stream_alone) {
    rota::run([] {
        const h2_server s([](auto& w, auto& r) {
            if (r.method() == "GET") {
                w.write("hello");
                return;
            }
            if (r.body() == "late") w.write(std::string(5000, 'x'));
            throw std::runtime_error("boom");
        });
        testing::internal::CaptureStderr();
        const h2_client c(s);
        c.send(frame(h2_headers, end_headers, 1, post_head) + frame(h2_data, end_stream, 1, ""));
        EXPECT_EQ(c.body(1), "500 Internal Server Error");
        c.send(frame(h2_headers, end_headers, 3, post_head) +
               frame(h2_data, end_stream, 3, "late"));
        EXPECT_TRUE(c.body(3).ends_with("<reset>")) << "not taken for a whole answer";
        c.send(get(5));
        EXPECT_EQ(c.body(5), "hello");
        EXPECT_NE(testing::internal::GetCapturedStderr().find("boom"), std::string::npos);
    });
}

TEST_ANYWHERE(http2, a_shutdown_waits_for_answers_and_says_go_away) {
    std::atomic<bool> begun{false}, may_end{false};
    h2_server s([&](auto& w, auto&) {
        begun = true;
        while (!may_end) rota::sleep_for(1ms);
        w.write("done");
    });
    const h2_client c(s), idle(s);
    c.send(get(1));
    EXPECT_TRUE(eventually([&] { return begun.load(); }));
    EXPECT_NE(idle.next_of(h2_settings, 0).type, -1);
    rota::wait_group down;
    down.go([&] { s.server.shutdown(rota::background()); });
    EXPECT_EQ(code_of(idle.next_of(h2_goaway, 0)), 0u);
    EXPECT_EQ(idle.next_of(h2_data, 0).type, -1) << "and its end";
    EXPECT_EQ(code_of(c.next_of(h2_goaway, 0)), 0u);
    may_end = true;
    EXPECT_EQ(c.body(1), "done");
    EXPECT_EQ(c.next_of(h2_data, 0).type, -1);
    down.wait();
}

TEST(kb61_http2, silent_clients_are_closed) {
    rota::run([] {
        (void)connected();
        const int before = open_descriptors();
        {
            const h2_server s([](auto& w, auto&) { w.write("hello"); },
                              {.read_header_timeout = 50ms, .idle_timeout = 50ms});
            for (const std::string& sent :
                 {std::string(), get(1), frame(h2_headers, end_stream, 1, get_head),
                  frame(h2_headers, end_stream, 1, get_head).substr(0, 12)}) {
                // If its time is up before the server has looked at the preface, it closes without
                // a GOAWAY: try again.
                EXPECT_TRUE(eventually([&] {
                    const h2_client c(s);
                    c.send(sent);
                    return c.next_of(h2_goaway, 0).type != -1 && c.next().type == -1;
                })) << sent.size();
            }
            EXPECT_TRUE(eventually([&] { return open_descriptors() == before + 1; }));
        }
        EXPECT_EQ(open_descriptors(), before);
    });
}

TEST_ANYWHERE(http2, cookies_in_crumbs_are_one_field) {
    // Each crumb could be a field of its own, and handlers read only the first.
    const h2_server s([](auto& w, auto& r) {
        const auto all = r.headers().values("Cookie");
        w.write(std::to_string(all.size()) + " " + std::string(r.headers().get("Cookie")));
    });
    const h2_client c(s);
    std::string head(get_head);
    for (const char* const crumb : {"a=1", "b=2", "c=3"})
        head.append("\x00\x06", 2).append("cookie").append("\x03").append(crumb);
    c.send(frame(h2_headers, end_stream | end_headers, 1, head));
    EXPECT_EQ(c.body(1), "1 a=1; b=2; c=3");
}

TEST_ANYWHERE(http2, heads_come_in_their_order) {
    // A 100 after the final head is not valid HTTP; nor is a 101, or a length in both heads.
    const h2_server s([](auto& w, auto& r) {
        if (r.method() == "GET") return w.write_header(101);
        w.write(std::string(5000, 'x'));
        w.write(r.body());
    });
    const h2_client c(s);
    c.send(get(1));
    EXPECT_EQ(c.body(1), "<reset>");
    std::string head(post_head);
    head.append("\x00\x06", 2).append("expect").append("\x0c").append("100-continue");
    c.send(frame(h2_headers, end_headers, 3, head));
    const h2_frame first = c.next_of(h2_headers, 3);
    ASSERT_FALSE(first.payload.empty());
    EXPECT_EQ(first.payload[0], '\x88') << "200";
    c.send(frame(h2_data, end_stream, 3, "end"));
    for (std::string got; !got.ends_with("end");) {
        const h2_frame f = c.next();
        ASSERT_TRUE(f.type != -1 && (f.type != h2_headers || f.id != 3)) << f.type;
        if (f.type == h2_data) got += f.payload;
    }
}

namespace {

struct taken_answer {
    std::size_t size = 0;
    rota::clock::duration longest_gap{0};  // between two frames
    rota::clock::duration in_all{0};
};

// Takes an answer of this size while the server is shut down.
taken_answer take_beside_a_shutdown(std::size_t total) {
    std::atomic<bool> begun{false};
    const h2_server s([&](auto& w, auto&) {
        begun = true;
        w.write(std::string(total, 'x'));
    });
    const h2_client c(s);
    c.send(frame(h2_window, 0, 0, word(8'000'000)) + get(1) +
           frame(h2_window, 0, 1, word(8'000'000)));
    EXPECT_TRUE(eventually([&] { return begun.load(); }));
    rota::wait_group down;
    const auto begin = rota::clock::now();
    auto last = begin;
    down.go([&] { s.server.shutdown(rota::background()); });
    taken_answer taken;
    for (h2_frame f = c.next(); f.type != -1; f = c.next()) {
        const auto now = rota::clock::now();
        taken.longest_gap = std::max(taken.longest_gap, now - std::exchange(last, now));
        if (f.type != h2_data) continue;
        taken.size += f.payload.size();
        c.send(frame(h2_window, 0, 0, word(1)));
    }
    taken.longest_gap = std::max(taken.longest_gap, rota::clock::now() - last);
    taken.in_all = rota::clock::now() - begin;
    net::conn(c.c).close();
    down.wait();
    return taken;
}

}  // namespace

TEST(http2, a_shutdown_loses_nothing_of_an_answer) {
    // A server that closes a connection while bytes still come drops the bytes that have not
    // arrived.
    rota::run([] {
        // A server that ends waits 500 ms for further bytes of a client, and 5 s in total. If a
        // busy machine has used up half of that, the test runs a further round.
        constexpr std::size_t total = 3'000'000;
        const auto until = rota::clock::now() + patience;
        taken_answer taken;
        do {
            taken = take_beside_a_shutdown(total);
        } while ((taken.longest_gap > 250ms || taken.in_all > 2500ms) && taken.size != total &&
                 rota::clock::now() < until);
        EXPECT_EQ(taken.size, total);
    });
}

TEST(http2, an_answer_that_is_not_taken_has_its_time) {
    // The rest of an answer after its handler's return could stay for ever, or have the limit of an
    // idle connection.
    rota::run([] {
        constexpr std::size_t total = 70'000;  // more than the window, and the handler returns
        // On a busy machine the time may be up within the handler's write, which then leaves no
        // rest, or within the server's own write, which ends the connection.
        EXPECT_TRUE(eventually([&] {
            std::atomic<bool> written{false};
            const h2_server s(
                [&](auto& w, auto&) {
                    w.write(std::string(total, 'x'));
                    written = true;
                },
                {.write_timeout = 100ms, .idle_timeout = 1ms});
            const h2_client c(s);
            c.send(get(1));
            const h2_frame late = c.next_of(h2_reset, 1);
            if (!written || late.type == -1) return false;
            EXPECT_EQ(code_of(late), 8u);
            EXPECT_NE(c.next_of(h2_goaway, 0).type, -1);
            return true;
        }));

        const h2_server patient([](auto& w, auto&) { w.write(std::string(total, 'x')); },
                                {.idle_timeout = 150ms});
        const h2_client slow(patient);
        slow.send(get(1));
        for (std::size_t got = 0; got < 65'535;) {
            const h2_frame f = slow.next_of(h2_data, 1);
            ASSERT_NE(f.type, -1);
            got += f.payload.size();
        }
        rota::sleep_for(200ms);
        slow.send(frame(h2_window, 0, 0, word(10'000)) + frame(h2_window, 0, 1, word(10'000)));
        EXPECT_EQ(slow.body(1).size(), total - 65'535);
    });
}

TEST(http2, pings_do_not_make_a_connection_busy) {
    rota::run([] {
        const h2_server s([](auto& w, auto&) { w.write("hello"); }, {.idle_timeout = 100ms});
        const h2_client c(s);
        c.send(get(1));
        EXPECT_EQ(c.body(1), "hello");
        std::atomic<bool> ended{false};
        rota::wait_group rest;
        rest.go([&] { ended = c.next_of(h2_goaway, 0).type != -1; });
        EXPECT_TRUE(eventually([&] {
            rota::sleep_for(10ms);
            c.send(frame(h2_ping, 0, 0, "12345678"));
            return ended.load();
        }));
        net::conn(c.c).close();
        rest.wait();
    });
}

// --- malice --------------------------------------------------------------------------------------

namespace {

// As many handlers as are allowed run until may_end is set.
struct busy_handlers {
    static constexpr int most = 250;
    std::atomic<int> running{0};
    std::atomic<bool> may_end{false};
    void wait() {
        ++running;
        while (!may_end) rota::sleep_for(1ms);
        --running;
    }
    // Opens streams from 1 on, and resets them once their handlers run. Returns the next stream's
    // number.
    std::uint32_t fill(const h2_client& c) {
        for (std::uint32_t id = 1; id < 2 * most; id += 2) c.send(get(id));
        EXPECT_TRUE(eventually([&] { return running == most; })) << running;
        std::uint32_t id = 1;
        for (; id < 2 * most; id += 2) c.send(frame(h2_reset, 0, id, word(8)));
        return id;
    }
};

}  // namespace

TEST(http2, requests_behind_those_that_are_reset_begin) {
    // A handler's end makes room for a waiting request; if that was reset, for the next.
    rota::run([] {
        busy_handlers busy;
        const h2_server s([&](auto& w, auto&) {
            busy.wait();
            w.write("hello");
        });
        const h2_client c(s);
        std::uint32_t id = busy.fill(c);
        const std::uint32_t end = id + 2 * busy.most;
        for (std::uint32_t other = id; other < end; other += 2) c.send(get(other));
        for (; id < end; id += 2) c.send(frame(h2_reset, 0, id, word(8)));
        c.send(get(end) + frame(h2_ping, 0, 0, "12345678"));
        EXPECT_NE(c.next_of(h2_ping, 0).type, -1);  // the server has read every frame
        busy.may_end = true;
        EXPECT_EQ(c.body(end), "hello");
    });
}

TEST(http2, uploads_that_never_begin_give_the_window_back) {
    // Bytes that no handler reads would count against the connection's window for ever.
    rota::run([] {
        busy_handlers busy;
        const h2_server s([&](auto& w, auto& r) {
            if (r.method() == "GET") busy.wait();
            w.write(std::to_string(r.body().size()));
        });
        const h2_client c(s);
        std::uint32_t id = busy.fill(c);
        while (true) {  // until the windows have their final size
            const h2_frame f = c.next();
            ASSERT_NE(f.type, -1);
            if (f.type == h2_settings && (f.flags & 1) != 0) break;
        }
        const std::string part(16'000, 'x');
        for (int i = 0; i < 8; ++i, id += 2) {  // 160,000 bytes each: more than the window
            c.send(frame(h2_headers, end_headers, id, post_head));
            for (int n = 0; n < 10; ++n) c.send(frame(h2_data, 0, id, part));
            c.send(frame(h2_reset, 0, id, word(8)) + frame(h2_ping, 0, 0, "12345678"));
            ASSERT_NE(c.next_of(h2_ping, 0).type, -1) << i;
        }
        busy.may_end = true;
        c.send(frame(h2_headers, end_headers, id, post_head));
        for (int n = 0; n < 10; ++n) c.send(frame(h2_data, n == 9 ? end_stream : 0, id, part));
        EXPECT_EQ(c.body(id), "160000");
    });
}

TEST(http2, heads_that_a_table_makes_large_are_bounded_together) {
    // HPACK: one byte stands for a field of 4,000 bytes. A thousand requests could keep such
    // fields; and a client that has sent little could make the server keep much.
    rota::run([] {
        for (const int kept : {0, 2}) {
            constexpr auto unknown = static_cast<h2_type>(0x20);
            constexpr int requests = 20;
            busy_handlers busy;
            const h2_server s([&](auto& w, auto&) {
                busy.wait();
                w.write("hello");
            });
            const h2_client c(s);
            std::string first(get_head);
            // indexed: the table keeps it
            first.append("\x40\x01y\x7f\xa1\x1e", 6).append(4000, 'v');
            c.send(frame(h2_headers, end_stream | end_headers, 1, first));
            // 48,000 bytes, for which the server may keep three megabytes; two of them are left.
            for (int i = 0; i < 3 && kept != 0; ++i)
                c.send(frame(unknown, 0, 0, std::string(16'000, 'x')));
            // Refers to the first head's entries in the table: the host, and after it the long
            // field.
            const std::string next = "\x82\x86\x84\xbf" + std::string(200, '\xbe');
            for (std::uint32_t id = 3; id < 3 + 2 * requests; id += 2)  // 800,000 bytes each
                c.send(frame(h2_headers, end_stream | end_headers, id, next));
            for (int refused = 0; refused < requests - kept;) {
                const h2_frame f = c.next();
                ASSERT_NE(f.type, -1) << refused;
                refused += f.type == h2_reset;
            }
            EXPECT_TRUE(eventually([&] { return busy.running == kept + 1; })) << busy.running;
            busy.may_end = true;
            for (int answered = 0; answered < kept + 1;) {
                const h2_frame f = c.next();
                ASSERT_NE(f.type, -1) << answered;
                answered += f.type == h2_data && (f.flags & end_stream) != 0;
            }
            std::uint32_t id = 43;  // the handlers are about to release their heads
            EXPECT_TRUE(eventually([&] {
                c.send(frame(h2_headers, end_stream | end_headers, id, next));
                id += 2;
                return c.body(id - 2) == "hello";
            }));
        }
    });
}

TEST(http2, streams_that_are_reset_at_once_do_not_pile_up_handlers) {
    // CVE-2023-44487: each reset makes room for a further stream, while the handler still runs.
    rota::run([] {
        std::atomic<int> running{0}, most{0};
        std::atomic<bool> may_end{false};
        const h2_server s([&](auto&, auto&) {
            const int now = ++running;
            for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            while (!may_end) rota::sleep_for(1ms);
            --running;
        });
        const h2_client c(s);
        for (std::uint32_t id = 1; id < 6000; id += 2)
            c.send(get(id) + frame(h2_reset, 0, id, word(8)));
        rota::wait_group rest;
        rest.go([&] { EXPECT_NE(c.next_of(h2_goaway, 0).type, -1); });
        EXPECT_TRUE(eventually([&] { return most > 0; }));
        may_end = true;
        rest.wait();
        EXPECT_LE(most, 250);
    });
}

TEST(http2, floods_end_the_connection) {
    // The server would keep its replies to each of them for a client that does not take them.
    rota::run([] {
        const h2_server s([](auto& w, auto&) { w.write("hello"); });
        std::string half = frame(h2_headers, end_stream, 1, get_head);
        for (int i = 0; i < 50; ++i) half += frame(h2_continuation, 0, 1, "\x84");
        std::string pings;
        for (int i = 0; i < 200'000; ++i) pings += frame(h2_ping, 0, 0, "12345678");
        const std::string hostile[] = {
            half,
            pings,
            frame(h2_headers, end_headers, 0, get_head),  // on no stream
            frame(h2_headers, end_headers, 2, get_head),  // on a stream of the server's
            frame(h2_data, end_stream, 1, "x"),           // before its head
            frame(h2_headers, end_headers, 1, "\xff\xff\xff\xff\xff"),  // beyond the table
            frame(h2_settings, 0, 0, "123"),                            // not a multiple of six
            frame(h2_window, 0, 0, word(0)),
            frame(h2_push, end_headers, 1, word(2)),
            frame(h2_data, 0, 1, std::string(100'000, 'x')),  // larger than allowed
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        };
        for (std::size_t i = 0; i < std::size(hostile); ++i) {
            const h2_client c(s);
            rota::wait_group sender;
            sender.go([&] { c.send(hostile[i]); });
            while (c.next().type != -1) {
            }
            sender.wait();
            EXPECT_NE(read_error(c.c), std::errc::timed_out) << i;
        }
    });
}

TEST(http2, ninth_continuation_of_a_head_ends_the_connection_and_the_eighth_does_not) {
    // CVE-2024-28182: a head of empty frames costs a client 9 bytes each, for ever. If the library
    // had no bound of its own, the connection would live until the time limit.
    rota::run([] {
        const h2_server s([](auto& w, auto&) { w.write("hello"); });
        const auto head_of = [](int continuations) {
            std::string head = frame(h2_headers, end_stream, 1, get_head);
            for (int i = 1; i < continuations; ++i) head += frame(h2_continuation, 0, 1, "");
            return head + frame(h2_continuation, end_headers, 1, "");
        };
        {
            const h2_client c(s);
            c.send(head_of(8));
            EXPECT_EQ(c.body(1), "hello");
        }
        const h2_client c(s);
        c.send(head_of(9));
        const h2_frame last = c.next_of(h2_goaway, 0);
        ASSERT_EQ(last.payload.size(), 8U);
        EXPECT_EQ(last.payload.substr(4), word(11));  // ENHANCE_YOUR_CALM
    });
}

TEST(http2, heads_that_are_too_large_get_431) {
    rota::run([] {
        const h2_server s([](auto& w, auto&) { w.write("hello"); }, {.max_header_bytes = 2000});
        const h2_client c(s);
        // Fields with names and values of their own, which the table does not keep.
        std::string large(get_head);
        for (int i = 0; i < 20; ++i) large.append("\x00\x01y\x7e", 4).append(126, 'v');
        c.send(frame(h2_headers, end_stream | end_headers, 1, large));
        EXPECT_EQ(c.body(1), "431 Request Header Fields Too Large");
        c.send(get(3));
        EXPECT_EQ(c.body(3), "hello");
    });
}

TEST(http2, is_not_spoken_where_it_is_not_wanted) {
    rota::run([] {
        const http_server s([](auto& w, auto&) { w.write("hello"); });
        EXPECT_EQ(statuses(ask(s, preface)), "505");
    });
}

namespace {

// A field that is not indexed, with literal name and value.
std::string h2_field(std::string_view name, std::string_view value) {
    std::string f(1, '\0');
    for (const std::string_view text : {name, value}) {
        f += static_cast<char>(text.size());
        f += text;
    }
    return f;
}

}  // namespace

TEST(http2, heads_that_name_two_hosts_or_an_absolute_path_get_400) {
    // A proxy before the server could check one host, and the handler use the other.
    rota::run([] {
        const h2_server s([](http::response_writer& w, http::request& r) { w.write(r.host()); });
        const auto status = [&](std::string_view head) {
            const h2_client c(s);
            c.send(frame(h2_headers, end_stream | end_headers, 1, head));
            const h2_frame f = c.next_of(h2_headers, 1);
            // By HPACK's static table: 200 is 0x88, 400 is 0x8c.
            return f.payload.empty() ? 0
                                     : static_cast<int>(static_cast<unsigned char>(f.payload[0]));
        };
        const std::string get_a(get_head);
        EXPECT_EQ(status(get_a), 0x88);
        EXPECT_EQ(status(get_a + h2_field("host", "A")), 0x88);
        EXPECT_EQ(status(get_a + h2_field("host", "b")), 0x8c);
        // :scheme is "ftp", so that nghttp2 leaves the path alone.
        const std::string ftp = "\x82" + h2_field(":scheme", "ftp") + h2_field(":authority", "a");
        EXPECT_EQ(status(ftp + h2_field(":path", "/x")), 0x88);
        EXPECT_EQ(status(ftp + h2_field(":path", "ftp://b/x")), 0x8c);
        EXPECT_EQ(status(ftp + h2_field(":path", "http://b/x")), 0x8c);
        EXPECT_EQ(status(ftp + h2_field(":path", "x")), 0x8c);
    });
}

// --- trailers ------------------------------------------------------------------------------------

TEST_ANYWHERE(http2, trailers_of_a_request_are_there_behind_its_body) {
    // They could get among the fields of the head, or name a field that has a meaning there.
    const h2_server s([](auto& w, auto& r) {
        std::string seen = std::to_string(r.trailers().size());
        seen += r.body();
        for (const auto& [name, value] : r.trailers())
            seen.append(name).append("=").append(value).append(";");
        w.write(seen + std::string(r.header("authorization")) + std::string(r.header("x-sum")));
    });
    const h2_client c(s);
    c.send(frame(h2_headers, end_headers, 1, post_head) + frame(h2_data, 0, 1, "abc") +
           frame(h2_headers, end_headers | end_stream, 1,
                 h2_field("x-sum", "1") + h2_field("authorization", "me") + h2_field("host", "b")));
    EXPECT_EQ(c.body(1), "0abcx-sum=1;");
}

TEST(http2, trailers_of_a_request_are_bounded) {
    rota::run([] {
        const h2_server s([](auto& w, auto& r) { w.write(r.body()); }, {.max_header_bytes = 1000});
        const h2_client c(s);
        std::string many;
        for (int i = 0; i < 40; ++i) many += h2_field("x-sum", "1");
        c.send(frame(h2_headers, end_headers, 1, post_head) +
               frame(h2_headers, end_headers | end_stream, 1, many));
        EXPECT_EQ(c.next_of(h2_reset, 1).type, h2_reset);
        c.send(get(3));
        EXPECT_EQ(c.body(3), "");
    });
}

TEST_ANYWHERE(http2, trailers_of_an_answer_end_its_stream) {
    const h2_server s([](auto& w, auto& r) {
        w.trailer().set("X-Sum", "1");
        if (r.method() == "POST") w.write("abc" + r.body());
        w.trailer().set("X-Late", "2");
        w.trailer().set("Connection", "close");
    });
    const h2_client c(s);
    for (std::uint32_t id = 1; id < 9; id += 2) {
        const bool has_body = id % 4 == 1;
        c.send(has_body ? frame(h2_headers, end_headers | end_stream, id, post_head) : get(id));
        EXPECT_EQ(c.next_of(h2_headers, id).flags & end_stream, 0);
        std::string body;
        h2_frame f = c.next();
        for (; f.type != h2_headers && f.type != -1; f = c.next())
            if (f.type == h2_data) body += f.payload;
        EXPECT_EQ(body, has_body ? "abc" : "");
        EXPECT_EQ(f.flags & end_stream, end_stream);
        // The names are in Huffman's code, or in the table once they have been sent.
        EXPECT_GT(f.payload.size(), 0U);
        EXPECT_LT(f.payload.size(), 40U);
    }
}

TEST_ANYWHERE(http2, a_body_is_read_for_no_longer_than_a_context) {
    const h2_server s([](auto& w, auto& r) {
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        std::array<std::byte, 10> part;
        EXPECT_EQ(r.read(ctx, part), 3U);
        rota::wait_group reading;
        std::error_code error;
        reading.go([&] { (void)r.read(ctx, part, error); });
        cancel();
        reading.wait();
        EXPECT_EQ(error, rota::context_errc::canceled) << error.message();
        w.write("answered");
    });
    const h2_client c(s);
    c.send(frame(h2_headers, end_headers, 1, post_head) + frame(h2_data, 0, 1, "abc"));
    EXPECT_EQ(c.body(1), "answered");
}

TEST_ANYWHERE(http2, reads_and_writes_a_stream_at_once) {
    // The client takes the first bytes before it sends the rest.
    const h2_server s([](auto& w, auto& r) {
        w.enable_full_duplex();
        std::string seen;
        rota::wait_group reading;
        reading.go([&] { seen = r.body(); });
        w.write("first");
        w.flush();
        reading.wait();
        w.write(seen);
    });
    const h2_client c(s);
    c.send(frame(h2_headers, end_headers, 1, post_head) + frame(h2_data, 0, 1, "abc"));
    EXPECT_EQ(c.next_of(h2_data, 1).payload, "first");
    c.send(frame(h2_data, end_stream, 1, "def"));
    EXPECT_EQ(c.body(1), "abcdef");
}
