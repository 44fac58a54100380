// Measures how much memory a single HTTP/2 connection can make a server hold: docs/http.md,
// "Limits". The client uses bare system calls, and sends as much as it may.
//
//     unread     as many requests as streams: their heads and bodies, which no handler reads;
//     read       bodies as large as a stream's window, read by handlers that stay
//     leaving    a long body; its handler always leaves a part of it unread;
//     untaken    answers that the client does not take;
//     redirects  the same, of a serve_mux, with long paths that get longer in an answer
//     requests   as many requests as streams, as short as possible: goroutines
//
// Prints the heap that a case takes and its limit, in bytes; for `requests` the memory, since
// stacks are no heap.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <rota/http.hpp>
#include <rota/rota.hpp>
#include <string>
#include <string_view>

#include "../heap_in_use.hpp"
#include "../resident.hpp"
#include "build_kind.hpp"

namespace {

namespace http = rota::http;
using namespace std::string_view_literals;

constexpr unsigned streams = 250;  // the server's limit for a client
constexpr std::size_t heads = 1 << 20, bodies = 1 << 20, window = 256 << 10, unsent = 64 << 10;
constexpr std::size_t header_max = 64 << 10;  // twice this is less than `heads`
constexpr std::size_t unsent_least = 4 << 10, of_a_connection = 8 << 20;
constexpr std::size_t frame_max = 16 << 10;

[[noreturn]] void give_up(const char* why) {
    std::printf("%s\n", why);
    std::fflush(stdout);
    std::raise(SIGQUIT);  // shows what the server does
    std::exit(3);
}

template <class Condition>
void wait_until(Condition is_met, const char* what) {
    for (int i = 0; !is_met(); ++i) {
        if (i == 20000) give_up(what);
        ::usleep(1000);  // between two looks
    }
}

enum frame_type : unsigned { data, headers, reset = 3, settings, ping = 6, goaway, window_update };
constexpr unsigned end_headers = 4, ack = 1;

std::string number(std::size_t n, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(n >> shift);
    return text;
}

std::string frame(unsigned type, unsigned flags, unsigned id, std::string_view payload) {
    return (number(payload.size(), 3) + number(type, 1) + number(flags, 1) + number(id, 4))
        .append(payload);
}

// POST http://a/ with that many fields "a: b": a field counts as 34 bytes and costs the client 5.
std::string head(unsigned id, std::size_t fields) {
    std::string text("\x83\x86\x84\x41\x01\x61"sv);
    for (std::size_t i = 0; i < fields; ++i) text += "\x00\x01\x61\x01\x62"sv;
    return frame(headers, end_headers, id, text);
}

class client {
  public:
    client(const rota::net::listener& l, std::size_t own_window) {
        const rota::net::endpoint at = l.addr();
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const timeval patience{20, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (::connect(fd_, static_cast<const sockaddr*>(at.data()), at.size()) != 0)
            give_up("no connection");
        send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
             frame(settings, 0, 0, number(4, 2) + number(own_window, 4)));
        settle();
    }
    ~client() { ::close(fd_); }
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) give_up("the server has closed the connection");
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    // Waits until the server has handled every byte sent so far.
    void settle() {
        send(frame(ping, 0, 0, "12345678"));
        while (next() != ping) {
        }
    }
    // Sends `size` bytes of a body, as far as the server's windows allow.
    void send_body(unsigned id, std::size_t size) {
        const std::string zeros(frame_max, '0');
        while (size > 0) {
            const auto most = static_cast<std::size_t>(
                std::max<std::int64_t>(0, std::min(window_, of_streams_ + extra_[id])));
            if (most == 0) {
                (void)next();
                continue;
            }
            const std::size_t n = std::min({size, most, frame_max});
            send(frame(data, 0, id, std::string_view(zeros).substr(0, n)));
            size -= n;
            window_ -= static_cast<std::int64_t>(n);
            extra_[id] -= static_cast<std::int64_t>(n);
        }
    }

