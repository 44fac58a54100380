// Runs a client of a library in threads, in goroutines, and in goroutines inside rota::blocking.
//
// Each way has the same workers and, beside them, tickers that sleep for 1 ms each. Each operation
// checks its own answer and throws when it is wrong. The ways take turns, ROUNDS times, so that a
// disturbance of the machine meets each of them. The program prints one line of JSON for the table
// of scripts/testing/world.py, and ends with status 1 if an answer was wrong.
//
// With librota_hook.so in the process (docs/hook.md) there are two ways, threads and goroutines,
// and `hooked_workers` workers. Calls of goroutines then park.
//
// The program fails for wrong answers; for workers that finished no operation, in every round; for
// tickers that starve. They starve if p99 of their delay exceeds `starved_ms` and ten times that of
// the threads' tickers in every round. The best round of goroutines stands against the worst of
// threads, so that a busy machine alone does not fail a test. The bars of 10 ms (p99) and 50 ms
// (max) are printed and fail nothing.
//
// With the hook it also fails if no call has parked; if more than one call in a thousand was made
// in a blocking section; if there are more than `most_threads` threads while goroutines work. There
// are further threads besides the GOMAXPROCS that run goroutines: one for each goroutine that was
// stopped while it computes, and threads that wait for work.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <rota/hook.hpp>
#include <rota/rota.hpp>

namespace world {

using steady = std::chrono::steady_clock;

/// One worker's use of the library. `op` returns how many operations it has done and checked.
struct client {
    client() = default;
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    virtual ~client() = default;
    virtual long op() = 0;
};
using factory = std::function<std::unique_ptr<client>(int)>;

struct plan {
    int workers = 200;
    int tickers = 100;
    std::size_t stack = 0;                   // bytes; 0: the default
    bool announced = true;                   // whether rota::blocking is tried too
    std::function<std::string()> balance{};  // checked after the last worker: the fault, or ""
};

[[noreturn]] inline void wrong(const std::string& what) { throw std::runtime_error(what); }
inline void require(bool holds, const std::string& what) {
    if (!holds) wrong(what);
}

/// The variable `name`, or `fallback` if it is not set.
inline std::string variable(const char* name, const char* fallback) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : fallback;
}

enum class way { threads, goroutines, announced };

/// The figures of a way in one round.
struct figures {
    double ops = 0, cpu_s = 0, seconds = 0;
    double p50_ms = 0, p99_ms = 0, max_ms = 0;
    double idle = 0;     // workers that finished no operation
    double threads = 0;  // of the process, during the work
};

class round {
  public:
    round(const plan& p, const factory& make, way how, double seconds)
        : plan_(p), make_(make), how_(how), seconds_(seconds) {}

    figures run() {
        return how_ == way::threads ? by_threads() : rota::run([&] { return by_goroutines(); });
    }
    const std::string& error() const { return error_; }

