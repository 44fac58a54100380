// server_options::stack_size: what a handler may use of its stack, by each way of serving.
#include <rota/tls.hpp>

#include "../certificates.hpp"
#include "h2_frames.hpp"
#include "http_client.hpp"

using namespace rota_test;

namespace {

constexpr std::string_view deep_request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

// Touches each page of a frame of 1.5 MiB: six times the default stack.
void use_much_stack(http::response_writer& w, http::request&) {
    constexpr std::size_t size = std::size_t{3} << 19;
    auto* const frame = static_cast<volatile char*>(__builtin_alloca(size));
    for (std::size_t at = size; at >= 4096; at -= 4096) frame[at - 1] = 'x';
    w.write(std::string("deep ") + frame[4095]);
}

http::server_options large_stacks() {
    http::server_options o;
    o.h2c = true;
    o.stack_size = std::size_t{2} << 20;
    return o;
}

// Reads until `text` has come. False: the connection has ended, or nothing came in time.
template <class C>
bool brings(const C& c, std::string_view text) {
    std::string all;
    std::array<char, 4096> part;
    std::error_code error;
    while (all.find(text) == all.npos) {
        const std::size_t n = c.read(std::as_writable_bytes(std::span(part)), error);
        if (n == 0) return false;
        all.append(part.data(), n);
    }
    return true;
}

}  // namespace

TEST(http_stack_size, is_that_of_the_goroutine_of_a_connection) {
    // The option is ignored: the handler overflows its stack, and the process ends.
    rota::run([] {
        const http_server s(use_much_stack, large_stacks());
        std::string all = ask(s, deep_request);
        EXPECT_EQ(take_answer(all).body, "deep x");
    });
}

TEST(http_stack_size, is_that_of_the_goroutine_of_a_connection_over_tls) {
    // The same, where another function starts the goroutine.
    rota::run([] {
        const rota::tls::config of_server(
            {.certificate = local_certificate().pem, .key = local_certificate().key});
        const rota::tls::config of_client({.roots = local_certificate().pem});
        const http::server s(use_much_stack, large_stacks());
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        rota::wait_group serving;
        serving.go([&] { s.serve_tls(l, of_server); });
        {
            const rota::tls::conn c = rota::tls::dial("tcp", l.addr().to_string(), of_client);
            c.set_deadline(in(patience));
            c.write(deep_request);
            EXPECT_TRUE(brings(c, "deep x"));
        }
        s.close();
        s.shutdown(rota::background());
        serving.wait();
    });
}

TEST(http_stack_size, is_that_of_the_goroutine_of_each_request_of_http2) {
    // The same: a request has a goroutine of its own there.
    rota::run([] {
        const http_server s(use_much_stack, large_stacks());
        const net::conn c = s.dial();
        c.set_deadline(in(patience));
        c.write(std::string(preface) + frame(h2_settings, 0, 0, "") + get(1));
        EXPECT_TRUE(brings(c, "deep x"));
    });
}
