// rota::async and rota::future: results and exceptions that travel from a goroutine to whoever
// waits.
#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anywhere.hpp"

using rota_test::eventually;

static_assert(!std::is_copy_constructible_v<rota::future<int>>);
static_assert(std::is_nothrow_move_constructible_v<rota::future<int>>);
static_assert(std::is_same_v<decltype(rota::async([] { return 1L; })), rota::future<long>>);
static_assert(std::is_same_v<decltype(rota::async([] {})), rota::future<void>>);

namespace {

struct tracked {
    static inline std::atomic<int> alive{0};
    tracked() { ++alive; }
    tracked(tracked&&) noexcept { ++alive; }
    tracked& operator=(tracked&&) noexcept = default;
    ~tracked() { --alive; }
};

}  // namespace

TEST_ANYWHERE(async, gives_the_result_to_get) {
    // The result could be lost or taken before it is written.
    // Then the sum would be wrong.
    std::vector<rota::future<int>> futures;
    for (int i = 0; i < 300; ++i) {
        futures.push_back(rota::async([](int a, int b) { return a * b; }, i, 2));
    }
    int sum = 0;
    for (auto& f : futures) sum += f.get();
    EXPECT_EQ(sum, 299 * 300);
}

TEST_ANYWHERE(async, carries_move_only_results_references_and_void) {
    // A result could be copied on the way, or a reference be turned into a copy.
    // Then this would not compile, or the address would differ.
    EXPECT_EQ(*rota::async([] { return std::make_unique<int>(5); }).get(), 5);

    int variable = 1;
    rota::future<int&> ref = rota::async([&]() -> int& { return variable; });
    int& got = ref.get();
    EXPECT_EQ(&got, &variable);

    bool ran = false;
    rota::async([&] { ran = true; }).get();
    EXPECT_TRUE(ran);
}

TEST_ANYWHERE(async, carries_exceptions_to_get) {
    // The exception could end the process instead, lose its type, or be thrown twice.
    // Then the catch would not see it, or the future would still be valid.
    rota::future<int> f = rota::async([]() -> int { throw std::out_of_range("far"); });
    try {
        (void)f.get();
        ADD_FAILURE() << "get returned";
    } catch (const std::out_of_range& e) {
        EXPECT_STREQ(e.what(), "far");
    }
    EXPECT_FALSE(f.valid());

    auto g = rota::async([] { rota::panic("boom"); });
    EXPECT_THROW(g.get(), rota::panic_error);
    auto h = rota::async([]() -> int { throw 42; });
    EXPECT_THROW(h.get(), int);
}

TEST_ANYWHERE(future, wait_returns_when_the_result_is_there_and_leaves_it) {
    // wait could return early or take the result away.
    // Then ready would be false, or get would have nothing.
    auto gate = rota::make_chan<int>();
    rota::future<int> f = rota::async([gate] { return *gate.recv() + 1; });
    EXPECT_TRUE(f.valid());
    EXPECT_FALSE(f.ready());
    gate.send(9);
    f.wait();
    EXPECT_TRUE(f.ready());
    f.wait();
    EXPECT_EQ(f.get(), 10);
    EXPECT_FALSE(f.valid());
    EXPECT_FALSE(f.ready());
}

TEST_ANYWHERE(future, get_or_wait_without_anything_to_get_is_a_panic) {
    // An empty future could be dereferenced.
    // Then the process would crash instead.
    rota::future<int> empty;
    EXPECT_FALSE(empty.valid());
    EXPECT_THROW((void)empty.get(), rota::panic_error);
    EXPECT_THROW(empty.wait(), rota::panic_error);
    rota::future<int> f = rota::async([] { return 1; });
    rota::future<int> moved = std::move(f);
    EXPECT_THROW((void)f.get(),
                 rota::panic_error);  // NOLINT(bugprone-use-after-move): that is the test
    EXPECT_EQ(moved.get(), 1);
    EXPECT_THROW((void)moved.get(), rota::panic_error);
}

TEST_ANYWHERE(future, dropping_it_does_not_wait_and_frees_the_result) {
    // The destructor could wait for the goroutine, or the unwanted result could leak.
    // Then this would hang on the gate, or instances would be left.
    tracked::alive = 0;
    auto gate = rota::make_chan<rota::unit>();
    {
        auto dropped_early = rota::async([gate] {
            gate.recv();
            return tracked();
        });
    }
    gate.send({});
    {
        auto dropped_late = rota::async([] { return tracked(); });
        dropped_late.wait();
    }
    {
        auto replaced = rota::async([] { return tracked(); });
        replaced.wait();
        replaced = rota::async([] { return tracked(); });
        (void)replaced.get();
    }
    EXPECT_TRUE(eventually([] { return tracked::alive == 0; })) << tracked::alive << " alive";
}

TEST_ANYWHERE(future, get_sees_everything_the_goroutine_wrote) {
    // The result could be announced before it is complete.
    // Then a plain variable would be read old, and tsan would report a race.
    for (int i = 0; i < rota_test::scaled(3000); ++i) {
        int plain = -1;
        auto f = rota::async([&plain, i] {
            plain = i;
            return std::string(40, 'r');
        });
        ASSERT_EQ(f.get().size(), 40u);
        ASSERT_EQ(plain, i);
    }
}

TEST(future, may_be_got_by_a_thread_from_a_goroutine_and_back) {
    // Waking a waiter of the other kind goes another way.
    // If it did not wake it, the watchdog would end this.
    std::atomic<int> sum{0};
    for (int i = 0; i < 200; ++i) {
        auto f = rota::run([i] { return rota::async([i] { return i; }); });
        rota_test::on_thread([&] { sum += f.get(); });
        rota::future<int> g = rota::async([i] { return i; });
        rota::run([&] { sum += g.get(); });
    }
    EXPECT_EQ(sum, 199 * 200);
}

TEST_ANYWHERE(async, nil_function_is_an_exception_of_get) {
    // An empty std::function could be called blindly.
    // Then its bad_function_call would end the process or get would crash.
    auto f = rota::async(std::function<void()>());
    EXPECT_THROW(f.get(), std::bad_function_call);
    auto g = rota::async(std::function<int(int)>(), 7);
    EXPECT_THROW((void)g.get(), std::bad_function_call);
}
