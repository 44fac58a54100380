// Requests to yield: which operations obey them.
//
//     prog_requests CASE      GOMAXPROCS and GODEBUG from the environment
//
// With GODEBUG=asyncpreemptoff=1 the runtime stops no thread: a goroutine that computes lets
// another goroutine run only when it enters the runtime.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

using steady = std::chrono::steady_clock;

// A goroutine computes for ten slices, ten times, while another goroutine waits for its first turn.
// Prints how often that goroutine had to wait to the end.
int slices() {
    rota::run([] {
        int kept = 0;
        for (int round = 0; round < 10; ++round) {
            std::atomic<bool> ran{false};
            rota::wait_group other;
            other.go([&] { ran = true; });
            for (const auto end = steady::now() + 100ms; steady::now() < end;) {
            }
            kept += ran ? 0 : 1;
            other.wait();
        }
        say(kept == 0 ? "never kept" : kept == 10 ? "always kept" : "kept at times");
    });
    return 0;
}

// Repeats `operate` until another goroutine has had five turns.
template <class F>
void until_others_ran(std::string_view name, F operate) {
    std::atomic<int> turns{0};
    rota::wait_group other;
    other.go([&] {
        while (++turns < 5) rota::runtime::gosched();
    });
    for (const auto end = steady::now() + (plain_build ? 20s : 60s); turns < 5;) {
        operate();
        if (steady::now() > end) {
            std::fprintf(stderr, "%.*s honours no request to yield\n",
                         static_cast<int>(name.size()), name.data());
            ::_exit(1);
        }
    }
    other.wait();
}

int operations() {
    rota::run([] {
        auto ch = rota::make_chan<int>(1);
        auto full = rota::make_chan<int>(1);
        full.send(1);
        const rota::timer late(1h);
        until_others_ran("preempt_point", [] { rota::runtime::preempt_point(); });
        until_others_ran("send and recv", [&] {
            ch.send(1);
            ch.recv();
        });
        until_others_ran("try_send", [&] { (void)full.try_send(2); });
        until_others_ran("select", [&] {
            rota::select(rota::on_send(full, 2, [] {}), rota::on_default([] {}));
        });
        until_others_ran("reset", [&] { (void)late.reset(1h); });
        until_others_ran("go", [] { rota::go([] {}); });
        until_others_ran("blocking", [] { rota::blocking([] {}); });
        say("done");
    });
    return 0;
}

// A client sends requests over a socket, beside six goroutines that compute: how many turns of
// these does an answer take? The client is a thread without any use of rota. A slice that ends
// while another program has the processor also counts, so a single series with few of those is
// enough.
int socket() {
    constexpr int times = 30;
    std::atomic<unsigned> rounds{0};
    std::atomic<bool> stop{false};
    std::atomic<int> begun{0};
    rota::run([&] {
        const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        const std::string at = l.addr().to_string();
        const int port = std::stoi(at.substr(at.rfind(':') + 1));
        std::thread client([&, port] {
            sockaddr_in to{};
            to.sin_family = AF_INET;
            to.sin_port = htons(static_cast<std::uint16_t>(port));
            to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) ::_exit(2);
            await_in_blocking([&] { return begun == 6; });
            for (char byte = 'x'; byte == 'x';) {  // 'x': send another request
                const unsigned seen = rounds;      // waits until one of the six computes
                await_in_blocking([&] { return rounds - seen > 1'000; });
                if (::write(fd, &byte, 1) != 1 || ::read(fd, &byte, 1) != 1) ::_exit(3);
            }
            ::close(fd);
        });
        const rota::net::conn c = l.accept();
        rota::wait_group others;
        for (int i = 0; i < 6; ++i) {
            others.go([&] {
                ++begun;
                while (!stop.load(std::memory_order_relaxed))
                    rounds.fetch_add(1, std::memory_order_relaxed);
            });
        }
        await([&] { return begun == 6; }, [] { rota::sleep_for(1ms); });
        const auto answer = [&c](char again) {
            const std::byte byte[] = {static_cast<std::byte>(again)};
            c.write(byte);
        };
        bool is_early = false;
        for (int series = 0; series < 5 && !is_early; ++series) {
            if (series > 0) answer('x');
            const auto before = rota::runtime::read_sched_stats().handoffs;
            std::byte byte[1];
            for (int i = 0; i < times; ++i) {
                if (i > 0) answer('x');
                if (c.read(byte) != 1) ::_exit(4);
            }
            const auto more = rota::runtime::read_sched_stats().handoffs - before;
            std::fprintf(stderr, "%ld times\n", static_cast<long>(more));
            is_early = more < 4 * times;
        }
        answer('.');
        stop = true;
        others.wait();
        client.join();
        say(is_early ? "done" : "waited");
    });
    return 0;
}

// A thread without any use of rota sends on a channel just after two goroutines have begun to
// compute. Prints the median time, in µs, from the beginning of the first turn to the answer. Both
// goroutines end with the answer. So the turn never continues after another goroutine has run, and
// a computing goroutine has the processor.
int answers() {
    constexpr int times = 21, hogs = 2;
    std::atomic<unsigned> rounds{0};
    std::atomic<bool> stop{false};
    std::vector<steady::duration> waits;
    const auto begun = rota::make_chan<unsigned>(times);  // the value of `rounds` at that time
    const auto ask = rota::make_chan<int>();
    std::thread client([&] {
        while (const auto seen = begun.recv()) {
            await_in_blocking([&] { return rounds - *seen > 1'000; });
            ask.send(0);
        }
    });
    rota::run([&] {
        for (int i = 0; i < times; ++i) {
            const auto since = steady::now();
            rota::runtime::gosched();  // a new turn begins
            stop = false;
            rota::wait_group others;
            for (int k = 0; k < hogs; ++k) {
                others.go([&] {
                    while (!stop.load(std::memory_order_relaxed))
                        rounds.fetch_add(1, std::memory_order_relaxed);
                });
            }
            begun.send(rounds);
            ask.recv();
            waits.push_back(steady::now() - since);
            stop = true;
            others.wait();
        }
        begun.close();
    });
    client.join();
    std::ranges::nth_element(waits, waits.begin() + times / 2);
    say(std::to_string(waits[times / 2] / 1us).c_str());
    return 0;
}

constexpr program_case cases[] = {
    {"slices", slices}, {"operations", operations}, {"socket", socket}, {"answers", answers}};

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, cases); }
