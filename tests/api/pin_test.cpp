// rota::runtime::pin: goroutines that are pinned to their current thread.
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../gomaxprocs_restored.hpp"
#include "anywhere.hpp"
#include "bustle.hpp"

using namespace std::chrono_literals;
using rota_test::bustle;
using rota_test::scaled;
using rota_test::scheduler_state;
using rota_test::thread_id;
using rota_test::wander;

TEST(pin, keeps_a_goroutine_on_its_thread) {
    // Each way to leave a thread (yield, park, system call) could forget the pin.
    rota::run([] {
        const bustle others;
        rota::wait_group all;
        for (int i = 0; i < 6; ++i) {
            all.go([] {
                for (int k = 0; k < scaled(20); ++k) {
                    const rota::runtime::pin here;
                    const int own = thread_id();
                    for (int n = 0; n < 3; ++n) {
                        wander();
                        ASSERT_EQ(thread_id(), own);
                    }
                }
            });
        }
        all.wait();
    });
}

TEST(pin, keeps_the_thread_for_its_goroutine_while_it_waits) {
    // The m could run the next goroutine, which calls into the library that is in use below.
    rota::run([] {
        std::atomic<int> owned{0}, intruders{0};
        std::atomic<bool> over{false};
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
            for (int k = 0; k < scaled(100); ++k) {
                const rota::runtime::pin here;
                owned = thread_id();
                rota::sleep_for(200us);
                owned = 0;
                wander();
            }
            over = true;
        });
        all.wait();
        EXPECT_EQ(intruders, 0);
    });
}

TEST(pin, lets_others_run_while_it_waits) {
    // On one processor every other goroutine would stand still until the pinned goroutine goes on.
    const rota_test::gomaxprocs_restored at_end;
    rota::runtime::gomaxprocs(1);
    rota::run([] {
        auto ch = rota::make_chan<int>();
        rota::go([ch] { ch.send(7); });
        const rota::runtime::pin here;
        EXPECT_EQ(*ch.recv(), 7);
    });
}

TEST(pin, nests_with_itself_and_with_lock_os_thread) {
    // The end of an inner pin could free the thread, or leave the outer pin without it.
    rota::run([] {
        const bustle others;
        rota::wait_group all;
        all.go([] {
            const rota::runtime::pin outer;
            const int own = thread_id();
            const auto stays = [own] {
                for (int k = 0; k < scaled(20); ++k) {
                    wander();
                    ASSERT_EQ(thread_id(), own);
                }
            };
            {
                const rota::runtime::pin inner;
                stays();
            }
            stays();
            rota::runtime::lock_os_thread();
            stays();
            rota::runtime::unlock_os_thread();
            stays();
        });
        all.go([] {
            rota::runtime::lock_os_thread();
            const int own = thread_id();
            {
                const rota::runtime::pin inner;
                wander();
                EXPECT_EQ(thread_id(), own);
            }
            wander();
            EXPECT_EQ(thread_id(), own) << "the lock goes on behind the pin";
            rota::runtime::unlock_os_thread();
        });
        all.wait();
    });
}

TEST(pin, ends_by_exceptions_and_by_goexit) {
    // A count that stays would make the goroutine's end a fatal error.
    rota::run([] {
        rota::wait_group all;
        all.go([] {
            try {
                const rota::runtime::pin here;
                wander();
                throw std::runtime_error("out");
            } catch (const std::runtime_error&) {
                wander();
            }
        });
        all.go([] {
            const rota::runtime::pin here;
            wander();
            rota::runtime::goexit();
        });
        all.wait();
    });
}

TEST(pin, is_none_of_the_locked_ones_outside_of_a_wait) {
    // If a goroutine were locked as soon as it is pinned, every other goroutine would switch the
    // long way.
    rota::run([] {
        const rota::runtime::pin here;
        EXPECT_EQ(rota::runtime::stack().find("locked to thread"), std::string::npos);
        wander();
        EXPECT_EQ(rota::runtime::stack().find("locked to thread"), std::string::npos);
        std::atomic<bool> begun{false};
        auto ch = rota::make_chan<int>();
        rota::wait_group one;
        one.go([&] {
            const rota::runtime::pin mine;
            begun = true;
            ch.recv();
        });
        EXPECT_TRUE(rota_test::eventually([&] {
            return begun && rota::runtime::stack(true).find("[chan receive, locked to thread]") !=
                                std::string::npos;
        })) << rota::runtime::stack(true);
        ch.send(1);
        one.wait();
    });
}

TEST(pin, of_a_main_goroutine_keeps_it_where_it_is) {
    // Main has a thread of its own, which must not take it while it is pinned to another thread.
    const int home = thread_id();
    rota::run([home] {
        const bustle others;
        for (int k = 0; k < scaled(100); ++k) {
            wander();
            const rota::runtime::pin here;
            const int own = thread_id();
            wander();
            ASSERT_EQ(thread_id(), own) << scheduler_state();
            if (own == home) {
                rota::runtime::lock_os_thread();
                rota::runtime::unlock_os_thread();
            } else {
                EXPECT_THROW(rota::runtime::lock_os_thread(), rota::panic_error);
            }
        }
    });
}

TEST(pin, many_pinned_goroutines_pass_a_token_around) {
    // A wake-up could go to the goroutine's m while the m is on its way to sleep, and get lost.
    rota::run([] {
        constexpr int many = 20;
        std::vector<rota::chan<int>> ring;
        for (int i = 0; i < many; ++i) ring.push_back(rota::make_chan<int>(1));
        rota::wait_group all;
        for (int i = 0; i < many; ++i) {
            all.go([&ring, i] {
                const rota::runtime::pin here;
                const int own = thread_id();
                for (int k = 0; k < scaled(50); ++k) {
                    const int token = *ring[static_cast<std::size_t>(i)].recv();
                    ASSERT_EQ(thread_id(), own);
                    ring[static_cast<std::size_t>((i + 1) % many)].send(token + 1);
                }
            });
        }
        ring[0].send(0);
        all.wait();
        EXPECT_EQ(*ring[0].recv(), many * scaled(50));
    });
}

TEST(pin, stays_through_changes_of_gomaxprocs) {
    // A stop finds the m of a pinned goroutine asleep, on its way there, or running.
    const rota_test::gomaxprocs_restored at_end;
    rota::run([] {
        std::atomic<bool> over{false};
        rota::wait_group all;
        for (int i = 0; i < 4; ++i) {
            all.go([&] {
                while (!over) {
                    const rota::runtime::pin here;
                    const int own = thread_id();
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

TEST(pin, in_a_thread_of_its_own_does_nothing) {
    // It could be taken for a goroutine's pin.
    rota_test::on_thread([] {
        const rota::runtime::pin here;
        auto ch = rota::make_chan<int>();
        rota::go([ch] { ch.send(3); });
        EXPECT_EQ(*ch.recv(), 3);
    });
}
