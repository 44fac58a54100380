// Runs many seeds in one process. Each seed is one run() under GODEBUG=schedseed.
//
//     ROTA_SIM_FIRST=N ROTA_SIM_COUNT=M   seeds N ... N + M - 1 (default: 1 and 4,000)
//     ROTA_SIM_CELLS=a,b                  only these cells
#include <algorithm>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "net_faults.hpp"
#include "sched/modes/seeded.hpp"
#include "tcp_in_memory.hpp"

namespace rota_sim {

int procs_at_boot = 0;

std::vector<cell>& cells() {
    static std::vector<cell> all;
    return all;
}

namespace {

// Runs before the runtime boots, which happens on first use.
const bool mode_is_set = [] {
    ::setenv("GODEBUG", "schedseed=1", 1);
    if (std::getenv("GOMAXPROCS") == nullptr) ::setenv("GOMAXPROCS", "4", 1);
    return true;
}();

std::uint64_t seed_now = 0;
std::string cells_now;
const char* variables_now = "";

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

// The cells that may take part, sorted by name: the linker decides the order of their files.
std::vector<cell> chosen() {
    std::vector<cell> some = cells();
    if (const char* const list = std::getenv("ROTA_SIM_CELLS")) {
        const std::string names = "," + std::string(list) + ",";
        std::erase_if(some, [&](const cell& c) {
            return names.find("," + std::string(c.name) + ",") == std::string::npos;
        });
    }
    std::sort(some.begin(), some.end(),
              [](const cell& a, const cell& b) { return std::strcmp(a.name, b.name) < 0; });
    return some;
}

struct outcome {
    std::uint64_t steps, hash;
};

// Runs a program: two to four cells at once.
outcome run_seed(std::uint64_t seed, const std::vector<cell>& from) {
    now_running(seed, {}, "ROTA_SIM");
    rota::rt::seeded_restart(seed);
    const tcp_in_memory tcp;
    const net_faults faults(dice(~seed));
    rota::run([&] {
        dice d(seed);
        rota::wait_group all;
        for (int n = d.in(2, 4); n > 0; --n) {
            const cell& c =
                from[static_cast<std::size_t>(d.in(0, static_cast<int>(from.size()) - 1))];
            cells_now += std::string(cells_now.empty() ? "" : ", ") + c.name;
            // The name shows the seed in the report of a deadlock.
            char name[64];
            const int length = std::snprintf(name, sizeof name, "seed %llu, cell %s",
                                             static_cast<unsigned long long>(seed), c.name);
            all.add(1);
            rota::go({.name = {name, std::min(static_cast<std::size_t>(length), sizeof name - 1)}},
                     [&all, run = c.run, own = d.fork()]() mutable {
                         const rota::defer end([&] { all.done(); });
                         run(own);
                     });
        }
        all.wait();
        wait_for_all_others();
        net_faults::expect_told();
    });
    return {rota::rt::seeded.steps.load(std::memory_order_relaxed),
            rota::rt::seeded.hash.load(std::memory_order_relaxed)};
}

TEST(sim, random_programs_keep_their_laws_and_repeat_themselves) {
    // A lost wake-up is a deadlock, a broken law names itself, a step that the seed does not fix
    // gives another hash the second time.
    ASSERT_TRUE(mode_is_set);
    const std::vector<cell> from = chosen();
    ASSERT_FALSE(from.empty());
    const std::uint64_t first = number("ROTA_SIM_FIRST", 1);
    const std::uint64_t count = number("ROTA_SIM_COUNT", 4'000);
    rota::run([] { procs_at_boot = rota::runtime::gomaxprocs(); });
    std::uint64_t steps = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const outcome once = run_seed(seed, from);
        steps += once.steps;
        if (seed % 10 != 0) continue;
        const outcome again = run_seed(seed, from);
        ASSERT_EQ(once.hash, again.hash)
            << "seed " << seed << " took two ways (" << cells_now << "): " << once.steps << " and "
            << again.steps << " steps";
    }
    std::printf("%llu seeds from %llu, %llu steps, %zu kinds of cell, %lu faults\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(steps), from.size(), net_faults_planted());
}

}  // namespace

void now_running(std::uint64_t seed, std::string cells, const char* variables) {
    seed_now = seed;
    cells_now = std::move(cells);
    variables_now = variables;
}

void broken(const char* law, const char* file, int line) {
    std::fprintf(stderr,
                 "%s:%d: broken: %s\nseed %llu, cells %s\nto repeat it: %s_FIRST=%llu "
                 "%s_COUNT=1 GOMAXPROCS=%d rota_sim\n",
                 file, line, law, static_cast<unsigned long long>(seed_now), cells_now.c_str(),
                 variables_now, static_cast<unsigned long long>(seed_now), variables_now,
                 rota::runtime::gomaxprocs(0));
    std::abort();
}

}  // namespace rota_sim
