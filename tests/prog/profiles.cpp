// Writes profiles of known work into the folder of the second argument, for profiles_test.py.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include <rota/debug.hpp>
#include <rota/http.hpp>
#include <rota/pprof.hpp>
#include <rota/runtime.hpp>

#include "program.hpp"

using namespace rota_test;

std::string profiles_folder;
volatile unsigned profiles_sink = 0;

__attribute__((noinline)) void computes_hard(long turns) {
    unsigned v = 1;
    for (long i = 0; i < turns; ++i) v = v * 1664525u + 1013904223u;
    profiles_sink = v;
}

__attribute__((noinline)) void computes_little(long turns) {
    unsigned v = 1;
    for (long i = 0; i < turns; ++i) v = v * 22695477u + 1u;
    profiles_sink = v;
}

__attribute__((noinline)) void waits_in_chan(const rota::chan<int>& ch) {
    ch.recv();
    profiles_sink = profiles_sink + 1;
}

__attribute__((always_inline)) inline void waits_inlined(const rota::chan<int>& ch) {
    ch.recv();
    profiles_sink = profiles_sink + 1;
}

__attribute__((noinline)) void waits_for_ever() {
    waits_inlined(rota::chan<int>());
    profiles_sink = profiles_sink + 1;
}

__attribute__((noinline)) void lets_go(rota::mutex& mu) {
    mu.unlock();
    profiles_sink = profiles_sink + 1;
}

