// rota::pool and rota::singleflight.
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::scheduler_state;

namespace {

std::atomic<int> pooled_alive{0};

struct pooled {
    int value = 0;
    pooled() { ++pooled_alive; }
    explicit pooled(int v) : value(v) { ++pooled_alive; }
    pooled(pooled&& other) noexcept : value(other.value) { ++pooled_alive; }
    ~pooled() { --pooled_alive; }
    pooled& operator=(pooled&&) = delete;
};

}  // namespace

TEST_ANYWHERE(pool, gives_what_was_put_or_makes_one) {
    rota::pool<std::unique_ptr<int>> plain;
    EXPECT_EQ(plain.get(), nullptr);
    plain.put(std::make_unique<int>(7));
    const std::unique_ptr<int> again = plain.get();
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(*again, 7);
    EXPECT_EQ(plain.get(), nullptr);
    int made = 0;
    rota::pool<std::string> texts(
        [&made] { return std::string("made ") + std::to_string(++made); });
    EXPECT_EQ(texts.get(), "made 1");
    texts.put("kept");
    EXPECT_EQ(texts.get(), "kept");
    EXPECT_EQ(texts.get(), "made 2");
}

TEST_ANYWHERE(pool, gives_each_value_to_one_taker) {
    // Two processors could take the same value, or a value be lost on the way.
    rota::pool<std::unique_ptr<int>> numbers;
    constexpr int many = rota_test::scaled(2000);
    std::atomic<long> sum{0};
    std::atomic<int> taken{0};
    const auto work = [&] {
        for (int i = 1; i <= many; ++i) {
            numbers.put(std::make_unique<int>(i));
            if (i % 16 == 0) rota::runtime::gosched();
            if (const auto n = numbers.get()) {
                sum += *n;
                ++taken;
            }
        }
    };
    rota::wait_group wg;
    for (int i = 0; i < 4; ++i) wg.go(work);
    std::thread other(work);
    rota::blocking([&] { other.join(); });
    wg.wait();
    while (const auto n = numbers.get()) {
        sum += *n;
        ++taken;
    }
    EXPECT_EQ(taken, 5 * many) << scheduler_state();
    EXPECT_EQ(sum, 5L * many * (many + 1) / 2);
}

TEST_ANYWHERE(pool, destroys_what_it_holds) {
    {
        rota::pool<pooled> box;
        for (int i = 0; i < 10; ++i) box.put(pooled(i));
        EXPECT_EQ(pooled_alive, 10);
        {
            const pooled one = box.get();
            EXPECT_EQ(pooled_alive, 10);
        }
        EXPECT_EQ(pooled_alive, 9);
    }
    EXPECT_EQ(pooled_alive, 0);
}

TEST_ANYWHERE(pool, a_value_that_throws_as_it_moves_leaves_it_usable) {
    struct fragile {
        bool throws = false;
        fragile() = default;
        explicit fragile(bool t) : throws(t) {}
        fragile(fragile&& other) : throws(other.throws) {
            if (throws) throw std::runtime_error("moved");
        }
    };
    rota::pool<fragile> box;
    EXPECT_THROW(box.put(fragile(true)), std::runtime_error);
    box.put(fragile());
    EXPECT_FALSE(box.get().throws);
}

TEST_ANYWHERE(singleflight, callers_of_one_key_share_one_call) {
    rota::singleflight<std::string, int> calls;
    std::atomic<int> runs{0};
    std::atomic<int> shared{0};
    rota::chan<rota::unit> go_on = rota::make_chan<rota::unit>();
    rota::wait_group wg;
    constexpr int callers = 4;
    wg.add(callers);
    for (int i = 0; i < callers; ++i) {
        ASSERT_TRUE(go_and_park([&] {
            const auto r = calls.run("key", [&] {
                go_on.recv();
                return ++runs;
            });
            EXPECT_EQ(r.value, 1);
            if (r.shared) ++shared;
            wg.done();
        }));
    }
    const auto other = calls.run("other", [] { return 9; });
    EXPECT_EQ(other.value, 9);
    EXPECT_FALSE(other.shared);
    go_on.close();
    wg.wait();
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(shared, callers) << scheduler_state();
    EXPECT_EQ(calls.run("key", [&] { return ++runs; }).value, 2) << "not kept";
}

