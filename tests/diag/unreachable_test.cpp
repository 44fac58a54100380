// What the search for unreachable goroutines costs, and what it says when it cannot prove anything.
#include "diag/unreachable.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>
#include <rota/rota.hpp>

#include "base/annotations.hpp"

using namespace rota::rt;

namespace {

std::size_t count_found(const char* wanted_reason, unreachable_goroutines& result) {
    result = find_unreachable_goroutines();
    if (wanted_reason == nullptr) {
        EXPECT_EQ(result.unproven, nullptr) << result.unproven;
    }
    return result.goids.size();
}

// Leaks n of them. Whoever lives to tell has the means to let them go: the address, inverted.
__attribute__((noinline)) std::uintptr_t leak_many(int n) {
    auto* const ch = new rota::chan<int>(rota::make_chan<int>());
    for (int i = 0; i < n; ++i) rota::go([c = *ch] { c.recv(); });
    std::uintptr_t bits = 0;
    static_assert(sizeof bits == sizeof *ch);
    std::memcpy(&bits, static_cast<void*>(ch), sizeof bits);
    bits = ~bits;
    std::memset(static_cast<void*>(ch), 0, sizeof bits);
    ::operator delete(ch);
    return bits;
}

}  // namespace

TEST(unreachable_search, ten_thousand_are_found_in_bounded_memory) {
    if (ROTA_ASAN || ROTA_TSAN) GTEST_SKIP() << "sanitizers keep frames elsewhere";
    constexpr int many = 10'000;
    rota::run([] {
        std::uintptr_t bits = 0;
        rota::wait_group leaked;
        leaked.go([&bits] { bits = leak_many(many); });
        leaked.wait();
        unreachable_goroutines result;
        for (int i = 0; i < 100 && count_found(nullptr, result) < many; ++i)
            rota::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(result.goids.size(), static_cast<std::size_t>(many));
        std::printf("%d goroutines: threads held for %.1f ms, %.1f MiB read\n", many,
                    static_cast<double>(result.held_ns) / 1e6,
                    static_cast<double>(result.bytes_read) / (1 << 20));
        bits = ~bits;
        rota::chan<int> ch;
        std::memcpy(static_cast<void*>(&ch), &bits, sizeof bits);
        ch.close();
        while (rota::runtime::num_goroutine() > 1) rota::runtime::gosched();
        EXPECT_EQ(count_found(nullptr, result), 0u);
    });
}

TEST(unreachable_search, a_thread_that_cannot_be_held_leaves_all_unproven) {
    // A pointer that stands in one of its registers would be overlooked.
    std::atomic<bool> ready{false}, may_end{false};
    std::thread deaf([&] {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        ready = true;
        while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    while (!ready) std::this_thread::yield();
    const unreachable_goroutines result = find_unreachable_goroutines();
    EXPECT_NE(result.unproven, nullptr);
    may_end = true;
    deaf.join();
    if (ROTA_ASAN || ROTA_TSAN) return;
    EXPECT_EQ(find_unreachable_goroutines().unproven, nullptr);
}