  private:
    static double cpu_now() {
        rusage used{};
        ::getrusage(RUSAGE_SELF, &used);
        const auto in_s = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
        };
        return in_s(used.ru_utime) + in_s(used.ru_stime);
    }

    static double thread_count() {
        return static_cast<double>(
            std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
    }

    void fail(const std::string& what) {
        const std::lock_guard guard(mu_);
        if (error_.empty()) error_ = what;
        over_ = true;
    }

    template <class SleepUntil>
    void tick(SleepUntil sleep_until) {
        std::vector<float> late;
        late.reserve(8192);
        while (!over_) {
            const auto due = steady::now() + std::chrono::milliseconds(1);
            sleep_until(due);
            if (begun_)
                late.push_back(
                    std::chrono::duration<float, std::milli>(steady::now() - due).count());
        }
        const std::lock_guard guard(mu_);
        late_.insert(late_.end(), late.begin(), late.end());
    }

    // Makes client `index`, waits by `ready` until every worker is ready, and works until the round
    // is over.
    template <class Ready>
    void work(int index, Ready ready) {
        std::unique_ptr<client> mine;
        try {
            mine = make_(index);
        } catch (const std::exception& e) {
            fail(std::string("no client: ") + e.what());
        }
        ready();
        long done = 0;
        try {
            while (mine != nullptr && !over_)
                done += how_ == way::announced ? rota::blocking([&] { return mine->op(); })
                                               : mine->op();
            if (done == 0 && mine != nullptr) ++idle_;
        } catch (const std::exception& e) {
            fail(e.what());
        }
        ops_ += done;
    }

    template <class Sleep>
    figures measured(Sleep sleep, const std::function<void()>& join) {
        const double cpu = cpu_now();
        const auto began = steady::now();
        begun_ = true;
        sleep(std::chrono::duration<double>(seconds_));
        figures f;
        f.threads = thread_count();
        over_ = true;
        join();
        f.cpu_s = cpu_now() - cpu;
        f.seconds = std::chrono::duration<double>(steady::now() - began).count();
        f.ops = static_cast<double>(ops_);
        f.idle = static_cast<double>(idle_);
        const std::lock_guard guard(mu_);
        std::sort(late_.begin(), late_.end());
        if (late_.empty()) return f;
        const auto at = [&](double part) {
            return static_cast<double>(
                late_[static_cast<std::size_t>(part * static_cast<double>(late_.size() - 1))]);
        };
        f.p50_ms = at(0.5), f.p99_ms = at(0.99), f.max_ms = at(1);
        return f;
    }

    figures by_threads() {
        std::vector<std::thread> all;
        std::latch ready(plan_.workers + 1);
        for (int i = 0; i < plan_.tickers; ++i)
            all.emplace_back([&] { tick([](auto due) { std::this_thread::sleep_until(due); }); });
        for (int i = 0; i < plan_.workers; ++i)
            all.emplace_back([&, i] { work(i, [&] { ready.arrive_and_wait(); }); });
        ready.arrive_and_wait();
        return measured([](auto d) { std::this_thread::sleep_for(d); },
                        [&] {
                            for (std::thread& t : all) t.join();
                        });
    }

    figures by_goroutines() {
        rota::wait_group all;
        rota::latch ready(plan_.workers + 1);
        for (int i = 0; i < plan_.tickers; ++i)
            all.go([&] { tick([](auto due) { rota::sleep_for(due - steady::now()); }); });
        all.add(plan_.workers);
        for (int i = 0; i < plan_.workers; ++i) {
            rota::go({.name = "worker", .stack_size = plan_.stack}, [&, i] {
                work(i, [&] {
                    ready.count_down();
                    ready.wait();
                });
                all.done();
            });
        }
        ready.count_down();
        ready.wait();
        return measured([](auto d) { rota::sleep_for(d); }, [&] { all.wait(); });
    }

    const plan& plan_;
    const factory& make_;
    const way how_;
    const double seconds_;
    std::atomic<bool> begun_{false}, over_{false};
    std::atomic<long> ops_{0}, idle_{0};
    std::mutex mu_;
    std::vector<float> late_;  // ms
    std::string error_;
};

/// Sums of the work of a way's rounds; medians of its delays; its worst and best round.
class summary {
  public:
    void add(const figures& f) { rounds_.push_back(f); }
    bool empty() const { return rounds_.empty(); }
    double per_cpu() const { return sum(&figures::ops) / std::max(sum(&figures::cpu_s), 1e-9); }
    double ops() const { return sum(&figures::ops); }
    double best(double figures::* what) const { return sorted(what).front(); }
    double worst(double figures::* what) const { return sorted(what).back(); }
    double median(double figures::* what) const {
        const std::vector<double> all = sorted(what);
        return all[all.size() / 2];
    }
    std::string json() const {
        char text[256];
        std::snprintf(
            text, sizeof text,
            "{\"ops\":%.0f,\"per_s\":%.0f,\"per_cpu\":%.0f,\"p50\":%.2f,\"p99\":%.2f,\"max\":%.2f,"
            "\"threads\":%.0f}",
            ops(), ops() / std::max(sum(&figures::seconds), 1e-9), per_cpu(),
            median(&figures::p50_ms), median(&figures::p99_ms), median(&figures::max_ms),
            worst(&figures::threads));
        return text;
    }

