// The work of each copy of the runtime in these tests: channels, timers, and a goroutine that
// computes until main stops it, and so must be preempted.
#pragma once

#include <atomic>
#include <chrono>

#include <rota/rota.hpp>

namespace plugin_test {

using namespace std::chrono_literals;

// Adds up the values that go through a channel with a buffer of one value.
inline bool pass_values(int count) {
    auto values = rota::make_chan<int>(1);
    rota::go([values, count]() mutable {
        for (int i = 1; i <= count; ++i) values.send(i);
        values.close();
    });
    long long sum = 0;
    for (const int v : values) sum += v;
    return sum == static_cast<long long>(count) * (count + 1) / 2;
}

// On one p, a goroutine that computes keeps that p until it is preempted.
inline bool is_preempted() {
    const int before = rota::runtime::gomaxprocs(1);
    std::atomic<bool> stop{false}, gave_up{false};
    rota::wait_group hog;
    hog.go([&] {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!stop.load(std::memory_order_relaxed)) {
            if (std::chrono::steady_clock::now() > until) {
                gave_up = true;
                break;
            }
        }
    });
    rota::sleep_for(1ms);
    stop = true;
    hog.wait();
    rota::runtime::gomaxprocs(before);
    return !gave_up;
}

inline bool sleeps_and_ticks() {
    auto ticks = rota::ticker(1ms);
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) {
        rota::sleep_for(1ms);
        ticks.c().recv();
    }
    return std::chrono::steady_clock::now() - begun >= 10ms;
}

// 0, or the number of the first failed step.
inline int work() {
    int wrong = 0;
    rota::run([&] {
        for (int round = 0; round < 3 && wrong == 0; ++round) {
            if (!pass_values(10'000)) wrong = 1;
            else if (!sleeps_and_ticks()) wrong = 2;
            else if (!is_preempted()) wrong = 3;
        }
    });
    return wrong;
}

}  // namespace plugin_test
