// trace_cost: the cost of an execution trace for the program that it records.
//
// Rounds of the same work alternate with and without a trace, in one process, each of BENCH_MS / 10
// of processor time: a disturbance of the machine affects both alike. A result is the median over
// BENCH_REPS * 5 pairs of the ratio of processor time with a trace to that without. `.running`
// counts the time between start() and stop(), the cost during the run; `.whole` includes both, the
// file and the names in it. `.off` is ns for one operation without a trace. Good: less than Go's in
// the same table, which trace_cost of peers/go measures line by line; and no measurable cost for a
// program that computes, or uses the network.
#include <ctime>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/net.hpp>
#include <rota/sync.hpp>
#include <rota/trace.hpp>
#include <string>
#include <vector>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {
namespace {

using work = void (*)(long n);

void round_trips(long n) {
    auto a = rota::make_chan<long>(), b = rota::make_chan<long>();
    rota::wait_group done;
    done.go([a, b, n] {
        for (long i = 0; i < n; i++) b.send(a.recv().value());
    });
    for (long i = 0; i < n; i++) {
        a.send(i);
        b.recv();
    }
    done.wait();
}

void items(long n, std::size_t capacity) {
    auto ch = rota::make_chan<long>(capacity);
    rota::wait_group producers, consumers;
    for (int k = 0; k < 4; k++) {
        producers.go([ch, n] {
            for (long i = 0; i < n / 4; i++) ch.send(i);
        });
        consumers.go([ch] {
            for ([[maybe_unused]] long v : ch) {
            }
        });
    }
    producers.wait();
    ch.close();
    consumers.wait();
}

void buffered(long n) { items(n, 128); }
void unbuffered(long n) { items(n, 0); }

// A single message of 64 bytes in flight.
void echo(long n) {
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group done;
    done.go([&l, n] {
        const auto c = l.accept();
        std::array<std::byte, 64> buffer;
        for (long i = 0; i < n; i++) c.write(std::span(buffer).first(c.read(buffer)));
    });
    const auto c = rota::net::dial("tcp", l.addr().to_string());
    std::array<std::byte, 64> buffer{};
    for (long i = 0; i < n; i++) {
        c.write(buffer);
        c.read(buffer);
    }
    done.wait();
}

std::uint64_t spin(std::uint64_t x) {
    for (int i = 0; i < 2000; i++) x = (x ^ x >> 7) * 0x9e37'79b9'7f4a'7c15u;
    return x;
}

// Two goroutines that hand over after about 5 us of computing each: an operation is a request.
void requests(long n) {
    auto a = rota::make_chan<std::uint64_t>(), b = rota::make_chan<std::uint64_t>();
    rota::wait_group done;
    done.go([a, b, n] {
        for (long i = 0; i < n; i++) b.send(spin(a.recv().value()));
    });
    std::uint64_t x = 1;
    for (long i = 0; i < n; i++) {
        a.send(spin(x));
        x = b.recv().value();
    }
    done.wait();
}

double cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

struct cost {
    double running, whole;
};

cost measure(work f, long n, const std::function<void()>& start,
             const std::function<void()>& stop) {
    const double a = cpu_ns();
    start();
    const double b = cpu_ns();
    f(n);
    const double c = cpu_ns();
    stop();
    return {c - b, cpu_ns() - a};
}

// The number of operations that take that much processor time.
long calibrate(work f, double ns) {
    for (long n = 64;; n *= 2) {
        const double a = cpu_ns();
        f(n);
        const double took = cpu_ns() - a;
        if (took >= ns / 4) return static_cast<long>(static_cast<double>(n) * ns / took) / 4 * 4;
    }
}

void compare(const std::string& name, const std::string& mode, work f, long n,
             const std::function<void()>& start, const std::function<void()>& stop) {
    std::vector<double> off, running, whole;
    for (int i = 0; i < peers::kReps * 5; i++) {
        const cost without = measure(f, n, [] {}, [] {});
        const cost with = measure(f, n, start, stop);
        off.push_back(without.running / static_cast<double>(n));
        running.push_back(with.running / without.running);
        whole.push_back(with.whole / without.running);
    }
    const std::string prefix = "trace_cost." + name + "." + mode;
    peers::emit(prefix + ".off", peers::median(off), "ns/op");
    peers::emit(prefix + ".running", peers::median(running), "x");
    peers::emit(prefix + ".whole", peers::median(whole), "x");
}

void compare_all(const std::string& name, work f) {
    const std::string only = peers::env_or("TRACE_COST", "");
    if (!only.empty() && only.find(name) == only.npos) return;
    const std::string path =
        (std::filesystem::temp_directory_path() / ("trace_cost." + std::to_string(getpid())))
            .string();
    const long n = calibrate(f, peers::rep_ns / 10);
    compare(name, "off", f, n, [] {}, [] {});
    compare(name, "trace", f, n, [&] { rota::trace::start(path); }, [] { rota::trace::stop(); });
    compare(
        name, "no_stacks", f, n, [&] { rota::trace::start(path, {.stacks = false}); },
        [] { rota::trace::stop(); });
    rota::trace::flight_recorder box;
    compare(name, "recorder", f, n, [&] { box.start(); }, [&] { box.stop(); });
    std::filesystem::remove(path);
}

}  // namespace

void trace_cost() {
    compare_all("ping_pong", round_trips);
    compare_all("chan_mpmc", buffered);
    compare_all("chan_unbuffered_mpmc", unbuffered);
    compare_all("tcp_echo", echo);
    compare_all("requests", requests);
}

}  // namespace rota_bench
