// Clients over time: connections that are kept, attempts that are repeated, calls that are cut
// short.
#include <sys/socket.h>

#include "http_client.hpp"
#include "scripted_server.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

const http::client_options by_default{.proxy_from_environment = false};

std::error_code outcome_of(const http::client& c, const http::request& r,
                           const rota::context& ctx = {}) {
    std::error_code error;
    (void)c.perform(ctx, r, error);
    return error;
}

// Waits until the client leaves. A client that does not is found out.
void wait_for_end(const net::conn& c) {
    std::error_code error;
    c.set_read_deadline(in(patience), error);
    std::array<std::byte, 4096> part;
    while (c.read(part, error) != 0) {
    }
    EXPECT_NE(error, std::errc::timed_out) << "the client does not leave";
}

// One more connection than before, and nothing of it is left at the end: no goroutine, no
// descriptor.
class nothing_left {
  public:
    nothing_left() {
        (void)connected();  // the poller has its descriptors from here on
        descriptors_ = open_descriptors();
        goroutines_ = rota::runtime::num_goroutine();
    }
    ~nothing_left() {
        EXPECT_TRUE(eventually([&] {
            return open_descriptors() == descriptors_ &&
                   rota::runtime::num_goroutine() == goroutines_;
        })) << open_descriptors()
            << " descriptors, before " << descriptors_ << "; goroutines before " << goroutines_
            << ", " << scheduler_state();
    }
    nothing_left(const nothing_left&) = delete;
    nothing_left& operator=(const nothing_left&) = delete;

  private:
    int descriptors_ = 0, goroutines_ = 0;
};

}  // namespace

// --- connections ---------------------------------------------------------------------------------

TEST_ANYWHERE(http_pool, uses_one_connection_for_request_after_request) {
    const nothing_left at_end;
    const scripted_server s(answering([](const std::string&) { return ok_with("x"); }));
    const http::client c(by_default), copy = c;
    for (int i = 0; i < 10; ++i) EXPECT_EQ((i % 2 != 0 ? c : copy).get(s.url()).body, "x");
    EXPECT_EQ(s.connections, 1);
    c.close_idle();
    EXPECT_EQ(c.get(s.url()).body, "x");
    EXPECT_EQ(s.connections, 2);
}

TEST_ANYWHERE(http_pool, keeps_no_connection_that_either_side_closes) {
    const nothing_left at_end;
    shared_text answer;
    const scripted_server s(answering([&](const std::string&) { return answer.get(); }));
    const http::client c(by_default);
    int connections = 0;
    for (const std::string& each :
         {ok_with("x", "Connection: close\r\n"), ok_with("x", "Connection: a, Close\r\n"),
          ok_with("x") + "more", std::string("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"),
          std::string("HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\n")}) {
        answer = each;
        EXPECT_GE(c.get(s.url()).status, 200);
        EXPECT_EQ(s.connections, ++connections) << each;
    }
    answer = "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx";
    (void)c.get(s.url());
    http::request closing("GET", s.url());
    closing.headers().set("Connection", "close");
    (void)c.perform(closing);
    EXPECT_EQ(s.connections, ++connections);
    (void)c.get(s.url());
    EXPECT_EQ(s.connections, ++connections);
    const http::client once({.keep_alive = false, .proxy_from_environment = false});
    for (int i = 0; i < 2; ++i) (void)once.get(s.url());
    EXPECT_EQ(s.connections, connections + 2);
}

TEST_ANYWHERE(http_pool, keeps_as_many_as_it_may) {
    // Ten at once, of which the limit is kept; the others are closed when their answers have come.
    const nothing_left at_end;
    std::atomic<int> gone{0}, asked{0};
    const scripted_server s([&](const net::conn& k, int) {
        std::string behind;
        while (read_request(k, behind).ends_with("\r\n\r\n")) {
            ++asked;
            EXPECT_TRUE(eventually([&] { return asked >= 10; }));
            k.write(ok_with("x"));
        }
        ++gone;
    });
    const http::client c({.max_idle_per_host = 3, .proxy_from_environment = false});
    rota::wait_group all;
    for (int i = 0; i < 10; ++i) all.go([&] { EXPECT_EQ(c.get(s.url()).body, "x"); });
    all.wait();
    EXPECT_EQ(s.connections, 10);
    EXPECT_TRUE(eventually([&] { return gone == 7; })) << gone;
    EXPECT_EQ(c.get(s.url()).body, "x");
    EXPECT_EQ(s.connections, 10);
}

