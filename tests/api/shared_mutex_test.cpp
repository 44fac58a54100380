// rota::shared_mutex: readers together, writers alone, no starvation.
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::scheduler_state;
using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<rota::shared_mutex>);

static constinit rota::shared_mutex static_shared_mutex;  // usable before any constructor runs

namespace {

// Locks for reading so often that readers count themselves by processors afterwards, if ever.
void read_often(rota::shared_mutex& mu) {
    for (int i = 0; i < 5000; ++i) {
        mu.lock_shared();
        mu.unlock_shared();
    }
}

}  // namespace

TEST_ANYWHERE(shared_mutex, meets_the_standards_shared_lockable_requirements) {
    rota::shared_mutex mu;
    {
        const std::shared_lock a(mu);
        const std::shared_lock b(mu);
        EXPECT_FALSE(mu.try_lock());
        std::shared_lock c(mu, std::try_to_lock);
        EXPECT_TRUE(c.owns_lock());
    }
    {
        const std::lock_guard guard(mu);
        EXPECT_FALSE(mu.try_lock());
        EXPECT_FALSE(mu.try_lock_shared());
    }
    {
        std::unique_lock lock(mu, std::try_to_lock);
        EXPECT_TRUE(lock.owns_lock());
    }
    const std::shared_lock guard(static_shared_mutex);
}

TEST_ANYWHERE(shared_mutex, keeps_writers_alone) {
    // A reader beside a writer would see the two halves differ; two writers would lose a step.
    rota::shared_mutex mu;
    long left = 0;
    long right = 0;
    constexpr int each = rota_test::scaled(2000);
    const auto write = [&] {
        for (int i = 0; i < each; ++i) {
            const std::lock_guard guard(mu);
            ++left;
            if (i % 64 == 0) rota::runtime::gosched();
            ++right;
        }
    };
    const auto read = [&] {
        for (int i = 0; i < 5 * each; ++i) {
            const std::shared_lock guard(mu);
            ASSERT_EQ(left, right);
            if (i % 64 == 0) rota::runtime::gosched();
            ASSERT_EQ(left, right);
        }
    };
    rota::wait_group wg;
    for (int i = 0; i < 4; ++i) wg.go(read);
    for (int i = 0; i < 2; ++i) wg.go(write);
    std::thread reader(read);
    std::thread writer(write);
    rota::blocking([&] {
        reader.join();
        writer.join();
    });
    wg.wait();
    EXPECT_EQ(left, 3L * each) << scheduler_state();
}

TEST_ANYWHERE(shared_mutex, readers_are_together) {
    // A reader could keep the next reader out: they would never meet.
    for (const bool often : {false, true}) {
        rota::shared_mutex mu;
        if (often) read_often(mu);
        rota::barrier<> meet(3);
        rota::wait_group wg;
        for (int i = 0; i < 3; ++i) {
            wg.go([&] {
                const std::shared_lock guard(mu);
                meet.arrive_and_wait();
            });
        }
        wg.wait();
    }
}

TEST_ANYWHERE(shared_mutex, writer_waits_for_every_reader) {
    // A writer could overlook readers that count themselves by processors.
    for (const bool often : {false, true}) {
        rota::shared_mutex mu;
        if (often) read_often(mu);
        mu.lock_shared();
        mu.lock_shared();
        std::atomic<bool> written{false};
        ASSERT_TRUE(go_and_park([&] {
            const std::lock_guard guard(mu);
            written = true;
        }));
        EXPECT_FALSE(mu.try_lock());
        EXPECT_FALSE(mu.try_lock_shared()) << "a writer waits";
        mu.unlock_shared();
        for (int i = 0; i < 50; ++i) rota_test::give_way();
        EXPECT_FALSE(written);
        mu.unlock_shared();
        EXPECT_TRUE(eventually([&] { return written.load(); })) << scheduler_state();
        EXPECT_TRUE(eventually([&] { return mu.try_lock(); }));
        mu.unlock();
    }
}

TEST_ANYWHERE(shared_mutex, reader_behind_a_waiting_writer_comes_after_it) {
    rota::shared_mutex mu;
    std::vector<int> order;
    rota::wait_group wg;
    wg.add(2);
    mu.lock_shared();
    ASSERT_TRUE(go_and_park([&] {
        mu.lock();
        order.push_back(1);
        mu.unlock();
        wg.done();
    }));
    ASSERT_TRUE(go_and_park([&] {
        mu.lock_shared();
        order.push_back(2);
        mu.unlock_shared();
        wg.done();
    }));
    mu.unlock_shared();
    wg.wait();
    EXPECT_EQ(order, (std::vector<int>{1, 2})) << scheduler_state();
}

