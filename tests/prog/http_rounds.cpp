// A server for clients that make it hold much: tests/prog/http_rounds_test.cpp. It says its port.
#include <netinet/in.h>

#include <rota/http.hpp>

#include "program.hpp"

using namespace rota_test;
namespace http = rota::http;

int main() {
    rota::run([] {
        http::serve_mux mux;
        mux.handle("POST /body", [](auto& w, auto& r) { w.write(r.body()); });
        mux.handle("GET /", [](auto& w, auto&) {
            const std::string text(12 << 10, 'x');
            for (int i = 0; i < 8; ++i) w.write(text);
        });
        // No process that has fallen idle, in which sysmon gives all stacks back.
        rota::go([] {
            for (;;) rota::sleep_for(std::chrono::milliseconds(10));
        });
        const http::server server(mux, {.h2c = true});
        const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        say(std::to_string(l.addr().port()).c_str());
        server.serve(l);
    });
}
