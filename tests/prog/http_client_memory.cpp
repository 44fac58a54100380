// A client without memory: the nth allocation fails, for each n. The server uses bare system calls
// on its own thread, and allocates nothing.
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <rota/http.hpp>
#include <rota/rota.hpp>
#include <string>

namespace {

constexpr int never = 1 << 30;
std::atomic<int> left{never};  // number of allocations up to the failing allocation

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

int listening = -1;

// Answers bytes that end like a head, or like the large body: alternately with a redirect and with
// chunks.
void* serve_one(void* number) {
    const int c = static_cast<int>(reinterpret_cast<std::intptr_t>(number));
    char last[4] = {};
    char part[65536];  // only the end of the bytes counts
    bool is_first = true;
    for (;;) {
        const ssize_t n = ::recv(c, part, sizeof part, 0);
        if (n <= 0) break;
        const std::size_t come = n < 4 ? static_cast<std::size_t>(n) : 4;
        std::memmove(last, last + come, 4 - come);
        std::memcpy(last + 4 - come, part + n - come, come);
        const bool is_whole = std::memcmp(last, "\r\n\r\n", 4) == 0 || last[3] == '.';
        if (!is_whole) continue;
        const char* const answer =
            is_first ? "HTTP/1.1 307 Away\r\nLocation: /there?a=b\r\nContent-Length: 0\r\n\r\n"
                     : "HTTP/1.1 200 OK\r\nA-long-name-of-a-field: and its value\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
        is_first = !is_first;
        (void)::send(c, answer, std::strlen(answer), MSG_NOSIGNAL);
    }
    ::close(c);
    return nullptr;
}

void* serve(void*) {
    for (;;) {
        const int c = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
        pthread_t thread;
        if (c < 0 || ::pthread_create(&thread, nullptr, serve_one,
                                      reinterpret_cast<void*>(std::intptr_t{c})) != 0)
            std::abort();
        ::pthread_detach(thread);
    }
}

sockaddr_in listen_somewhere() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listening, reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
        ::listen(listening, 64) != 0 ||
        ::getsockname(listening, reinterpret_cast<sockaddr*>(&at), &size) != 0)
        std::abort();
    pthread_t thread;
    if (::pthread_create(&thread, nullptr, serve, nullptr) != 0) std::abort();
    return at;
}

// True: the right answer came. False: the caller got the error of the failed allocation.
bool call(const std::string& url, const std::string& body) {
    try {
        auto [ctx, cancel] = rota::with_timeout(rota::background(), std::chrono::seconds{20});
        const rota::defer d(std::move(cancel));  // the context lives until then, or for 20 s
        const rota::http::client c({.timeout = std::chrono::seconds{20}});
        rota::http::request r("PUT", url, body);
        r.headers().set("Idempotency-Key", "a key that is not so short");
        std::error_code error;
        const rota::http::response a = c.perform(ctx, r, error);
        if (!error && a.status == 200 && a.body == "hello") return true;
        if (error == std::errc::not_enough_memory) return false;
        std::printf("%d %s: %s\n", a.status, a.body.c_str(), error.message().c_str());
        std::_Exit(3);
    } catch (const std::bad_alloc&) {
        return false;
    }
}

int open_sockets() {
    int n = 0;
    for (int fd = 0; fd < 200; ++fd) {
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        n += ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 ? 1 : 0;
    }
    return n;
}

}  // namespace

int main() {
    const std::string url =
        "http://name:password@127.0.0.1:" + std::to_string(ntohs(listen_somewhere().sin_port)) +
        "/";
    const std::string large = std::string(100'000, 'x') + '.';
    rota::run([&] {
        for (const std::string& body : {std::string(), large}) {
            if (!call(url, body)) std::_Exit(4);
            int failed = 0;
            for (int n = 1;; ++n) {
                left = n;
                const bool came = call(url, body);
                const bool was_met = left.exchange(never) <= 0;
                failed += came ? 0 : 1;
                if (!was_met) break;
                if (n > 2000) std::_Exit(5);
            }
            if (!call(url, body)) std::_Exit(6);
            std::printf("%d allocations failed\n", failed);
        }
        while (open_sockets() != 0) rota::runtime::gosched();  // the server's sockets close last
        while (rota::runtime::num_goroutine() != 1) rota::runtime::gosched();
    });
}