TEST_ANYWHERE(kb49_singleflight, an_exception_reaches_all_callers) {
    rota::singleflight<int, int> calls;
    rota::chan<rota::unit> go_on = rota::make_chan<rota::unit>();
    std::atomic<int> caught{0};
    // The exception is destroyed here, at the end. libstdc++ counts its owners in a way that tsan
    // does not see: tsan would report that the last caller destroys it while another caller reads
    // it.
    std::array<std::exception_ptr, 3> kept;
    rota::wait_group wg;
    wg.add(3);
    for (std::exception_ptr& mine : kept) {
        ASSERT_TRUE(go_and_park([&] {
            try {
                (void)calls.run(1, [&]() -> int {
                    go_on.recv();
                    throw std::runtime_error("boom");
                });
            } catch (const std::runtime_error& e) {
                mine = std::current_exception();
                EXPECT_STREQ(e.what(), "boom");
                ++caught;
            }
            wg.done();
        }));
    }
    go_on.close();
    wg.wait();
    EXPECT_EQ(caught, 3);
    EXPECT_EQ(calls.run(1, [] { return 5; }).value, 5);
}

TEST_ANYWHERE(kb49_singleflight, goexit_in_the_function_is_an_error_to_the_others) {
    rota::singleflight<int, int> calls;
    rota::chan<rota::unit> go_on = rota::make_chan<rota::unit>();
    ASSERT_TRUE(go_and_park([&] {
        (void)calls.run(1, [&]() -> int {
            go_on.recv();
            rota::runtime::goexit();
        });
    }));
    std::atomic<int> told{0};
    ASSERT_TRUE(go_and_park([&] {
        try {
            (void)calls.run(1, [] { return 1; });
        } catch (const rota::panic_error&) {
            ++told;
        }
    }));
    go_on.close();
    EXPECT_TRUE(eventually([&] { return told == 1; })) << scheduler_state();
    EXPECT_EQ(calls.run(1, [] { return 5; }).value, 5);
    EXPECT_TRUE(rota_test::eventually_alone());
}

TEST_ANYWHERE(kb49_call_once, goexit_leaves_it_undone_and_lets_another_try) {
    rota::once_flag flag;
    rota::chan<rota::unit> go_on = rota::make_chan<rota::unit>();
    ASSERT_TRUE(go_and_park([&] {
        rota::call_once(flag, [&] {
            go_on.recv();
            rota::runtime::goexit();
        });
    }));
    std::atomic<int> runs{0};
    ASSERT_TRUE(go_and_park([&] { rota::call_once(flag, [&] { ++runs; }); }));
    go_on.close();
    EXPECT_TRUE(eventually([&] { return runs == 1; })) << scheduler_state();
    rota::call_once(flag, [&] { ++runs; });
    EXPECT_EQ(runs, 1);
    EXPECT_TRUE(rota_test::eventually_alone());
}

TEST_ANYWHERE(kb49_wait_group, go_is_done_also_on_goexit) {
    rota::wait_group wg;
    std::atomic<int> destroyed{0};
    struct tells {
        std::atomic<int>& n;
        ~tells() { ++n; }
    };
    for (int i = 0; i < 10; ++i) {
        wg.go([&] {
            const tells at_end{destroyed};
            rota::runtime::goexit();
        });
    }
    wg.wait();
    EXPECT_EQ(destroyed, 10);
}

TEST_ANYWHERE(singleflight, forget_lets_the_next_caller_run_anew) {
    rota::singleflight<int, int> calls;
    rota::chan<rota::unit> go_on = rota::make_chan<rota::unit>();
    std::atomic<int> first{0};
    ASSERT_TRUE(go_and_park([&] {
        first = calls
                    .run(1,
                         [&] {
                             go_on.recv();
                             return 1;
                         })
                    .value;
    }));
    calls.forget(1);
    calls.forget(2);
    const auto r = calls.run(1, [] { return 2; });
    EXPECT_EQ(r.value, 2);
    EXPECT_FALSE(r.shared);
    go_on.close();
    EXPECT_TRUE(eventually([&] { return first == 1; })) << scheduler_state();
}

TEST_ANYWHERE(singleflight, serves_many_keys_and_threads_at_once) {
    rota::singleflight<int, int> calls;
    const auto work = [&] {
        for (int i = 0; i < rota_test::scaled(500); ++i) {
            const int key = i % 7;
            const auto r = calls.run(key, [key] {
                if (key % 2 == 0) rota::runtime::gosched();
                return key * 10;
            });
            ASSERT_EQ(r.value, key * 10);
        }
    };
    rota::wait_group wg;
    for (int i = 0; i < 6; ++i) wg.go(work);
    std::thread other(work);
    rota::blocking([&] { other.join(); });
    wg.wait();
}
