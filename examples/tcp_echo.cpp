// An echo server: a goroutine for each connection, with blocking reads and writes.
//
//     tcp_echo                 starts a server, talks to it with several clients, and stops it
//     tcp_echo ADDRESS         serves there (":7000", "127.0.0.1:0") until it is killed
//
// Last line: still there: yes
//
// A handler that panics ends only its own connection, not the server: each runs under a catch, the
// equivalent of Go's recover.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <rota/rota.hpp>
#include <string>

namespace {

using namespace std::chrono_literals;

// Writes back the bytes that it reads. A line that begins with "panic" makes the handler panic.
void echo(const rota::net::conn& c) {
    std::array<std::byte, 1024> buffer;
    for (;;) {
        c.set_read_deadline(rota::clock::now() + 60s);  // a silent client counts as gone
        const std::size_t n = c.read(buffer);
        if (n == 0) return;
        const std::string_view text(reinterpret_cast<const char*>(buffer.data()), n);
        if (text.starts_with("panic")) rota::panic("asked for by " + c.remote_addr().to_string());
        c.write(text);
    }
}

void serve_one(const rota::net::conn& c) {
    try {
        echo(c);
    } catch (const std::exception& e) {
        std::printf("connection ended: %s\n", e.what());
    }
    c.close();
}

// Serves until the listener is closed. Without free descriptors it waits a little instead of
// looping.
void serve(const rota::net::listener& l) {
    auto pause = 5ms;
    for (;;) {
        std::error_code error;
        rota::net::conn c = l.accept(error);
        if (error == rota::net::net_errc::closed) return;
        if (error) {
            std::printf("accept: %s; again in %d ms\n", error.message().c_str(),
                        static_cast<int>(pause.count()));
            rota::sleep_for(pause);
            if (pause < 1s) pause *= 2;
            continue;
        }
        pause = 5ms;
        rota::go([c] { serve_one(c); });
    }
}

std::string ask(const rota::net::endpoint& server, std::string_view text) {
    const rota::net::conn c = rota::net::dial("tcp", server.to_string());
    c.write(text);
    c.close_write();
    std::string answer(text.size(), '\0');
    answer.resize(c.read_full(std::as_writable_bytes(std::span(answer))));
    return answer;
}

// A server and some clients in one process.
void demonstrate() {
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group server;
    server.go([l] { serve(l); });
    rota::wait_group clients;
    for (int i = 0; i < 3; ++i) {
        clients.go([at = l.addr(), i] {
            const std::string text = "hello from client " + std::to_string(i);
            std::printf("%s\n", ask(at, text) == text ? "echoed" : "lost");
        });
    }
    clients.wait();
    (void)ask(l.addr(), "panic, please");
    std::printf("still there: %s\n", ask(l.addr(), "yes").c_str());
    l.close();
    server.wait();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        rota::run([&] {
            if (argc < 2) return demonstrate();
            const rota::net::listener l = rota::net::listen("tcp", argv[1]);
            std::printf("PORT %d\n", l.addr().port());
            std::fflush(stdout);
            serve(l);
        });
    } catch (const std::exception& e) {
        std::fprintf(stderr, "tcp_echo: %s\n", e.what());
        return 1;
    }
    return 0;
}
