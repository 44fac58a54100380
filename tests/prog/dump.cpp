// A dump of many goroutines, in a program that goes on meanwhile: a ticker, and one that computes.
// Prints how long the dump took, and the longest time for which the ticker had no turn.
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

[[gnu::noinline]] void waits_for_the_end(const rota::chan<int>& end) {
    (void)end.recv();
    std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call
}

[[gnu::noinline]] void computes(const std::atomic<bool>& over) {
    while (!over.load(std::memory_order_relaxed))
        std::atomic_signal_fence(std::memory_order_seq_cst);
}

int count_of(std::string_view text, std::string_view part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

struct ticks {
    std::atomic<int> count{0};
    std::chrono::nanoseconds longest{0};  // the ticker's, until it has ended
};

void tick(ticks& t, const std::atomic<bool>& over) {
    auto last = std::chrono::steady_clock::now();
    while (!over.load()) {
        rota::sleep_for(1ms);
        const auto now = std::chrono::steady_clock::now();
        t.longest = std::max(t.longest, std::chrono::nanoseconds(now - last));
        last = now;
        ++t.count;
    }
}

int fail(const char* what, const std::string& dump) {
    std::fprintf(stderr, "failed: %s\n%.4000s\n", what, dump.c_str());
    return 1;
}

int of_many() {
    const char* const wanted = std::getenv("GOROUTINES");
    const int many = wanted != nullptr ? std::atoi(wanted) : 100'000;
    return rota::run([many] {
        const auto end = rota::make_chan<int>();
        rota::wait_group waiting, running;
        const std::uint64_t before = rota::runtime::read_sched_stats().parks;
        for (int i = 0; i < many; ++i) waiting.go([&] { waits_for_the_end(end); });
        await([&] {
            return rota::runtime::read_sched_stats().parks >= before + static_cast<unsigned>(many);
        });
        std::atomic<bool> over{false};
        ticks t;
        running.go([&] { tick(t, over); });
        running.go([&] { computes(over); });
        await([&] { return t.count.load() > 0; });
        const int ticks_before = t.count;
        const auto since = std::chrono::steady_clock::now();
        const std::string dump = rota::runtime::stack(true);
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - since;
        const int ticks_meanwhile = t.count - ticks_before;
        over = true;
        running.wait();
        end.close();
        waiting.wait();
        std::printf("%d goroutines: %.0f ms, %zu bytes; a ticker of 1 ms had %d turns meanwhile, "
                    "the longest pause was %.1f ms\n",
                    many, took.count(), dump.size(), ticks_meanwhile,
                    static_cast<double>(t.longest.count()) / 1e6);
        if (count_of(dump, "waits_for_the_end(") != many) return fail("each is there once", dump);
        if (count_of(dump, "\n\ngoroutine ") < many + 2) return fail("some are missing", dump);
        if (ticks_meanwhile == 0) return fail("the program goes on meanwhile", dump);
        return 0;
    });
}

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, {{"of_many", of_many}}); }
