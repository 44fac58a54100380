// A server of files: types, ranges, and clients that have the file already.
//
//     fileserver                  serves a directory of its own making, asks, and ends
//     fileserver DIR ADDRESS      serves DIR there (":8080") until it is killed
//
// Go: http.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(dir)))). What
// lies outside of the directory is not reached, neither by dots nor by a symbolic link; what begins
// with a dot is not shown.
//
// Last line: asked again by its tag: 304 and 0 bytes
#include <array>
#include <cstdio>
#include <cstdlib>
#include <rota/rota.hpp>
#include <string>

#include <unistd.h>

namespace {

namespace http = rota::http;
namespace net = rota::net;

http::serve_mux routes(const std::string& directory) {
    http::serve_mux mux;
    mux.handle("/files/", http::strip_prefix("/files/", http::file_server(directory)));
    mux.handle("GET /{$}", [](http::response_writer& w, http::request&) {
        w.header().set("Content-Type", "text/html; charset=utf-8");
        w.write("<a href=\"files/\">files</a>\n");
    });
    return mux;
}

struct answer {
    std::string head, body;
    std::string status() const { return head.substr(9, 3); }
    std::string field(const std::string& name) const {
        const std::size_t at = head.find("\r\n" + name + ": ");
        if (at == head.npos) return "";
        const std::size_t value = at + name.size() + 4;
        return head.substr(value, head.find("\r\n", value) - value);
    }
};

answer ask(const std::string& address, const std::string& path, const std::string& fields = "") {
    const net::conn c = net::dial("tcp", address);
    c.write("GET " + path + " HTTP/1.1\r\nHost: example\r\nConnection: close\r\n" + fields +
            "\r\n");
    std::string all;
    std::array<std::byte, 4096> part;
    while (const std::size_t n = c.read(part))
        all.append(reinterpret_cast<const char*>(part.data()), n);
    const std::size_t end = all.find("\r\n\r\n");
    return {all.substr(0, end + 2), all.substr(end + 4)};
}

void talk(const std::string& address) {
    const auto show = [](const char* what, const answer& a) {
        std::printf("%s: %s and %zu bytes %s\n", what, a.status().c_str(), a.body.size(),
                    a.field("Content-Type").c_str());
    };
    const answer whole = ask(address, "/files/poem.txt");
    show("the file", whole);
    const answer part = ask(address, "/files/poem.txt", "Range: bytes=0-3\r\n");
    std::printf("its beginning: %s, %s: %s\n", part.status().c_str(),
                part.field("Content-Range").c_str(), part.body.c_str());
    show("the directory", ask(address, "/files/"));
    show("what lies beside it", ask(address, "/files/%2e%2e/secret"));
    const answer again =
        ask(address, "/files/poem.txt", "If-None-Match: " + whole.field("ETag") + "\r\n");
    std::printf("asked again by its tag: %s and %zu bytes\n", again.status().c_str(),
                again.body.size());
}

void demonstrate() {
    char directory[] = "/tmp/rota-fileserver-XXXXXX";
    if (::mkdtemp(directory) == nullptr) return;
    const std::string file = std::string(directory) + "/poem.txt";
    const rota::defer gone([&] {
        ::unlink(file.c_str());
        ::rmdir(directory);
    });
    rota::os::write_file(file, "Roses are red.\n");

    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    const http::server server(routes(directory));
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    talk(l.addr().to_string());
    server.shutdown(rota::background());
    serving.wait();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 1 && argc != 3) {
        std::fprintf(stderr, "usage: fileserver [DIR ADDRESS]\n");
        return 1;
    }
    try {
        rota::run([&] {
            if (argc == 1) return demonstrate();
            const net::listener l = net::listen("tcp", argv[2]);
            std::printf("PORT %d\n", l.addr().port());
            std::fflush(stdout);
            http::server(routes(argv[1])).serve(l);
        });
    } catch (const std::exception& e) {
        std::fprintf(stderr, "fileserver: %s\n", e.what());
        return 1;
    }
    return 0;
}
