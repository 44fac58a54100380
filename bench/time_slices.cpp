// time_slices: 100 goroutines that compute for about 50 ms each, started together, on two
// processors.
//
// Models requests that compute, more of them than processors. `.ms` is the time until the last has
// ended. `.cost` is that time relative to the same work with asynchronous preemption off, by pairs
// of child processes: the cost of taking turns. `.spread` is the last end relative to the first: 1
// if each progresses at the same pace, 50 if each has to wait until the preceding goroutines have
// ended. Good: a cost below 1.03 and a spread near 1.
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <string>
#include <vector>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

namespace {

constexpr int goroutines = 100;
constexpr int pairs = 5;

// A chain of multiplications: about 50 ms that neither a cache nor a compiler shortens.
std::uint64_t compute(std::uint64_t x) {
    constexpr int steps = 40'000'000;
    for (int i = 0; i < steps; i++) x = x * 6364136223846793005U + 1442695040888963407U;
    return x;
}

struct outcome {
    double first = 0, last = 0;  // ends, in ms
};

// The output of a child process that runs time_slices_once.
outcome in_child(const char* settings) {
    std::array<char, 4096> self{};
    if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0)
        rota::panic("time_slices: cannot find this program");
    const std::string command = std::string("GODEBUG=") + settings + " '" + self.data() +
                                "' -procs " + std::to_string(peers::procs) + " time_slices_once";
    std::FILE* const child = ::popen(command.c_str(), "re");
    outcome o;
    if (child == nullptr || std::fscanf(child, "%lf %lf", &o.first, &o.last) != 2 ||
        ::pclose(child) != 0)
        rota::panic("time_slices: the child process failed");
    return o;
}

}  // namespace

void time_slices_once() {
    std::vector<double> ends(goroutines);
    std::vector<std::uint64_t> results(goroutines);
    rota::wait_group wg;
    const auto t = peers::Clock::now();
    for (std::size_t i = 0; i < goroutines; i++) {
        wg.go([&, i] {
            results[i] = compute(i);
            ends[i] = peers::ns_since(t) / 1e6;
        });
    }
    wg.wait();
    std::sort(ends.begin(), ends.end());
    if (results[1] == results[0]) rota::panic("time_slices: wrong results");
    std::printf("%f %f\n", ends.front(), ends.back());
}

void time_slices() {
    std::vector<double> ms, cost, spread;
    for (int i = 0; i < pairs; i++) {
        const outcome on = in_child("asyncpreemptoff=0");
        const outcome off = in_child("asyncpreemptoff=1");
        ms.push_back(on.last);
        cost.push_back(on.last / off.last);
        spread.push_back(on.last / on.first);
    }
    peers::emit("time_slices.ms", peers::median(ms), "ms");
    peers::emit("time_slices.cost", peers::median(cost), "of the time without");
    peers::emit("time_slices.spread", peers::median(spread), "last end / first");
}

}  // namespace rota_bench
