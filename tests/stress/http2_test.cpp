// HTTP/2 among clients that vanish, in clear text and over TLS: within the preface, a head or a
// body, or behind floods. The floods are requests that the clients reset at once (CVE-2023-44487),
// SETTINGS, and PING. Meanwhile correct clients ask, and GOMAXPROCS changes. Nothing is left in the
// end, and the memory that the server keeps for the clients together has a bound.
#include <algorithm>
#include <atomic>
#include <string>

#include "../api/h2_frames.hpp"
#include "../api/http_client.hpp"
#include "../certificates.hpp"
#include "../heap_in_use.hpp"
#include "base_line.hpp"
#include "load.hpp"

using namespace rota_test;
using namespace std::chrono_literals;
namespace tls = rota::tls;

namespace {

constexpr std::size_t h2_workers = 12;

struct h2_books {
    std::atomic<long> begun{0}, ended{0}, answers{0}, visits{0};
    std::atomic<std::size_t> heap_max{0};
};

http::handler counting(h2_books& b) {
    return [&b](http::response_writer& w, http::request& r) {
        ++b.begun;
        const rota::defer end([&b] { ++b.ended; });
        std::array<std::byte, 1000> part;
        std::error_code error;
        std::size_t size = 0;
        while (const std::size_t n = r.read(part, error)) size += n;
        if (!error && size % 2 == 1) (void)rota::sleep_for(r.ctx(), 1ms);
        w.write("ok", error);
    };
}

std::string repeated(unsigned times, std::string_view text) {
    std::string all;
    for (; times > 0; --times) all += text;
    return all;
}

// The bytes that a client sends before it vanishes; they may be cut anywhere.
std::string rude_text(choices& choose) {
    const std::string hello = std::string(preface) + frame(h2_settings, 0, 0, "");
    std::string all = hello;
    switch (choose.below(6)) {
        case 0: break;  // the preface alone
        case 1: {       // a head that does not end
            all += frame(h2_headers, end_stream, 1, get_head);
            const std::string field("\x00\x01\x61\x7f\x01", 5);  // its value is 128 bytes long
            for (unsigned n = choose.below(200); n > 0; --n)
                all += frame(h2_continuation, 0, 1, field + std::string(128, 'v'));
            break;
        }
        case 2:  // a body that does not end
            for (unsigned n = 0; n <= choose.below(20); ++n) {
                const std::uint32_t stream = 2 * n + 1;
                all += frame(h2_headers, end_headers, stream, post_head) +
                       frame(h2_data, 0, stream, std::string(choose.below(5'000), 'd'));
            }
            break;
        case 3:  // requests that the client resets
            for (std::uint32_t n = 0, many = choose.below(1'000); n < many; ++n)
                all += frame(h2_headers, choose.once_in(2) ? end_stream | end_headers : end_headers,
                             2 * n + 1, get_head) +
                       frame(h2_reset, 0, 2 * n + 1, word(8));
            break;
        case 4: all += repeated(choose.below(15'000), frame(h2_settings, 0, 0, "")); break;
        default: all += repeated(choose.below(15'000), frame(h2_ping, 0, 0, "12345678")); break;
    }
    if (choose.once_in(2)) all.resize(choose.below(static_cast<unsigned>(all.size()) + 1));
    return all;
}

// Sends, and then reads nothing, or reads until the end.
template <class Conn>
void vanish(const Conn& c, choices& choose) {
    std::error_code error;
    c.set_deadline(in(5s), error);  // the server may stop reading
    c.write(rude_text(choose), error);
    if (choose.once_in(2)) return;
    c.close_write(error);
    std::array<std::byte, 4096> part;
    while (c.read(part, error) != 0) {
    }
}

// Sends requests one after another, and checks each answer.
template <class Conn>
void ask(const Conn& c, h2_books& b, choices& choose) {
    std::error_code error;
    c.set_deadline(in(patience), error);
    c.write(std::string(preface) + frame(h2_settings, 0, 0, ""), error);
    const std::uint32_t many = 1 + choose.below(4);
    std::string got;
    for (std::uint32_t n = 0; n < many && !error; ++n) {
        const std::uint32_t id = 2 * n + 1;
        c.write(frame(h2_headers, end_headers, id, post_head) +
                    frame(h2_data, end_stream, id, std::string(choose.below(3'000), 'b')),
                error);
        const std::string wanted = frame(h2_data, end_stream, id, "ok");
        while (got.find(wanted) == got.npos) {
            std::array<char, 4096> part;
            const std::size_t size = c.read(std::as_writable_bytes(std::span(part)), error);
            EXPECT_NE(size, 0U) << error.message() << ", answer " << n << " of " << many;
            if (size == 0) return;
            got.append(part.data(), size);
        }
        ++b.answers;
    }
}

template <class Dial>
void run_h2_storm(h2_books& b, Dial dial) {
    const time_box box;
    progress steps(h2_workers);
    rota::wait_group all;
    for (std::size_t i = 0; i < h2_workers; ++i) {
        all.go([&, i] {
            choices choose(i);
            do {
                if (i % 3 == 0) ask(dial(), b, choose);
                else vanish(dial(), choose);
                ++b.visits;
                steps.step(i);
            } while (box.open());
            steps.finish(i);
        });
    }
    all.go([&] { change_processors(box); });
    all.go([&] {
        for (; box.open(); rota::sleep_for(5ms))
            b.heap_max = std::max(b.heap_max.load(), heap_in_use());
    });
    all.wait();
}

// Limit of the memory that the workers' connections hold, with connections that have not ended yet
// and the clients' own buffers. docs/http.md, "Limits", has some MiB for each.
constexpr std::size_t kept_max = h2_workers * (4UL << 20);

void expect_books(const h2_books& b, std::size_t heap_before) {
    EXPECT_EQ(b.begun.load(), b.ended.load());
    EXPECT_GT(b.answers.load(), 0);
    const std::size_t most = b.heap_max - std::min(heap_before, b.heap_max.load());
    EXPECT_LT(most, kept_max);
    std::printf("%ld visits, %ld requests, %ld answers asked for, %zu KiB of heap at most\n",
                b.visits.load(), b.begun.load(), b.answers.load(), most >> 10);
}

}  // namespace

TEST(http2_storm, of_clients_that_vanish_ends_at_the_base_line) {
    // A client that vanishes could leave a stream, a handler, a writer or a connection behind, or
    // the server could keep memory for each frame of a flood.
    rota::run([] {
        const base_line before;
        const std::size_t heap_before = heap_in_use();
        h2_books b;
        {
            const http_server s(counting(b), {.h2c = true});
            run_h2_storm(b, [&] { return s.dial(); });
        }
        expect_books(b, heap_before);
        before.expect();
    });
}

TEST(http2_storm, over_tls_ends_at_the_base_line) {
    // The same with a layer in between that has an end of its own.
    rota::run([] {
        const certificate& own = local_certificate();
        const base_line before;
        const std::size_t heap_before = heap_in_use();
        h2_books b;
        {
            const tls::config served({.certificate = own.pem, .key = own.key, .alpn = {"h2"}}),
                ours({.roots = own.pem, .alpn = {"h2"}});
            const http::server server(counting(b));
            const net::listener l = net::listen("tcp", "127.0.0.1:0");
            const std::string address = l.addr().to_string();
            rota::wait_group serving;
            serving.go([&] { server.serve_tls(l, served); });
            run_h2_storm(b, [&] {
                tls::conn c = tls::dial("tcp", address, ours);
                EXPECT_EQ(c.alpn(), "h2");
                return c;
            });
            server.close();
            server.shutdown(rota::background());
            serving.wait();
        }
        expect_books(b, heap_before);
        before.expect();
    });
}
