// rota::runtime::lock_os_thread: goroutines that are locked to their threads.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <dirent.h>
#include <unistd.h>

#include "../gomaxprocs_restored.hpp"
#include "anywhere.hpp"
#include "bustle.hpp"

using namespace std::chrono_literals;
using rota_test::bustle;
using rota_test::eventually;
using rota_test::scaled;
using rota_test::scheduler_state;
using rota_test::thread_id;
using rota_test::wander;

namespace {

bool thread_exists(int tid) {
    return ::access(("/proc/self/task/" + std::to_string(tid)).c_str(), F_OK) == 0;
}

}  // namespace

TEST(lock_os_thread, keeps_a_goroutine_on_its_thread) {
    // An m that takes it from a queue could run it itself.
    rota::run([] {
        const bustle others;
        rota::wait_group all;
        for (int i = 0; i < 6; ++i) {
            all.go([] {
                rota::runtime::lock_os_thread();
                const int own = thread_id();
                for (int k = 0; k < scaled(60); ++k) {
                    wander();
                    ASSERT_EQ(thread_id(), own);
                }
                rota::runtime::unlock_os_thread();
            });
        }
        all.wait();
    });
}

TEST(lock_os_thread, keeps_all_others_off_the_thread) {
    // The m could run the next goroutine while its own goroutine waits.
    rota::run([] {
        std::atomic<int> owned{0};
        std::atomic<bool> over{false};
        std::atomic<int> intruders{0};
        rota::wait_group all;
        for (int i = 0; i < 8; ++i) {
            all.go([&] {
                while (!over) {
                    if (thread_id() == owned) ++intruders;
                    wander();
                }
            });
        }
        all.go([&] {
            rota::runtime::lock_os_thread();
            owned = thread_id();
            for (int k = 0; k < scaled(100); ++k) {
                owned = 0;  // its own steps are no intrusion, and it does not check itself here
                rota::runtime::gosched();
                owned = thread_id();
                rota::sleep_for(100us);
            }
            owned = 0;
            rota::runtime::unlock_os_thread();
            over = true;
        });
        all.wait();
        EXPECT_EQ(intruders, 0);
    });
}

TEST(lock_os_thread, nests) {
    // The first unlock could free the thread, or a surplus unlock count for the future.
    rota::run([] {
        const bustle others;
        rota::wait_group all;
        all.go([] {
            rota::runtime::unlock_os_thread();  // without a lock: does nothing
            for (int i = 0; i < 3; ++i) rota::runtime::lock_os_thread();
            const int own = thread_id();
            for (int left = 3; left-- > 1;) {
                rota::runtime::unlock_os_thread();
                for (int k = 0; k < scaled(50); ++k) {
                    wander();
                    ASSERT_EQ(thread_id(), own) << left;
                }
            }
            rota::runtime::unlock_os_thread();
            rota::runtime::unlock_os_thread();
            rota::runtime::lock_os_thread();
            rota::runtime::unlock_os_thread();
        });
        all.wait();
    });
}

TEST(lock_os_thread, locks_the_main_goroutine_to_the_thread_that_called_run) {
    // Main may be on another thread when it locks itself, and its own thread busy or asleep.
    const int here = thread_id();
    rota::run([here] {
        rota::runtime::lock_os_thread();
        EXPECT_EQ(thread_id(), here);
        rota::runtime::unlock_os_thread();
    });
    rota::run([here] {
        const bustle others;
        for (int k = 0; k < scaled(100); ++k) {
            wander();
            if (k % 3 == 0) rota::sleep_for(1ms);
            rota::runtime::lock_os_thread();
            ASSERT_EQ(thread_id(), here) << scheduler_state();
            wander();
            ASSERT_EQ(thread_id(), here) << scheduler_state();
            rota::runtime::unlock_os_thread();
        }
    });
    rota::run([here] {
        wander();
        rota::runtime::lock_os_thread();
        EXPECT_EQ(thread_id(), here);
    });  // ends locked: run returns nevertheless
    EXPECT_EQ(thread_id(), here);
    EXPECT_EQ(rota::run([] { return 5; }), 5) << "the thread serves the next run";
}

TEST(lock_os_thread, of_other_goroutines_does_not_keep_run_from_returning) {
    // run would have to wait for a goroutine that is locked to its thread.
    for (int k = 0; k < scaled(50); ++k) {
        auto never = rota::make_chan<int>();
        rota::run([never] {
            auto up = rota::make_chan<int>(4);
            for (int i = 0; i < 4; ++i) {
                rota::go([up, never] {
                    rota::runtime::lock_os_thread();
                    up.send(1);
                    never.recv();
                });
            }
            for (int i = 0; i < 4; ++i) up.recv();
        });
        never.close();
        ASSERT_TRUE(rota_test::eventually_alone()) << scheduler_state();
    }
}

TEST(kb39_lock_os_thread, ends_the_thread_of_a_goroutine_that_ends_locked) {
    // The thread, with every change to its state, could serve the next goroutine.
    rota::run([] {
        const bustle others;
        for (int k = 0; k < scaled(30); ++k) {
            std::atomic<int> tid{0};
            rota::wait_group one;
            one.go([&] {
                rota::runtime::lock_os_thread();
                tid = thread_id();
                wander();
                EXPECT_EQ(thread_id(), tid);
                if (tid % 2 == 0) rota::runtime::goexit();
            });
            one.wait();
            EXPECT_TRUE(eventually([&] { return !thread_exists(tid); })) << scheduler_state();
        }
    });
}

