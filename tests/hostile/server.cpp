// The server that hostile_test.py attacks: HTTP/1.1 and HTTP/2 without TLS, and both over TLS.
//
//     hostile_server [KEY=NUMBER ...]
//
// Keys: header, read, write, idle (read_header_timeout, read_stall_timeout, write_stall_timeout and
// idle_timeout, in ms), connections (max_connections). Other options keep their defaults.
//
// Prints `PORTS plain tls`. Each line on stdin asks for the server's figures, which come as a line
// `FIGURES heap handlers goroutines`: bytes of heap in use, handlers that have been called, and
// goroutines at this moment. Serves until stdin ends.
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <rota/http.hpp>
#include <rota/rota.hpp>
#include <rota/tls.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "../certificates.hpp"
#include "../heap_in_use.hpp"

namespace {

namespace http = rota::http;

// Handlers that have been called. Written by each handler, read by figures().
std::atomic<long> called{0};

// Writes until the answer has so many bytes, or the client has had enough time.
void write_bytes(http::response_writer& w, std::size_t count) {
    constexpr std::size_t block_size = 64 << 10;
    static const std::string block(block_size, 'x');  // of all handlers: they hold no memory
    std::error_code error;
    for (std::size_t done = 0; done < count && !error; done += block_size) w.write(block, error);
}

http::serve_mux routes() {
    constexpr std::size_t large = 1 << 20, endless = std::size_t{1} << 40;
    http::serve_mux mux;
    mux.handle("/", [](auto& w, auto&) { w.write("hello"); });
    mux.handle("/large", [](auto& w, auto&) { write_bytes(w, large); });
    mux.handle("/endless", [](auto& w, auto&) { write_bytes(w, endless); });
    mux.handle("/length", [](auto& w, auto& r) { w.write(std::to_string(r.body().size())); });
    // Holds a request, and all that it has sent, until its client has gone.
    mux.handle("/wait", [](auto&, auto& r) { (void)r.ctx().done().recv(); });
    return mux;
}

// The number behind `key=`; `otherwise` where no argument has that key.
long argument(int argc, char** argv, std::string_view key, long otherwise) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (!word.starts_with(key) || word.substr(key.size(), 1) != "=") continue;
        long n = otherwise;
        std::from_chars(word.data() + key.size() + 1, word.data() + word.size(), n);
        return n;
    }
    return otherwise;
}

http::server_options options_of(int argc, char** argv) {
    http::server_options o;
    const auto limit = [&](std::string_view key, rota::clock::duration& to) {
        const long ms = argument(argc, argv, key, -1);
        if (ms >= 0) to = std::chrono::milliseconds(ms);
    };
    limit("header", o.read_header_timeout);
    limit("read", o.read_stall_timeout);
    limit("write", o.write_stall_timeout);
    limit("idle", o.idle_timeout);
    o.max_connections = static_cast<std::size_t>(argument(argc, argv, "connections", 0));
    o.h2c = true;
    return o;
}

// Blocks the caller's thread until stdin ends.
void answer_questions() {
    char line[64];
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        std::printf("FIGURES %zu %ld %d\n", rota_test::heap_in_use(), called.load(),
                    rota::runtime::num_goroutine());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return rota::run([&] {
        const http::server s(
            [mux = routes()](http::response_writer& w, http::request& r) {
                ++called;
                mux(w, r);
            },
            options_of(argc, argv));
        const auto plain = rota::net::listen("tcp", "127.0.0.1:0");
        const auto secure = rota::net::listen("tcp", "127.0.0.1:0");
        const rota_test::certificate& own = rota_test::local_certificate();
        const rota::tls::config c(
            {.certificate = own.pem, .key = own.key, .alpn = {"h2", "http/1.1"}});
        rota::wait_group serving;
        serving.go([&] { s.serve(plain); });
        serving.go([&] { s.serve_tls(secure, c); });
        std::printf("PORTS %d %d\n", plain.addr().port(), secure.addr().port());
        std::fflush(stdout);
        rota::blocking(answer_questions);
        s.close();
        serving.wait();
        return 0;
    });
}
