// Waits in a goroutine until a condition is met.
#pragma once

#include <chrono>

#include <rota/time.hpp>

namespace rota_test {

// Whether the condition is met within a time that no test that passes needs; in a goroutine.
template <class Condition>
bool eventually(Condition is_met) {
    using namespace std::chrono_literals;
    const auto until = std::chrono::steady_clock::now() + 20s;
    // A condition that was met once counts: a second look may see that it is over.
    while (!is_met()) {
        if (std::chrono::steady_clock::now() >= until) return false;
        rota::sleep_for(1ms);
    }
    return true;
}

}  // namespace rota_test
