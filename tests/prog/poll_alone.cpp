// A single m handles the work that the network brings (GODEBUG=pollalone=1). The program checks
// that no goroutine is left waiting, whatever keeps that m busy. The first argument names the case.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <rota/net.hpp>
#include <rota/time.hpp>

#include "program.hpp"
#include "sysmon_thread.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// A client's end of a connection, on a thread of the program's own.
class client {
  public:
    explicit client(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(port));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) ::_exit(3);
    }
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client() { ::close(fd_); }

    void ask(char what) const {
        if (::send(fd_, &what, 1, 0) != 1) ::_exit(4);
    }
    void tell(const std::uint8_t* bytes, std::size_t size) const {
        if (::send(fd_, bytes, size, 0) != static_cast<ssize_t>(size)) ::_exit(4);
    }
    char answer() const {
        pollfd p{fd_, POLLIN, 0};
        if (::poll(&p, 1, plain_build ? 20'000 : 60'000) != 1) {
            std::fprintf(stderr, "no answer came\n");
            ::_exit(99);
        }
        char c = 0;
        if (::recv(fd_, &c, 1, 0) != 1) ::_exit(5);
        return c;
    }

  private:
    int fd_;
};

// Starts a goroutine for each connection, which calls `serve` for each byte and sends the byte
// back.
template <class F>
int listen_and_serve(F serve) {
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    rota::go([l, serve] {
        for (;;) {
            rota::go([c = l.accept(), serve] {
                std::array<std::byte, 1> byte;
                std::error_code gone;
                while (c.read(byte, gone) == 1 && !gone) {
                    serve(static_cast<char>(byte[0]));
                    c.write(byte, gone);
                }
            });
        }
    });
    return l.addr().port();
}

// Runs a server, and its clients on a thread of the program's own. A client without an answer ends
// the program (see client), so every wait of a server's goroutine has a bound.
template <class S, class C>
int with_client(S serve, C ask) {
    rota::run([serve, ask] {
        const int port = listen_and_serve(serve);
        const rota::chan<rota::unit> over = rota::make_chan<rota::unit>(1);
        std::thread asks([port, over, ask] {
            ask(port);
            over.send({});
        });
        (void)over.recv();
        asks.join();
    });
    std::puts("done");
    return 0;
}

std::atomic<bool> is_kept, is_served;
int served[2];  // a pipe: a byte for each 's' that was served

// 'k' keeps its m busy with `keep` until 's' has been served. Both may arrive at once, one behind
// the other in a ring. Or the second is still in the kernel when the first begins.
template <class F>
int keep_until_served(F keep) {
    if (::pipe(served) != 0) return 1;
    const auto serve = [keep](char what) {
        if (what == 's') {
            is_served = true;
            if (::write(served[1], &what, 1) != 1) ::_exit(7);
        }
        if (what != 'k') return;
        is_kept = true;
        keep();
    };
    return with_client(serve, [](int port) {
        const client keeper(port), other(port);
        for (const client* each : {&keeper, &other}) {  // both goroutines wait in the poller
            each->ask('w');
            (void)each->answer();
        }
        for (int round = 0; round < 50; ++round) {
            is_kept = is_served = false;
            keeper.ask('k');
            if (round % 2 == 0) await([] { return is_kept.load(); });
            other.ask('s');
            (void)other.answer();
            (void)keeper.answer();
        }
    });
}

int computing() {
    return keep_until_served([] {
        while (!is_served) {
        }
    });
}

int in_call() {
    return keep_until_served(
        [] { rota::blocking([] { await_in_blocking([] { return is_served.load(); }); }); });
}

int blocked() {
    return keep_until_served([] {
        char one = 0;
        ssize_t n = 0;
        do n = ::read(served[0], &one, 1);
        while (n < 0 && errno == EINTR);
        if (n != 1) ::_exit(8);
    });
}

// A timer of a p that is kept busy, and a timer of a p that is idle.
int timers() {
    static std::atomic<bool> is_due;
    const auto serve = [](char) {
        is_due = false;
        const rota::timer t = rota::after_func(2ms, [] { is_due = true; });
        while (!is_due) {
        }
    };
    return with_client(serve, [](int port) {
        const client one(port);
        for (int round = 0; round < 50; ++round) {
            one.ask('t');
            (void)one.answer();
        }
    });
}

// The goroutines become idle between two requests; with `resizes` the number of ps changes
// meanwhile.
int traffic(bool resizes) {
    constexpr int clients = 8;
    rota::run([resizes] {
        const int port = listen_and_serve([](char) {});
        const rota::chan<rota::unit> over = rota::make_chan<rota::unit>(clients);
        std::vector<std::thread> threads;
        for (int n = 0; n < clients; ++n) {
            threads.emplace_back([&, n] {
                const client one(port);
                for (int round = 0; round < 3000; ++round) {
                    const char what = static_cast<char>('a' + (n + round) % 26);
                    one.ask(what);
                    if (one.answer() != what) ::_exit(6);
                }
                over.send({});
            });
        }
        for (int n = 1; resizes && over.len() != clients; n = n % 4 + 1) {
            rota::runtime::gomaxprocs(n);
            rota::sleep_for(500us);
        }
        for (int n = 0; n < clients; ++n) (void)over.recv();
        for (std::thread& t : threads) t.join();
    });
    std::puts("done");
    return 0;
}