TEST_ANYWHERE(shared_mutex, waiting_readers_all_go_before_the_next_writer) {
    rota::shared_mutex mu;
    std::atomic<int> readers{0};
    std::atomic<int> seen_by_writer{-1};
    rota::wait_group wg;
    wg.add(4);
    mu.lock();
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(go_and_park([&] {
            mu.lock_shared();
            ++readers;
            mu.unlock_shared();
            wg.done();
        }));
    }
    ASSERT_TRUE(go_and_park([&] {
        mu.lock();
        seen_by_writer = readers.load();
        mu.unlock();
        wg.done();
    }));
    mu.unlock();
    wg.wait();
    EXPECT_EQ(seen_by_writer, 3) << scheduler_state();
}

TEST_ANYWHERE(kb14_shared_mutex, readers_in_loops_do_not_shut_a_writer_out) {
    // As long as a reader always holds it, a lock that lets new readers pass a writer starves the
    // writer.
    rota::shared_mutex mu;
    std::atomic<bool> stop{false};
    std::atomic<int> written{0};
    rota::wait_group wg;
    for (int i = 0; i < 8; ++i) {
        wg.go([&] {
            while (!stop) {
                const std::shared_lock guard(mu);
                rota::sleep_for(100us);
            }
        });
    }
    wg.go([&] {
        for (int i = 0; i < 10; ++i) {
            const std::lock_guard guard(mu);
            ++written;
        }
        stop = true;
    });
    EXPECT_TRUE(eventually([&] { return written == 10; })) << written << scheduler_state();
    stop = true;
    wg.wait();
}

TEST_ANYWHERE(shared_mutex, any_goroutine_or_thread_may_unlock_it) {
    for (const bool often : {false, true}) {
        rota::shared_mutex mu;
        if (often) read_often(mu);
        for (int i = 0; i < 50; ++i) {
            mu.lock_shared();
            rota::go([&] { mu.unlock_shared(); });
            mu.lock();
            rota::go([&] { mu.unlock(); });
            mu.lock_shared();
            mu.unlock_shared();
        }
        mu.lock_shared();
        std::thread([&] { mu.unlock_shared(); }).join();
        EXPECT_TRUE(mu.try_lock());
        std::thread([&] { mu.unlock(); }).join();
        EXPECT_TRUE(mu.try_lock_shared());
        mu.unlock_shared();
    }
}

TEST_ANYWHERE(shared_mutex, reading_and_writing_may_take_turns_for_long) {
    // Readers spread over the processors and are gathered again and again: none may be lost.
    rota::shared_mutex mu;
    long value = 0;
    rota::wait_group wg;
    constexpr int rounds = 20;
    for (int r = 0; r < 2; ++r) {
        wg.go([&] {
            for (int i = 0; i < rounds; ++i) {
                read_often(mu);
                const std::lock_guard guard(mu);
                ++value;
            }
        });
    }
    wg.wait();
    EXPECT_EQ(value, 2L * rounds);
    ASSERT_TRUE(mu.try_lock());
    mu.unlock();
}

TEST_ANYWHERE(shared_mutex, many_may_be_read_often_at_once) {
    // The counters for readers run out; the remaining locks must do without.
    constexpr std::size_t many = 600;
    std::vector<rota::shared_mutex> locks(many);
    for (auto& mu : locks) read_often(mu);
    for (auto& mu : locks) mu.lock_shared();
    for (auto& mu : locks) ASSERT_FALSE(mu.try_lock());
    for (auto& mu : locks) mu.unlock_shared();
    for (auto& mu : locks) {
        ASSERT_TRUE(mu.try_lock());
        mu.unlock();
    }
}

TEST_ANYWHERE(kb47_shared_mutex, may_go_as_soon_as_the_last_has_unlocked_it) {
    // The writer's unlock lets the reader in, which destroys the lock; asan would report.
    for (int round = 0; round < rota_test::scaled(3000); ++round) {
        auto mu = std::make_unique<rota::shared_mutex>();
        rota::shared_mutex* const bare = mu.get();
        bool ready = false;
        mu->lock();
        rota::go([bare, &ready] {
            ready = true;
            bare->unlock();
        });
        mu->lock_shared();
        EXPECT_TRUE(ready);
        mu->unlock_shared();
        mu.reset();
    }
}
