// rota::leak: finds the goroutines that were left behind, and no others.
#include <rota/leak.hpp>
#include <rota/leak_gtest.hpp>
#include <rota/pprof.hpp>
#include <rota/synctest.hpp>
#include <rota/trace.hpp>

#include <string>
#include <vector>

#include <gtest/gtest-spi.h>

#include "anywhere.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

__attribute__((noinline)) void leaks_here(const rota::chan<int>& ch) {
    ch.recv();
    asm volatile("" : : "i"(3) : "memory");  // no tail call, and not folded with an equal function
}

// Three frames on the way to a goroutine, as in a program that starts its goroutines in one place.
__attribute__((noinline)) void starts_one(rota::wait_group& wg, const rota::chan<int>& ch) {
    wg.go([ch] { leaks_here(ch); });
    asm volatile("" : : "i"(4) : "memory");
}
__attribute__((noinline)) void handles_a_request(rota::wait_group& wg, const rota::chan<int>& ch) {
    starts_one(wg, ch);
    asm volatile("" : : "i"(5) : "memory");
}

namespace {

// While it lives, creation stacks are kept.
class kept_stacks {
  public:
    kept_stacks() { rota::leak::keep_creation_stacks(); }
    ~kept_stacks() { rota::leak::keep_creation_stacks(false); }
    kept_stacks(const kept_stacks&) = delete;
    kept_stacks& operator=(const kept_stacks&) = delete;
};

// Turns off creation stacks that the tested code has turned on.
struct stacks_ended {
    ~stacks_ended() { rota::leak::keep_creation_stacks(false); }
};

// Options that ignore goroutines of earlier tests, which have announced them.
rota::leak::options of_this_test(std::chrono::nanoseconds wait) {
    rota::leak::options how = rota::leak::ignore_current();
    how.max_wait = wait;
    return how;
}

}  // namespace

TEST_ANYWHERE(leak, what_rota_keeps_for_itself_is_none) {
    // Otherwise a search for leaks during a trace would find the goroutine that takes the trace.
    const rota::leak::options how = of_this_test(5ms);
    const std::string path = "/tmp/rota-leak." + std::to_string(::getpid()) + ".trace";
    rota::trace::start(path);
    EXPECT_TRUE(rota::leak::find(how).empty());
    rota::trace::stop();
    ::unlink(path.c_str());
    EXPECT_TRUE(rota::leak::find(how).empty());
}

