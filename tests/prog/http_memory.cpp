// Tests a server's use of memory. The client uses bare system calls, so that only the server's
// allocations count.
//
//     fails    the nth allocation fails, for each n: that connection may end, the server goes on
//     tls      the same over TLS, up to the end of a handshake that fails
//     idle     the memory that a connection keeps after a single answer
#include <malloc.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <rota/http.hpp>
#include <rota/rota.hpp>
#include <rota/tls.hpp>
#include <string_view>

#include "../certificates.hpp"

namespace {

constexpr int never = 1 << 30;
std::atomic<int> left{never};  // number of allocations up to the failing allocation

std::atomic<std::size_t> in_use{0};  // bytes

void* allocate(std::size_t size) noexcept {
    if (left.load(std::memory_order_relaxed) < never / 2 && left.fetch_sub(1) == 1) return nullptr;
    void* const p = std::malloc(size == 0 ? 1 : size);
    if (p != nullptr) in_use += ::malloc_usable_size(p);
    return p;
}

void give_back(void* p) noexcept {
    if (p != nullptr) in_use -= ::malloc_usable_size(p);
    std::free(p);
}

}  // namespace

void* operator new(std::size_t size) {
    if (void* const p = allocate(size)) return p;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { give_back(p); }

namespace {

sockaddr_in server_address;

int connected() {
    const int c = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{20, 0};
    ::setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(c, reinterpret_cast<const sockaddr*>(&server_address), sizeof server_address) ==
        0)
        return c;
    std::printf("no connection\n");
    std::exit(3);
}

// Receives some bytes; 0 at the end, and also after a reset.
std::size_t receive(int c, char* to, std::size_t room) {
    const ssize_t n = ::recv(c, to, room, 0);
    if (n < 0 && errno == EAGAIN) {
        std::printf("the server neither answers nor closes\n");
        std::fflush(stdout);
        std::raise(SIGQUIT);  // shows what the server does
    }
    return n < 0 ? 0 : static_cast<std::size_t>(n);
}

// Whether the server sends exactly the given number of answers to the text, each with status 200.
bool succeeds(std::string_view text, int answers) {
    const int c = connected();
    (void)::send(c, text.data(), text.size(), MSG_NOSIGNAL);
    char all[16384];
    std::size_t size = 0;
    while (const std::size_t n = receive(c, all + size, sizeof all - size)) size += n;
    ::close(c);
    std::string_view rest(all, size);
    for (int i = 0; i < answers; ++i) {
        const std::size_t at = rest.find("HTTP/1.1 200");
        if (at == rest.npos) return false;
        rest.remove_prefix(at + 1);
    }
    return true;
}

// Whether a server over TLS answers a client that begins with nonsense.
bool is_refused() {
    const int c = connected();
    constexpr char nonsense[] = {0x16, 3, 1, 0, 4, 'b', 0, 0, 0};  // a handshake's message
    (void)::send(c, nonsense, sizeof nonsense, MSG_NOSIGNAL);
    char all[1024];
    std::size_t size = 0;
    while (const std::size_t n = receive(c, all, sizeof all)) size += n;
    ::close(c);
    return size != 0;
}

constexpr std::string_view plain = "GET /a/b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
constexpr std::string_view several =
    "GET /a/%62?c=d HTTP/1.1\r\nHost: a\r\nA-rather-long-name-of-a-field: and its value\r\n\r\n"
    "POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    "GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

void hello(rota::http::response_writer& w, rota::http::request& r) {
    const rota::context ctx = r.ctx();
    w.header().set("Content-Type", "text/plain; charset=utf-8");
    w.write("hello " + r.path_value("name") + r.query("c"));
}

rota::http::serve_mux routes() {
    rota::http::serve_mux mux;
    mux.handle("GET /a/{name}", hello);
    mux.handle("POST /body", [](auto& w, auto& r) { w.write(r.body()); });
    mux.handle("/large", [](auto& w, auto&) {
        const std::string text(3000, 'x');
        for (int i = 0; i < 4; ++i) w.write(text);
    });
    return mux;
}

const rota::tls::config& with_certificate() {
    static const rota::tls::config c({.certificate = rota_test::local_certificate().pem,
                                      .key = rota_test::local_certificate().key});
    return c;
}

// A server that runs until the end of the scope. If it had no memory for its start, it starts
// again.
struct running {
    const rota::http::server server{routes()};
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group serving;

    explicit running(bool over_tls = false) {
        const rota::net::endpoint at = l.addr();
        std::memcpy(&server_address, at.data(), sizeof server_address);
        serving.go([this, over_tls] {
            for (bool begun = false; !begun;) {
                try {
                    if (over_tls) server.serve_tls(l, with_certificate());
                    else server.serve(l);
                    begun = true;
                } catch (const std::bad_alloc&) {
                }
            }
        });
    }
    ~running() {
        server.close();
        server.shutdown(rota::background());
        serving.wait();
        // The process may be about to end: memory that a goroutine still holds would count as a
        // leak.
        for (int i = 0; rota::runtime::num_goroutine() > 0; ++i) {
            if (i == 20000) {
                std::printf("%d goroutines are left\n", rota::runtime::num_goroutine());
                std::exit(4);
            }
            ::usleep(1000);
        }
    }
};

int fails(bool over_tls) {
    const auto has_answered_all = [=] { return over_tls ? is_refused() : succeeds(several, 3); };
    const auto goes_on = [=] { return over_tls ? is_refused() : succeeds(plain, 1); };
    if (over_tls) (void)with_certificate();
    int failed = 0, n = 1;
    for (bool all_succeeded = false; !all_succeeded; ++n) {
        const running s(over_tls);  // a new server, without stocks
        left = n;
        const bool answered = has_answered_all();
        all_succeeded = left.exchange(never) > 0;
        failed += answered ? 0 : 1;
        if ((all_succeeded && !answered) || !goes_on()) {
            std::printf("allocation %d has ended the server\n", n);
            return 1;
        }
    }
    std::printf("%d allocations, %d of them missed\n", n - 2, failed);
    return n > (over_tls ? 3 : 10) && failed > 0 ? 0 : 1;
}

int idle() {
    constexpr std::size_t first = 50, many = 300, most = 1000;
    const running s;
    std::size_t before = 0;
    for (std::size_t i = 0; i < first + many; ++i) {
        if (i == first) before = in_use;
        const int c = connected();
        constexpr std::string_view text = "GET /a/b HTTP/1.1\r\nHost: a\r\n\r\n";
        (void)::send(c, text.data(), text.size(), MSG_NOSIGNAL);
        char answer[1024];
        if (receive(c, answer, sizeof answer) == 0) return 1;
    }
    const std::size_t each = (in_use - before) / many;  // an exchange takes 5000
    std::printf("%zu bytes of heap for each connection\n", each);
    return each < most ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "fails" || what == "tls") return fails(what == "tls");
    return what == "idle" ? idle() : 64;
}
