// Helpers for tests of HTTP: a server that runs until the end of a scope, and a client that sends
// given bytes.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <rota/http.hpp>

#include "sockets.hpp"

namespace rota_test {

namespace http = rota::http;

// Serves on a port of its own. At its end no handler runs any more.
class http_server {
  public:
    explicit http_server(http::handler h, http::server_options options = {})
        : server(std::move(h), options),
          listener(net::listen("tcp", "127.0.0.1:0")),
          address(listener.addr().to_string()) {
        serving_.go([this] { server.serve(listener); });
    }
    ~http_server() {
        server.close();
        server.shutdown(rota::background());
        serving_.wait();
    }
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;

    net::conn dial() const { return net::dial("tcp", address); }

    const http::server server;
    const net::listener listener;
    const std::string address;

  private:
    rota::wait_group serving_;
};

// The bytes up to the end, or until the connection is reset. Detects a server that neither answers
// nor closes.
inline std::string read_to_end(const net::conn& c) {
    c.set_read_deadline(in(patience));
    std::string all;
    std::array<char, 4096> part;
    std::error_code error;
    while (const std::size_t n = c.read(std::as_writable_bytes(std::span(part)), error))
        all.append(part.data(), n);
    if (error == std::errc::timed_out) all += "<the server does not close>";
    return all;
}

// Sends a text on a connection of its own, and returns the bytes up to the server's close.
inline std::string ask(const http_server& s, std::string_view text, bool half_close = false) {
    const net::conn c = s.dial();
    std::error_code gone;  // an error: the server may have closed already
    c.write(text, gone);
    if (half_close) c.close_write(gone);
    return read_to_end(c);
}

struct answer {
    int status = 0;
    std::string head, body;

    std::string field(std::string_view name) const {
        const std::string begin = "\r\n" + std::string(name) + ": ";
        const std::size_t at = head.find(begin);
        if (at == head.npos) return "";
        const std::size_t value = at + begin.size();
        return head.substr(value, head.find("\r\n", value) - value);
    }
};

// Takes an answer from the front of the text; its status is 0 if there is no whole answer.
inline answer take_answer(std::string& text, bool has_body = true) {
    answer a;
    const std::size_t end = text.find("\r\n\r\n");
    if (end == text.npos || text.size() < 12) return a;
    a.head = text.substr(0, end + 2);
    std::string rest = text.substr(end + 4);
    std::from_chars(text.data() + 9, text.data() + 12, a.status);
    const auto number = [](std::string_view digits, int base) {
        std::size_t n = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), n, base);
        return n;
    };
    std::size_t used = 0;
    if (!has_body || a.status < 200 || a.status == 204 || a.status == 304) {
    } else if (a.field("Transfer-Encoding") == "chunked") {
        for (;;) {
            const std::size_t line = rest.find("\r\n", used);
            const std::size_t size = number(std::string_view(rest).substr(used), 16);
            if (line == rest.npos || rest.size() < line + 2 + size + 2) return {};
            a.body += rest.substr(line + 2, size);
            used = line + 2 + size + 2;
            if (size == 0) break;
        }
    } else if (const std::string length = a.field("Content-Length"); !length.empty()) {
        used = number(length, 10);
        if (used > rest.size()) return {};
        a.body = rest.substr(0, used);
    } else {
        a.body = rest;
        used = rest.size();
    }
    text = rest.substr(used);
    return a;
}

// The final statuses of the answers in a text, "200 200", followed by the rest of the text.
inline std::string statuses(std::string text) {
    std::string all;
    for (answer a = take_answer(text); a.status != 0; a = take_answer(text))
        if (a.status >= 200) all += (all.empty() ? "" : " ") + std::to_string(a.status);
    if (!text.empty()) all += " <" + text + ">";
    return all;
}

inline answer only_answer(std::string text) {
    answer a = take_answer(text);
    EXPECT_EQ(text, "") << "behind an answer of status " << a.status;
    return a;
}

}  // namespace rota_test
