// rota::leak::find_unreachable: finds the five ways to leave a goroutine behind, and no goroutine
// that can still run.
#include <rota/leak.hpp>
#include <rota/pprof.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <rota/context.hpp>

#include "anywhere.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr bool proves = !under_asan && !under_tsan;

#define SKIP_WITHOUT_PROOF() \
    if (!proves) GTEST_SKIP() << "sanitizers keep frames elsewhere: nothing is proven"

// A value to which no word in memory points, so that a test can undo a leak. find_unreachable
// forbids programs to hide pointers in this way.
template <class T>
class hidden {
  public:
    void hide(T value) {
        new (bytes_.data()) T(std::move(value));
        flip();
    }
    T reveal() {
        flip();
        T* const there = std::launder(reinterpret_cast<T*>(bytes_.data()));
        T value = std::move(*there);
        there->~T();
        return value;
    }

  private:
    void flip() {
        for (std::byte& b : bytes_) b = ~b;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    alignas(T) std::array<std::byte, sizeof(T)> bytes_{};
};

std::set<std::string> names_found() {
    std::set<std::string> names;
    for (const auto& g : rota::leak::find_unreachable()) {
        if (!g.name.empty()) names.insert(g.name);
    }
    return names;
}

// Overwrites old frames and their pointers.
__attribute__((noinline)) void use_stacks() {
    volatile std::byte room[4096];
    for (auto& b : room) b = std::byte{0};
    rota::wait_group wg;
    for (int i = 0; i < 50; ++i) {
        wg.go([] {
            volatile std::byte inner[2048];
            for (auto& b : inner) b = std::byte{0};
            rota::sleep_for(10us);
        });
    }
    wg.wait();
}

bool are_found(const std::set<std::string>& wanted) {
    use_stacks();
    const std::set<std::string> found = names_found();
    return std::includes(found.begin(), found.end(), wanted.begin(), wanted.end());
}

// Runs f in a child process: words that other tests have left anywhere would keep lost goroutines
// alive.
template <class F>
void alone(F f) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            rota::run(f);
            ::_exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
}

std::string text_of_state(const char* name) {
    for (const auto& g : rota::leak::find({.max_wait = 0ns})) {
        if (g.name == name) return g.state;
    }
    return "";
}

bool eventually_in_state(const char* name, const char* state) {
    return eventually([&] { return text_of_state(name) == state; });
}

// Runs f on the stack of a goroutine that ends, so that the caller has never had the handle.
template <class F>
__attribute__((noinline)) void elsewhere(F f) {
    rota::wait_group wg;
    wg.go(std::move(f));
    wg.wait();
}

// Whether a search finds each of `wanted`, and also() holds, when leak(kept, wg) has leaked them;
// undo(handle) lets them go on. A word that looks like a pointer may lie anywhere by chance, so
// there are several attempts, on other stacks and with other channels.
template <class Leak, class Undo, class Also>
bool found_when_leaked(const std::set<std::string>& wanted, Leak leak, Undo undo, Also also) {
    constexpr int attempts_max = 10;
    std::vector<hidden<rota::chan<int>>> kept(attempts_max);
    rota::wait_group wg;
    bool found = false;
    int attempts = 0;
    while (!found && attempts < attempts_max) {
        auto& k = kept[static_cast<std::size_t>(attempts++)];
        elsewhere([&] { leak(k, wg); });
        for (int i = 0; i < 100 && !found; ++i) found = are_found(wanted) && also();
    }
    for (int i = 0; i < attempts; ++i) undo(kept[static_cast<std::size_t>(i)].reveal());
    wg.wait();
    return found;
}
template <class Leak, class Undo>
bool found_when_leaked(const std::set<std::string>& wanted, Leak leak, Undo undo) {
    return found_when_leaked(wanted, leak, undo, [] { return true; });
}

}  // namespace

