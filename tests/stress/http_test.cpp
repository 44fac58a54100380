// HTTP under load, plain and over TLS: clients that give up, are cancelled, and vanish, while
// GOMAXPROCS changes. Each request is answered once, by the handler that ran for it, or ends with
// an error, and nothing is left in the end.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "../api/http_client.hpp"
#include "../certificates.hpp"
#include "base_line.hpp"
#include "load.hpp"

using namespace rota_test;
using namespace std::chrono_literals;
namespace tls = rota::tls;

namespace {

constexpr std::size_t http_workers = 12, requests_max = std::size_t{1} << 22;

// How often each request has reached a handler. A number ends in 1 if the request must not be sent
// twice.
struct http_books {
    std::unique_ptr<std::atomic<unsigned char>[]> handled{
        new std::atomic<unsigned char>[requests_max] {}};
    std::atomic<std::size_t> next{0};
    std::atomic<long> answers{0}, errors{0}, gone{0};

    // There is room for the requests that each worker may still begin.
    bool full() const { return 2 * (next.load() + 4 * http_workers) >= requests_max; }
    std::size_t begin(bool only_once) { return 2 * next.fetch_add(1) + (only_once ? 1 : 0); }
    // A client may repeat a harmless request once.
    static int most(std::size_t id) { return id % 2 == 1 ? 1 : 2; }
};

std::string wanted(std::size_t id, std::string_view body) {
    return std::to_string(id) + ":" + std::string(body);
}

http::handler counting(http_books& b) {
    return [&b](http::response_writer& w, http::request& r) {
        std::size_t id = 0;
        const std::string_view text = r.header("X-Id");
        std::from_chars(text.data(), text.data() + text.size(), id);
        if (id < requests_max) ++b.handled[id];
        if (r.path() == "/slow") (void)rota::sleep_for(r.ctx(), 1ms);
        if (r.path() == "/flush") w.flush();
        w.write(wanted(id, r.body()));
    };
}

// One request by the library's client: without a limit, which must succeed; with a deadline; or
// cancelled by another goroutine.
void ask_once(const http::client& c, const std::string& url, http_books& b, choices& choose) {
    constexpr const char* paths[] = {"/now", "/slow", "/flush"};
    const bool posts = choose.once_in(2);
    const std::size_t id = b.begin(posts);
    const std::string body(posts ? choose.below(40'000) : 0, static_cast<char>('a' + id % 26));
    http::request r(posts ? "POST" : "GET", url + paths[choose.below(3)], body);
    r.headers().set("X-Id", std::to_string(id));
    std::error_code error;
    http::response got;
    rota::wait_group canceling;
    const unsigned way = choose.below(4);
    if (way == 0) {
        const auto [ctx, stop] =
            rota::with_timeout(rota::background(), std::chrono::microseconds(choose.below(3000)));
        got = c.perform(ctx, r, error);
        stop();
    } else if (way == 1) {
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        const auto pause = std::chrono::microseconds(choose.below(2000));
        canceling.go([pause, cancel = cancel] {
            rota::sleep_for(pause);
            cancel();
        });
        got = c.perform(ctx, r, error);
        canceling.wait();
    } else {
        got = c.perform(r, error);
        EXPECT_FALSE(error) << error.message() << ", of request " << id;
    }
    if (error) {
        ++b.errors;
        return;
    }
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body == wanted(id, body)) << "request " << id << ": " << got.body.substr(0, 40);
    EXPECT_GE(b.handled[id].load(), 1);
    ++b.answers;
}

// A raw connection: pipelined requests, whose answers it reads to the end or not, or a part of a
// request.
template <class Conn>
void visit(const Conn& c, http_books& b, choices& choose) {
    std::string text;
    std::vector<std::size_t> ids;
    for (unsigned n = 1 + choose.below(4); n > 0; --n) {
        ids.push_back(b.begin(true));
        text += "POST /now HTTP/1.1\r\nHost: a\r\nX-Id: " + std::to_string(ids.back()) +
                "\r\nContent-Length: 3\r\n" + (n == 1 ? "Connection: close\r\n" : "") + "\r\nxyz";
    }
    std::error_code error;
    const bool is_whole = choose.once_in(2);
    if (!is_whole) text.resize(choose.below(static_cast<unsigned>(text.size())));
    c.write(text, error);
    if (choose.once_in(3)) {
        ++b.gone;
        return;  // without reading the answer
    }
    if (!is_whole) c.close_write(error);
    std::string all;
    std::array<char, 4096> part;
    while (const std::size_t n = c.read(std::as_writable_bytes(std::span(part)), error))
        all.append(part.data(), n);
    std::size_t answers = 0;
    for (answer a = take_answer(all); a.status == 200; a = take_answer(all)) {
        if (answers == ids.size()) break;
        EXPECT_EQ(a.body, wanted(ids[answers], "xyz"));
        ++answers;
    }
    EXPECT_TRUE(!is_whole || answers == ids.size()) << answers << " answers, then: " << all;
    b.answers += static_cast<long>(answers);
}

void expect_once(const http_books& b) {
    for (std::size_t id = 0; id < 2 * b.next.load(); ++id)
        EXPECT_LE(b.handled[id].load(), http_books::most(id)) << "request " << id;
    EXPECT_GT(b.answers.load(), 0);
    std::printf("%zu requests, %ld answers, %ld errors, %ld gone\n", b.next.load(),
                b.answers.load(), b.errors.load(), b.gone.load());
}

// `dial` makes a raw connection.
template <class Dial>
void run_storm(const std::string& url, const tls::options& trusted, http_books& b, Dial dial) {
    const time_box box;
    const http::client client(
        {.max_idle_per_host = 4, .proxy_from_environment = false, .tls = trusted});
    progress steps(http_workers);
    rota::wait_group all;
    for (std::size_t i = 0; i < http_workers; ++i) {
        all.go([&, i] {
            choices choose(i);
            do {
                if (i % 3 != 0) ask_once(client, url, b, choose);
                else visit(dial(), b, choose);
                steps.step(i);
            } while (box.open() && !b.full());
            steps.finish(i);
        });
    }
    all.go([&] { change_processors(box); });
    all.wait();
}

}  // namespace

TEST(http_storm, of_deadlines_and_cancellations_answers_each_request_once) {
    // An answer could go to another request, or a request be executed twice or never. A connection
    // could be used again after its client has given it up, or stay for ever.
    rota::run([] {
        const base_line before;
        http_books b;
        {
            const http_server s(counting(b));
            run_storm("http://" + s.address, {}, b, [&] { return s.dial(); });
        }
        expect_once(b);
        before.expect();
    });
}

TEST(http_storm, over_tls_answers_each_request_once) {
    // The same behind handshakes, which contexts end as well, and with two layers to close.
    rota::run([] {
        const certificate& own = local_certificate();
        const tls::options trusted{.roots = own.pem};
        const base_line before;
        http_books b;
        {
            const tls::config served({.certificate = own.pem, .key = own.key}), ours(trusted);
            const http::server server(counting(b));
            const net::listener l = net::listen("tcp", "127.0.0.1:0");
            const std::string address = l.addr().to_string();
            rota::wait_group serving;
            serving.go([&] { server.serve_tls(l, served); });
            run_storm("https://" + address, trusted, b,
                      [&] { return tls::dial("tcp", address, ours); });
            server.close();
            server.shutdown(rota::background());
            serving.wait();
        }
        expect_once(b);
        before.expect();
    });
}