namespace {

void write_file(const char* name, int debug = 0) {
    const char* const endings[] = {".pb.gz", ".txt", ".2.txt"};
    std::ofstream out(profiles_folder + "/" + name + endings[debug]);
    rota::pprof::write_profile(name, out, debug);
}

// The number of goroutines in that state, as a dump shows it.
std::size_t goroutines_like(std::string_view state) {
    const std::string all = rota::runtime::stack(true);
    std::size_t n = 0;
    for (std::size_t at = 0; (at = all.find(state, at)) != std::string::npos; ++at) ++n;
    return n;
}

void write_text(const char* name, std::string_view text) {
    std::ofstream(profiles_folder + "/" + name) << text;
}

// Three goroutines that wait on the same stack, the last with a label; then every other profile.
// Each has a channel of its own: a goroutine that finds the channel's lock held waits with another
// stack.
int states() {
    return rota::run([] {
        rota::pprof::set_block_profile_rate(1);
        rota::pprof::set_mutex_profile_fraction(1);
        std::array<rota::chan<int>, 3> channels;
        for (auto& ch : channels) ch = rota::make_chan<int>();
        rota::mutex mu;
        mu.lock();
        rota::wait_group wg;
        for (int i = 0; i < 2; ++i)
            wg.go([ch = channels[static_cast<std::size_t>(i)]] { waits_in_chan(ch); });
        rota::pprof::do_labels({{"tenant", "blue"}},
                               [&] { wg.go([ch = channels[2]] { waits_in_chan(ch); }); });
        wg.go([&mu] {
            mu.lock();
            mu.unlock();
        });
        await([] {
            return goroutines_like("[chan receive]") == 3 &&
                   goroutines_like("[sync.Mutex.Lock]") == 1;
        });
        rota::sleep_for(std::chrono::milliseconds(5));
        write_file("goroutine");
        write_file("goroutine", 1);
        write_file("goroutine", 2);
        write_text("stack.txt", rota::runtime::stack(true));
        lets_go(mu);
        for (auto& ch : channels) ch.close();
        wg.wait();
        for (const char* const name : {"block", "mutex", "threadcreate", "heap", "allocs"}) {
            write_file(name);
            write_file(name, 1);
        }
        rota::go([] { waits_for_ever(); });
        await([] { return goroutines_like("[chan receive (nil chan)]") == 1; });
        write_file("goroutineleak");
        write_file("goroutineleak", 1);
        std::ofstream(profiles_folder + "/maps.txt") << std::ifstream("/proc/self/maps").rdbuf();
        return 0;
    });
}

// Nine tenths of the time in `computes_hard`, under a label, and the rest in `computes_little`, on
// two threads.
int cpu() {
    std::ofstream out(profiles_folder + "/cpu.pb.gz");
    return rota::run([&out] {
        rota::pprof::start_cpu_profile(out);
        std::thread other([] { computes_little(20'000'000); });
        for (int round = 0; round < 60; ++round) {
            rota::pprof::do_labels({{"work", "hard"}}, [] { computes_hard(9'000'000); });
            computes_little(1'000'000);
        }
        other.join();
        rota::pprof::stop_cpu_profile();
        return 0;
    });
}

// Fetches pages of debug::serve.
int pages() {
    return rota::run([] {
        const auto server = rota::debug::serve("127.0.0.1:0");
        const std::string at = "http://" + server.addr().to_string();
        const rota::http::client client;
        write_text("index.html", client.get(at + "/debug/pprof/").body);
        write_text("metrics", client.get(at + "/metrics").body);
        return 0;
    });
}

// Serves its pages until stdin ends, with work for each profile: goroutines that wait (the first
// for ever), a goroutine that computes, waits and a lock that are over. Prints its address.
int serves() {
    return rota::run([] {
        rota::pprof::set_block_profile_rate(1);
        rota::pprof::set_mutex_profile_fraction(1);
        const auto server = rota::debug::serve("127.0.0.1:0");
        const auto waited_for = rota::make_chan<int>(), over = rota::make_chan<int>();
        rota::mutex mu;
        mu.lock();
        rota::wait_group waiting, past;
        rota::go([] { waits_for_ever(); });
        waiting.go([waited_for] { waits_in_chan(waited_for); });
        past.go([over] { waits_in_chan(over); });
        past.go([&mu] {
            mu.lock();
            mu.unlock();
        });
        await([] {
            return goroutines_like("[chan receive]") == 2 &&
                   goroutines_like("[sync.Mutex.Lock]") == 1 &&
                   goroutines_like("[chan receive (nil chan)]") == 1;
        });
        rota::sleep_for(std::chrono::milliseconds(5));
        lets_go(mu);
        over.close();
        past.wait();
        std::atomic<bool> ends{false};
        waiting.go([&ends] {
            while (!ends.load(std::memory_order_relaxed)) {
                computes_hard(1'000'000);
                rota::runtime::gosched();
            }
        });
        std::printf("%s\n", server.addr().to_string().c_str());
        std::fflush(stdout);
        rota::blocking([] {
            while (std::getchar() != EOF) {
            }
        });
        ends.store(true, std::memory_order_relaxed);
        waited_for.close();
        waiting.wait();
        return 0;
    });
}

// Whether a page's goroutine sleeps until the end of the requested time.
bool does_a_page_sleep() {
    const std::string all = rota::runtime::stack(true);
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find("\n\n", at), all.size());
        const std::string_view one = std::string_view(all).substr(at, end - at);
        if (one.find("[sleep]") != one.npos && one.find("rota::debug::") != one.npos) return true;
        at = end + 2;
    }
    return false;
}

int how_many_wait_in_chan() {
    constexpr std::string_view frame = "\nwaits_in_chan(";
    const std::string all = rota::runtime::stack(true);
    int n = 0;
    for (std::size_t at = 0; (at = all.find(frame, at)) != all.npos; at += frame.size()) ++n;
    return n;
}

// The difference over two seconds: two goroutines exist from the start, three come.
int difference() {
    return rota::run([] {
        const auto server = rota::debug::serve("127.0.0.1:0");
        const std::string at = "http://" + server.addr().to_string();
        const auto ch = rota::make_chan<int>();
        rota::wait_group waiting, asking;
        int started = 0;
        const auto start = [&](int n) {
            for (started += n; n > 0; --n) waiting.go([ch] { waits_in_chan(ch); });
            await([&] { return how_many_wait_in_chan() == started; });
        };
        start(2);
        asking.go([&] {
            const rota::http::client client;
            write_text("difference.pb.gz",
                       client.get(at + "/debug/pprof/goroutine?seconds=2").body);
        });
        await(does_a_page_sleep);
        start(3);
        asking.wait();
        ch.close();
        waiting.wait();
        return 0;
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2) profiles_folder = argv[2];
    return run_case(argc, argv,
                    {{"states", states},
                     {"cpu", cpu},
                     {"pages", pages},
                     {"serves", serves},
                     {"difference", difference}});
}
