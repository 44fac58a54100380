// Measures an HTTP/1.1 server's work for long requests. Client and server are in this process, so
// the client's own work, which is linear, counts too.
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include <rota/http.hpp>
#include <rota/os.hpp>
#include <rota/rota.hpp>

#include "served.hpp"
#include "subjects.hpp"

namespace rota_hostile {

namespace {

namespace http = rota::http;

// A directory with a file f, until the process ends.
struct directory {
    std::string path;
    directory() {
        char name[] = "/tmp/rota-hostile-XXXXXX";
        require(::mkdtemp(name) != nullptr, "a directory");
        path = name;
        rota::os::write_file(path + "/f", "0123456789");
    }
    ~directory() {
        ::unlink((path + "/f").c_str());
        ::rmdir(path.c_str());
    }
    directory(const directory&) = delete;
    directory& operator=(const directory&) = delete;
};

http::serve_mux routes(const std::string& files) {
    http::serve_mux mux;
    mux.handle("/{rest...}", [](auto& w, auto&) { w.write("hello"); });
    mux.handle("/clean/x", [](auto& w, auto&) { w.write("hello"); });
    mux.handle("/length", [](auto& w, auto& r) { w.write(std::to_string(r.body().size())); });
    mux.handle("/look", [](auto& w, auto& r) {
        if (!r.query("absent").empty() || !r.header("absent").empty()) return;
        w.write("hello");
    });
    mux.handle("/files/", http::strip_prefix("/files/", http::file_server(files)));
    return mux;
}

}  // namespace

struct site::parts {
    const directory files;
    const http::server server{routes(files.path), {.max_header_bytes = 16 << 20, .h2c = true}};
    const rota::net::listener listener = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group serving;
};

site::site() : all_(std::make_unique<parts>()) {
    site_address = all_->listener.addr().to_string();
    all_->serving.go([this] { all_->server.serve(all_->listener); });
}

site::~site() {
    all_->server.close();
    all_->serving.wait();
}

std::string answer_to(std::string_view bytes, std::size_t piece) {
    const rota::net::conn c = rota::net::dial("tcp", site_address);
    rota::wait_group writing;
    writing.go([&] {
        std::error_code closed;  // an error: the server may have closed already
        for (std::string_view left = bytes; !left.empty() && !closed;) {
            const std::string_view now = left.substr(0, piece);
            c.write(now, closed);
            left.remove_prefix(now.size());
        }
        c.close_write(closed);
    });
    std::string all;
    std::array<char, 16384> part;
    std::error_code error;
    while (const std::size_t n = c.read(std::as_writable_bytes(std::span(part)), error))
        all.append(part.data(), n);
    writing.wait();
    return all;
}

namespace {

constexpr std::string_view host = " HTTP/1.1\r\nHost: a\r\n";

// The text around the repeated piece, and the beginning of the answer.
struct request_form {
    const char* name;
    std::string_view begin, piece, end;
    std::string_view status = "HTTP/1.1 200 ";
    std::size_t most = 4 << 20;
    std::size_t sent_at_once = static_cast<std::size_t>(-1);
};

constexpr std::string_view close_it = " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
constexpr std::string_view post = "POST /length HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                                  "Transfer-Encoding: chunked\r\n";
constexpr std::string_view file = "GET /files/f HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";

constexpr request_form forms[] = {
    {"head: short fields", get, "a: b\r\n", "\r\n"},
    {"head: fields of many names", get, "Name-#: value\r\n", "\r\n"},
    {"head: looked for in vain", "GET /look HTTP/1.1\r\nHost: a\r\nConnection: close\r\n",
     "absenT#: b\r\n", "\r\n"},
    {"head: a long field", get, "x", "\r\n\r\n"},
    {"head: Connection", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close", ",a#", "\r\n\r\n"},
    {"head: Connection, many", get, "Connection: a, b\r\n", "\r\n"},
    {"head: Cookie", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: a=b", "; a#=b",
     "\r\n\r\n"},
    {"head: Accept", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept: */*",
     ", a/b#;q=0.1", "\r\n\r\n"},
    {"head: TE", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTE: a", ", b;q=0.5",
     "\r\n\r\n"},
    {"head: Transfer-Encoding",
     "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: a", ", b#", "\r\n\r\n",
     "HTTP/1.1 501 "},
    {"head: Host, long", "GET / HTTP/1.1\r\nConnection: close\r\nHost: a", "a.", "\r\n\r\n"},
    {"head: Host, many", "GET / HTTP/1.1\r\n", "Host: a\r\n", "\r\n", "HTTP/1.1 400 "},
    {"head: in pieces of 16 bytes", get, "Name: value\r\n", "\r\n", "HTTP/1.1 200 ", 512 << 10, 16},
    {"path: long", "GET /", "a", close_it},
    {"path: segments", "GET /", "a/", close_it},
    {"path: escapes", "GET /", "%41", close_it},
    {"path: escaped dots", "GET /clean/", "%2e%2e/",
     "clean/x HTTP/1.1\r\nHost: a\r\n"
     "Connection: close\r\n\r\n",
     "HTTP/1.1 307 "},
    {"path: //", "GET /clean/", "//", "x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
     "HTTP/1.1 307 "},
    {"path: /../", "GET /clean", "/a/..", "/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
     "HTTP/1.1 307 "},
    {"query: pairs", "GET /look?a", "&a#=b", close_it},
    {"query: escapes", "GET /look?a=", "%41+", close_it},
    {"files: If-None-Match", file, "If-None-Match: \"a#\"\r\n", "\r\n"},
    {"files: If-None-Match, one list",
     "GET /files/f HTTP/1.1\r\nHost: a\r\nConnection: close\r\nIf-None-Match: \"a\"", ", \"a#\"",
     "\r\n\r\n"},
    {"files: If-Match, commas",
     "GET /files/f HTTP/1.1\r\nHost: a\r\nConnection: close\r\nIf-Match: ", ", ", "*\r\n\r\n"},
    {"files: Range", "GET /files/f HTTP/1.1\r\nHost: a\r\nConnection: close\r\nRange: bytes=0-0",
     ",#-", "\r\n\r\n"},
    {"files: If-Modified-Since", file, "If-Modified-Since: Mon, 01 Jan 2001 00:00:00 GMT\r\n",
     "\r\n"},
    {"files: path of segments", "GET /files/", "a/../", "f HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 307 "},
    {"body: tiny chunks", post, "1\r\nx\r\n", "0\r\n\r\n"},
    {"body: chunk extensions", post, "1;a=b\r\nx\r\n", "0\r\n\r\n"},
    {"body: large chunks", post, "10\r\n0123456789abcdef\r\n", "0\r\n\r\n"},
    {"body: trailers", post, "Trailer-#: value\r\n", "\r\n"},
};

std::string text_of(const request_form& f, std::size_t bytes) {
    std::string all(f.begin);
    if (f.name == std::string_view("head: a long field")) all += "Long: ";
    if (f.begin == post) all += "\r\n";
    if (f.name == std::string_view("body: trailers")) all += "0\r\n";
    return all.append(repeated(f.piece, bytes)).append(f.end);
}

// Sends requests one behind the other on a connection, and reads as many answers.
void add_pipelines(subjects& all) {
    const auto add = [&](const char* name, std::string_view piece, std::size_t most) {
        const auto input = [piece](std::size_t bytes) {
            return repeated(piece, bytes).append(get).append("\r\n");
        };
        all.push_back({name, 256 << 10, most, input, [](const std::string& text) {
                           const std::string answers = answer_to(text, text.size());
                           require(answers.ends_with("hello"), answers.substr(0, 200));
                       }});
    };
    add("pipeline: GET", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 2 << 20);
    add("pipeline: bodies", "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n123",
        2 << 20);
    // The server redirects this path with each backslash escaped. It is at most 8 KiB long, since
    // the server refuses longer paths.
    all.push_back({"path: backslashes", 800, 6400,
                   [](std::size_t bytes) {
                       const std::string one =
                           "GET //" + std::string(bytes, '\\') + "/" + std::string(host) + "\r\n";
                       std::string many;
                       for (int i = 0; i < 16; ++i) many += one;
                       return many.append(get).append("\r\n");
                   },
                   [](const std::string& text) {
                       const std::string answers = answer_to(text, text.size());
                       require(answers.ends_with("hello"), answers.substr(0, 200));
                   }});
}

}  // namespace

void add_requests(subjects& all) {
    for (const request_form& f : forms) {
        all.push_back({f.name, 32 << 10, f.most,
                       [&f](std::size_t bytes) { return text_of(f, bytes); },
                       [&f](const std::string& text) {
                           const std::string answer = answer_to(text, f.sent_at_once);
                           require(answer.starts_with(f.status), answer.substr(0, 200));
                       }});
    }
    add_pipelines(all);
}

}  // namespace rota_hostile
