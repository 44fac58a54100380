// Makes GoogleTest start the child of a death test as a new process: a forked child would have no
// other threads. A program under an emulator cannot start itself; it asks for forked children by
// GoogleTest's own variable.
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
