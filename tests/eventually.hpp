#pragma once

#include <chrono>

#include <rota/time.hpp>

namespace rota_test {

// Whether the condition is met within a time that no test that passes needs; in a goroutine.
template <class Condition>
bool eventually(Condition is_met) {
    using namespace std::chrono_literals;
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!is_met() && std::chrono::steady_clock::now() < until) rota::sleep_for(1ms);
    return is_met();
}

}  // namespace rota_test
