// A server for tests of clients: it gives each connection to a script, which answers in any way.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include <rota/http.hpp>

#include "sockets.hpp"

namespace rota_test {

// A text that a test and the server's scripts share: bytes through a socket order no memory.
class shared_text {
  public:
    shared_text(std::string text = {}) : text_(std::move(text)) {}
    shared_text& operator=(std::string text) {
        const std::lock_guard guard(mu_);
        text_ = std::move(text);
        return *this;
    }
    std::string get() const {
        const std::lock_guard guard(mu_);
        return text_;
    }

  private:
    mutable rota::mutex mu_;
    std::string text_;
};

// A request with the body of its Content-Length; if the client leaves, the part that has come.
// `behind` keeps the bytes read beyond it.
inline std::string read_request(const net::conn& c, std::string& behind) {
    std::error_code error;
    c.set_read_deadline(in(patience), error);
    std::string all = std::exchange(behind, {});
    std::size_t size = std::string::npos;
    for (;;) {
        const std::size_t end = all.find("\r\n\r\n");
        if (end != all.npos && size == all.npos) {
            const std::size_t at = all.find("\r\nContent-Length: ");
            const std::size_t length = at < end ? std::stoul(all.substr(at + 18)) : 0;
            size = end + 4 + length;
        }
        if (size != all.npos && all.size() >= size) break;
        std::array<char, 4096> part;
        const std::size_t n = c.read(std::as_writable_bytes(std::span(part)), error);
        if (n == 0) return all;
        all.append(part.data(), n);
    }
    behind = all.substr(size);
    all.resize(size);
    return all;
}
inline std::string read_request(const net::conn& c) {
    std::string behind;
    return read_request(c, behind);
}

inline std::string ok_with(std::string_view body, std::string_view fields = {}) {
    return "HTTP/1.1 200 OK\r\n" + std::string(fields) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

// Runs until the end of its scope. It calls the script with each connection and its number, in a
// goroutine of its own, and closes the connection afterwards.
class scripted_server {
  public:
    using script = std::function<void(const net::conn&, int)>;

    explicit scripted_server(script s)
        : listener(net::listen("tcp", "127.0.0.1:0")), address(listener.addr().to_string()) {
        running_.go([this, s = std::move(s)] {
            for (;;) {
                std::error_code error;
                const net::conn c = listener.accept(error);
                if (error) return;
                running_.go([c, s, number = connections++] {
                    std::error_code gone;
                    s(c, number);
                    c.close(gone);
                });
            }
        });
    }
    ~scripted_server() {
        listener.close();
        running_.wait();
    }
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    std::string url(std::string_view target = "/") const {
        return "http://" + address + std::string(target);
    }

    const net::listener listener;
    const std::string address;
    std::atomic<int> connections{0};

  private:
    rota::wait_group running_;
};

// Answers each request of a connection with the result of `f`.
template <class F>
auto answering(F f) {
    return [f](const net::conn& c, int) {
        std::string behind;
        for (;;) {
            const std::string request = read_request(c, behind);
            if (request.find("\r\n\r\n") == request.npos) return;
            std::error_code gone;
            c.write(f(request), gone);
        }
    };
}

}  // namespace rota_test
