// Random programs over the public API, each under one repeatable schedule.
//
// A program is a handful of cells that run at the same time. A cell is a small piece of concurrent
// code of random shape with a law that must hold at its end: each value came out once, no two
// goroutines were inside together, no sleep was short. The program's shape and the runtime's
// schedule are both drawn from the seed, so a failing seed fails again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <rota/rota.hpp>

namespace rota_sim {

// The program's own dice, separate from the runtime's, so that a change to one does not affect the
// other.
class dice {
  public:
    explicit dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    // Uniform in [lo, hi].
    int in(int lo, int hi) {
        return lo + static_cast<int>(next() % static_cast<std::uint64_t>(hi - lo + 1));
    }
    bool once_in(int n) { return in(1, n) == 1; }
    dice fork() { return dice(next()); }

  private:
    std::uint64_t next() {  // splitmix64
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state_;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    std::uint64_t state_;
};

struct cell {
    const char* name;
    // in a goroutine; returns when every goroutine that it has started has ended
    void (*run)(dice&);
};
// The number of processors before the first cell changed it.
extern int procs_at_boot;

// Cells register themselves before main.
std::vector<cell>& cells();
struct announce {
    announce(const char* name, void (*run)(dice&)) { cells().push_back({name, run}); }
};
#define ROTA_CELL(name) \
    static void cell_##name(rota_sim::dice& d); \
    static const rota_sim::announce announce_##name{#name, cell_##name}; \
    static void cell_##name([[maybe_unused]] rota_sim::dice& d)

// The seed and the cells of the running program, and the variables that choose them, for the report
// of a broken law.
void now_running(std::uint64_t seed, std::string cells, const char* variables);
[[noreturn]] void broken(const char* law, const char* file, int line);
#define SIM_CHECK(law) ((law) ? void() : rota_sim::broken(#law, __FILE__, __LINE__))

// Longer than the cells of a program take together. A goroutine that sleeps this long finds the
// other goroutines at rest, and no timer of a cell is set for later.
inline constexpr std::chrono::seconds long_after{10};

inline std::size_t place(int i) { return static_cast<std::size_t>(i); }

inline bool all_ones(const std::vector<int>& counts) {
    return std::all_of(counts.begin(), counts.end(), [](int n) { return n == 1; });
}

// At a program's end: every goroutine that it has started has ended or is about to.
inline void wait_for_all_others() {
    for (int i = 0; rota::runtime::num_goroutine() != 1; ++i) {
        SIM_CHECK(i < 100'000);
        rota::runtime::gosched();
    }
}

// A random small step that makes schedules differ.
inline void noise(dice& d) {
    switch (d.in(0, 5)) {
        case 0: rota::runtime::gosched(); break;
        case 1: rota::sleep_for(std::chrono::microseconds(d.in(0, 50))); break;
        case 2: (void)rota::clock::now(); break;
        default: break;
    }
}

}  // namespace rota_sim