  private:
    double sum(double figures::* what) const {
        double all = 0;
        for (const figures& f : rounds_) all += f.*what;
        return all;
    }
    std::vector<double> sorted(double figures::* what) const {
        std::vector<double> all;
        for (const figures& f : rounds_) all.push_back(f.*what);
        std::sort(all.begin(), all.end());
        return all;
    }
    std::vector<figures> rounds_;
};

inline constexpr const char* ways[] = {"threads", "goroutines", "goroutines, announced"};
inline constexpr double starved_ms = 300;
inline constexpr int hooked_workers = 1000, most_threads = 100;

/// The complaint about workers or tickers that starve in goroutines; "": none. A fault counts only
/// if every round has shown it.
inline std::string starvation(int way, const summary& here, const summary& threads) {
    const std::string title = ways[way] + std::string(": ");
    if (here.best(&figures::idle) > 0)
        return title + std::to_string(static_cast<int>(here.best(&figures::idle))) +
               " workers or more finished no operation in each round";
    const double p99 = here.best(&figures::p99_ms), beside = threads.worst(&figures::p99_ms);
    if (p99 <= std::max(starved_ms, 10 * beside)) return "";
    return title + "tickers starve: p99 of their delay is " + std::to_string(p99) +
           " ms in the best round, threads' " + std::to_string(beside) + " ms in the worst";
}

/// The complaint about a hook under which goroutines keep threads; "": none.
inline std::string kept_threads(const summary& here) {
    std::uint64_t calls = 0, parked = 0, blocked = 0;
    std::string names;
    for (const rota::hook::call_stats& c : rota::hook::stats()) {
        calls += c.calls, parked += c.parked, blocked += c.blocked;
        if (c.blocked != 0)
            names += " " + std::string(c.name) + " " + std::to_string(c.blocked) + " times";
    }
    if (parked == 0) return "no call has parked";
    if (blocked > calls / 1000) return "in blocking sections:" + names;
    const double threads = here.worst(&figures::threads);
    if (threads <= most_threads) return "";
    return std::to_string(static_cast<int>(threads)) + " threads";
}

/// Measures each way and prints the row `name`; returns the exit status.
inline int measure(const char* name, plan p, const factory& make) {
    const double seconds = std::atof(variable("WORLD_SECONDS", "1").c_str());
    const int rounds = std::max(1, std::atoi(variable("WORLD_ROUNDS", "3").c_str()));
    rota::runtime::gomaxprocs(2);
    const bool hooked = rota::hook::is_attached();
    if (hooked) p.workers = hooked_workers;
    p.workers = std::atoi(variable("WORLD_WORKERS", std::to_string(p.workers).c_str()).c_str());
    std::string error;
    summary by[3];
    for (int r = 0; r < rounds; ++r) {
        for (const way how : {way::threads, way::goroutines, way::announced}) {
            if (how == way::announced && (hooked || !p.announced)) continue;
            round one(p, make, how, seconds);
            const figures f = one.run();
            by[static_cast<int>(how)].add(f);
            if (error.empty() && !one.error().empty()) {
                error = std::string(ways[static_cast<int>(how)]) + ": " + one.error();
            }
        }
    }
    if (error.empty() && p.balance) error = p.balance();
    for (const int i : {1, 2})
        if (error.empty() && !by[i].empty()) error = starvation(i, by[i], by[0]);
    if (error.empty() && hooked) error = kept_threads(by[1]);
    std::printf("row {\"name\":\"%s%s\",\"workers\":%d,\"threads\":%s,\"%s\":%s", name,
                hooked ? ", hook" : "", p.workers, by[0].json().c_str(),
                hooked ? "hooked" : "goroutines", by[1].json().c_str());
    if (!by[2].empty()) std::printf(",\"announced\":%s", by[2].json().c_str());
    std::printf("}\n");
    if (!error.empty()) std::printf("wrong: %s: %s\n", name, error.c_str());
    std::fflush(stdout);
    return error.empty() ? 0 : 1;
}

/// A factory of T, made from a worker's index.
template <class T>
factory each() {
    return [](int index) { return std::make_unique<T>(index); };
}

}  // namespace world
