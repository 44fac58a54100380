// GoogleTest: a listener that fails each test that leaves goroutines behind, and a fixture for
// single tests. Needs GoogleTest, which rota itself does not.
//
//     #include <rota/leak_gtest.hpp>
//
//     class cache : public rota::leak::fixture {};
//     TEST_F(cache, forgets) { ... }  // fails if goroutines of its own are left when it has ended
//
//     // or, for all tests of the program:
//     int main(int argc, char** argv) {
//         testing::InitGoogleTest(&argc, argv);
//         rota::leak::fail_tests_that_leak();
//         return RUN_ALL_TESTS();
//     }
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rota/leak.hpp>

namespace rota::leak {

namespace detail {

// Compares the goroutines at a test's end with those at its beginning, which it ignores.
class test_check {
  public:
    explicit test_check(options how) : how_(std::move(how)) {}

    void begin() {
        if (!std::exchange(keeps_stacks_, true)) keep_creation_stacks();
        ignored_ = ignore_current().ignore;
    }

    void end() const {
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
    bool keeps_stacks_ = false;
    rota::detail::vector<std::uint64_t> ignored_;
};

}  // namespace detail

/// Makes goroutines keep the stacks that started them, looks for goroutines after each test,
/// ignores goroutines that existed before it, and adds a failure with the traces. Each goroutine is
/// reported once.
class test_listener : public testing::EmptyTestEventListener {
  public:
    explicit test_listener(options how = {}) : check_(std::move(how)) {}

    void OnTestStart(const testing::TestInfo&) override { check_.begin(); }
    void OnTestEnd(const testing::TestInfo&) override { check_.end(); }

  private:
    detail::test_check check_;
};

/// The same check for the tests of one fixture: derive from it, and call its SetUp and TearDown if
/// you have your own. A derived fixture must end its goroutines before this TearDown: in its own
/// TearDown, not in its destructor.
class fixture : public testing::Test {
  protected:
    explicit fixture(options how = {}) : check_(std::move(how)) {}

    void SetUp() override { check_.begin(); }
    void TearDown() override { check_.end(); }

  private:
    detail::test_check check_;
};

/// Adds the listener. Call it after InitGoogleTest.
inline void fail_tests_that_leak(options how = {}) {
    testing::UnitTest::GetInstance()->listeners().Append(new test_listener(std::move(how)));
}

}  // namespace rota::leak
