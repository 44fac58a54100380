// Runs the body of a contract test in a goroutine and in a thread, waits for states, and watches
// every test.
//
// Any goroutine and any thread may call every operation of rota; TEST_ANYWHERE makes two tests of
// one body. A test waits for a state (`eventually`), never for a time. If a test does not end, a
// watchdog ends the process and prints the scheduler's counters. A test must announce each
// goroutine that it leaves behind (`leaves_behind`).
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
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

// tsan keeps a shadow stack per goroutine and has room for about 8,000 of them.
inline constexpr int live_goroutines_max = under_tsan ? 3000 : 100'000;

// `many` in ordinary builds, fewer in builds in which every memory access costs ten times as much.
constexpr int scaled(int many) { return under_tsan || under_asan ? many / 10 : many; }

inline constexpr std::chrono::seconds patience{under_tsan || under_asan ? 40 : 15};

// Lets other goroutines or threads run; for any caller.
inline void give_way() {
    if (rota::runtime::goid() != 0) rota::runtime::gosched();
    else std::this_thread::yield();
}

// Waits until condition() holds; false if that takes longer than `patience`.
template <class C>
[[nodiscard]] bool eventually(C condition) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        give_way();
    }
    return true;
}

// Runs f to its end on a thread of its own.
template <class F>
void on_thread(F&& f) {
    std::thread thread(std::forward<F>(f));
    thread.join();
}

// The text of the panic that ends f.
template <class F>
std::string panic_of(F f) {
    try {
        f();
    } catch (const rota::panic_error& e) {
        return e.what();
    }
    return "no panic";
}

// A line with the scheduler's counters, for failure messages.
std::string scheduler_state();

// Goroutines that earlier tests have left for good: on nil channels, in endless sleeps.
inline std::atomic<int> left_behind{0};
inline void leaves_behind(int n) { left_behind.fetch_add(n); }

// Waits until no goroutine is left except the caller, if it is a goroutine, and those left behind.
// That orders nothing: a test may destroy the objects of other goroutines only after a wait_group,
// a channel or an atomic has reported their end.
[[nodiscard]] bool eventually_alone();

// Adds both tests of TEST_ANYWHERE at run time: a class for each test would take the compiler as
// long as the rest of a file.
bool add_anywhere(const char* suite, const char* name, const char* file, int line, void (*body)());

}  // namespace rota_test

// Two tests of one body: suite.name_in_goroutine and suite.name_in_thread.
#define TEST_ANYWHERE(suite, name) \
    static void suite##_##name(); \
    [[maybe_unused]] static const bool suite##_##name##_added = \
        rota_test::add_anywhere(#suite, #name, __FILE__, __LINE__, suite##_##name); \
    static void suite##_##name()
