// Children of a death test are started anew: a forked one would lack the other threads. An emulated
// program cannot start itself and asks for forked ones by GoogleTest's own variable.
#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

namespace rota_test {

struct start_death_tests_anew : testing::Environment {
    void SetUp() override {
        if (std::getenv("GTEST_DEATH_TEST_STYLE") == nullptr)
            GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};
inline const auto* const environment_of_death_tests =
    testing::AddGlobalTestEnvironment(new start_death_tests_anew);

}  // namespace rota_test
