// What the network brings is left to one m (GODEBUG=pollalone=1): that nobody is left waiting by
// it, whatever that m is kept by. The first argument names the case.
#include <array>
#include <atomic>
#include <cerrno>
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

// A client's end, on a thread of the program's own.
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

// A server's goroutine for each connection, which calls `serve` for each byte and sends it back.
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

// A server, and its clients on a thread of the program's own. Who is never answered ends the
// program (see client): so every wait of a server's goroutine has a bound.
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
int served[2];  // a pipe: a byte for each 's' that has been served

// 'k' keeps its m, by `keep`, until 's' has been served. Both may come at once, and one wait behind
// the other in a ring, or the second be in the kernel when the first has begun.
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
        for (const client* each : {&keeper, &other}) {  // both wait in the poller
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

// A timer of the p that is kept, and of one that is idle.
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

// All get idle between two questions; and meanwhile the number of ps changes.
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

// When all have been idle for a while even sysmon sleeps: only the poller wakes them. Were nobody
// there, sysmon would go on looking in its place.
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
    {"computing", computing}, {"call", in_call},    {"blocked", blocked}, {"timers", timers},
    {"steady", steady},       {"resized", resized}, {"rested", rested}};

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, cases); }
