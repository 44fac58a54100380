// A server for clients that are not ours: over TLS and without, HTTP/1.1 and HTTP/2. Prints
// `PORTS plain tls` and serves until its input ends.
//
//     http2 CERTIFICATE_FILE KEY_FILE
#include <unistd.h>

#include <cstdio>
#include <rota/http.hpp>
#include <rota/rota.hpp>
#include <rota/tls.hpp>
#include <string>

#include "program.hpp"

namespace {

namespace http = rota::http;

http::serve_mux routes() {
    http::serve_mux mux;
    mux.handle("/", [](auto& w, auto& r) {
        w.write(std::string(r.method()) + " " + std::string(r.host()));
    });
    mux.handle("/large", [](auto& w, auto&) {
        const std::string part(10'000, 'x');
        for (int i = 0; i < 100; ++i) w.write(part);
    });
    mux.handle("POST /length", [](auto& w, auto& r) { w.write(std::to_string(r.body().size())); });
    mux.handle("/throw", [](auto&, auto&) { throw std::runtime_error("boom"); });
    return mux;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 64;
    rota::run([&] {
        const http::server s(routes(), {.h2c = true});
        const auto plain = rota::net::listen("tcp", "127.0.0.1:0");
        const auto secure = rota::net::listen("tcp", "127.0.0.1:0");
        const rota::tls::config c(
            {.certificate_file = argv[1], .key_file = argv[2], .alpn = {"h2", "http/1.1"}});
        std::printf("PORTS %d %d\n", plain.addr().port(), secure.addr().port());
        std::fflush(stdout);
        rota::wait_group serving;
        serving.go([&] { s.serve(plain); });
        serving.go([&] { s.serve_tls(secure, c); });
        char byte;
        rota::blocking([&] {
            while (::read(0, &byte, 1) > 0) {
            }
        });
        s.shutdown(rota::background());
        serving.wait();
    });
}
