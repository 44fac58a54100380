// An HTTP server: patterns, a body, a context, and a shutdown that loses no request.
//
//     http_hello                 starts a server, sends it a few requests, and shuts it down
//     http_hello ADDRESS         serves there (":8080", "127.0.0.1:0") until it is killed
//
// Last line: shut down: 200 after the wait
//
// The client here is a plain connection: a request is a text, and so is the answer.
#include <array>
#include <cstdio>
#include <rota/rota.hpp>
#include <string>

namespace {

using namespace std::chrono_literals;
namespace http = rota::http;

http::serve_mux routes(rota::chan<rota::unit> waiting) {
    http::serve_mux mux;
    mux.handle("GET /hello/{name}", [](http::response_writer& w, http::request& r) {
        w.write("Hello, " + r.path_value("name") + "!\n");
    });
    mux.handle("POST /length", [](http::response_writer& w, http::request& r) {
        w.write(std::to_string(r.body().size()) + " bytes\n");
    });
    // A handler may take its time: it runs in a goroutine, and its context is cancelled when the
    // client no longer waits.
    mux.handle("GET /slow", [waiting](http::response_writer& w, http::request& r) {
        // Tells demonstrate() that the handler has begun.
        (void)waiting.try_send({});
        if (rota::sleep_for(r.ctx(), 50ms)) return;  // the client has left
        w.write("after the wait\n");
    });
    return mux;
}

// The answer to a request on a new connection.
std::string ask(const std::string& address, std::string_view request) {
    const rota::net::conn c = rota::net::dial("tcp", address);
    c.write(request);
    std::string answer;
    std::array<std::byte, 4096> part;
    while (const std::size_t n = c.read(part))
        answer.append(reinterpret_cast<const char*>(part.data()), n);
    return answer;
}

// Status and body of an answer.
std::string brief(const std::string& answer) {
    const std::size_t body = answer.find("\r\n\r\n");
    std::string text = answer.substr(9, 3) + " " + answer.substr(body + 4);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

void demonstrate() {
    const auto waiting = rota::make_chan<rota::unit>(1);
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    const std::string address = l.addr().to_string();
    http::server server(routes(waiting), {.read_header_timeout = 5s});
    rota::wait_group group;
    group.go([&] { server.serve(l); });

    const std::string end = "Host: example\r\nConnection: close\r\n";
    const auto show = [&](const std::string& line, const std::string& rest) {
        std::printf("%s: %s\n", line.c_str(),
                    brief(ask(address, line + " HTTP/1.1\r\n" + end + rest)).c_str());
    };
    show("GET /hello/G%C3%B6del", "\r\n");
    show("POST /length", "Content-Length: 5\r\n\r\nhello");
    show("POST /length", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
    show("DELETE /hello/x", "\r\n");
    show("GET /nothing", "\r\n");

    std::string last;
    group.go([&] { last = ask(address, "GET /slow HTTP/1.1\r\n" + end + "\r\n"); });
    (void)waiting.recv();  // the handler is running: the shutdown waits for it
    server.shutdown(rota::background());
    group.wait();
    std::printf("shut down: %s\n", brief(last).c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2) {
        std::fprintf(stderr, "usage: http_hello [ADDRESS]\n");
        return 1;
    }
    rota::run([&] {
        if (argc == 1) return demonstrate();
        const rota::net::listener l = rota::net::listen("tcp", argv[1]);
        std::printf("PORT %d\n", l.addr().port());
        std::fflush(stdout);
        http::server(routes({})).serve(l);  // no goroutine waits for /slow to begin
    });
}
