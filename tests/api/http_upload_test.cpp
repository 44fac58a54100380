// Clients whose bodies stream: the client sends a function's bytes as they come, and stops when the
// body is no longer wanted. Also expectations, answers read piece by piece, and trailers.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "http_client.hpp"
#include "scripted_server.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

const http::client_options without_proxy{.proxy_from_environment = false};

std::string upload_url(const http_server& s, std::string_view target = "/") {
    return "http://" + s.address + std::string(target);
}

// A reader of `left` bytes, in pieces of odd sizes.
http::body_reader counting_down(std::size_t left) {
    return [left, piece = std::size_t{1}](std::span<std::byte> to, const rota::context&) mutable {
        piece = piece * 7 % 40'009;
        const std::size_t n = std::min({piece, left, to.size()});
        std::fill_n(to.begin(), n, std::byte{'z'});
        left -= n;
        return n;
    };
}

// A reader without an end; `given` counts its bytes.
http::body_reader endless(std::atomic<std::size_t>& given) {
    return [&given](std::span<std::byte> to, const rota::context&) {
        std::fill(to.begin(), to.end(), std::byte{'e'});
        given += to.size();
        return to.size();
    };
}

// A reader that has no bytes; it ends when the body is no longer wanted.
http::body_reader silent(std::atomic<bool>& has_ended) {
    return [&has_ended](std::span<std::byte>, const rota::context& ctx) {
        rota::unit nothing;
        (void)ctx.done().recv_for(nothing, patience);
        has_ended = static_cast<bool>(ctx.err());
        return std::size_t{0};
    };
}

void echo_upload(http::response_writer& w, http::request& r) {
    w.header().set("X-Length", std::to_string(r.content_length()));
    w.header().set("X-Announced", r.header("Trailer"));
    const std::string body = r.body();
    w.header().set("X-Sum", r.trailers().get("X-Sum"));
    w.write(body);
}

std::string read_upload_head(const net::conn& c) {
    std::string all;
    std::error_code error;
    c.set_read_deadline(in(patience), error);
    while (!all.ends_with("\r\n\r\n")) {
        std::array<std::byte, 1> one;
        if (c.read(one, error) == 0) return all + "<the end>";
        all += static_cast<char>(one[0]);
    }
    return all;
}

}  // namespace

// --- bodies --------------------------------------------------------------------------------------