TEST_ANYWHERE(http_pool, keeps_no_more_than_its_limit_for_all_hosts) {
    const nothing_left at_end;
    std::atomic<int> gone{0};
    const auto script = [&](const net::conn& k, int number) {
        answering([](const std::string&) { return ok_with("x"); })(k, number);
        ++gone;
    };
    const scripted_server a(script), b(script), d(script);
    const http::client c({.max_idle_per_host = 1, .max_idle = 2, .proxy_from_environment = false});
    for (const scripted_server* const s : {&a, &b, &d}) (void)c.get(s->url());
    EXPECT_TRUE(eventually([&] { return gone == 1; }));
    (void)c.get(d.url());
    (void)c.get(b.url());
    EXPECT_EQ(b.connections, 1);
    EXPECT_EQ(d.connections, 1);
    (void)c.get(a.url());  // it was the oldest
    EXPECT_EQ(a.connections, 2);
}

TEST_ANYWHERE(http_pool, closes_what_has_been_idle_for_too_long) {
    const nothing_left at_end;
    std::atomic<int> gone{0};
    const scripted_server s([&](const net::conn& k, int number) {
        answering([](const std::string&) { return ok_with("x"); })(k, number);
        ++gone;
    });
    const http::client c({.idle_timeout = 20ms, .proxy_from_environment = false});
    for (int i = 1; i <= 3; ++i) {
        (void)c.get(s.url());
        EXPECT_TRUE(eventually([&] { return gone == i; })) << i;
    }
}

TEST_ANYWHERE(http_pool, uses_no_connection_on_which_the_server_has_said_something) {
    // An answer to nothing would be taken for that to the next request; an end would fail it.
    const nothing_left at_end;
    const auto done = rota::make_chan<rota::unit>();
    const auto next = rota::make_chan<rota::unit>();
    const scripted_server s([&](const net::conn& k, int number) {
        (void)read_request(k);
        k.write(ok_with(std::to_string(number)));
        (void)next.recv();  // the client has taken it
        if (number % 2 == 0) k.write(ok_with("nobody has asked"));
        k.close();
        done.send({});
    });
    const http::client c(by_default);
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(c.post(s.url(), "", "not idempotent").body, std::to_string(i));
        next.send({});
        (void)done.recv();
    }
}

TEST_ANYWHERE(http_pool, goes_with_the_client) {
    const nothing_left at_end;
    std::atomic<int> gone{0};
    const scripted_server s([&](const net::conn& k, int number) {
        answering([](const std::string&) { return ok_with("x"); })(k, number);
        ++gone;
    });
    for (int i = 1; i <= 3; ++i) {
        (void)http::client(by_default).get(s.url());
        EXPECT_TRUE(eventually([&] { return gone == i; }));
    }
}

// --- attempts ------------------------------------------------------------------------------------

