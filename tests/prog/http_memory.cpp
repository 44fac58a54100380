// A server whose nth allocation fails, for each n: that connection may end, the server goes on. The
// client is bare system calls, so that all allocations counted are the server's.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <rota/http.hpp>
#include <rota/rota.hpp>
#include <string_view>

namespace {

constexpr int never = 1 << 30;
std::atomic<int> left{never};  // allocations until the one that fails

void* allocate(std::size_t size) noexcept {
    if (left.load(std::memory_order_relaxed) < never / 2 && left.fetch_sub(1) == 1) return nullptr;
    return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

void* operator new(std::size_t size) {
    if (void* const p = allocate(size)) return p;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace {

sockaddr_in server_address;

// 200 if all answers to the text are that; -1 if the connection ended before, or something else.
int ask(std::string_view text, int answers) {
    const int c = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{20, 0};
    ::setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(c, reinterpret_cast<const sockaddr*>(&server_address), sizeof server_address) !=
        0)
        return -1;
    (void)::send(c, text.data(), text.size(), MSG_NOSIGNAL);
    char all[16384];
    std::size_t size = 0;
    for (;;) {
        const ssize_t n = ::recv(c, all + size, sizeof all - size, 0);
        if (n < 0 && errno == EAGAIN) {
            std::printf("the server neither answers nor closes\n");
            std::exit(3);
        }
        if (n <= 0) break;
        size += static_cast<std::size_t>(n);
    }
    ::close(c);
    std::string_view rest(all, size);
    for (int i = 0; i < answers; ++i) {
        const std::size_t at = rest.find("HTTP/1.1 200");
        if (at == rest.npos) return -1;
        rest.remove_prefix(at + 1);
    }
    return 200;
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

}  // namespace

int main() {
    rota::http::serve_mux mux;
    mux.handle("GET /a/{name}", hello);
    mux.handle("POST /body", [](auto& w, auto& r) { w.write(r.body()); });
    mux.handle("/large", [](auto& w, auto&) {
        const std::string text(3000, 'x');
        for (int i = 0; i < 4; ++i) w.write(text);
    });
    // Each time a new server, which has nothing in stock.
    int failed = 0, n = 1;
    for (bool all_succeeded = false; !all_succeeded; ++n) {
        const rota::http::server server(mux);
        const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        const rota::net::endpoint at = l.addr();
        std::memcpy(&server_address, at.data(), sizeof server_address);
        rota::wait_group serving;
        serving.go([&] {
            for (bool begun = false; !begun;) {
                try {
                    server.serve(l);
                    begun = true;
                } catch (const std::bad_alloc&) {  // that was the one: once more
                }
            }
        });
        left = n;
        const int outcome = ask(several, 3);
        all_succeeded = left.exchange(never) > 0;
        failed += outcome == 200 ? 0 : 1;
        if (all_succeeded && outcome != 200) {
            std::printf("no allocation has failed, and the answers are wrong\n");
            return 1;
        }
        if (ask(plain, 1) != 200) {
            std::printf("allocation %d has ended the server\n", n);
            return 1;
        }
        server.close();
        server.shutdown(rota::background());
        serving.wait();
    }
    std::printf("%d allocations, %d of them missed\nclosed\n", n - 2, failed);
}
