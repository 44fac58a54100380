// A GoogleTest listener that lets each test fail that leaves goroutines behind. Needs GoogleTest,
// which rota itself does not.
//
//     #include <rota/leak_gtest.hpp>
//     int main(int argc, char** argv) {
//         testing::InitGoogleTest(&argc, argv);
//         rota::leak::fail_tests_that_leak();
//         return RUN_ALL_TESTS();
//     }
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rota/leak.hpp>

namespace rota::leak {

/// Looks for goroutines after each test, ignores those that were there before it, and adds a
/// failure with the traces. Each is reported once.
class test_listener : public testing::EmptyTestEventListener {
  public:
    explicit test_listener(options how = {}) : how_(std::move(how)) {}

    void OnTestStart(const testing::TestInfo&) override { ignored_ = ignore_current().ignore; }

    void OnTestEnd(const testing::TestInfo&) override {
        options how = how_;
        how.ignore.insert(how.ignore.end(), ignored_.begin(), ignored_.end());
        std::string traces;
        const auto found = find(how);
        for (const goroutine_info& g : found) traces += "\n" + g.trace;
        if (!found.empty())
            ADD_FAILURE() << found.size() << " goroutines were left behind:\n" << traces;
    }

  private:
    options how_;
    std::vector<std::uint64_t> ignored_;
};

/// Adds the listener. Call it after InitGoogleTest.
inline void fail_tests_that_leak(options how = {}) {
    testing::UnitTest::GetInstance()->listeners().Append(new test_listener(std::move(how)));
}

}  // namespace rota::leak