TEST_ANYWHERE(http_retry, is_made_once_for_what_does_no_harm) {
    // The second request of each connection finds it closed: before the first byte of the answer,
    // within it, or never to be answered.
    const nothing_left at_end;
    shared_text part;
    std::atomic<int> requests{0};
    const scripted_server s([&](const net::conn& k, int) {
        std::string behind;
        (void)read_request(k, behind);
        ++requests;
        k.write(ok_with("x"));
        if (!read_request(k, behind).ends_with("\r\n\r\n")) return;
        ++requests;
        k.write(part.get());
    });
    const auto ask_twice = [&](http::request& r) {
        const http::client c(by_default);
        requests = 0;
        EXPECT_EQ(c.perform(r).body, "x");
        std::error_code error;
        (void)c.perform(r, error);
        return error;
    };
    for (const std::string method : {"GET", "OPTIONS", "TRACE", "PUT", "DELETE"}) {
        http::request r(method, s.url());
        EXPECT_FALSE(ask_twice(r)) << method;
        EXPECT_EQ(requests, 3) << method;
    }
    for (const std::string method : {"POST", "PATCH", "FOO"}) {
        http::request r(method, s.url());
        EXPECT_EQ(ask_twice(r), http::http_errc::server_closed) << method;
        EXPECT_EQ(requests, 2) << method;
        r.headers().set("Idempotency-Key", "1");
        EXPECT_FALSE(ask_twice(r)) << method;
        EXPECT_EQ(requests, 3) << method;
    }
    part = "H";  // the answer has begun
    http::request r("GET", s.url());
    EXPECT_EQ(ask_twice(r), http::http_errc::incomplete_response);
    EXPECT_EQ(requests, 2);
}

TEST_ANYWHERE(http_retry, is_not_made_for_a_fresh_connection) {
    const scripted_server s([&](const net::conn& k, int) { (void)read_request(k); });
    EXPECT_EQ(outcome_of(http::client(by_default), http::request("GET", s.url())),
              http::http_errc::server_closed);
    EXPECT_EQ(s.connections, 1);
}

// --- time, and contexts --------------------------------------------------------------------------

namespace {

// Servers that stop: before a byte, within the head, within bodies of each kind, before they read.
const std::vector<std::string> unfinished = {
    "",
    "HTTP/1.1 200 OK\r\nConte",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n",
    "HTTP/1.1 200 OK\r\n\r\n123",
    "HTTP/1.1 100 Continue\r\n\r\n",
};

}  // namespace

TEST_ANYWHERE(http_cancel, ends_a_call_at_every_stage_and_the_connection) {
    const nothing_left at_end;
    const http::client c(by_default);
    for (const std::string& said : unfinished) {
        const auto begun = rota::make_chan<rota::unit>(1);
        const scripted_server s([&](const net::conn& k, int) {
            (void)read_request(k);
            k.write(said);
            begun.send({});
            wait_for_end(k);
        });
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        rota::wait_group group;
        group.go([&, stop = cancel] {
            (void)begun.recv();
            stop();
        });
        EXPECT_EQ(outcome_of(c, http::request("GET", s.url()), ctx), rota::context_errc::canceled)
            << said;
        group.wait();
        EXPECT_EQ(outcome_of(c, http::request("GET", s.url()), ctx), rota::context_errc::canceled);
        EXPECT_EQ(s.connections, 1) << "a context that has ended dials";
    }
}

TEST_ANYWHERE(http_cancel, ends_a_write_that_nobody_reads) {
    const nothing_left at_end;
    const http::client c(by_default);
    const auto over = rota::make_chan<rota::unit>();
    {
        const scripted_server s([&](const net::conn& k, int) {
            (void)read_text(k, 10);
            (void)over.recv();
        });
        const auto [ctx, cancel] = rota::with_timeout(rota::background(), 30ms);
        EXPECT_EQ(outcome_of(c, http::request("POST", s.url(), std::string(64 << 20, 'x')), ctx),
                  rota::context_errc::deadline_exceeded);
        over.close();
    }
}

TEST_ANYWHERE(http_cancel, after_the_answer_changes_nothing) {
    const nothing_left at_end;
    const scripted_server s(answering([](const std::string&) { return ok_with("x"); }));
    const http::client c(by_default);
    for (int i = 0; i < scaled(200); ++i) {
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        rota::wait_group group;
        group.go([stop = cancel] { stop(); });  // meanwhile, before or behind
        std::error_code error;
        const http::response r = c.perform(ctx, http::request("POST", s.url()), error);
        EXPECT_TRUE(error ? error == rota::context_errc::canceled : r.body == "x")
            << error.message();
        group.wait();
        EXPECT_EQ(c.post(s.url(), "", "").body, "x");
    }
}