TEST(kb39_lock_os_thread, frees_the_memory_of_one_that_ends_locked_for_others) {
    // A lock that stayed with the memory of the goroutine would go to the next goroutine, which
    // would then run on the spoiled thread. Stacks of another size than the default go to a list
    // that the processors share.
    constexpr std::size_t sizes[] = {0, std::size_t{64} * 1024};
    rota::run([&] {
        const bustle others;
        for (int k = 0; k < scaled(200); ++k) {
            const rota::go_options options{.stack_size = sizes[k % 2]};
            std::atomic<int> spoiled{0}, next{0};
            rota::wait_group both;
            both.add(2);
            rota::go(options, [&] {
                rota::runtime::lock_os_thread();
                spoiled = thread_id();
                rota::go(options, [&] {
                    wander();
                    next = thread_id();
                    both.done();
                });
                both.done();
            });
            both.wait();
            EXPECT_NE(next, spoiled) << scheduler_state();
        }
    });
}

TEST(lock_os_thread, ended_threads_are_not_counted_and_their_records_used_again) {
    // A count that only grows ends in thread exhaustion.
    rota::run([] {
        const int before = rota::runtime::num_thread();
        for (int k = 0; k < scaled(200); ++k) {
            rota::wait_group one;
            one.go([] { rota::runtime::lock_os_thread(); });
            one.wait();
        }
        EXPECT_TRUE(eventually([&] { return rota::runtime::num_thread() <= before + 8; }))
            << scheduler_state();
    });
}

TEST(lock_os_thread, many_locked_goroutines_pass_a_token_around) {
    // A wake-up could go to the goroutine's m while the m is on its way to sleep, and get lost.
    rota::run([] {
        constexpr int many = 20;
        std::vector<rota::chan<int>> ring;
        for (int i = 0; i < many; ++i) ring.push_back(rota::make_chan<int>(1));
        rota::wait_group all;
        for (int i = 0; i < many; ++i) {
            all.go([&ring, i] {
                rota::runtime::lock_os_thread();
                const int own = thread_id();
                for (int k = 0; k < scaled(50); ++k) {
                    const int token = *ring[static_cast<std::size_t>(i)].recv();
                    ASSERT_EQ(thread_id(), own);
                    ring[static_cast<std::size_t>((i + 1) % many)].send(token + 1);
                }
                rota::runtime::unlock_os_thread();
            });
        }
        ring[0].send(0);
        all.wait();
        EXPECT_EQ(*ring[0].recv(), many * scaled(50));
    });
}

TEST(lock_os_thread, stays_through_changes_of_gomaxprocs) {
    // A stop finds the m of a locked goroutine asleep, on its way there, or running.
    const rota_test::gomaxprocs_restored at_end;
    rota::run([] {
        std::atomic<bool> over{false};
        rota::wait_group all;
        for (int i = 0; i < 4; ++i) {
            all.go([&] {
                rota::runtime::lock_os_thread();
                const int own = thread_id();
                while (!over) {
                    wander();
                    ASSERT_EQ(thread_id(), own);
                }
            });
        }
        for (int k = 0; k < scaled(200); ++k) {
            rota::runtime::gomaxprocs(1 + k % 5);
            if (k % 8 == 0) wander();
        }
        over = true;
        all.wait();
    });
}

TEST(lock_os_thread, in_a_thread_of_its_own_does_nothing) {
    // The call could be taken for a goroutine's, and end the thread.
    rota_test::on_thread([] {
        rota::runtime::lock_os_thread();
        rota::runtime::unlock_os_thread();
        rota::runtime::lock_os_thread();
        auto ch = rota::make_chan<int>();
        rota::go([ch] { ch.send(3); });
        EXPECT_EQ(*ch.recv(), 3);
        rota::runtime::lock_os_thread();
    });
}

TEST(lock_os_thread, is_said_in_stacks) {
    // As in Go.
    rota::run([] {
        rota::runtime::lock_os_thread();
        const std::string mine = rota::runtime::stack();
        EXPECT_NE(mine.find("[running, locked to thread]:"), std::string::npos) << mine;
        rota::runtime::unlock_os_thread();
        EXPECT_EQ(rota::runtime::stack().find("locked to thread"), std::string::npos);
    });
}

TEST_ANYWHERE(preempt_point, lets_others_run_when_the_slice_is_over) {
    // A loop that computes would keep its processor; outside goroutines the point does nothing.
    const rota_test::gomaxprocs_restored at_end;
    rota::runtime::gomaxprocs(1);
    std::atomic<bool> stop{false};
    rota::wait_group all;
    for (int i = 0; i < 2; ++i) {
        all.go([&] {
            while (!stop) rota::runtime::preempt_point();
        });
    }
    all.go([&] { stop = true; });
    while (!stop) {
        rota::runtime::preempt_point();
        if (rota::runtime::goid() == 0) std::this_thread::yield();
    }
    all.wait();
}
