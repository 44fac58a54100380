// The server of http_hello: 13 bytes of text for each request. What is measured is its own time for
// a request (wrk asks); good is less than anybody else's.
#include <cstdio>
#include <rota/http.hpp>

#include "workloads.hpp"

namespace rota_bench {

void http_hello_server() {
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    std::printf("PORT %d\n", l.addr().port());
    std::fflush(stdout);
    const rota::http::server s([](rota::http::response_writer& w, rota::http::request&) {
        w.header().set("Content-Type", "text/plain");
        w.write("Hello, World!");
    });
    s.serve(l);
}

}  // namespace rota_bench
