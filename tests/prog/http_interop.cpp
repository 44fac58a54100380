// Both ends of HTTP, for tests against other implementations (http_interop_test.py).
//
//     server        prints PORT n, and serves until its standard input ends
//     client URL    sends requests to a server with the same routes, and prints each failed check
#include <rota/http.hpp>
#include <rota/rota.hpp>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace {

namespace http = rota::http;
using namespace std::chrono_literals;

const std::string large(300'000, 'z');

// The routes of both servers: this server, and http_interop.go.
http::serve_mux routes() {
    http::serve_mux mux;
    mux.handle("/echo", [](http::response_writer& w, http::request& r) {
        w.header().set("X-Method", r.method());
        w.header().set("X-Expect", r.header("Expect"));
        w.write(r.body());
    });
    mux.handle("/chunks", [](http::response_writer& w, http::request&) {
        for (int i = 0; i < 10; ++i) {
            w.write(std::string_view(large).substr(0, large.size() / 10));
            w.flush();
        }
    });
    mux.handle("/stream", [](http::response_writer& w, http::request& r) {
        std::array<std::byte, 4096> part;
        while (const std::size_t n = r.read(part))
            w.write({reinterpret_cast<const char*>(part.data()), n});
    });
    // Sends the request's trailers after the answer, and the length of the request's body before
    // the body.
    mux.handle("/trailers", [](http::response_writer& w, http::request& r) {
        w.trailer().set("X-Sum", "");
        const std::string body = r.body();
        w.write(std::to_string(r.content_length()) + " " + body);
        w.trailer().set("X-Sum", r.trailers().get("X-Sum"));
        w.trailer().set("X-Late", "1");
    });
    mux.handle("/refuse", [](http::response_writer& w, http::request&) { w.write_header(403); });
    mux.handle("/early", [](http::response_writer& w, http::request&) {
        w.header().set("Link", "</x>");
        w.write_header(103);
        w.write("early");
    });
    mux.handle("/nothing", [](http::response_writer& w, http::request&) { w.write_header(204); });
    mux.handle("/redirect", [](http::response_writer& w, http::request&) {
        w.header().set("Location", "echo");
        w.write_header(307);
    });
    mux.handle("/wait", [](http::response_writer& w, http::request& r) {
        (void)rota::sleep_for(r.ctx(), 20s);
        w.write("waited");
    });
    return mux;
}

void serve() {
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    const http::server server(routes());
    std::printf("PORT %d\n", l.addr().port());
    std::fflush(stdout);
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    rota::blocking([] {
        char c;
        while (::read(STDIN_FILENO, &c, 1) > 0) {
        }
    });
    server.close();
    serving.wait();
}

bool all_well = true;

void expect(bool holds, std::string_view what) {
    if (!holds) std::printf("not so: %.*s\n", static_cast<int>(what.size()), what.data());
    all_well = all_well && holds;
}

// Supplies the large text, piece by piece.
http::body_reader large_body(bool& is_read, http::request* trailed = nullptr) {
    return [&is_read, trailed, at = std::size_t{0}](std::span<std::byte> to,
                                                    const rota::context&) mutable {
        is_read = true;
        const std::size_t n = std::min({to.size(), std::size_t{10'007}, large.size() - at});
        std::memcpy(to.data(), large.data() + at, n);
        at += n;
        if (n == 0 && trailed != nullptr) trailed->trailers().set("X-Sum", "all of it");
        return n;
    };
}

void ask_for_bodies(const std::string& url) {
    const http::client c(
        {.timeout = 20s, .expect_continue_timeout = 10s, .proxy_from_environment = false});
    bool is_read = false;
    for (const std::int64_t length : {std::int64_t{-1}, std::int64_t{300'000}}) {
        http::request r("POST", url + "/trailers");
        if (length < 0) r.trailers().set("X-Sum", "");
        r.set_body(large_body(is_read, length < 0 ? &r : nullptr), length);
        const http::response a = c.perform(r);
        expect(a.body == std::to_string(length) + " " + large, "a body that streams");
        expect(a.trailers.get("X-Sum") == (length < 0 ? "all of it" : ""), "trailers");
        expect(a.trailers.get("X-Late") == "1", "a trailer that is not announced");
    }
    http::request early("POST", url + "/stream");
    early.set_body(large_body(is_read));
    expect(c.open(early).body() == large, "a body that streams both ways");
    for (const std::string target : {"/refuse", "/echo"}) {
        const bool refused = target == "/refuse";
        http::request r("PUT", url + target);
        r.headers().set("Expect", "100-continue");
        r.set_body(large_body(is_read = false));
        http::response_stream a = c.open(r);
        expect(a.status() == (refused ? 403 : 200), "the status");
        expect(a.body() == (refused ? "" : large), "the body behind 100-continue");
        expect(is_read != refused, "the body goes only where it is wanted");
    }
}

void ask(const std::string& url) {
    const http::client c({.timeout = 20s, .proxy_from_environment = false});
    for (int i = 0; i < 3; ++i) {
        const http::response r = c.post(url + "/echo", "text/plain", "hello");
        expect(r.status == 200 && r.body == "hello", "echo");
        expect(r.headers.get("X-Method") == "POST", "the method");
    }
    expect(c.get(url + "/chunks").body == large, "chunks");
    expect(c.post(url + "/stream", "", large).body == large, "a body both ways");
    expect(c.get(url + "/early").body == "early", "103");
    expect(c.get(url + "/nothing").status == 204, "204");
    expect(c.head(url + "/chunks").status == 200, "HEAD");
    expect(c.post(url + "/redirect", "", "again").body == "again", "307");
    http::request expecting("PUT", url + "/echo", "body");
    expecting.headers().set("Expect", "100-continue");
    expect(c.perform(expecting).body == "body", "100-continue");
    ask_for_bodies(url);
    std::error_code error;
    const auto [ctx, cancel] = rota::with_timeout(rota::background(), 30ms);
    (void)c.perform(ctx, http::request("GET", url + "/wait"), error);
    expect(error == rota::context_errc::deadline_exceeded, "a context's end");
    const http::client hasty({.timeout = 30ms, .proxy_from_environment = false});
    (void)hasty.get(url + "/wait", error);
    expect(error == std::errc::timed_out, "a time limit");
    // A foreign server must answer many requests at once.
    rota::wait_group all;
    for (int g = 0; g < 8; ++g) {
        all.go([&, g] {
            const std::string body(static_cast<std::size_t>(1000 * g), 'x');
            for (int i = 0; i < 20; ++i)
                expect(c.post(url + "/echo", "", body).body == body, "echo beside others");
        });
    }
    all.wait();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "server") rota::run(serve);
    else if (what == "client" && argc == 3) rota::run([&] { ask(argv[2]); });
    else return 64;
    return all_well ? 0 : 1;
}