  private:
    void receive(char* to, std::size_t size) const {
        while (size > 0) {
            const ssize_t n = ::recv(fd_, to, size, 0);
            if (n <= 0) give_up("the server says nothing more");
            to += n;
            size -= static_cast<std::size_t>(n);
        }
    }
    static std::size_t number_in(std::string_view text) {
        std::size_t n = 0;
        for (const char c : text) n = n << 8 | static_cast<unsigned char>(c);
        return n;
    }
    // The type of the next frame. The client obeys frames about windows.
    unsigned next() {
        std::array<char, 9> h;
        receive(h.data(), h.size());
        const std::string_view text(h.data(), h.size());
        const std::size_t type = number_in(text.substr(3, 1)), flags = number_in(text.substr(4, 1));
        const auto id = static_cast<unsigned>(number_in(text.substr(5)));
        std::string payload(number_in(text.substr(0, 3)), '\0');
        receive(payload.data(), payload.size());
        const std::string_view p = payload;
        if (type == goaway || type == reset) give_up("the server has had enough");
        if (type == settings && (flags & ack) == 0) {
            for (std::size_t i = 0; i + 6 <= p.size(); i += 6)
                if (number_in(p.substr(i, 2)) == 4)
                    of_streams_ = static_cast<std::int64_t>(number_in(p.substr(i + 2, 4)));
            send(frame(settings, ack, 0, ""));
        }
        if (type == window_update)
            (id == 0 ? window_ : extra_[id]) += static_cast<std::int64_t>(number_in(p));
        return static_cast<unsigned>(type);
    }

    int fd_;
    std::int64_t window_ = 65535, of_streams_ = 65535;
    std::map<unsigned, std::int64_t> extra_;  // bytes of each stream, beyond of_streams_
};

// Counters that handlers write, and channels that tell them to continue.
struct {
    std::atomic<unsigned> begun{0}, ready{0};
    std::atomic<std::size_t> most_written{0};
    rota::chan<rota::unit> over = rota::make_chan<rota::unit>();
    rota::chan<rota::unit> turns = rota::make_chan<rota::unit>();
} seen;

std::size_t before = 0;

// Fails if the heap has grown by more than `most` bytes.
int judge(std::size_t most) {
    const std::size_t taken = rota_test::heap_in_use() - before;
    std::printf("%zu bytes of heap, at most %zu\n", taken, most);
    return taken <= most ? 0 : 1;
}

// Runs a server and a client until `f` returns.
template <class F>
int with_client(http::handler h, std::size_t own_window, F f,
                std::size_t largest_head = header_max) {
    const http::server server(std::move(h), {.max_header_bytes = largest_head, .h2c = true});
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    int status = 0;
    {
        client c(l, own_window);
        before = rota_test::heap_in_use();
        status = f(c);
    }
    seen.over.close();
    server.close();
    server.shutdown(rota::background());
    serving.wait();
    return status;
}

void wait_to_go(http::response_writer& w, http::request&) {
    ++seen.begun;
    (void)seen.over.recv();
    w.write_header(204);
}

// Each request has an exchange, and a goroutine, whose stack is no heap.
constexpr std::size_t request_most = 12 << 10;

int unread() {
    return with_client(wait_to_go, window, [](client& c) {
        // in bytes, as the server counts them
        constexpr std::size_t field = 130, first_fields = 600;
        for (unsigned i = 0; i < streams; ++i)
            c.send(head(2 * i + 1, (heads / streams - first_fields) / field));
        for (unsigned i = 0; i < streams; ++i) c.send_body(2 * i + 1, bodies / streams);
        c.settle();
        wait_until([] { return seen.begun == streams; }, "not every request has a handler");
        return judge(3 * heads + 2 * bodies + streams * request_most);
    });
}

int read() {
    const auto reads = [](http::response_writer& w, http::request& r) {
        std::array<std::byte, 4096> part;
        for (std::size_t size = 0; size < window;) size += r.read(part);
        ++seen.ready;
        wait_to_go(w, r);
    };
    return with_client(reads, window, [](client& c) {
        for (unsigned i = 0; i < streams; ++i) {
            c.send(head(2 * i + 1, 0));
            c.send_body(2 * i + 1, window);
        }
        wait_until([] { return seen.begun == streams; }, "not every handler has read");
        return judge(2 * bodies + streams * (request_most + 2 * frame_max));
    });
}

