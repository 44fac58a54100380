// Servers over time: limits, ends, clients that leave, handlers that fail or take the connection.
#include <sys/socket.h>
#include <sys/stat.h>

#include <stdexcept>

#include "http_client.hpp"
#include "no_descriptors.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view plain = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view closing = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

void hello(http::response_writer& w, http::request&) { w.write("hello"); }

// Reads an answer on a connection that stays open.
answer next_answer(const net::conn& c) {
    c.set_read_deadline(in(patience));
    std::string got;
    answer a;
    while (a.status == 0) {
        const std::string more = read_text(c);
        if (more.empty()) break;
        std::string all = got += more;
        a = take_answer(all);
    }
    return a;
}

// Makes the close reset the connection.
void reset(net::conn& c) {
    const linger at_once{1, 0};
    ::setsockopt(c.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    c.close();
}

}  // namespace

// --- time limits ---------------------------------------------------------------------------------

TEST_ANYWHERE(kb61_http, silent_and_slow_clients_leave_nothing_behind) {
    // A limit that is not armed, or armed for another state, would keep a goroutine and a
    // descriptor.
    (void)connected();  // the poller opens its descriptors here
    const int before = open_descriptors();
    {
        const http_server s([](auto& w, auto& r) { w.write(r.body()); },
                            {.read_header_timeout = 50ms,
                             .read_timeout = 100ms,
                             .write_timeout = 100ms,
                             .idle_timeout = 50ms});
        const std::vector<std::string> wanted = {"", "408", "200", "408", "408", "408", "200 408"};
        std::vector<std::string> got;
        // A client that the machine delays for as long as a limit gets another answer. A limit that
        // is missing, or belongs to another state, shows each time.
        EXPECT_TRUE(eventually([&] {
            std::vector<net::conn> all;
            const auto send = [&](std::string_view text) {
                all.push_back(s.dial());
                std::error_code gone;  // an error: the server may have closed already
                all.back().write(text, gone);
            };
            send("");                                                            // no bytes
            send("GET / HT");                                                    // half a head
            send(plain);                                                         // idle
            send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n123");  // half a body
            // half a body in chunks
            send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1");
            send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            send(std::string(plain) + "GET /");  // half of the second head
            got.clear();
            for (const net::conn& c : all) got.push_back(statuses(read_to_end(c)));
            return got == wanted;
        })) << testing::PrintToString(got);
        EXPECT_TRUE(eventually([&] { return open_descriptors() == before + 1; }));
        for (int i = 0; i < 20; ++i) {
            net::conn c = s.dial();
            c.write(plain.substr(0, static_cast<std::size_t>(i)));
            reset(c);
        }
        EXPECT_TRUE(eventually([&] { return open_descriptors() == before + 1; }));
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST_ANYWHERE(kb61_http, client_that_does_not_read_is_cut_off) {
    const auto outcome = rota::make_chan<std::error_code>(1);
    const http_server s(
        [outcome](http::response_writer& w, http::request&) {
            std::error_code error;
            for (const std::string block(1 << 20, 'x'); !error;) w.write(block, error);
            outcome.send(error);
        },
        {.write_timeout = 100ms});
    const net::conn c = s.dial();
    c.write(plain);
    EXPECT_EQ(*outcome.recv(), std::errc::timed_out);
}

TEST(kb61_http, idle_limit_goes_on_behind_the_moment_at_which_pages_are_given_back) {
    // A second into the wait its deadline passes, and is moved to the limit. If that counted as a
    // request, the limit would begin anew each second, and never end.
    rota::run([] {
        const http_server s(hello, {.idle_timeout = 1200ms});
        const std::string all = ask(s, plain);
        EXPECT_EQ(statuses(all), "200");
        EXPECT_EQ(all.find("<the server does not close>"), all.npos) << all;
    });
}

TEST(http_limits, are_renewed_for_each_request) {
    // Many requests on a connection take longer than each limit, and none is cut off.
    rota::run([] {
        constexpr auto limit = 300ms;
        const http_server s(hello, {.read_header_timeout = limit,
                                    .read_timeout = limit,
                                    .write_timeout = limit,
                                    .idle_timeout = limit});
        const auto now = [] { return std::chrono::steady_clock::now(); };
        const auto end = now() + patience;
        int answers = 0;
        for (bool stood_still = true; stood_still && answers == 0 && now() < end;) {
            stood_still = false;
            auto asked = now();  // no renewed limit began earlier
            const net::conn c = s.dial();
            const auto until = now() + 2 * limit;
            do {
                std::error_code gone;
                c.write(plain.substr(0, 10), gone);
                rota::sleep_for(20ms);  // the load: a pause within the head, and a pause after it
                const auto asking = now();
                if (!gone) c.write(plain.substr(10), gone);
                const answer a = next_answer(c);
                if (gone || a.status != 200) {  // allowed only if the machine stood still
                    stood_still = now() - asked > limit / 2;
                    EXPECT_TRUE(stood_still);
                    break;
                }
                asked = asking;
                ++answers;
                rota::sleep_for(20ms);
            } while (now() < until);
        }
        EXPECT_GT(answers, 0);
        std::printf("%d answers\n", answers);
    });
}

// --- the end -------------------------------------------------------------------------------------

TEST_ANYWHERE(http_shutdown, waits_for_answers_and_closes_idle_connections) {
    const auto began = rota::make_chan<rota::unit>(1), go_on = rota::make_chan<rota::unit>();
    http::server server([=](http::response_writer& w, http::request& r) {
        if (r.path() == "/wait") {
            began.send({});
            (void)go_on.recv();
        }
        w.write("done");
    });
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    const std::string at = l.addr().to_string();
    const net::conn fresh = net::dial("tcp", at), idle = net::dial("tcp", at),
                    half = net::dial("tcp", at), busy = net::dial("tcp", at);
    idle.write(plain);
    EXPECT_EQ(next_answer(idle).body, "done");
    half.write("GET / HTTP/1.1\r\nHo");
    busy.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(plain));
    (void)began.recv();

    const auto [ctx, cancel] = rota::with_timeout(rota::background(), 20ms);
    std::error_code error;
    server.shutdown(ctx, error);
    EXPECT_EQ(error, rota::context_errc::deadline_exceeded);
    EXPECT_THROW(server.shutdown(ctx), std::system_error);
    serving.wait();  // serve has returned, although a request is being answered
    EXPECT_EQ(read_to_end(fresh) + read_to_end(idle) + read_to_end(half), "");
    EXPECT_THROW(net::dial("tcp", at), std::system_error);

    rota::wait_group waiting;
    waiting.go([&] { server.shutdown(rota::background()); });
    go_on.send({});
    waiting.wait();
    std::string got = read_to_end(busy);
    const answer a = only_answer(got);  // the request behind it is not answered
    EXPECT_EQ(a.body, "done");
    EXPECT_EQ(a.field("Connection"), "close");

    // From here on the server serves no connection.
    const net::listener late = net::listen("tcp", "127.0.0.1:0");
    server.serve(late);
    EXPECT_EQ(late.fd(), -1);
    server.listen_and_serve("127.0.0.1:0");
    server.shutdown(rota::background());
    server.close();
}

TEST_ANYWHERE(http_shutdown, closes_a_connection_whose_answer_has_promised_to_keep_it) {
    // A shutdown would wait for a connection that becomes idle unseen, for as long as it may idle.
    const auto began = rota::make_chan<rota::unit>(1), go_on = rota::make_chan<rota::unit>();
    const http_server s([=](http::response_writer& w, http::request&) {
        w.header().set("Content-Length", "4");
        w.write("done");
        w.flush();
        began.send({});
        (void)go_on.recv();
    });
    const net::conn c = s.dial();
    c.write(plain);
    (void)began.recv();
    std::error_code error;
    const auto [ctx, cancel] = rota::with_timeout(rota::background(), 1ms);
    s.server.shutdown(ctx, error);
    EXPECT_TRUE(error);
    go_on.send({});
    s.server.shutdown(rota::background());
    EXPECT_EQ(statuses(read_to_end(c)), "200");
}

TEST_ANYWHERE(http_shutdown, amid_traffic_cuts_off_no_request) {
    // A request that has been read and is not answered would be lost: each client sees whole
    // answers and then the end, and as many answers as requests were executed.
    for (int round = 0; round < scaled(40); ++round) {
        std::atomic<int> executed{0};
        http::server server([&](http::response_writer& w, http::request& r) {
            w.write(r.path());
            ++executed;
        });
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        const std::string at = l.addr().to_string();
        std::atomic<int> answered{0};
        rota::wait_group all;
        all.go([&] { server.serve(l); });
        for (int i = 0; i < 8; ++i) {
            all.go([&] {
                std::error_code error;
                const net::conn c = net::dial("tcp", at, error);
                std::string got;
                for (int n = 0; !error && n < 1000; ++n) {
                    c.write(plain, error);
                    if (error) break;
                    std::array<std::byte, 512> part;
                    const std::size_t size = c.read(part, error);
                    if (size == 0) break;
                    got.append(reinterpret_cast<const char*>(part.data()), size);
                    ++answered;
                    EXPECT_TRUE(got.ends_with("\r\n\r\n/")) << got;
                    got.clear();
                }
            });
        }
        EXPECT_TRUE(eventually([&] { return answered.load() > round; }));
        server.shutdown(rota::background());
        all.wait();
        EXPECT_EQ(answered.load(), executed.load());
    }
}

TEST_ANYWHERE(http_shutdown, leaves_no_descriptor_of_clients_that_are_just_coming) {
    // A connection may be taken and not served yet, or be closed only after the server has learnt
    // of its end. A caller that has waited would then find its descriptor open.
    (void)connected();
    const int before = open_descriptors();
    for (int round = 0; round < scaled(500) && !testing::Test::HasFailure(); ++round) {
        const http::server server(hello);
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        rota::wait_group serving;
        serving.go([&] { server.serve(l); });
        const std::string at = l.addr().to_string();
        std::vector<net::conn> clients;
        clients.push_back(net::dial("tcp", at));
        clients.front().write(plain);
        // the server takes connections by now
        EXPECT_EQ(next_answer(clients.front()).body, "hello");
        for (int i = 0; i < round % 8; ++i) clients.push_back(net::dial("tcp", at));
        if (round % 2 == 0) server.close();
        server.shutdown(rota::background());
        EXPECT_EQ(open_descriptors(), before + static_cast<int>(clients.size())) << round;
        serving.wait();
    }
}

TEST_ANYWHERE(http_shutdown, of_what_has_ended_succeeds_though_the_context_is_cancelled) {
    // If the end and the context's end have both come, a select takes either.
    const http::server server(hello);
    server.shutdown(rota::background());
    const auto [ctx, cancel] = rota::with_cancel(rota::background());
    cancel();
    for (int i = 0; i < 100; ++i) {
        std::error_code error;
        server.shutdown(ctx, error);
        ASSERT_EQ(error, std::error_code());
    }
}

TEST_ANYWHERE(http_close, ends_everything_and_serve_returns) {
    const auto began = rota::make_chan<rota::unit>(1);
    const auto ended = rota::make_chan<std::error_code>(1);
    http::server server([=](http::response_writer&, http::request& r) {
        began.send({});
        std::array<std::byte, 8> buffer;
        std::error_code error;
        (void)r.read(buffer, error);
        ended.send(error);
    });
    const net::listener one = net::listen("tcp", "127.0.0.1:0");
    const net::listener two = net::listen("tcp", "127.0.0.1:0");
    rota::wait_group serving;
    serving.go([&] { server.serve(one); });
    serving.go([&] { server.serve(two); });
    const net::conn idle = net::dial("tcp", one.addr().to_string());
    const net::conn busy = net::dial("tcp", two.addr().to_string());
    busy.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    (void)began.recv();
    server.close();
    serving.wait();
    EXPECT_TRUE(ended.recv().value_or(std::error_code()));
    EXPECT_EQ(read_to_end(idle) + read_to_end(busy), "");
    server.shutdown(rota::background());
}

TEST_ANYWHERE(http_server, fails_to_listen_where_somebody_listens) {
    const http_server s(hello);
    const http::server other(hello);
    EXPECT_THROW(other.listen_and_serve(s.address), std::system_error);
    EXPECT_THROW(http::listen_and_serve("nonsense", hello), std::system_error);
    std::error_code error;
    other.serve(net::listener(), error);
    EXPECT_EQ(error, net::net_errc::closed);
    EXPECT_THROW(http::server(nullptr), std::invalid_argument);
}

TEST_ANYWHERE(http_server, serves_beside_another_and_goes_as_an_object) {
    std::string address;
    net::conn kept;
    {
        const http_server one(hello), two([](auto& w, auto&) { w.write("two"); });
        EXPECT_EQ(only_answer(ask(one, closing)).body, "hello");
        EXPECT_EQ(only_answer(ask(two, closing)).body, "two");
    }
    rota::wait_group serving;
    {
        http::server first(hello);
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        serving.go([&first, l] { first.serve(l); });
        kept = net::dial("tcp", l.addr().to_string());
        kept.write(plain);
        EXPECT_EQ(next_answer(kept).body, "hello");
        const http::server moved = std::move(first);
    }
    serving.wait();
    EXPECT_EQ(read_to_end(kept), "");
}

// --- clients that leave --------------------------------------------------------------------------

TEST_ANYWHERE(http_context, ends_when_the_client_leaves) {
    for (const bool by_reset : {false, true}) {
        const auto began = rota::make_chan<rota::unit>(1);
        const auto why = rota::make_chan<std::error_code>(1);
        const http_server s([=](http::response_writer&, http::request& r) {
            EXPECT_EQ(r.body(), r.method() == "POST" ? "body" : "");
            const rota::context ctx = r.ctx();
            EXPECT_FALSE(ctx.err());
            began.send({});
            (void)ctx.done().recv();
            why.send(ctx.err());
        });
        for (const char* request :
             {"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
              "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"}) {
            net::conn c = s.dial();
            c.write(request);
            (void)began.recv();
            if (by_reset) reset(c);
            else c.close();
            EXPECT_EQ(*why.recv(), rota::context_errc::canceled);
        }
    }
}

TEST_ANYWHERE(kb37_http_context, watching_leaves_what_comes_meanwhile) {
    // The next request comes while a goroutine watches for the end of the connection.
    const auto began = rota::make_chan<rota::unit>(1), go_on = rota::make_chan<rota::unit>();
    const http_server s([=](http::response_writer& w, http::request& r) {
        const rota::context watched = r.ctx();
        began.send({});
        (void)go_on.recv();
        EXPECT_FALSE(watched.err());
        EXPECT_EQ(r.method(), "GET");
        w.write(r.query("n"));
    });
    const net::conn c = s.dial();
    c.write("GET /?n=0 HTTP/1.1\r\nHost: a\r\n\r\n");
    std::string got;
    for (int i = 0; i < 100; ++i) {
        (void)began.recv();
        for (int k = 0; k < i % 10; ++k) give_way();
        if (i < 99) c.write("GET /?n=" + std::to_string(i + 1) + " HTTP/1.1\r\nHost: a\r\n\r\n");
        for (int k = 0; k < i % 7; ++k) give_way();
        go_on.send({});
        ASSERT_EQ(next_answer(c).body, std::to_string(i));
    }
}

TEST_ANYWHERE(kb37_http_context, watching_takes_no_byte_of_the_next_request) {
    // The watch could read the beginning of the next request.
    std::vector<rota::context> kept;
    {
        const http_server s([&](http::response_writer& w, http::request& r) {
            kept.push_back(r.ctx());
            EXPECT_EQ(kept.back(), r.ctx());
            if (r.query("n").ends_with("3")) rota::runtime::gosched();
            EXPECT_FALSE(kept.back().err());
            w.write(r.query("n"));
        });
        const net::conn c = s.dial();
        constexpr int many = scaled(1000);
        for (int i = 0; i < many; ++i) {
            const std::string text =
                "GET /?n=" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
            const std::size_t cut = static_cast<std::size_t>(i) % text.size();
            c.write(text.substr(0, cut));
            c.write(text.substr(cut));
            ASSERT_EQ(next_answer(c).body, std::to_string(i));
        }
    }
    // The handler's contexts end with its call.
    for (const rota::context& each : kept) EXPECT_EQ(each.err(), rota::context_errc::canceled);
}

TEST_ANYWHERE(http_request, knows_its_client_though_that_has_gone) {
    const auto began = rota::make_chan<rota::unit>(1), go_on = rota::make_chan<rota::unit>();
    const auto seen = rota::make_chan<std::string>(1);
    const http_server s([=](http::response_writer&, http::request& r) {
        began.send({});
        (void)go_on.recv();
        seen.send(r.remote_addr().to_string());
    });
    net::conn c = s.dial();
    const std::string own = c.local_addr().to_string();
    c.write(plain);
    (void)began.recv();
    reset(c);
    go_on.send({});
    EXPECT_EQ(seen.recv(), own);
}

// --- hijack --------------------------------------------------------------------------------------

TEST_ANYWHERE(http_hijack, gives_the_connection_and_the_bytes_that_were_read) {
    const http_server s([](http::response_writer& w, http::request& r) {
        const rota::context watched = r.ctx();
        const net::conn c = w.hijack();
        EXPECT_EQ(watched, r.ctx());
        std::error_code error;
        w.write("x", error);
        EXPECT_EQ(error, http::http_errc::hijacked);
        EXPECT_THROW((void)w.hijack(), std::system_error);
        EXPECT_THROW((void)r.body(), std::system_error);
        rota::go([c] {
            c.write("raw\n");
            for (std::string text = read_text(c, 3); !text.empty(); text = read_text(c, 3))
                c.write(text);
        });
    });
    const net::conn c = s.dial();
    c.write(std::string(plain) + "sent at once, ");
    EXPECT_EQ(read_exactly(c, 4), "raw\n");
    c.write("and later");
    c.close_write();
    EXPECT_EQ(read_to_end(c), "sent at once, and later");
}

TEST_ANYWHERE(http_hijack, takes_the_connection_out_of_the_server) {
    const auto handed = rota::make_chan<net::conn>(1);
    net::conn client, taken;
    answer a;
    {
        const http_server s(
            [handed](http::response_writer& w, http::request&) {
                w.header().set("Upgrade", "own");
                w.header().set("Connection", "Upgrade");
                w.write_header(101);
                handed.send(w.hijack());
            },
            {.read_header_timeout = 10ms, .read_timeout = 10ms, .idle_timeout = 10ms});
        // If the machine stands still for as long as the limits, they end the connection first.
        ASSERT_TRUE(eventually([&] {
            client = s.dial();
            try {
                client.write(plain);
                a = next_answer(client);
            } catch (const std::system_error&) {
            }
            return a.status != 0;
        })) << scheduler_state();
        taken = *handed.recv();
    }
    EXPECT_EQ(a.status, 101);
    EXPECT_EQ(a.field("Connection") + a.field("Upgrade"), "Upgradeown");
    rota::sleep_for(20ms);  // longer than the limits
    client.write("still there");
    EXPECT_EQ(read_text(taken), "still there");
}

// --- handlers that fail --------------------------------------------------------------------------

TEST_ANYWHERE(http_panic, in_a_handler_ends_the_request_and_not_the_server) {
    const http_server s([](http::response_writer& w, http::request& r) {
        if (r.path() == "/before") throw std::runtime_error("before");
        if (r.path() == "/int") throw 42;
        if (r.path() == "/memory") throw std::bad_alloc();
        if (r.path() == "/collected") w.write("collected, not sent");
        if (r.path() == "/exit") rota::runtime::goexit();
        if (r.path() == "/sent") {
            w.write("part");
            w.flush();
        }
        rota::panic("of " + std::string(r.path()));
    });
    const auto on = [&](const std::string& path) {
        return ask(s, "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(plain));
    };
    testing::internal::CaptureStderr();
    for (const char* path : {"/before", "/int", "/memory", "/collected", "/"}) {
        const answer a = only_answer(on(path));
        EXPECT_EQ(a.status, 500) << path;
        EXPECT_EQ(a.field("Connection"), "close");
    }
    EXPECT_TRUE(on("/sent").ends_with("4\r\npart\r\n"));  // and no end of the chunks
    EXPECT_EQ(on("/exit"), "");
    const std::string log = testing::internal::GetCapturedStderr();
    for (const char* text : {"panic serving 127.0.0.1:", ": std::runtime_error: before\n",
                             ": int: 42\n", ": of /collected\n", ": of /sent\n", "goroutine "})
        EXPECT_NE(log.find(text), log.npos) << text << "\n" << log;
}

namespace {

[[gnu::noinline]] void throw_from_here(int depth) {
    if (depth == 0) throw std::runtime_error("deep");
    throw_from_here(depth - 1);
    asm("" ::: "memory");
}

}  // namespace

TEST(http_panic, is_logged_with_the_trace_of_the_throw) {
    rota::run([] {
        const http_server s([](http::response_writer&, http::request&) { throw_from_here(3); });
        testing::internal::CaptureStderr();
        EXPECT_EQ(statuses(ask(s, plain)), "500");
        const std::string log = testing::internal::GetCapturedStderr();
        EXPECT_NE(log.find("throw_from_here"), log.npos) << log;
    });
}

TEST(http_panic, is_not_what_clients_and_connections_do) {
    // Log lines and traces that clients can cause would be a way to keep a server busy.
    rota::run([] {
        const http_server s(
            [](http::response_writer& w, http::request& r) {
                for (const std::string text = r.body() + std::string(1 << 20, 'x');;) w.write(text);
            },
            {.max_body_bytes = 10});
        const int before = rota::runtime::num_goroutine();
        testing::internal::CaptureStderr();
        const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        EXPECT_EQ(statuses(ask(s, head + "x\r\n")), "400");
        EXPECT_EQ(statuses(ask(s, head + "10\r\n0123456789abcdef\r\n0\r\n\r\n")), "413");
        net::conn c = s.dial();
        c.write(plain);
        (void)read_text(c);
        reset(c);
        EXPECT_TRUE(eventually([=] { return rota::runtime::num_goroutine() <= before; }));
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    });
}

TEST(http_refusal, reaches_a_client_that_sends_everything_before_it_reads) {
    // The rest of the request lies unread when the server closes. The kernel could then reset the
    // connection, and the client would find the reset instead of the answer.
    rota::run([] {
        const http_server s([](http::response_writer&, http::request&) {},
                            {.max_body_bytes = 1000});
        const std::string rest(4 << 20, 'x');
        struct row {
            const char* status;
            std::string request;
        };
        const std::string host = "Host: a\r\n", post = "POST / HTTP/1.1\r\n" + host;
        const row rows[] = {
            {"413", post + "Content-Length: " + std::to_string(rest.size()) + "\r\n\r\n" + rest},
            {"431", "GET / HTTP/1.1\r\n" + host + "X: " + rest + "\r\n\r\n"},
            {"400", "GET / HTTP/1.1\r\n" + host + "a b: c\r\n\r\n" + rest},
        };
        for (const row& r : rows) {
            const net::conn c = s.dial();
            std::error_code error;
            (void)c.write(r.request, error);
            EXPECT_EQ(error, std::error_code()) << r.status;
            std::string answer(4096, '\0');
            answer.resize(c.read(std::as_writable_bytes(std::span(answer)), error));
            EXPECT_EQ(statuses(answer), r.status) << error.message();
        }
    });
}

// --- scarcity ------------------------------------------------------------------------------------

TEST(kb36_http, without_descriptors_the_server_waits_and_recovers) {
    // An accept that fails at once for ever occupies a processor; an accept loop that gives up ends
    // the server. No connection is idle, so the server cannot close any for the newcomer.
    rota::run([] {
        const auto asked = rota::make_chan<rota::unit>();
        const auto go_on = rota::make_chan<rota::unit>();
        const http_server s([=](http::response_writer& w, http::request& r) {
            if (r.path() == "/held") {
                asked.send({});
                (void)go_on.recv();
            }
            w.write("hello");
        });
        const net::conn served = s.dial();
        served.write("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
        (void)asked.recv();
        const int number = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ASSERT_GE(number, 0);
        testing::internal::CaptureStderr();
        {
            const no_descriptors none;
            const net::endpoint to = s.listener.addr();
            ASSERT_EQ(::connect(number, static_cast<const sockaddr*>(to.data()), to.size()), 0);
            rota::sleep_for(50ms);  // the load: accepts that fail all this time
            // The server may not have run yet. Its log goes to a file.
            EXPECT_TRUE(eventually([] {
                struct stat log{};
                return ::fstat(STDERR_FILENO, &log) == 0 && log.st_size > 0;
            }));
            go_on.send({});  // the existing connection is served meanwhile
            EXPECT_EQ(next_answer(served).status, 200);
        }
        ASSERT_EQ(::send(number, closing.data(), closing.size(), 0),
                  static_cast<ssize_t>(closing.size()));
        std::array<char, 4096> answer;
        ssize_t size = -1;
        EXPECT_TRUE(eventually([&] {
            size = ::recv(number, answer.data(), answer.size(), MSG_DONTWAIT);
            return size > 0;
        }));
        EXPECT_TRUE(std::string_view(answer.data(), 12) == "HTTP/1.1 200");
        ::close(number);
        const std::string log = testing::internal::GetCapturedStderr();
        EXPECT_NE(log.find("cannot take connections"), log.npos) << log;
    });
}

TEST_ANYWHERE(kb12_http, is_served_while_all_processors_are_busy) {
    const http_server s(hello);
    std::atomic<bool> stop{false};
    rota::wait_group busy;
    for (int i = 0; i < rota::runtime::gomaxprocs(0) && i < 4; ++i) {
        busy.go([&] {
            const auto ball = rota::make_chan<int>();
            rota::wait_group pair;
            pair.go([&] {
                while (const auto n = ball.recv()) {
                }
            });
            while (!stop.load()) ball.send(1);
            ball.close();
            pair.wait();
        });
    }
    const net::conn c = s.dial();
    for (int i = 0; i < 50; ++i) {
        c.write(plain);
        EXPECT_EQ(next_answer(c).body, "hello");
    }
    stop = true;
    busy.wait();
}