TEST_ANYWHERE(leak, one_that_waits_for_ever_is_found_with_its_trace) {
    // It could be missed, or reported without its place and its creator.
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

TEST_ANYWHERE(leak, one_found_shows_the_stack_that_has_started_it) {
    // The goroutines of a program may come from one of its functions, or from rota's own templates:
    // a reader would not learn on whose behalf. Or stacks could be kept although no search wants
    // them.
    rota::leak::options how = of_this_test(5ms);
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    const auto trace_of_one = [&] {
        handles_a_request(wg, ch);
        std::vector<rota::leak::goroutine_info> found;
        EXPECT_TRUE(eventually([&] {
            found = rota::leak::find(how);
            return found.size() == 1 && found[0].state == "chan receive";
        }));
        how.ignore.push_back(found.empty() ? 0 : found[0].id);
        return found.empty() ? std::string() : found[0].trace;
    };
    std::string with_stack;
    {
        const kept_stacks kept;
        with_stack = trace_of_one();
    }
    const std::size_t at = with_stack.find("\ncreated by starts_one(");
    ASSERT_NE(at, std::string::npos) << with_stack;
    const std::size_t origin = with_stack.find("\n[originating from ", at);
    ASSERT_NE(origin, std::string::npos) << with_stack;
    const std::size_t inner = with_stack.find("\nstarts_one(", origin);
    EXPECT_LT(origin, inner) << with_stack;
    EXPECT_LT(inner, with_stack.find("\nhandles_a_request(", inner)) << with_stack;
    EXPECT_NE(with_stack.find("\nhandles_a_request("), std::string::npos) << with_stack;
    for (const char* const own : {"rota::detail::spawn", "wait_group::go", "rota::go<"})
        EXPECT_EQ(with_stack.substr(origin).find(own), std::string::npos) << with_stack;
    EXPECT_EQ(with_stack.find("rota_gostart"), std::string::npos) << with_stack;

    const std::string without = trace_of_one();
    EXPECT_NE(without.find("\ncreated by starts_one("), std::string::npos) << without;
    EXPECT_EQ(without.find("originating"), std::string::npos) << without;
    ch.close();
    wg.wait();
}

TEST(leak, stacks_are_kept_by_all_that_run_when_that_begins) {
    // A thread of the runtime that already had a processor could go on without keeping stacks.
    rota::run([] {
        const rota::leak::options how = of_this_test(0ms);
        auto ch = rota::make_chan<int>();
        constexpr int starters = 8;
        std::atomic<int> running{0};
        std::atomic<bool> may_start{false};
        rota::wait_group all, started;
        for (int i = 0; i < starters; ++i) {
            started.add(1);
            all.go([&] {
                ++running;
                while (!may_start) rota::runtime::gosched();
                handles_a_request(all, ch);
                started.done();
            });
        }
        EXPECT_TRUE(eventually([&] { return running == starters; }));
        const kept_stacks kept;
        may_start = true;
        started.wait();
        std::vector<rota::leak::goroutine_info> found;
        EXPECT_TRUE(eventually([&] {
            found = rota::leak::find(how);
            return found.size() == starters;
        }));
        for (const auto& g : found)
            EXPECT_NE(g.trace.find("\nhandles_a_request("), std::string::npos) << g.trace;
        ch.close();
        all.wait();
    });
}

TEST_ANYWHERE(leak, of_a_scope_are_its_goroutines_and_those_that_they_have_started) {
    // A test beside other tests could find their goroutines. Or it could lose its own as soon as
    // the goroutine that started them has ended.
    const kept_stacks kept;
    auto ch = rota::make_chan<int>();
    rota::wait_group grandchildren, strangers;
    const rota::leak::options at_once{.max_wait = 0ms};
    {
        rota::scope mine, other;
        strangers.go([ch] { leaks_here(ch); });
        other.go([ch] { leaks_here(ch); });
        EXPECT_TRUE(rota::leak::find(mine, at_once).empty());
        EXPECT_NO_THROW(rota::leak::verify_none(mine, at_once));
        mine.go([&grandchildren, ch] {
            grandchildren.go([ch] { leaks_here(ch); });  // started by a goroutine that ends
        });
        auto answer = mine.async([ch] { leaks_here(ch); });
        EXPECT_TRUE(eventually([&] { return rota::leak::find(mine, at_once).size() == 2; }));
        EXPECT_EQ(rota::leak::find(other, at_once).size(), 1u);
        EXPECT_THROW(rota::leak::verify_none(mine, at_once), rota::leak::leak_error);
        mine.go([&other, ch] { other.go([ch] { leaks_here(ch); }); });  // belongs to both scopes
        EXPECT_TRUE(eventually([&] {
            return rota::leak::find(mine, at_once).size() == 3 &&
                   rota::leak::find(other, at_once).size() == 2;
        }));
        ch.close();
        grandchildren.wait();
        strangers.wait();
        answer.get();
        EXPECT_NO_THROW(rota::leak::verify_none(mine, {.max_wait = patience}));
    }
}

TEST_ANYWHERE(leak, a_scope_that_nobody_told_apart_is_refused) {
    // An empty result would look as if there were no leak.
    rota::scope s;
    EXPECT_EQ(panic_of([&] { (void)rota::leak::find(s); }),
              "rota: leak::find of a scope that began before leak::keep_creation_stacks");
}

TEST(leak, of_a_bubble_are_those_that_are_in_it) {
    // A goroutine of another test could fail the test of a bubble, or a second of real time could
    // pass for each.
    auto outer = rota::make_chan<int>();
    rota::wait_group outside;
    outside.go([outer] { leaks_here(outer); });
    rota::synctest::test([] {
        rota::leak::options how;
        how.own_bubble = true;
        how.max_wait = 1h;  // of the bubble's own time
        EXPECT_TRUE(rota::leak::find(how).empty());
        rota::go([] { rota::sleep_for(30min); });
        EXPECT_TRUE(rota::leak::find(how).empty());
        auto ch = rota::make_chan<int>();
        rota::go([ch] { leaks_here(ch); });
        const auto found = rota::leak::find(how);
        EXPECT_EQ(found.size(), 1u);
        if (!found.empty()) {
            EXPECT_NE(found[0].trace.find("leaks_here("), std::string::npos);
        }
        ch.close();
    });
    EXPECT_EQ(panic_of([] { (void)rota::leak::find({.own_bubble = true}); }),
              "rota: leak::find: not in a synctest bubble");
    outer.close();
    outside.wait();
}

TEST_ANYWHERE(leak, one_that_is_about_to_end_is_waited_for) {
    // Otherwise a test that does not wait for its last goroutine would fail now and then.
    rota::leak::options how = of_this_test(patience);
    for (int i = 0; i < 20; ++i) rota::go([] { rota::sleep_for(2ms); });
    EXPECT_NO_THROW(rota::leak::verify_none(how));
}

TEST_ANYWHERE(leak, what_is_to_be_ignored_is) {
    // Otherwise a pool of the program's own would be reported at the end of each test.
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
    // A test's leak could fail another test.
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
                    // Started by a goroutine that has ended: labels outlive it.
                    rota::go([&started, ch, t] {
                        if (t % 2 != 0) rota::go([ch] { leaks_here(ch); });
                        started.done();
                    });
                    started.wait();
                });
                rota::leak::options how;
                how.max_wait = t % 2 != 0 ? 0ms : std::chrono::milliseconds(patience);
                how.labels = {{"test", name}};
                // The goroutine that has started it may not have ended yet.
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
    // The listener could report nothing, or fail the next test too.
    const stacks_ended at_end;
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
    // The fixture could report nothing, or not the creator.
    const stacks_ended at_end;
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
    EXPECT_NONFATAL_FAILURE(test.TearDown(), "[originating from ");  // the fixture keeps stacks
    ch.close();
    wg.wait();
}