int steady() { return traffic(false); }
int resized() { return traffic(true); }

// The polling m reads for the waiting goroutines, and their deadlines end meanwhile. Every byte
// must arrive in order, at its own receiver.
constexpr std::size_t stream_size = 200'000;
std::uint8_t byte_of(std::size_t stream, std::size_t at) {
    return static_cast<std::uint8_t>(at * 31 + at / 251 + stream * 7);
}

void take_stream(const rota::net::conn& c) {
    std::array<std::byte, 3000> room;
    std::minstd_rand random(static_cast<unsigned>(c.remote_addr().port()));
    std::error_code error;
    std::size_t stream = stream_size, at = 0;
    while (at < stream_size) {
        const std::size_t size = random() % 4 == 0 ? room.size() : random() % 300 + 1;
        c.set_read_deadline(rota::clock::now() + std::chrono::microseconds(random() % 300));
        const std::size_t n = c.read(std::span(room).first(size), error);
        if (error && error != std::errc::timed_out) ::_exit(9);
        if (error && n != 0) ::_exit(10);
        for (std::size_t i = 0; i < n; ++i, ++at) {
            const auto got = std::to_integer<std::uint8_t>(room[i]);
            if (at == 0) stream = static_cast<std::uint8_t>(got * 183);  // 7 * 183 is 1 modulo 256
            if (got != byte_of(stream, at)) ::_exit(11);
        }
    }
    room[0] = std::byte{'y'};
    c.write(std::span(room).first(1), error);
}

void send_stream(int port, std::size_t stream) {
    const client one(port);
    std::minstd_rand random(static_cast<unsigned>(stream + 1));
    std::array<std::uint8_t, 256> part;
    for (std::size_t at = 0; at < stream_size;) {
        const std::size_t n = std::min<std::size_t>(random() % part.size() + 1, stream_size - at);
        for (std::size_t i = 0; i < n; ++i) part[i] = byte_of(stream, at++);
        one.tell(part.data(), n);
        std::this_thread::yield();
    }
    if (one.answer() != 'y') ::_exit(6);
}

int streams() {
    constexpr std::size_t clients = 24;
    rota::run([] {
        const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        rota::go([l] {
            for (;;) rota::go([c = l.accept()] { take_stream(c); });
        });
        const int port = l.addr().port();
        const rota::chan<rota::unit> over = rota::make_chan<rota::unit>(clients);
        std::vector<std::thread> threads;
        for (std::size_t n = 0; n < clients; ++n) {
            threads.emplace_back([=] {
                send_stream(port, n);
                over.send({});
            });
        }
        for (std::size_t n = 0; n < clients; ++n) (void)over.recv();
        for (std::thread& t : threads) t.join();
    });
    std::puts("done");
    return 0;
}

// Static objects are destroyed while goroutines wait to read into such an object. The m that sleeps
// in the poller gets the event, but must not read for them.
class read_into_at_exit {
  public:
    constexpr read_into_at_exit() = default;
    read_into_at_exit(const read_into_at_exit&) = delete;
    read_into_at_exit& operator=(const read_into_at_exit&) = delete;
    ~read_into_at_exit() {
        if (clients_.empty()) return;
        for (auto& r : rooms_) r.fill(std::byte{gone});
        for (const auto& c : clients_) c->ask('x');
        const auto until = std::chrono::steady_clock::now() + 100ms;
        while (std::chrono::steady_clock::now() < until) {
            for (auto& r : rooms_)
                if (*static_cast<volatile std::byte*>(r.data()) != std::byte{gone}) ::_exit(12);
        }
    }

    void serve() {
        const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        for (auto& r : rooms_) {
            clients_.push_back(std::make_unique<client>(l.addr().port()));
            rota::go([c = l.accept(), &r] {
                std::error_code error;
                while (c.read(r, error) > 0) c.write(std::span(r).first(1), error);
            });
        }
        rota::blocking([this] {
            // meanwhile sysmon leaves the network to a single m
            for (int round = 0; round < 500; ++round) {
                for (const auto& c : clients_) c->ask('r');
                for (const auto& c : clients_) (void)c->answer();
            }
        });
    }

  private:
    static constexpr std::uint8_t gone = 0xdb;
    std::array<std::byte, 64> rooms_[16] = {};
    std::vector<std::unique_ptr<client>> clients_;
};
read_into_at_exit until_the_end;

int exits() {
    rota::run([] { until_the_end.serve(); });
    std::puts("done");
    return 0;
}

// When every m has been idle for a while, even sysmon sleeps: only the poller wakes them. Without
// an m in the poller, sysmon would poll in its place.
int rested() {
    const auto serve = [](char) {};
    return with_client(serve, [](int port) {
        const client one(port);
        const int sysmon = sysmon_thread();
        for (int round = 0; round < 4; ++round) {
            if (round > 0) await_rest_of(sysmon);
            one.ask('r');
            (void)one.answer();
        }
    });
}

constexpr program_case cases[] = {
    {"computing", computing}, {"call", in_call},    {"blocked", blocked},
    {"timers", timers},       {"steady", steady},   {"resized", resized},
    {"rested", rested},       {"streams", streams}, {"exits", exits}};

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, cases); }
