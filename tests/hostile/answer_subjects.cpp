// Measures a client's work for long answers that a server can make it read.
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <rota/http.hpp>
#include <rota/rota.hpp>

#include "subjects.hpp"

namespace rota_hostile {

namespace {

namespace http = rota::http;

constexpr std::string_view ok = "HTTP/1.1 200 OK\r\n";
constexpr std::string_view chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view end = "Content-Length: 2\r\nConnection: close\r\n\r\nok";

// Answers any request with `text`, and closes the connection.
void answer_one(const rota::net::listener& l, const std::string& text) {
    const rota::net::conn c = l.accept();
    std::array<char, 4096> part;
    std::string asked;
    while (asked.find("\r\n\r\n") == asked.npos) {
        const std::size_t n = c.read(std::as_writable_bytes(std::span(part)));
        if (n == 0) return;
        asked.append(part.data(), n);
    }
    std::error_code closed;  // an error: the client may have closed already
    c.write(text, closed);
    c.close(closed);
}

// The client reads the answer, and follows no redirect.
void take(const std::string& text) {
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group answering;
    answering.go([&] { answer_one(l, text); });
    const http::client client(
        {.max_redirects = 0, .max_header_bytes = 16 << 20, .proxy_from_environment = false});
    const http::response answer = client.get("http://" + l.addr().to_string());
    answering.wait();
    require(answer.status == 200 || answer.status == 302, "an answer");
}

// The first answer redirects the client to the second answer, at the same server.
void follow(const std::string& text) {
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group answering;
    answering.go([&] {
        answer_one(l, text);
        answer_one(l, std::string(ok).append(end));
    });
    const http::client client({.max_header_bytes = 16 << 20, .proxy_from_environment = false});
    const http::response answer = client.get("http://" + l.addr().to_string());
    answering.wait();
    require(answer.status == 200, "an answer");
}

auto text(std::string_view begin, std::string_view piece, std::string_view behind) {
    return [=](std::size_t bytes) {
        return std::string(begin) + repeated(piece, bytes) + std::string(behind);
    };
}

// Bytes of the smallest and of the largest input.
constexpr std::size_t least = 32 << 10, most = 2 << 20;

}  // namespace

void add_answers(subjects& all) {
    const auto add = [&](const char* name, auto input, auto work, std::size_t at_most = most) {
        all.push_back({name, least, at_most, input, work});
    };
    add("client: short fields", text(ok, "a: b\r\n", end), take);
    add("client: Set-Cookie", text(ok, "Set-Cookie: a#=b; Path=/\r\n", end), take);
    add("client: Connection",
        text("HTTP/1.1 200 OK\r\nConnection: a", ",b#", "\r\nContent-Length: 2\r\n\r\nok"), take);
    add("client: tiny chunks", text(chunks, "1\r\nx\r\n", "0\r\n\r\n"), take);
    add("client: trailers",
        text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "A#: b\r\n", "\r\n"),
        take, 8 << 10);
    add("client: a body to the end", text("HTTP/1.1 200 OK\r\n\r\n", "x", ""), take, 8 << 20);
    add("client: Location of ../",
        text("HTTP/1.1 302 Found\r\nLocation: /", "a/../",
             "\r\n"
             "Content-Length: 0\r\nConnection: close\r\n\r\n"),
        follow);
}

}  // namespace rota_hostile
