// Running the body of a contract test from a goroutine and from a thread, waiting for a state, and
// watching over both.
//
// Every operation of rota may be called from any goroutine and any thread; TEST_ANYWHERE makes two
// tests of one body. A test waits for a state (`eventually`), never for a time. A watchdog ends the
// process with an account of the scheduler when a test does not come to its end, and each test must
// leave no goroutine behind that it has not announced (`leaves_behind`).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>
#include <rota/rota.hpp>

#include "perturb.hpp"

namespace rota_test {

#if defined(__SANITIZE_THREAD__)
#define ROTA_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ROTA_TEST_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ROTA_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROTA_TEST_ASAN 1
#endif
#endif
#ifndef ROTA_TEST_TSAN
#define ROTA_TEST_TSAN 0
#endif
#ifndef ROTA_TEST_ASAN
#define ROTA_TEST_ASAN 0
#endif

inline constexpr bool under_tsan = ROTA_TEST_TSAN != 0;
inline constexpr bool under_asan = ROTA_TEST_ASAN != 0;

// tsan keeps a shadow stack per goroutine and has room for some 8,000 of them.
inline constexpr int live_goroutines_max = under_tsan ? 3000 : 100'000;

// `many` in ordinary builds, less where every memory access costs ten times as much.
constexpr int scaled(int many) { return under_tsan || under_asan ? many / 10 : many; }

inline constexpr std::chrono::seconds patience{under_tsan || under_asan ? 40 : 15};

// Lets others run, whoever calls.
inline void give_way() {
    if (rota::runtime::goid() != 0) rota::runtime::gosched();
    else std::this_thread::yield();
}

// Waits until condition() holds; false if it does not within `patience`.
template <class C>
[[nodiscard]] bool eventually(C condition) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        give_way();
    }
    return true;
}

// Runs f on a thread of its own, to its end.
template <class F>
void on_thread(F&& f) {
    std::thread thread(std::forward<F>(f));
    thread.join();
}

// The text of the panic that f ends with.
template <class F>
std::string panic_of(F f) {
    try {
        f();
    } catch (const rota::panic_error& e) {
        return e.what();
    }
    return "no panic";
}

// One line about what the scheduler has done, for failure messages.
inline std::string scheduler_state() {
    const rota::runtime::sched_stats s = rota::runtime::read_sched_stats();
    char text[400];
    std::snprintf(
        text, sizeof text,
        "gomaxprocs=%d goroutines=%d threads=%d created=%llu ended=%llu parks=%llu steals=%llu "
        "handoffs=%llu syscalls=%llu wakeups=%llu preemptions=%llu timers=%llu",
        rota::runtime::gomaxprocs(0), rota::runtime::num_goroutine(), rota::runtime::num_thread(),
        static_cast<unsigned long long>(s.goroutines_created),
        static_cast<unsigned long long>(s.goroutines_ended),
        static_cast<unsigned long long>(s.parks), static_cast<unsigned long long>(s.steals),
        static_cast<unsigned long long>(s.handoffs), static_cast<unsigned long long>(s.syscalls),
        static_cast<unsigned long long>(s.wakeups), static_cast<unsigned long long>(s.preemptions),
        static_cast<unsigned long long>(s.timers_run));
    return text;
}

// Goroutines that earlier tests have left for good: on nil channels, in sleeps without end.
inline std::atomic<int> left_behind{0};
inline void leaves_behind(int n) { left_behind.fetch_add(n); }

// Waits until the caller, if it is one, is the only goroutine but for those left behind. That
// orders nothing: what they have used may be destroyed only after a wait_group, a channel or an
// atomic has told of their end.
[[nodiscard]] inline bool eventually_alone() {
    const int own = rota::runtime::goid() != 0 ? 1 : 0;
    return eventually([own] { return rota::runtime::num_goroutine() == own + left_behind.load(); });
}

// Ends the process when one test takes longer than its limit; checks for leftovers after each.
class watchdog : public testing::EmptyTestEventListener {
  public:
    explicit watchdog(std::chrono::seconds limit) : limit_(limit) {}

    ~watchdog() override {
        {
            const std::lock_guard guard(mu_);
            stop_ = true;
        }
        changed_.notify_one();
        if (thread_.joinable()) thread_.join();
    }

    void OnTestStart(const testing::TestInfo& info) override {
        const std::lock_guard guard(mu_);
        name_ = std::string(info.test_suite_name()) + "." + info.name();
        ++round_;
        if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
        changed_.notify_one();
    }

    void OnTestEnd(const testing::TestInfo&) override {
        if (eventually_alone()) return;
        ADD_FAILURE() << "goroutines left behind: " << rota::runtime::num_goroutine()
                      << ", announced: " << left_behind.load() << "; " << scheduler_state();
        left_behind = rota::runtime::num_goroutine();  // so that the next tests are judged alone
    }

  private:
    void watch() {
        std::unique_lock guard(mu_);
        for (unsigned seen = round_; !stop_; seen = round_) {
            const bool moved =
                changed_.wait_for(guard, limit_, [&] { return stop_ || round_ != seen; });
            if (!moved) give_up();
        }
    }

    [[noreturn]] void give_up() {
        std::fprintf(stderr, "watchdog: %s has not ended within %lld s; %s\n", name_.c_str(),
                     static_cast<long long>(limit_.count()), scheduler_state().c_str());
        if (std::getenv("ROTA_TEST_HOLD") != nullptr) {
            std::fprintf(stderr, "watchdog: process %d waits for a debugger\n",
                         static_cast<int>(getpid()));
            for (;;) pause();
        }
        std::abort();
    }

    const std::chrono::seconds limit_;
    std::mutex mu_;
    std::condition_variable changed_;
    std::string name_;
    unsigned round_ = 0;
    bool stop_ = false;
    std::thread thread_;
};

inline bool install_watchdog() {
    const std::chrono::seconds limit{under_tsan || under_asan ? 240 : 90};
    testing::UnitTest::GetInstance()->listeners().Append(new watchdog(limit));
    return true;
}
inline const bool watched = install_watchdog();

}  // namespace rota_test

// Two tests of one body: suite.name_in_goroutine and suite.name_in_thread.
#define TEST_ANYWHERE(suite, name) \
    static void suite##_##name(); \
    TEST(suite, name##_in_goroutine) { rota::run(suite##_##name); } \
    TEST(suite, name##_in_thread) { rota_test::on_thread(suite##_##name); } \
    static void suite##_##name()
