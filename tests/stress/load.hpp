// The tools of every stress test: a seed, a time box, and a watch over the progress of its workers.
//
// The seed comes from ROTA_TEST_SEED or ROTA_SEED, or is random. It is printed, and a run with the
// same seed makes the same choices (the schedule is still the machine's). A test works for as long
// as its box is open (longer with ROTA_TEST_LONG, shorter by ROTA_TEST_EFFORT). It is judged by
// conservation: each value that went in has come out. A worker whose count stands still for
// `stall_limit` ends the process, with every count.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../api/anywhere.hpp"

namespace rota_test {

inline std::uint64_t seed() {
    static const std::uint64_t value = [] {
        for (const char* name : {"ROTA_TEST_SEED", "ROTA_SEED"}) {
            if (const char* text = std::getenv(name)) {
                return static_cast<std::uint64_t>(std::strtoull(text, nullptr, 10));
            }
        }
        return static_cast<std::uint64_t>(std::random_device()());
    }();
    return value;
}

struct print_seed : testing::EmptyTestEventListener {
    void OnTestProgramStart(const testing::UnitTest&) override {
        if (const char* const debug = std::getenv("GODEBUG")) std::printf("GODEBUG=%s\n", debug);
        std::printf("seed %llu; to repeat its choices: ROTA_TEST_SEED=%llu\n",
                    static_cast<unsigned long long>(seed()),
                    static_cast<unsigned long long>(seed()));
        std::fflush(stdout);
    }
};
inline const bool seed_printed = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new print_seed);
    return true;
}();

// A generator for the part of a test that `salt` names: one per goroutine, so that none waits for
// another.
class choices {
  public:
    explicit choices(std::uint64_t salt) : engine_(seed() * 0x9e3779b97f4a7c15u + salt) {}
    // Uniform in [0, n).
    unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
    bool once_in(unsigned n) { return below(n) == 0; }

  private:
    std::minstd_rand engine_;
};

inline bool long_run() { return std::getenv("ROTA_TEST_LONG") != nullptr; }

// Whether the scheduler runs in chaos mode, where every switch takes about ten microseconds.
inline bool in_chaos() {
    const char* const debug = std::getenv("GODEBUG");
    const char* const seed = debug == nullptr ? nullptr : std::strstr(debug, "chaos=");
    return seed != nullptr && std::atoi(seed + std::strlen("chaos=")) != 0;
}

// How long tests work, in percent of the usual time: 2000 in a long run, else ROTA_TEST_EFFORT.
inline int effort() {
    if (long_run()) return 2000;
    const char* const text = std::getenv("ROTA_TEST_EFFORT");
    const int percent = text == nullptr ? 100 : std::atoi(text);
    return percent > 0 ? percent : 100;
}

// A count whose work grows with it, scaled by the effort.
inline int by_effort(int usual) { return usual * effort() / 100 + 1; }

// Open for `usual`, or as much of it as the effort says, at least 30 ms.
class time_box {
  public:
    explicit time_box(std::chrono::milliseconds usual = std::chrono::milliseconds(1200))
        : end_(std::chrono::steady_clock::now() +
               std::max(usual * effort() / 100, std::chrono::milliseconds(30))) {}
    bool open() const { return std::chrono::steady_clock::now() < end_; }

  private:
    std::chrono::steady_clock::time_point end_;
};

// Keeps the processor busy for a moment without a call into rota, as user code does most of the
// time.
inline void burn(std::chrono::nanoseconds d) {
    const auto until = std::chrono::steady_clock::now() + d;
    while (std::chrono::steady_clock::now() < until) {
    }
}

// A thread's random pause of up to `us_max` microseconds between two steps of its load. It changes
// which threads meet, and waits for nothing.
inline void linger(choices& choose, unsigned us_max) {
    std::this_thread::sleep_for(std::chrono::microseconds(choose.below(us_max)));
}

// Waits without a call into rota, so that the processor stays taken; false after `patience`. The
// kernel may run another thread meanwhile: there are more processors than cores.
template <class C>
[[nodiscard]] bool spin_until(C condition) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::yield();
    }
    return true;
}

inline constexpr std::chrono::seconds stall_limit{under_tsan || under_asan ? 30 : 8};

// The counts of a number of workers, and the thread that checks that they grow.
class progress {
  public:
    explicit progress(std::size_t workers) : counts_(workers) {
        watcher_ = std::thread([this] { watch(); });
    }
    ~progress() {
        {
            const std::lock_guard guard(mu_);
            over_ = true;
        }
        changed_.notify_one();
        watcher_.join();
    }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void step(std::size_t worker) { counts_[worker].value.fetch_add(1, std::memory_order_relaxed); }
    // The worker's count need not grow any more.
    void finish(std::size_t worker) {
        counts_[worker].value.fetch_or(finished, std::memory_order_relaxed);
    }
    std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const auto& c : counts_) sum += c.value.load(std::memory_order_relaxed) & ~finished;
        return sum;
    }

  private:
    static constexpr std::uint64_t finished = std::uint64_t{1} << 63;
    struct alignas(64) count {
        std::atomic<std::uint64_t> value{0};
    };

    void watch() {
        std::vector<std::uint64_t> seen(counts_.size(), 0);
        std::unique_lock guard(mu_);
        bool first = true;
        while (!changed_.wait_for(guard, stall_limit, [&] { return over_; })) {
            for (std::size_t i = 0; i < counts_.size(); ++i) {
                const std::uint64_t now = counts_[i].value.load(std::memory_order_relaxed);
                if (!first && now == seen[i] && (now & finished) == 0) give_up(i, seen);
                seen[i] = now;
            }
            first = false;
        }
    }

    [[noreturn]] void give_up(std::size_t worker, const std::vector<std::uint64_t>& seen) const {
        std::fprintf(stderr,
                     "progress: worker %zu has stood still for %lld s at seed %llu; %s\ncounts:",
                     worker, static_cast<long long>(stall_limit.count()),
                     static_cast<unsigned long long>(seed()), scheduler_state().c_str());
        for (const std::uint64_t n : seen) {
            std::fprintf(stderr, " %llu%s", static_cast<unsigned long long>(n & ~finished),
                         (n & finished) != 0 ? "!" : "");
        }
        std::fputc('\n', stderr);
        if (std::getenv("ROTA_TEST_HOLD") != nullptr) {
            std::fprintf(stderr, "process %d waits for a debugger\n", static_cast<int>(getpid()));
            for (;;) pause();
        }
        std::abort();
    }

    std::vector<count> counts_;
    std::mutex mu_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread watcher_;
};

}  // namespace rota_test