TEST_ANYWHERE(http_timeout, is_of_the_whole_call) {
    const nothing_left at_end;
    const http::client c({.timeout = 30ms, .proxy_from_environment = false});
    for (const std::string& said : unfinished) {
        const scripted_server s([&](const net::conn& k, int) {
            (void)read_request(k);
            k.write(said);
            wait_for_end(k);
        });
        EXPECT_EQ(outcome_of(c, http::request("GET", s.url())), std::errc::timed_out) << said;
    }
    // Each answer comes in time, and there is no end of them.
    const http_server s([](http::response_writer& w, http::request&) {
        w.header().set("Location", "/");
        w.write_header(302);
    });
    const http::client endless(
        {.timeout = 30ms, .max_redirects = 1'000'000'000, .proxy_from_environment = false});
    EXPECT_EQ(outcome_of(endless, http::request("GET", "http://" + s.address)),
              std::errc::timed_out);
}

TEST_ANYWHERE(http_timeout, of_a_call_does_not_stay_with_its_connection) {
    const nothing_left at_end;
    const scripted_server s(answering([](const std::string&) { return ok_with("x"); }));
    const http::client c({.timeout = 100ms, .proxy_from_environment = false});
    const auto until = rota::clock::now() + 250ms;
    int good = 0;
    // On a busy machine a call may not end in its time: then two take longer.
    const auto goes_on = [&] {
        const auto now = rota::clock::now();
        return now < until || (good < 2 && now < until + patience);
    };
    while (goes_on()) {
        std::error_code error;
        good += c.post(s.url(), "", "", error).body == "x" ? 1 : 0;
        rota::sleep_for(10ms);  // the load: more than the limit, in all
    }
    EXPECT_GT(good, 1);
}

TEST_ANYWHERE(http_timeout, of_the_dial_is_kept_apart) {
    // A queue that is full answers no connection.
    const nothing_left at_end;
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    ::listen(l.fd(), 0);
    std::vector<net::conn> filling;
    std::error_code error;
    for (int i = 0; i < 20 && !error; ++i) {
        const auto [brief, stop] = rota::with_timeout(rota::background(), i < 1 ? 2s : 50ms);
        filling.push_back(net::dial(brief, "tcp", l.addr().to_string(), error));
        stop();
    }
    if (!error)
        GTEST_SKIP() << "this kernel takes connections beyond a queue of 0: no dial can wait";
    const http::client c(
        {.timeout = patience, .dial_timeout = 30ms, .proxy_from_environment = false});
    const http::request r("GET", "http://" + l.addr().to_string());
    const auto begin = rota::clock::now();
    EXPECT_EQ(outcome_of(c, r), std::errc::timed_out);
    EXPECT_LT(rota::clock::now() - begin, patience / 2) << "by the limit of the whole call";
    const auto [soon, stop] = rota::with_timeout(rota::background(), 20ms);
    EXPECT_EQ(outcome_of(http::client(by_default), r, soon), rota::context_errc::deadline_exceeded);
}

// --- many ----------------------------------------------------------------------------------------

TEST_ANYWHERE(http_pool, serves_many_at_once_and_mixes_nothing_up) {
    const nothing_left at_end;
    const http_server s(
        [](http::response_writer& w, http::request& r) { w.write(r.body() + r.query("n")); });
    const http::client c({.max_idle_per_host = 4, .proxy_from_environment = false});
    rota::wait_group all;
    std::atomic<int> wrong{0};
    for (int g = 0; g < 16; ++g) {
        all.go([&, g] {
            for (int i = 0; i < scaled(100); ++i) {
                const std::string n = std::to_string(g * 1000 + i);
                if (c.post("http://" + s.address + "/?n=" + n, "", "body").body != "body" + n)
                    ++wrong;
            }
        });
    }
    all.wait();
    EXPECT_EQ(wrong, 0);
}