__attribute__((noinline)) void sends_and_is_forgotten(const rota::chan<int>& ch) {
    ch.send(1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

TEST(unreachable, a_forgotten_sender_is_found) {
    SKIP_WITHOUT_PROOF();
    alone([] {
        const std::uint64_t me = rota::runtime::goid();
        const auto leak = [](hidden<rota::chan<int>>& kept, rota::wait_group& wg) {
            auto ch = rota::make_chan<int>();
            wg.add(1);
            rota::go({.name = "sender"}, [ch, &wg] {
                sends_and_is_forgotten(ch);
                wg.done();
            });
            kept.hide(std::move(ch));  // the receiver has left by an early return
        };
        const auto undo = [](rota::chan<int> ch) { ch.recv(); };
        EXPECT_TRUE(found_when_leaked({"sender"}, leak, undo, [me] {
            for (const auto& g : rota::leak::find_unreachable()) {
                EXPECT_NE(g.id, me);
                if (g.name != "sender") continue;
                EXPECT_EQ(g.state, "chan send");
                EXPECT_NE(g.trace.find("sends_and_is_forgotten("), std::string::npos) << g.trace;
                EXPECT_NE(g.trace.find("\ncreated by "), std::string::npos) << g.trace;
            }
            std::ostringstream text;
            rota::pprof::write_profile("goroutineleak", text, 1);
            EXPECT_EQ(text.str().rfind("goroutineleak profile: total ", 0), 0u) << text.str();
            if (text.str().find("sends_and_is_forgotten") == std::string::npos) return false;
            std::ostringstream dump;
            rota::pprof::write_profile("goroutineleak", dump, 2);
            EXPECT_EQ(dump.str().rfind("goroutine ", 0), 0u) << dump.str();
            EXPECT_NE(dump.str().find("[chan send (leaked)]:\n# name: sender"), std::string::npos)
                << dump.str();
            return true;
        }));
        EXPECT_FALSE(names_found().contains("sender"));
    });
}

TEST(unreachable, who_waits_for_a_close_that_nobody_does_is_found) {
    SKIP_WITHOUT_PROOF();
    alone([] {
        const auto leak = [](hidden<rota::chan<int>>& kept, rota::wait_group& wg) {
            auto ch = rota::make_chan<int>(4);
            for (int i = 0; i < 3; ++i) {
                wg.add(1);
                rota::go({.name = "consumer" + std::to_string(i)}, [ch, &wg] {
                    while (ch.recv()) {
                    }
                    wg.done();
                });
            }
            for (int i = 0; i < 10; ++i) ch.send(i);
            kept.hide(std::move(ch));
        };
        EXPECT_TRUE(found_when_leaked({"consumer0", "consumer1", "consumer2"}, leak,
                                      [](rota::chan<int> ch) { ch.close(); }));
    });
}

TEST(unreachable, who_answers_after_the_time_limit_is_found) {
    SKIP_WITHOUT_PROOF();
    alone([] {
        const auto leak = [](hidden<rota::chan<int>>& kept, rota::wait_group& wg) {
            auto answer = rota::make_chan<int>();
            wg.add(1);
            rota::go({.name = "late"}, [answer, &wg] {
                rota::sleep_for(2ms);
                answer.send(42);
                wg.done();
            });
            int none = 0;
            (void)answer.recv_for(none, 1us);
            kept.hide(std::move(answer));
        };
        EXPECT_TRUE(found_when_leaked({"late"}, leak, [](rota::chan<int> ch) { ch.recv(); }));
    });
}

TEST(unreachable, who_waits_for_nothing_is_found) {
    // They are found even if a search can prove nothing else.
    alone([] {
        rota::go({.name = "nil receiver"}, [] { rota::chan<int>().recv(); });
        rota::go({.name = "nil sender"}, [] { rota::chan<int>().send(1); });
        leaves_behind(2);
        EXPECT_TRUE(eventually([] {
            const auto found = names_found();
            return found.contains("nil receiver") && found.contains("nil sender");
        }));
        const std::string dump = rota::runtime::stack(true);
        EXPECT_NE(dump.find("[chan receive (nil chan) (leaked)]:\n# name: nil receiver"), dump.npos)
            << dump;
    });
}

TEST(unreachable, who_waits_for_a_lock_that_nobody_releases_is_found) {
    SKIP_WITHOUT_PROOF();
    alone([] {
        const auto leak = [](hidden<rota::chan<int>>& kept, rota::wait_group& wg) {
            auto ch = rota::make_chan<int>();
            wg.add(1);
            rota::go({.name = "holder"}, [ch, &wg] {
                rota::mutex mu;
                rota::wait_group waiters;
                mu.lock();
                waiters.add(2);
                for (const char* const name : {"first in line", "second in line"}) {
                    rota::go({.name = name}, [&mu, &waiters] {
                        mu.lock();
                        mu.unlock();
                        waiters.done();
                    });
                }
                ch.recv();  // an early exit that forgets to unlock
                mu.unlock();
                waiters.wait();
                wg.done();
            });
            kept.hide(std::move(ch));
        };
        EXPECT_TRUE(found_when_leaked({"holder", "first in line", "second in line"}, leak,
                                      [](rota::chan<int> ch) { ch.send(1); }));
    });
}

namespace {

// The objects for which several goroutines wait, on the stack of a goroutine that waits itself.
void wait_with_others(const rota::chan<int>& ch) {
    rota::mutex mu;
    rota::condition_variable changed;
    rota::counting_semaphore<> permits(0);
    rota::wait_group group, ended;
    bool told = false;
    group.add(1);
    ended.add(3);
    rota::go({.name = "at condition"}, [&] {
        {
            std::unique_lock lock(mu);
            while (!told) changed.wait(lock);
        }
        ended.done();
    });
    rota::go({.name = "at semaphore"}, [&] {
        permits.acquire();
        ended.done();
    });
    rota::go({.name = "at group"}, [&] {
        group.wait();
        ended.done();
    });
    ch.recv();
    {
        const std::lock_guard lock(mu);
        told = true;
    }
    changed.notify_all();
    permits.release();
    group.done();
    ended.wait();
}

}  // namespace

TEST(unreachable, who_waits_for_groups_conditions_and_semaphores_on_lost_stacks_is_found) {
    SKIP_WITHOUT_PROOF();
    alone([] {
        const auto leak = [](hidden<rota::chan<int>>& kept, rota::wait_group& wg) {
            auto ch = rota::make_chan<int>();
            wg.add(1);
            rota::go({.name = "owner"}, [ch, &wg] {
                wait_with_others(ch);
                wg.done();
            });
            kept.hide(std::move(ch));
        };
        EXPECT_TRUE(found_when_leaked({"owner", "at condition", "at semaphore", "at group"}, leak,
                                      [](rota::chan<int> ch) { ch.send(1); }));
    });
}

TEST(unreachable, two_that_wait_for_each_other_and_a_select_are_found) {
    SKIP_WITHOUT_PROOF();
    alone([] {
        const auto leak = [](hidden<rota::chan<int>>& kept, rota::wait_group& wg) {
            auto a = rota::make_chan<int>();
            auto b = rota::make_chan<int>();
            wg.add(2);
            rota::go({.name = "waits for a"}, [a, b, &wg] {
                a.recv();
                b.send(1);
                wg.done();
            });
            rota::go({.name = "waits for either"}, [a, b, &wg] {
                rota::select(rota::on_recv(b, [](auto&&) {}), rota::on_recv(b, [](auto&&) {}));
                wg.done();
            });
            kept.hide(std::move(a));
        };
        EXPECT_TRUE(found_when_leaked({"waits for a", "waits for either"}, leak,
                                      [](rota::chan<int> ch) { ch.send(1); }));
    });
}

namespace {

// Six goroutines that wait for values of channels without another handle.
std::set<std::string> lose_six(int attempt) {
    std::set<std::string> names;
    for (int i = 0; i < 6; ++i) {
        const std::string name = "lost " + std::to_string(attempt) + "." + std::to_string(i);
        names.insert(name);
        elsewhere([&] {
            const auto ch = rota::make_chan<int>();
            rota::go({.name = name}, [ch] { ch.recv(); });
        });
        EXPECT_TRUE(eventually_in_state(name.c_str(), "chan receive"));
    }
    leaves_behind(6);
    return names;
}

enum class writer { is_goroutine, is_thread };

// Calls write() again and again, in a goroutine or in a thread that rota did not start. Returns
// whether nearly every search by the calling goroutine finds each of six lost goroutines. As above,
// a word may look like a pointer by chance, so there are several attempts.
template <class Write>
bool searches_are_complete_beside(writer who, Write write) {
    constexpr int attempts_max = 5, searches = 6, enough = 5;
    std::atomic<bool> ends{false};
    std::atomic<int> written{0};
    const auto write_on = [&] {
        while (!ends) {
            write();
            ++written;
        }
    };
    rota::wait_group inside;
    std::thread outside;
    if (who == writer::is_thread) outside = std::thread(write_on);
    else inside.go(write_on);
    int complete = 0;
    for (int i = 0; i < attempts_max && complete < enough; ++i) {
        const std::set<std::string> lost = lose_six(i);
        complete = 0;
        for (int k = 0; k < searches; ++k) {
            const int before = written;
            EXPECT_TRUE(eventually([&] { return written > before; }));
            complete += are_found(lost) ? 1 : 0;
        }
        // Of a death test only stderr is visible.
        std::fprintf(stderr, "attempt %d: %d of %d searches have found all\n", i, complete,
                     searches);
    }
    ends = true;
    inside.wait();
    if (outside.joinable()) rota::blocking([&] { outside.join(); });
    return complete >= enough;
}

void write_goroutines(int debug) {
    std::ostringstream out;
    rota::pprof::write_profile("goroutine", out, debug);
}

}  // namespace

TEST(unreachable, all_are_found_while_others_read_stacks) {
    // A goroutine that writes a profile or a dump has pointers into every stack: in registers, in
    // live and dead frames, in its notes. The search could take them for references.
    SKIP_WITHOUT_PROOF();
    for (const int debug : {1, 2}) {
        alone([&] {
            EXPECT_TRUE(searches_are_complete_beside(writer::is_goroutine,
                                                     [&] { write_goroutines(debug); }));
        });
    }
}

TEST(unreachable, all_are_found_while_a_thread_reads_stacks) {
    // The search also reads dead frames of a thread's stack: it does not know where the live frames
    // end.
    SKIP_WITHOUT_PROOF();
    for (const int debug : {1, 2}) {
        alone([&] {
            EXPECT_TRUE(
                searches_are_complete_beside(writer::is_thread, [&] { write_goroutines(debug); }));
        });
    }
}

// --- goroutines that can still run ---------------------------------------------------------------

namespace {

// Starts a goroutine that waits at the returned channel, whose only other handle it has.
rota::chan<int> start_waiter(rota::wait_group& wg, const char* name) {
    auto ch = rota::make_chan<int>();
    wg.add(1);
    rota::go({.name = name}, [ch, &wg] {
        ch.recv();
        wg.done();
    });
    EXPECT_TRUE(eventually_in_state(name, "chan receive"));
    return ch;
}

void expect_not_found(const char* name) {
    for (int i = 0; i < 5; ++i) {
        EXPECT_FALSE(names_found().contains(name)) << name;
        EXPECT_EQ(text_of_state(name), "chan receive");
    }
}

rota::chan<int> global_handle;
thread_local rota::chan<int> handle_of_thread;

}  // namespace

TEST_ANYWHERE(unreachable, what_a_global_leads_to_is_not_named) {
    rota::wait_group wg;
    elsewhere([&] { global_handle = start_waiter(wg, "global"); });
    expect_not_found("global");
    global_handle.send(1);
    wg.wait();
    global_handle = {};
}

TEST_ANYWHERE(unreachable, what_the_heap_leads_to_is_not_named) {
    rota::wait_group wg;
    auto kept = std::make_unique<rota::chan<int>>();
    elsewhere([&] { *kept = start_waiter(wg, "heap"); });
    expect_not_found("heap");
    kept->send(1);
    wg.wait();
}

TEST_ANYWHERE(unreachable, what_another_goroutine_holds_is_not_named) {
    rota::wait_group wg;
    elsewhere([&] {
        wg.add(1);
        rota::go([ch = start_waiter(wg, "held by another"), &wg] {
            rota::sleep_for(50ms);
            ch.send(1);
            wg.done();
        });
    });
    // The goroutine may have ended by now.
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(names_found().contains("held by another"));
    wg.wait();
}

TEST_ANYWHERE(unreachable, what_a_buffer_that_can_be_reached_leads_to_is_not_named) {
    // The element is a pointer into the stack of a waiting goroutine.
    rota::wait_group wg;
    auto outer = rota::make_chan<const rota::chan<int>*>(1);
    elsewhere([&] {
        auto ch = rota::make_chan<int>();
        wg.add(2);
        rota::go({.name = "in a buffer"}, [ch, outer, &wg] {
            outer.send(&ch);
            ch.recv();
            wg.done();
        });
        EXPECT_TRUE(eventually_in_state("in a buffer", "chan receive"));
        rota::go({.name = "behind the buffer"}, [outer, &wg] {
            outer.send(nullptr);
            wg.done();
        });
        EXPECT_TRUE(eventually_in_state("behind the buffer", "chan send"));
    });
    for (int i = 0; i < 5; ++i) {
        const auto found = names_found();
        EXPECT_FALSE(found.contains("in a buffer"));
        EXPECT_FALSE(found.contains("behind the buffer"));
    }
    (*outer.recv())->send(1);
    outer.recv();
    wg.wait();
}

TEST_ANYWHERE(unreachable, what_a_timer_and_a_context_lead_to_is_not_named) {
    rota::wait_group wg;
    elsewhere([&] {
        wg.add(1);
        (void)rota::after_func(30ms, [ch = start_waiter(wg, "by a timer"), &wg] {
            ch.send(1);
            wg.done();
        });
        wg.add(1);
        rota::go({.name = "in time"}, [&wg] {
            int none = 0;
            (void)rota::make_chan<int>().recv_for(none, 30ms);
            wg.done();
        });
    });
    auto [ctx, cancel] = rota::with_cancel(rota::background());
    wg.add(1);
    rota::go({.name = "by a context"}, [ctx = ctx, &wg] {
        ctx.done().recv();
        wg.done();
    });
    EXPECT_TRUE(eventually_in_state("by a context", "chan receive"));
    for (int i = 0; i < 5; ++i) {
        const auto found = names_found();
        EXPECT_FALSE(found.contains("by a timer"));
        EXPECT_FALSE(found.contains("in time"));
        EXPECT_FALSE(found.contains("by a context"));
    }
    cancel();
    wg.wait();
}

TEST_ANYWHERE(unreachable, what_a_thread_holds_is_not_named) {
    // On its stack while it sleeps or computes, or in a variable of its own.
    rota::wait_group wg;
    std::atomic<bool> may_end{false};
    std::mutex mu;
    std::condition_variable changed;
    bool told = false;
    std::atomic<int> ready{0};
    std::thread sleeper([&] {
        const rota::chan<int> ch = start_waiter(wg, "sleeping thread");
        ++ready;
        {
            std::unique_lock lock(mu);
            while (!told) changed.wait(lock);
        }
        ch.send(1);
    });
    std::thread spinner([&] {
        const rota::chan<int> ch = start_waiter(wg, "computing thread");
        ++ready;
        while (!may_end.load(std::memory_order_relaxed)) {
        }
        ch.send(1);
    });
    std::thread owner([&] {
        handle_of_thread = start_waiter(wg, "thread's own");
        ++ready;
        while (!may_end.load(std::memory_order_relaxed)) std::this_thread::sleep_for(1ms);
        handle_of_thread.send(1);
        handle_of_thread = {};
    });
    EXPECT_TRUE(eventually([&] { return ready == 3; }));
    expect_not_found("sleeping thread");
    expect_not_found("computing thread");
    expect_not_found("thread's own");
    may_end = true;
    {
        const std::lock_guard lock(mu);
        told = true;
    }
    changed.notify_all();
    for (std::thread* t : {&sleeper, &spinner, &owner}) t->join();
    wg.wait();
}

TEST_ANYWHERE(unreachable, what_one_in_a_blocking_call_or_not_begun_holds_is_not_named) {
    rota::wait_group wg;
    std::atomic<bool> may_end{false};
    elsewhere([&] {
        wg.add(1);
        rota::go([ch = start_waiter(wg, "by a call"), &wg, &may_end] {
            rota::blocking([&] {
                while (!may_end.load()) std::this_thread::sleep_for(1ms);
            });
            ch.send(1);
            wg.done();
        });
    });
    expect_not_found("by a call");
    may_end = true;
    for (int i = 0; i < 10; ++i) {
        auto ch = start_waiter(wg, "by one not begun");
        wg.add(1);
        rota::go([ch = std::move(ch), &wg] {
            ch.send(1);
            wg.done();
        });
        // Whether or not it has begun, or even ended, by now.
        EXPECT_FALSE(names_found().contains("by one not begun"));
    }
    wg.wait();
}

TEST_ANYWHERE(unreachable, nobody_who_works_is_named) {
    // Wake-ups under way, from goroutines and threads, in each kind of wait.
    std::atomic<bool> enough{false};
    rota::wait_group wg;
    auto ring = rota::make_chan<int>();
    auto buffered = rota::make_chan<int>(2);
    const auto go = [&](auto f) {
        wg.add(1);
        rota::go({.name = "worker"}, [f, &wg] {
            f();
            wg.done();
        });
    };
    for (int i = 0; i < 3; ++i) {
        go([&enough, ring] {
            while (!enough) {
                rota::mutex mu;
                rota::wait_group inner;
                auto own = rota::make_chan<int>();
                inner.go([&, own] {
                    const std::lock_guard lock(mu);
                    own.send(1);
                });
                inner.go([&, own] {
                    own.recv();
                    const std::lock_guard lock(mu);
                });
                ring.try_send(1);
                inner.wait();
            }
        });
        go([&enough, ring, buffered] {
            while (!enough) {
                rota::select(rota::on_recv(ring, [](auto&&) {}), rota::on_send(buffered, 1, [] {}),
                             rota::on_default());
                int none = 0;
                (void)buffered.try_recv(none);
                rota::runtime::gosched();
            }
        });
    }
    std::thread outside([&] {
        while (!enough) {
            auto ch = rota::make_chan<int>();
            rota::wait_group inner;
            inner.go([ch] { ch.recv(); });
            ch.send(1);
            inner.wait();
        }
    });
    for (int i = 0; i < 20; ++i) {
        EXPECT_FALSE(names_found().contains("worker"));
        for (const auto& g : rota::leak::find_unreachable())
            EXPECT_NE(g.state, "sync.Mutex.Lock") << g.trace;
    }
    enough = true;
    outside.join();
    wg.wait();
}
