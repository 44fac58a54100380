// Writes traces of the scheduler's work. The second argument is the file, or the directory for
// files.
#include <atomic>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include <sys/wait.h>

#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/synctest.hpp>
#include <rota/trace.hpp>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// Number of allocations up to the failing allocation; 0: none fails.
std::atomic<int> until_failure{0};

void* allocate(std::size_t size) noexcept {
    if (until_failure.load(std::memory_order_relaxed) > 0 && until_failure.fetch_sub(1) == 1)
        return nullptr;
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

std::string target;

// A load of channel operations: two goroutines that wake each other.
void ping_pong(int rounds) {
    auto there = rota::make_chan<int>(), back = rota::make_chan<int>();
    rota::wait_group both;
    both.go([&] {
        for (int i = 0; i < rounds; ++i) {
            there.send(i);
            back.recv();
        }
    });
    both.go([&] {
        for (int i = 0; i < rounds; ++i) back.send(*there.recv());
    });
    both.wait();
}

void compute(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    std::atomic<int> work{0};
    while (std::chrono::steady_clock::now() < until) work.fetch_add(1, std::memory_order_relaxed);
}

// The sleeps are the load: calls that end before, and after, sysmon has taken the p.
void call_short_and_long() {
    for (int i = 0; i < 20; ++i)
        rota::blocking([i] { std::this_thread::sleep_for(std::chrono::microseconds(i * 30)); });
}

void say_things() {
    const rota::trace::task all("request");
    const rota::trace::task part("part", all);
    const rota::trace::region here(part, "parse");
    std::string name("step");
    const rota::trace::region inner(name);
    name = "gone";  // the region keeps its own copy
    rota::trace::log(part, "phase", "half way");
    rota::trace::log("empty", "");
    rota::sleep_for(1ms);
}

void talk_by_network() {
    auto listener = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group both;
    both.go([&] {
        auto c = listener.accept();
        std::byte some[1];
        for (int i = 0; i < 50 && c.read(some) == 1; ++i) c.write("x");
    });
    both.go([&] {
        auto c = rota::net::dial("tcp", listener.addr().to_string());
        std::byte some[1];
        for (int i = 0; i < 50; ++i) {
            c.write("y");
            if (c.read(some) != 1) break;
        }
    });
    both.wait();
}

// The whole load at once, from goroutines and threads.
void everything() {
    rota::wait_group all;
    std::thread outside([] {
        for (int i = 0; i < 50; ++i) {
            rota::go([] {});
            std::this_thread::sleep_for(20us);  // the load: a pause between arrivals
        }
    });
    for (int i = 0; i < 3; ++i) {
        all.go([] { ping_pong(100); });
        all.go(call_short_and_long);
        all.go(say_things);
        all.go(
            [] { rota::select(rota::on_recv(rota::after(1ms)), rota::on_recv(rota::after(2ms))); });
    }
    all.go([] {  // the sender waits
        auto slow = rota::make_chan<int>();
        rota::go([slow] { slow.send(1); });
        rota::sleep_for(1ms);
        slow.recv();
    });
    all.go([] { compute(40ms); });
    all.go([] { std::this_thread::sleep_for(15ms); });  // the load: blocks without rota::blocking
    all.go(talk_by_network);
    all.go([] {
        rota::runtime::lock_os_thread();
        ping_pong(5);
        rota::sleep_for(1ms);
    });
    const int before = rota::runtime::gomaxprocs();
    for (const int n : {1, 4, 3, before}) {
        rota::runtime::gomaxprocs(n);
        rota::sleep_for(2ms);
    }
    all.wait();
    rota::blocking([&] { outside.join(); });
}

// The start of a recorder begins a new generation of the trace.
void begin_generation() {
    rota::trace::flight_recorder box;
    box.start();
}

// A trace of the whole load, with several generations, which begins while goroutines already exist.
int all() {
    rota::run([] {
        auto early = rota::make_chan<int>();
        rota::wait_group waiting;
        for (int i = 0; i < 20; ++i) waiting.go([early] { early.recv(); });
        rota::wait_group running;
        running.go(everything);
        rota::trace::start(target);
        everything();
        running.wait();
        begin_generation();
        everything();
        early.close();
        waiting.wait();
        rota::trace::stop();
    });
    return 0;
}

// An HTTP server and its clients, while the number of processors changes and the program makes
// dumps.
int http_server() {
    rota::run([] {
        constexpr int clients = 16, requests = 60;
        const rota::http::server server([](auto& w, auto& r) {
            rota::trace::task request("request");
            const rota::trace::region greeting(request, "greet");
            w.write("Hello, " + std::string(r.target()) + "!\n");
        });
        const auto listener = rota::net::listen("tcp", "127.0.0.1:0");
        const std::string url = "http://" + listener.addr().to_string() + "/";
        rota::wait_group serving, asking, changing;
        serving.go([&] { server.serve(listener); });
        rota::trace::start(target);
        std::atomic<bool> over{false};
        changing.go([&] {
            const int before = rota::runtime::gomaxprocs();
            while (!over.load()) {
                for (const int n : {before + 1, before}) rota::runtime::gomaxprocs(n);
                (void)rota::runtime::stack(true);
                rota::sleep_for(10ms);
            }
        });
        const rota::http::client client(
            {.max_idle_per_host = clients, .proxy_from_environment = false});
        std::atomic<int> answers{0};
        for (int c = 0; c < clients; ++c) {
            asking.go([&] {
                for (int i = 0; i < requests; ++i) answers += client.get(url).status == 200 ? 1 : 0;
            });
        }
        asking.wait();
        begin_generation();
        over = true;
        changing.wait();
        rota::trace::stop();
        server.shutdown(rota::background());
        serving.wait();
        if (answers != clients * requests) throw std::runtime_error("an answer is missing");
    });
    return 0;
}

// A hundred traces begin and end while goroutines work; no trace waits for the goroutines.
int repeatedly() {
    rota::run([] {
        std::atomic<bool> over{false};
        rota::wait_group load;
        load.go([&] {
            while (!over.load()) everything();
        });
        load.go([&] {
            while (!over.load()) compute(3ms);
        });
        for (int i = 0; i < 100; ++i) {
            rota::trace::start(target + "/" + std::to_string(i));
            if (i % 3 == 0) ping_pong(10);
            if (i % 3 == 1) rota::sleep_for(1ms);
            rota::trace::stop();
        }
        over.store(true);
        load.wait();
    });
    return 0;
}

// Traces from a thread of the program's own, outside run().
int from_a_thread() {
    rota::trace::start(target);
    rota::run([] { ping_pong(10); });
    rota::wait_group later;
    later.go([] { rota::sleep_for(1ms); });
    later.wait();
    rota::trace::stop();
    return 0;
}

int expect_error(const std::error_code& ec, std::errc wanted) {
    if (ec == wanted) return 0;
    std::fprintf(stderr, "error %d: %s\n", ec.value(), ec.message().c_str());
    return 1;
}

// The second start fails, and leaves the first trace unchanged.
int twice() {
    int failed = 0;
    rota::run([&] {
        rota::trace::start(target);
        std::error_code ec;
        rota::trace::start(target, {}, ec);
        failed |= expect_error(ec, std::errc::device_or_resource_busy);
        ping_pong(3);
        rota::trace::stop();
        rota::trace::stop();
        if (rota::trace::is_enabled()) failed = 1;
    });
    return failed;
}

int to_nowhere() {
    int failed = 0;
    rota::run([&] {
        std::error_code ec;
        rota::trace::start(target + "/no/such", {}, ec);
        failed |= expect_error(ec, std::errc::no_such_file_or_directory);
        failed |= rota::trace::is_enabled() ? 1 : 0;
        try {
            rota::trace::start(target + "/no/such");
            failed = 1;
        } catch (const std::system_error&) {
        }
        rota::trace::start("/dev/full");
        ping_pong(3);
        rota::trace::stop(ec);
        failed |= expect_error(ec, std::errc::no_space_on_device);
        rota::trace::stop(ec);  // no trace is left
        failed |= ec ? 1 : 0;
        rota::trace::flight_recorder box;
        box.start();
        box.write_to(target + "/no/such", ec);
        failed |= expect_error(ec, std::errc::no_such_file_or_directory);
        box.write_to("/dev/full", ec);
        failed |= expect_error(ec, std::errc::no_space_on_device);
        box.write_to(target + "/it", ec);  // the recorder continues
        failed |= ec ? 1 : 0;
    });
    return failed;
}

// More events than the trace may keep: stop() returns an error, and the file is complete as far as
// it goes.
int too_fast() {
    int failed = 0;
    rota::run([&] {
        rota::trace::start(target, {.stacks = true, .memory_max = 512 << 10});
        begin_generation();  // the size of the previous generation is within the limit
        ping_pong(100'000);
        std::error_code ec;
        rota::trace::stop(ec);
        failed |= expect_error(ec, std::errc::no_buffer_space);
        rota::trace::start(target + "_next");
        ping_pong(10);
        rota::trace::stop();
    });
    return failed;
}

// Goroutines that wait, without any event for several generations.
int many() {
    rota::run([] {
        auto gate = rota::make_chan<int>();
        rota::wait_group all;
        for (int i = 0; i < 5'000; ++i) all.go([gate] { gate.recv(); });
        rota::wait_group load;
        std::atomic<bool> over{false};
        load.go([&] {
            while (!over.load()) everything();
        });
        rota::trace::start(target);
        begin_generation();
        for (int i = 0; i < 1'000; ++i) gate.send(i);
        begin_generation();
        gate.close();  // wakes them while the trace may record their states
        begin_generation();
        all.wait();
        over.store(true);
        load.wait();
        rota::trace::stop();
    });
    return 0;
}

// The trace cuts a log's texts, and numbers them anew in each generation.
int texts() {
    rota::run([] {
        rota::trace::start(target);
        const std::string longest(5'000, 'x');
        for (int generation = 0; generation < 3; ++generation) {
            for (int i = 0; i < 100; ++i) rota::trace::log(longest, longest);
            rota::trace::log("key", "short");
            begin_generation();
        }
        rota::trace::stop();
        rota::trace::log("nobody", "hears it");
        const rota::trace::task unseen("unseen");
    });
    return 0;
}

// The nth allocation fails, for each n until none fails: first in a start, then in a stop.
int out_of_memory() {
    int failed = 0;
    rota::run([&] {
        int refused = 0;
        const auto fail_one = [&](const std::filesystem::path& file, bool at_start) {
            for (int n = 1; n < 100'000; n += 1 + n / 8) {
                std::error_code ec;
                if (at_start) until_failure = n;
                rota::trace::start(file, {}, ec);
                bool did_fail = at_start && until_failure.exchange(0) <= 0;
                if (ec) {
                    failed |= expect_error(ec, std::errc::not_enough_memory);
                    failed |= rota::trace::is_enabled() ? 1 : 0;
                    ++refused;
                    continue;
                }
                rota::trace::log("key", "value");
                ping_pong(3);
                if (!at_start) {
                    until_failure = n;
                    rota::trace::stop(ec);
                    did_fail = until_failure.exchange(0) <= 0;
                    if (ec) failed |= expect_error(ec, std::errc::not_enough_memory);
                    if (ec) ++refused;
                }
                if (rota::trace::is_enabled()) rota::trace::stop(ec);
                if (!did_fail) return;
            }
            failed = 1;
        };
        fail_one(target + "/start", true);
        fail_one(target + "/stop", false);
        std::printf("refused %d\n", refused);
        if (refused < 10) failed = 1;
    });
    return failed;
}

// A recorder beside a trace, and then alone. It forgets events that are too old or exceed its size:
// `rounds` rounds make more events than it keeps. Returns the time that they take.
std::chrono::nanoseconds record(int rounds, int& failed) {
    rota::trace::flight_recorder box(
        {.min_age = 1s, .max_bytes = static_cast<std::size_t>(rounds) * 25});
    std::error_code ec;
    box.write_to(target + "/none", ec);
    failed |= expect_error(ec, std::errc::operation_not_permitted);
    box.start();
    rota::trace::flight_recorder second;
    second.start(ec);
    failed |= expect_error(ec, std::errc::device_or_resource_busy);
    everything();
    const auto began = std::chrono::steady_clock::now();
    rota::trace::start(target + "/beside");
    ping_pong(rounds);
    box.write_to(target + "/first");
    everything();
    rota::trace::stop();
    box.write_to(target + "/second");
    const auto took = std::chrono::steady_clock::now() - began;
    box.write_to(target + "/third");
    box.stop();
    failed |= rota::trace::is_enabled() ? 1 : 0;
    return took;
}

// After a second a new generation begins, and the recorder forgets the older generation by itself.
// If that may have happened in between, the program repeats with half as many rounds. Even fewer
// would make no more events than the rest. Prints the number of rounds.
int recorder() {
    int failed = 0;
    rota::run([&] {
        int rounds = 4'000;
        for (int more = 9; record(rounds, failed) > 800ms && more > 0; --more) rounds = 2'000;
        std::printf("%d\n", rounds);
    });
    return failed;
}

// A recorder that is destroyed with the static objects, and a trace that is not stopped before.
int until_the_end() {
    static rota::trace::flight_recorder box;
    std::atexit([] {
        std::error_code ec;
        rota::trace::stop(ec);
        if (expect_error(ec, std::errc::operation_canceled) != 0) ::_exit(1);
    });
    rota::run([] {
        box.start();
        rota::trace::start(target);
        ping_pong(10);
        box.write_to(target + "_box");
        std::exit(0);
    });
    return 1;
}

// A program that cannot be traced.
int impossible() {
    std::error_code ec, of_box;
    rota::run([&] {
        rota::trace::start(target, {}, ec);
        rota::trace::flight_recorder box;
        box.start(of_box);
        if (box.is_enabled() || rota::trace::is_enabled()) std::exit(3);
        rota::trace::stop();
    });
    return expect_error(ec, std::errc::not_supported) |
           expect_error(of_box, std::errc::not_supported);
}

// A bubble may not start a trace or a recorder. But a goroutine in a bubble may stop a trace, and
// may write a recorder's events.
int in_a_bubble() {
    int failed = 0;
    rota::run([&] {
        rota::trace::flight_recorder box;
        box.start();
        rota::trace::start(target + "/it");
        rota::synctest::test([&] {
            std::error_code ec;
            rota::trace::start(target + "/none", {}, ec);
            failed |= expect_error(ec, std::errc::not_supported);
            rota::trace::flight_recorder second;
            second.start(ec);
            failed |= expect_error(ec, std::errc::not_supported);
            rota::sleep_for(10s);
            box.write_to(target + "/box");
            rota::trace::stop();
        });
        if (!box.is_enabled() || !rota::trace::is_enabled()) failed = 1;
    });
    return failed;
}

// In the child of a fork no goroutine writes the trace.
int in_a_child() {
    int failed = 0;
    rota::run([&] {
        rota::trace::start(target);
        ping_pong(3);
        const pid_t child = ::fork();
        if (child == 0) {
            std::error_code ec;
            rota::trace::stop(ec);
            ::_exit(expect_error(ec, std::errc::operation_canceled));
        }
        int status = 0;
        rota::blocking([&] { ::waitpid(child, &status, 0); });
        if (status != 0) failed = 1;
        rota::trace::stop();
    });
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2) target = argv[2];
    constexpr program_case cases[] = {{"all", all},
                                      {"http_server", http_server},
                                      {"repeatedly", repeatedly},
                                      {"from_a_thread", from_a_thread},
                                      {"twice", twice},
                                      {"to_nowhere", to_nowhere},
                                      {"too_fast", too_fast},
                                      {"recorder", recorder},
                                      {"many", many},
                                      {"until_the_end", until_the_end},
                                      {"texts", texts},
                                      {"impossible", impossible},
                                      {"out_of_memory", out_of_memory},
                                      {"in_a_child", in_a_child},
                                      {"in_a_bubble", in_a_bubble}};
    return run_case(argc, argv, cases);
}