// In turns, so that a part of the received bytes is always left.
int leaving() {
    constexpr std::size_t round = window / 2, more = 1024;
    constexpr unsigned rounds = 128;
    const auto reads_in_turns = [](http::response_writer& w, http::request& r) {
        std::array<std::byte, 4096> part;
        for (unsigned i = 0; i < rounds; ++i) {
            (void)seen.turns.recv();
            for (std::size_t left = round; left > 0;)
                left -= r.read(std::span(part).first(std::min(part.size(), left)));
            ++seen.ready;
        }
        wait_to_go(w, r);
    };
    return with_client(reads_in_turns, window, [](client& c) {
        c.send(head(1, 0));
        c.send_body(1, more);
        for (unsigned i = 1; i <= rounds; ++i) {
            c.send_body(1, round);
            c.settle();
            seen.turns.send({});
            wait_until([=] { return seen.ready == i; }, "the handler has not read");
        }
        return judge(4 * window + request_most);
    });
}

int untaken() {
    const auto writes = [](http::response_writer& w, http::request&) {
        std::error_code error;
        const std::string piece(4096, 'x');
        for (std::size_t written = 0; !error; written += piece.size()) {
            if (written == unsent_least) ++seen.ready;
            for (std::size_t most = seen.most_written; most < written;)
                if (seen.most_written.compare_exchange_weak(most, written)) break;
            w.write(piece, error);
        }
    };
    return with_client(writes, 0, [](client& c) {
        for (unsigned i = 0; i < streams; ++i) c.send(head(2 * i + 1, 0));
        wait_until([] { return seen.ready == streams; }, "not every handler has written");
        for (int i = 0; i < 20; ++i) {  // time for the handlers that can write more
            c.settle();
            ::usleep(1000);
        }
        const int status = judge(of_a_connection);
        if (seen.most_written <= unsent + frame_max) return status;
        std::printf("a handler has written %zu bytes\n", seen.most_written.load());
        return 1;
    });
}

// GET http://a//&&&...: the path is not clean.
std::string unclean(unsigned id, std::size_t size) {
    std::string path = "//" + std::string(size, '&');
    std::string text("\x82\x86\x41\x01\x61\x04"sv);
    text += '\x7f';  // a length of 127 and more, in pieces of 7 bits
    std::size_t rest = path.size() - 127;
    for (; rest >= 128; rest >>= 7) text += static_cast<char>(rest % 128 + 128);
    text += static_cast<char>(rest);
    return frame(headers, end_headers | 1, id, text + path);
}

int redirects() {
    http::serve_mux mux;
    mux.handle("/", [](http::response_writer&, http::request&) {});
    return with_client(
        [mux](http::response_writer& w, http::request& r) {
            mux(w, r);
            ++seen.ready;
        },
        0,
        [](client& c) {
            for (unsigned i = 0; i < streams; ++i)
                c.send(unclean(2 * i + 1, i % 2 == 0 ? 1000 : 7000));
            wait_until([] { return seen.ready == streams; }, "not every handler has answered");
            c.settle();
            return judge(of_a_connection);
        },
        1 << 20);
}

// GET http://a/, which takes 15 bytes.
int requests() {
    constexpr std::size_t of_each = 16 << 10;
    if (!rota_test::plain_build) {
        std::printf("%s: its own memory hides that of stacks\n", rota_test::sanitizer_name);
        return 0;
    }
    return with_client(wait_to_go, window, [](client& c) {
        const auto whole = frame(headers, end_headers | 1, 1, "\x82\x86\x84\x41\x01\x61"sv);
        const long resident_before = rota_test::resident_kib();
        for (unsigned i = 0; i < streams; ++i)
            c.send(frame(headers, end_headers | 1, 2 * i + 1, "\x82\x86\x84\x41\x01\x61"sv));
        wait_until([] { return seen.begun == streams; }, "not every request has a handler");
        const long kib = rota_test::resident_kib() - resident_before;
        const std::size_t taken = static_cast<std::size_t>(std::max(kib, 0L)) << 10;
        std::printf("%zu bytes of memory, at most %zu; %zu for each request, of %zu bytes\n", taken,
                    streams * of_each, taken / streams, whole.size());
        return taken <= streams * of_each ? 0 : 1;
    });
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "unread") return unread();
    if (what == "read") return read();
    if (what == "leaving") return leaving();
    if (what == "redirects") return redirects();
    if (what == "requests") return requests();
    return what == "untaken" ? untaken() : 64;
}
