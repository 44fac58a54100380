// rota::leak: what was left behind is found, and nothing else.
#include <rota/leak.hpp>
#include <rota/leak_gtest.hpp>
#include <rota/pprof.hpp>
#include <rota/trace.hpp>

#include <string>
#include <vector>

#include <gtest/gtest-spi.h>

#include "anywhere.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

__attribute__((noinline)) void leaks_here(const rota::chan<int>& ch) {
    ch.recv();
    asm volatile("" : : "i"(3) : "memory");  // no tail call, and not folded with its like
}

namespace {

// Whatever others have left: those tests have announced it.
rota::leak::options of_this_test(std::chrono::nanoseconds wait) {
    rota::leak::options how = rota::leak::ignore_current();
    how.max_wait = wait;
    return how;
}

}  // namespace

TEST_ANYWHERE(leak, what_rota_keeps_for_itself_is_none) {
    // Whoever looks for leaks while a trace is taken finds who takes it.
    const rota::leak::options how = of_this_test(5ms);
    const std::string path = "/tmp/rota-leak." + std::to_string(::getpid()) + ".trace";
    rota::trace::start(path);
    EXPECT_TRUE(rota::leak::find(how).empty());
    rota::trace::stop();
    ::unlink(path.c_str());
    EXPECT_TRUE(rota::leak::find(how).empty());
}

TEST_ANYWHERE(leak, one_that_waits_for_ever_is_found_with_its_trace) {
    // It is overlooked, or nobody learns where it stands and who has started it.
    rota::leak::options how = of_this_test(5ms);
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    const std::uint64_t me = rota::runtime::goid();
    wg.go([ch] { leaks_here(ch); });
    std::vector<rota::leak::goroutine_info> found;
    EXPECT_TRUE(eventually([&] {
        found = rota::leak::find(how);
        return found.size() == 1 && found[0].state == "chan receive";
    }));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].parent_id, me);
    EXPECT_GT(found[0].id, 0u);
    EXPECT_NE(found[0].trace.find("leaks_here("), std::string::npos) << found[0].trace;
    if (me != 0) {
        EXPECT_NE(found[0].trace.find("\ncreated by "), std::string::npos) << found[0].trace;
    }
    try {
        rota::leak::verify_none(how);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const rota::leak::leak_error& e) {
        EXPECT_EQ(e.goroutines().size(), 1u);
        EXPECT_NE(std::string(e.what()).find("leaks_here("), std::string::npos) << e.what();
    }
    ch.close();
    wg.wait();
    how.max_wait = patience;
    EXPECT_TRUE(rota::leak::find(how).empty());
}

TEST_ANYWHERE(leak, one_that_is_about_to_end_is_waited_for) {
    // Every test that does not wait for its last goroutine fails now and then.
    rota::leak::options how = of_this_test(patience);
    for (int i = 0; i < 20; ++i) rota::go([] { rota::sleep_for(2ms); });
    EXPECT_NO_THROW(rota::leak::verify_none(how));
}

TEST_ANYWHERE(leak, what_is_to_be_ignored_is) {
    // A pool of the program's own is reported at the end of each test.
    rota::leak::options how = of_this_test(0ms);
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    wg.go([ch] { leaks_here(ch); });
    EXPECT_TRUE(eventually([&] {
        const auto found = rota::leak::find(how);
        return found.size() == 1 && found[0].state == "chan receive";
    }));
    rota::leak::options by_function = how;
    by_function.ignore_functions = {"leaks_here"};
    EXPECT_TRUE(rota::leak::find(by_function).empty());
    const rota::leak::options by_number = of_this_test(0ms);
    EXPECT_TRUE(rota::leak::find(by_number).empty());
    ch.close();
    wg.wait();
}

TEST(leak, tests_side_by_side_find_their_own) {
    // One test's leak lets another one fail.
    rota::run([] {
        auto ch = rota::make_chan<int>();
        rota::wait_group tests;
        std::atomic<int> wrong{0};
        for (int t = 0; t < 8; ++t) {
            tests.go([&, t] {
                const std::string name = std::to_string(t);
                rota::pprof::do_labels({{"test", name}}, [&] {
                    rota::wait_group started;
                    started.add(1);
                    // Started by one that has ended: labels outlive it.
                    rota::go([&started, ch, t] {
                        if (t % 2 != 0) rota::go([ch] { leaks_here(ch); });
                        started.done();
                    });
                    started.wait();
                });
                rota::leak::options how;
                how.max_wait = t % 2 != 0 ? 0ms : std::chrono::milliseconds(patience);
                how.labels = {{"test", name}};
                // The one that has started it may not have ended yet.
                const auto finds_its_own = [&] {
                    return rota::leak::find(how).size() == static_cast<std::size_t>(t % 2);
                };
                if (!eventually(finds_its_own)) ++wrong;
            });
        }
        tests.wait();
        EXPECT_EQ(wrong, 0);
        ch.close();
    });
}

TEST(leak, main_goroutines_are_none) {
    // Every check from outside run() would fail.
    rota::run([] {
        const auto found = [] {
            rota::leak::options how;
            how.max_wait = 0ms;
            return rota::leak::find(how);
        };
        const std::uint64_t main = rota::runtime::goid();
        rota::async([&] {
            for (const auto& g : found()) EXPECT_NE(g.id, main) << g.trace;
        }).get();
    });
}

TEST(leak, the_listener_lets_a_test_fail_that_leaks) {
    // It says nothing, or lets the next test fail too.
    rota::leak::options how;
    how.max_wait = 0ms;
    rota::leak::test_listener listener(how);
    const testing::TestInfo& info = *testing::UnitTest::GetInstance()->current_test_info();
    listener.OnTestStart(info);
    listener.OnTestEnd(info);
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    wg.go([ch] { leaks_here(ch); });
    EXPECT_TRUE(eventually(
        [&] { return rota::runtime::stack(true).find("\nleaks_here(") != std::string::npos; }));
    EXPECT_NONFATAL_FAILURE(listener.OnTestEnd(info), "leaks_here(");
    listener.OnTestStart(info);
    listener.OnTestEnd(info);
    ch.close();
    wg.wait();
}

TEST(leak, lets_a_fixture_s_tests_that_leave_goroutines_fail) {
    struct probe : rota::leak::fixture {
        using rota::leak::fixture::SetUp;
        using rota::leak::fixture::TearDown;
        probe() : fixture({.max_wait = 0ms}) {}
        void TestBody() override {}
    } test;
    test.SetUp();
    test.TearDown();
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    wg.go([ch] { leaks_here(ch); });
    EXPECT_TRUE(eventually(
        [&] { return rota::runtime::stack(true).find("\nleaks_here(") != std::string::npos; }));
    EXPECT_NONFATAL_FAILURE(test.TearDown(), "leaks_here(");
    ch.close();
    wg.wait();
}