TEST_ANYWHERE(http_upload, goes_with_its_length_or_in_chunks) {
    const http_server s(echo_upload);
    const http::client c(without_proxy);
    for (const std::size_t size : {0UL, 1UL, 1000UL, 300'000UL}) {
        for (const bool has_length : {false, true}) {
            http::request r("POST", upload_url(s));
            const auto length = has_length ? static_cast<std::int64_t>(size) : -1;
            r.set_body(counting_down(size), length);
            EXPECT_EQ(r.content_length(), length);
            const http::response a = c.perform(r);
            EXPECT_EQ(a.headers.get("X-Length"), std::to_string(length));
            EXPECT_TRUE(a.body == std::string(size, 'z')) << size << " " << a.body.size();
        }
    }
    http::request more("PUT", upload_url(s));
    more.set_body(counting_down(100), 10);  // no more than the declared length
    EXPECT_EQ(c.perform(more).body, "zzzzzzzzzz");
}

TEST_ANYWHERE(http_upload, is_read_no_faster_than_it_is_sent) {
    // A body that is collected before it is sent takes memory without bound.
    std::atomic<std::size_t> given{0};
    const scripted_server s([&](const net::conn& conn, int) {
        (void)read_upload_head(conn);
        // A client that does not wait for the server comes to the end of the body.
        for (std::size_t seen = 1; seen != given;) {
            seen = given;
            rota::sleep_for(200ms);
        }
    });
    http::request r("POST", s.url());
    constexpr std::size_t total = 512UL << 20;
    r.set_body([&, left = total](std::span<std::byte> to, const rota::context&) mutable {
        const std::size_t n = std::min(to.size(), left);
        left -= n;
        given += n;
        return n;
    });
    std::error_code error;
    (void)http::client(without_proxy).perform(r, error);
    EXPECT_TRUE(error);
    EXPECT_GT(given, 0U);
    EXPECT_LT(given, total / 4);
}

TEST_ANYWHERE(http_upload, that_fails_is_told_and_never_taken_for_whole) {
    std::atomic<int> whole{0}, cut_off{0};
    const http_server s([&](http::response_writer&, http::request& r) {
        std::array<std::byte, 1000> part;
        std::error_code error;
        while (r.read(part, error) != 0) {
        }
        ++(error ? cut_off : whole);
    });
    const http::client c(without_proxy);
    const auto failing = [&](std::int64_t length, auto how) {
        http::request r("POST", upload_url(s));
        r.set_body(
            [how, is_first = true](std::span<std::byte> to, const rota::context&) mutable {
                if (std::exchange(is_first, false)) return to[0] = std::byte{'x'}, std::size_t{1};
                how();
                return std::size_t{0};
            },
            length);
        return r;
    };
    std::error_code error;
    const auto refused = [] {
        throw std::system_error(std::make_error_code(std::errc::no_space_on_device));
    };
    (void)c.perform(failing(-1, refused), error);
    EXPECT_EQ(error, std::errc::no_space_on_device);
    (void)c.perform(failing(5, [] {}), error);
    EXPECT_EQ(error, http::http_errc::body_length);
    EXPECT_THROW((void)c.perform(failing(-1, [] { throw std::logic_error("no"); }), error),
                 std::logic_error);
    (void)c.perform(failing(-1, [] { rota::runtime::goexit(); }), error);
    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_TRUE(eventually([&] { return cut_off == 4; })) << cut_off << " " << whole;
    EXPECT_EQ(whole, 0);
}

TEST_ANYWHERE(http_upload, throws_to_the_caller_what_the_program_s_function_throws) {
    // The answer comes before the end of the request, and may be whole when the function throws.
    // The exception, perhaps a bug of the program, must not be forgotten then.
    const rota::chan<rota::unit> may_throw = rota::make_chan<rota::unit>(1);
    const rota::chan<rota::unit> is_closed = rota::make_chan<rota::unit>(1);
    const auto failing = [&](const std::string& url) {
        http::request r("POST", url);
        r.set_repeatable_body([&] {
            return [&, is_first = true](std::span<std::byte> to, const rota::context&) mutable {
                if (std::exchange(is_first, false)) return to[0] = std::byte{'x'}, std::size_t{1};
                rota::unit nothing;
                (void)may_throw.recv_for(nothing, patience);
                throw std::logic_error("no");
            };
        });
        return r;
    };
    const auto early = [&](const char* text, bool ends_the_wait) {
        return [&, text, ends_the_wait](const net::conn& conn, int) {
            (void)read_upload_head(conn);
            std::error_code gone;
            conn.write(std::string_view(text), gone);
            if (ends_the_wait) may_throw.send({});
            (void)read_to_end(conn);
            is_closed.send({});
        };
    };
    const http::client c(without_proxy);
    std::error_code error;
    rota::unit nothing;
    {
        const scripted_server s(early("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno", false));
        http::response_stream a = c.open(failing(s.url()));
        EXPECT_EQ(a.status(), 413);
        may_throw.send({});
        EXPECT_EQ(is_closed.recv_for(nothing, patience), rota::chan_status::ok);
        EXPECT_THROW((void)a.body(error), std::logic_error);
    }
    const scripted_server s(
        early("HTTP/1.1 307 No\r\nLocation: /there\r\nContent-Length: 2000\r\n\r\nno", true));
    EXPECT_THROW((void)c.perform(failing(s.url()), error), std::logic_error);
    EXPECT_EQ(is_closed.recv_for(nothing, patience), rota::chan_status::ok);
    EXPECT_EQ(s.connections, 1);
}

TEST_ANYWHERE(http_upload, ends_with_the_context_and_the_time_limit) {
    const scripted_server s([](const net::conn& conn, int) { (void)read_to_end(conn); });
    for (const bool by_context : {true, false}) {
        const http::client c({.timeout = by_context ? 0ms : 30ms, .proxy_from_environment = false});
        const auto [ctx, cancel] = rota::with_timeout(
            rota::background(), std::chrono::milliseconds(by_context ? 30 : 3'600'000));
        std::atomic<bool> has_ended{false};
        std::error_code error;
        http::request r("POST", s.url());
        r.set_body(silent(has_ended));
        (void)c.perform(ctx, r, error);
        EXPECT_EQ(error, std::errc::timed_out) << error.message();
        EXPECT_TRUE(has_ended);
        std::atomic<std::size_t> given{0};
        http::request other("POST", s.url());
        other.set_body(endless(given));
        (void)c.perform(ctx, other, error);
        EXPECT_EQ(error, std::errc::timed_out) << error.message();
        cancel();
    }
}

TEST_ANYWHERE(http_upload, that_is_called_off_is_never_ended_as_a_whole_one) {
    // The reader is told first, and the connection closes later: in between the client could send
    // the end of the body.
    std::atomic<int> heard{0}, whole{0};
    const scripted_server s([&](const net::conn& conn, int) {
        whole += read_to_end(conn).find("\r\n0\r\n") != std::string::npos ? 1 : 0;
        ++heard;
    });
    const http::client c(without_proxy);
    constexpr int rounds = 100;
    for (int i = 0; i < rounds; ++i) {
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        const auto waits = rota::make_chan<rota::unit>(1);
        rota::wait_group calling;
        calling.go([&, ctx = ctx] {
            http::request r("POST", s.url());
            r.set_body([&](std::span<std::byte>, const rota::context& until) {
                (void)waits.try_send(rota::unit{});
                (void)until.done().recv();
                return std::size_t{0};
            });
            std::error_code error;
            (void)c.perform(ctx, r, error);
            EXPECT_TRUE(error);
        });
        (void)waits.recv();
        cancel();
        calling.wait();
    }
    const auto until = rota::clock::now() + patience;
    while (heard < rounds && rota::clock::now() < until) rota::sleep_for(1ms);
    EXPECT_EQ(heard, rounds);
    EXPECT_EQ(whole, 0);
}

TEST_ANYWHERE(http_upload, is_framed_again_as_its_head_has_said) {
    // The program adds a trailer while the body goes by its length. If the body went in chunks the
    // second time, the server would take a part of it for another request.
    shared_text second;
    const scripted_server s([&](const net::conn& conn, int number) {
        std::string behind;
        if (number == 0) {
            (void)read_request(conn, behind);
            std::error_code gone;
            conn.write(ok_with("first"), gone);
            (void)read_request(conn, behind);  // and closes without an answer
            return;
        }
        const std::string r = read_request(conn, behind);
        second = r + behind;
        std::error_code gone;
        conn.write(ok_with("second", "Connection: close\r\n"), gone);
    });
    const http::client c(without_proxy);
    EXPECT_EQ(c.get(s.url()).body, "first");
    http::request r("PUT", s.url());
    r.set_repeatable_body(
        [&] {
            return
                [&, inner = counting_down(10)](std::span<std::byte> to, const rota::context& ctx) {
                    r.trailers().set("X-Sum", "1");
                    return inner(to, ctx);
                };
        },
        10);
    EXPECT_EQ(c.perform(r).body, "second");
    const std::string got = second.get();
    EXPECT_NE(got.find("\r\nContent-Length: 10\r\n"), got.npos) << got;
    EXPECT_TRUE(got.ends_with("\r\n\r\nzzzzzzzzzz")) << got;
}

TEST_ANYWHERE(http_upload, is_ended_by_an_early_answer) {
    // The server waits until the client reads, and the client for the server, or for a program that
    // has nothing to send.
    const scripted_server s([](const net::conn& conn, int) {
        (void)read_upload_head(conn);
        std::error_code gone;
        conn.write(std::string_view("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno"), gone);
        rota::unit never;
        std::array<std::byte, 1> one;  // the server keeps the connection, and reads one byte
        conn.set_read_deadline(in(patience), gone);
        (void)conn.read(one, gone);
        (void)rota::make_chan<rota::unit>().recv_for(never, 300ms);
    });
    const http::client c(without_proxy);
    std::atomic<std::size_t> given{0};
    http::request large("POST", s.url());
    large.set_body(endless(given));
    const http::response a = c.perform(large);
    EXPECT_EQ(a.status, 413);
    EXPECT_EQ(a.body, "no");
    const std::size_t at_end = given;
    std::atomic<bool> has_ended{false};
    http::request quiet("POST", s.url());
    quiet.set_body(silent(has_ended));
    EXPECT_EQ(c.perform(quiet).status, 413);
    EXPECT_TRUE(has_ended);
    EXPECT_EQ(given, at_end);
    EXPECT_EQ(s.connections, 2);  // no request uses a connection with half a request again
}

TEST_ANYWHERE(http_upload, is_repeated_only_where_it_can_be) {
    // A server closes a connection that it takes for idle, at the moment of the second request.
    for (const bool can_be : {true, false}) {
        const scripted_server s([](const net::conn& conn, int number) {
            std::string behind;
            for (int i = 0; i < (number == 0 ? 1 : 2); ++i) {
                const std::string r = read_request(conn, behind);
                std::error_code gone;
                const std::size_t end = r.find("\r\n\r\n");
                if (end == r.npos) return;
                conn.write(ok_with(r.substr(end + 4)), gone);
            }
            if (number == 0) (void)read_request(conn, behind);  // and closes without an answer
        });
        const http::client c(without_proxy);
        EXPECT_EQ(c.get(s.url()).status, 200);
        std::atomic<int> readers{0};
        http::request r("PUT", s.url());
        if (can_be) {
            r.set_repeatable_body([&] { return ++readers, counting_down(3); }, 3);
        } else {
            r.set_body(counting_down(3), 3);
        }
        std::error_code error;
        const http::response a = c.perform(r, error);
        EXPECT_EQ(!error, can_be) << error.message();
        EXPECT_EQ(a.body, can_be ? "zzz" : "");
        EXPECT_EQ(readers, can_be ? 2 : 0);
        c.close_idle();
    }
}

TEST_ANYWHERE(http_upload, goes_where_a_redirect_leads_if_it_can_be_repeated) {
    const http_server s([](http::response_writer& w, http::request& r) {
        if (r.path() == "/there") return w.write(r.body());
        (void)r.body();
        w.header().set("Location", "/there");
        w.write_header(r.path() == "/308" ? 308 : 303);
    });
    const http::client c(without_proxy);
    const auto asked = [&](const char* target, bool can_be_repeated) {
        http::request r("PUT", upload_url(s, target));
        if (can_be_repeated) r.set_repeatable_body([] { return counting_down(5); });
        else r.set_body(counting_down(5));
        const http::response a = c.perform(r);
        return std::to_string(a.status) + a.body;
    };
    EXPECT_EQ(asked("/308", true), "200zzzzz");
    EXPECT_EQ(asked("/308", false), "308");
    EXPECT_EQ(asked("/303", false), "200");
}

TEST_ANYWHERE(http_upload, has_trailers_that_are_known_when_it_ends) {
    const http_server s(echo_upload);
    const http::client c(without_proxy);
    http::request r("POST", upload_url(s));
    r.trailers().set("X-Sum", "?");
    r.trailers().set("Content-Length", "77");
    r.set_body(
        [&r, at = 0](std::span<std::byte> to, const rota::context&) mutable -> std::size_t {
            if (at == 3) r.trailers().set("X-Sum", "3");
            if (at == 3) return 0;
            to[0] = std::byte{'x'};
            return ++at, 1;
        },
        3);
    http::response a = c.perform(r);
    EXPECT_EQ(a.headers.get("X-Length"), "-1");
    EXPECT_EQ(a.headers.get("X-Announced"), "X-Sum");
    EXPECT_EQ(a.body, "xxx");
    for (const std::string& text : {std::string(), std::string("text"), std::string(50'000, 't')}) {
        http::request with_text("POST", upload_url(s), text);
        with_text.trailers().set("X-Sum", "4");
        a = c.perform(with_text);
        EXPECT_EQ(a.headers.get("X-Length"), "-1");
        EXPECT_EQ(a.headers.get("X-Sum"), "4");
        EXPECT_TRUE(a.body == text);
    }
}

// --- expectations --------------------------------------------------------------------------------

TEST_ANYWHERE(http_expect, sends_the_body_when_it_is_asked_for) {
    // Other interim answers do not ask for the body.
    for (const std::string& text : {std::string(), std::string("text"), std::string(50'000, 't')}) {
        std::atomic<bool> is_asked_for{false}, came_before{false};
        const scripted_server s([&](const net::conn& conn, int) {
            const std::string head = read_upload_head(conn);
            EXPECT_NE(head.find("\r\nExpect: 100-continue\r\n"), head.npos) << head;
            conn.write(std::string_view("HTTP/1.1 103 Early\r\nLink: a\r\n\r\n"));
            is_asked_for = true;
            conn.write(std::string_view("HTTP/1.1 100 Continue\r\n\r\n"));
            std::string body(text.empty() ? 3 : text.size(), '\0');
            (void)conn.read_full(std::as_writable_bytes(std::span(body)));
            conn.write(ok_with(body));
        });
        const http::client c({.expect_continue_timeout = 1h, .proxy_from_environment = false});
        http::request r("PUT", s.url(), text);
        r.headers().set("Expect", "100-continue");
        if (text.empty())
            r.set_body(
                [&, inner = counting_down(3)](auto to, const rota::context& ctx) {
                    came_before = came_before || !is_asked_for;
                    return inner(to, ctx);
                },
                3);
        EXPECT_EQ(c.perform(r).body, text.empty() ? "zzz" : text);
        EXPECT_FALSE(came_before);
    }
}

TEST_ANYWHERE(http_expect, keeps_the_body_from_a_server_that_refuses) {
    // The body would be sent in vain, or be taken for the next request.
    const scripted_server s([](const net::conn& conn, int) {
        const std::string head = read_upload_head(conn);
        std::error_code gone;
        conn.write(std::string_view("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno"), gone);
        EXPECT_EQ(read_to_end(conn), "") << head;
    });
    const http::client c({.expect_continue_timeout = 1h, .proxy_from_environment = false});
    for (const bool is_streamed : {false, true}) {
        std::atomic<std::size_t> given{0};
        http::request r("PUT", s.url(), "text");
        r.headers().set("Expect", "100-continue");
        if (is_streamed) r.set_body(endless(given));
        const http::response a = c.perform(r);
        EXPECT_EQ(a.status, 417);
        EXPECT_EQ(a.body, "no");
        EXPECT_EQ(given, 0U);
    }
    EXPECT_EQ(s.connections, 2);
}

TEST_ANYWHERE(http_expect, does_not_wait_for_who_has_gone) {
    // After the server has closed, or the context has ended, the client must not wait.
    const scripted_server s([](const net::conn& conn, int number) {
        (void)read_upload_head(conn);
        if (number == 1) (void)read_upload_head(conn);
    });
    const http::client c({.expect_continue_timeout = 1h, .proxy_from_environment = false});
    http::request r("PUT", s.url(), "text");
    r.headers().set("Expect", "100-continue");
    std::error_code error;
    (void)c.perform(r, error);
    EXPECT_EQ(error, http::http_errc::server_closed) << error.message();
    const auto [ctx, cancel] = rota::with_timeout(rota::background(), 20ms);
    (void)c.perform(ctx, r, error);
    EXPECT_EQ(error, rota::context_errc::deadline_exceeded) << error.message();
    cancel();
}

TEST_ANYWHERE(http_expect, waits_no_longer_than_it_may) {
    const scripted_server s(answering([](const std::string& request) {
        return ok_with(request.substr(request.find("\r\n\r\n") + 4));
    }));
    for (const auto limit : {0ms, 1ms}) {
        const http::client c({.expect_continue_timeout = limit, .proxy_from_environment = false});
        http::request r("PUT", s.url(), "text");
        r.headers().set("Expect", "100-continue");
        EXPECT_EQ(c.perform(r).body, "text");
        EXPECT_EQ(c.perform(r).body, "text");
        EXPECT_EQ(s.connections, limit == 0ms ? 1 : 2);
        c.close_idle();
    }
}

TEST_ANYWHERE(http_expect, is_met_or_not_by_our_own_server) {
    const http_server s([](http::response_writer& w, http::request& r) {
        if (r.path() == "/no") w.write_header(403);
        else w.write(r.body());
    });
    const http::client c({.expect_continue_timeout = 1h, .proxy_from_environment = false});
    std::atomic<std::size_t> given{0};
    http::request no("PUT", upload_url(s, "/no")), yes("PUT", upload_url(s));
    no.headers().set("Expect", "100-continue");
    yes.headers().set("Expect", "100-continue");
    no.set_body(endless(given));
    yes.set_repeatable_body([] { return counting_down(100'000); });
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(c.perform(no).status, 403);
        EXPECT_EQ(given, 0U);
        EXPECT_EQ(c.perform(yes).body, std::string(100'000, 'z'));
    }
}

// --- answers -------------------------------------------------------------------------------------

TEST_ANYWHERE(http_response_stream, gives_the_body_while_it_comes) {
    const rota::chan<rota::unit> go_on = rota::make_chan<rota::unit>(0);
    const http_server s([&](http::response_writer& w, http::request&) {
        w.header().set("X-A", "b");
        w.trailer().set("X-Sum", "2");
        w.trailer().set("Host", "evil");
        w.write("a");
        w.flush();
        rota::unit nothing;
        (void)go_on.recv_for(nothing, patience);
        w.write("b");
    });
    const http::client c(without_proxy);
    for (int i = 0; i < 3; ++i) {
        http::response_stream a = c.open(http::request("GET", upload_url(s, "/x")));
        EXPECT_EQ(a.status(), 200);
        EXPECT_EQ(a.headers().get("X-A"), "b");
        EXPECT_EQ(a.content_length(), -1);
        EXPECT_EQ(a.url(), upload_url(s, "/x"));
        std::array<std::byte, 10> part;
        EXPECT_EQ(a.read({}), 0U);
        EXPECT_EQ(a.read(part), 1U);
        EXPECT_EQ(part[0], std::byte{'a'});
        EXPECT_TRUE(a.trailers().empty());
        go_on.send({});
        http::response_stream moved = std::move(a);
        EXPECT_EQ(moved.body(), "b");
        EXPECT_EQ(moved.trailers().size(), 1U);
        EXPECT_EQ(moved.trailers().get("x-sum"), "2");
        EXPECT_EQ(moved.read(part), 0U);
        moved.close();
        EXPECT_EQ(moved.read(part), 0U);  // it had come to its end
    }
    go_on.close();
    const http::response whole = c.get(upload_url(s));
    EXPECT_EQ(whole.body, "ab");
    EXPECT_EQ(whole.trailers.get("X-Sum"), "2");
    EXPECT_FALSE(whole.trailers.contains("Host"));
    EXPECT_FALSE(whole.headers.contains("X-Sum"));
}

TEST_ANYWHERE(http_response_stream, that_is_given_up_closes_the_connection) {
    std::atomic<int> ended{0};
    const http_server s([&](http::response_writer& w, http::request& r) {
        const std::string part(10'000, 'x');
        std::error_code error;
        while (!error && !r.ctx().err()) w.write(part, error);
        ++ended;
    });
    const http::client c(without_proxy);
    std::array<std::byte, 10> part;
    {
        http::response_stream dropped = c.open(http::request("GET", upload_url(s)));
        EXPECT_GT(dropped.read(part), 0U);
    }
    http::response_stream closed = c.open(http::request("GET", upload_url(s)));
    closed.close();
    std::error_code error;
    EXPECT_EQ(closed.read(part, error), 0U);
    EXPECT_EQ(error, net::net_errc::closed);
    EXPECT_THROW((void)closed.body(), std::system_error);
    const auto [ctx, cancel] = rota::with_cancel(rota::background());
    http::response_stream cancelled = c.open(ctx, http::request("GET", upload_url(s)));
    cancel();
    while (cancelled.read(part, error) != 0) {
    }
    EXPECT_EQ(error, rota::context_errc::canceled);
    EXPECT_TRUE(eventually([&] { return ended == 3; })) << ended;
    http::response_stream none;
    EXPECT_EQ(none.status(), 0);
    EXPECT_EQ(none.read(part, error), 0U);
    EXPECT_TRUE(error);
}

TEST_ANYWHERE(http_response_stream, comes_while_the_request_s_body_goes) {
    // Each piece is sent when the piece before has come back: no step may wait for a whole body.
    const http_server s([](http::response_writer& w, http::request& r) {
        std::array<std::byte, 100> part;
        w.flush();
        while (const std::size_t n = r.read(part)) {
            w.write({reinterpret_cast<const char*>(part.data()), n});
            w.flush();
        }
        w.trailer().set("X-Sum", r.trailers().get("X-Sum"));
    });
    const http::client c(without_proxy);
    const rota::chan<std::string> pieces = rota::make_chan<std::string>(0);
    auto r = std::make_unique<http::request>("POST", upload_url(s));
    r->trailers().set("X-Sum", "all");
    r->set_body([pieces](std::span<std::byte> to, const rota::context&) -> std::size_t {
        std::string piece;
        if (pieces.recv_for(piece, patience) != rota::chan_status::ok) return 0;
        std::memcpy(to.data(), piece.data(), piece.size());
        return piece.size();
    });
    http::response_stream a = c.open(*r);
    r.reset();  // the request may be destroyed
    std::array<std::byte, 10> part;
    for (int i = 0; i < 5; ++i) {
        pieces.send("hello");
        std::size_t n = 0;
        while (n < 5) n += a.read(part);
        EXPECT_EQ(n, 5U);
    }
    pieces.close();
    EXPECT_EQ(a.body(), "");
    EXPECT_EQ(a.trailers().get("X-Sum"), "all");
}

// --- both ways at the server ---------------------------------------------------------------------

namespace {

// Reads in one goroutine and writes in another; neither waits for the other.
void read_and_write(http::response_writer& w, http::request& r) {
    w.enable_full_duplex();
    std::size_t size = 0;
    rota::wait_group reading;
    reading.go([&] {
        std::array<std::byte, 1000> part;
        std::error_code error;
        while (const std::size_t n = r.read(part, error)) size += n;
        EXPECT_FALSE(error) << error.message();
    });
    const rota::context ctx = r.ctx();
    const std::string piece(10'000, 'w');
    for (int i = 0; i < 100; ++i) w.write(piece);
    reading.wait();
    EXPECT_FALSE(ctx.err());
    w.trailer().set("X-Size", std::to_string(size));
}

}  // namespace

TEST_ANYWHERE(http_full_duplex, reads_and_writes_at_once) {
    // One goroutine could wait for the other, or they could disturb each other.
    const http_server s(read_and_write);
    const http::client c(without_proxy);
    for (int i = 0; i < 3; ++i) {
        http::request r("POST", upload_url(s));
        r.set_body(counting_down(1'000'000));
        const http::response a = c.perform(r);
        EXPECT_EQ(a.status, 200);
        EXPECT_EQ(a.body.size(), 1'000'000U);
        EXPECT_EQ(a.trailers.get("X-Size"), "1000000");
    }
}

TEST(http_full_duplex, ends_with_the_handler) {
    // The server itself reads the rest of the body, and must first send the written bytes.
    rota::run([] {
        const http_server s([](http::response_writer& w, http::request&) {
            w.enable_full_duplex();
            w.write("a");
            w.flush();
            w.write("b");
        });
        const net::conn c = s.dial();
        c.set_read_deadline(in(patience));
        c.write(std::string_view("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab"));
        std::string all;
        std::array<char, 100> part;
        while (!all.ends_with("0\r\n\r\n")) {
            const std::size_t n = c.read(std::as_writable_bytes(std::span(part)));
            ASSERT_NE(n, 0U) << all;
            all.append(part.data(), n);
        }
        EXPECT_EQ(take_answer(all).body, "ab");
        c.write(std::string_view("cdGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
        EXPECT_EQ(only_answer(read_to_end(c)).body, "ab");
    });
}

TEST_ANYWHERE(http_request, is_read_for_no_longer_than_a_context) {
    // A read that goes on delays a goroutine that waits for it: a proxy whose server has answered.
    const http_server s([](http::response_writer& w, http::request& r) {
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        std::array<std::byte, 10> part;
        EXPECT_EQ(r.read(ctx, part), 3U);
        rota::wait_group reading;
        std::error_code error, again;
        reading.go([&] { (void)r.read(ctx, part, error); });
        if (r.query("late") == "1") rota::sleep_for(20ms);
        cancel();
        reading.wait();
        EXPECT_EQ(error, rota::context_errc::canceled) << error.message();
        EXPECT_EQ(r.read(part, again), 0U);
        EXPECT_EQ(again, rota::context_errc::canceled);
        w.write("answered");
    });
    for (const char* late : {"0", "1"}) {
        const net::conn c = s.dial();
        c.write("POST /?late=" + std::string(late) + " HTTP/1.1\r\nHost: a\r\n" +
                "Content-Length: 10\r\n\r\nabc");
        std::string text = read_to_end(c);
        const answer a = take_answer(text);
        EXPECT_EQ(a.body, "answered") << text;
        EXPECT_EQ(a.field("Connection"), "close");
    }
}
