// A sleeping thread is made to wake up on one processor, and then runs where it could before.
#include "sys/thread/affinity.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "../../gomaxprocs_restored.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/note.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {
namespace {

// As the kernel says.
std::vector<int> own_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
    std::vector<int> all;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) all.push_back(i);
    }
    return all;
}

void set_own(const std::vector<int>& processors) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int each : processors) CPU_SET(each, &set);
    EXPECT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
}

// Until the thread of that number, which it stores itself, is asleep.
void await_sleep(const std::atomic<int>& tid) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (tid == 0 || state_of_thread(tid) == thread_state::awake) {
        if (std::chrono::steady_clock::now() > limit) {
            ADD_FAILURE() << "thread " << tid << " does not sleep";
            return;
        }
        std::this_thread::yield();
    }
}

TEST(affinity, a_sleeper_wakes_up_where_it_is_to) {
    const std::vector<int> before = own_processors();
    if (before.size() < 2) GTEST_SKIP() << "this process may use one processor only";
    for (const int processor : before) {
        note wake;
        std::atomic<int> tid{0};
        int woke_on = -1;
        bool restored = false;
        processor_set saved;
        std::vector<int> narrow, after;
        std::thread sleeper([&] {
            tid = current_thread_id();
            wake.sleep();
            woke_on = current_processor();
            narrow = own_processors();
            restored = restore_affinity(saved);
            after = own_processors();
        });
        await_sleep(tid);
        const bool narrowed = narrow_affinity(tid, processor, saved);
        wake.wakeup();
        sleeper.join();
        ASSERT_TRUE(narrowed);
        EXPECT_EQ(woke_on, processor);
        EXPECT_EQ(narrow, std::vector<int>{processor});
        EXPECT_TRUE(restored);
        EXPECT_EQ(after, before);
    }
}

// A thread that may run on the first processors only wakes up, narrowed, on the first; `meanwhile`
// runs on it before its affinity is given back. Returns that.
std::vector<int> given_back(const std::vector<int>& allowed,
                            const std::function<void()>& meanwhile) {
    note wake;
    std::atomic<int> tid{0};
    processor_set saved;
    std::vector<int> after;
    std::thread sleeper([&] {
        set_own(allowed);
        tid = current_thread_id();
        wake.sleep();
        meanwhile();
        EXPECT_TRUE(restore_affinity(saved));
        after = own_processors();
    });
    await_sleep(tid);
    EXPECT_TRUE(narrow_affinity(tid, allowed.front(), saved));
    wake.wakeup();
    sleeper.join();
    return after;
}

TEST(affinity, of_the_programs_own_choice_is_given_back) {
    // As if it had chosen the first processor, and been narrowed to that.
    const std::vector<int> all = own_processors();
    const std::vector<int> first{all.front()};
    processor_set chosen{};
    chosen.bytes = sizeof chosen.words;
    chosen.words[first[0] / processor_set::bits] = 1UL << first[0] % processor_set::bits;
    chosen.narrowed_to = first[0];
    std::vector<int> after;
    std::thread([&] {
        set_own(first);
        EXPECT_TRUE(restore_affinity(chosen));
        after = own_processors();
    }).join();
    EXPECT_EQ(after, first);
}

TEST(affinity, that_others_set_meanwhile_stays) {
    const std::vector<int> all = own_processors();
    if (all.size() < 2) GTEST_SKIP() << "this process may use one processor only";
    const std::vector<int> last{all.back()};
    EXPECT_EQ(given_back(all, [&] { set_own(last); }), last);
}

TEST(affinity, is_left_alone_where_it_cannot_be_narrowed) {
    const std::vector<int> before = own_processors();
    const int tid = current_thread_id();
    processor_set saved;
    EXPECT_FALSE(narrow_affinity(tid, -1, saved));
    EXPECT_FALSE(narrow_affinity(tid, processor_set::most, saved));
    EXPECT_FALSE(narrow_affinity(tid, processor_set::most - 1, saved));  // not in this machine
    EXPECT_FALSE(narrow_affinity(0, before.front(), saved));
    EXPECT_EQ(own_processors(), before);
}

TEST(affinity, says_where_a_thread_runs) {
    const thread_place place = place_of_thread(current_thread_id());
    EXPECT_EQ(place.state, thread_state::awake);
    EXPECT_GE(place.processor, 0);
    EXPECT_LT(place.processor, ::sysconf(_SC_NPROCESSORS_CONF));
    EXPECT_EQ(place_of_thread(-1).processor, -1);
}

TEST(affinity, of_goroutines_that_take_turns_is_the_programs) {
    // Each end of a time slice narrows that of the thread whose turn it is, until it runs.
    rota::run([] {});
    if (!stop_settings.stops || !asymmetric.heavy.load(std::memory_order_relaxed))
        GTEST_SKIP() << "this build or kernel stops no thread that computes";
    const std::vector<int> before = own_processors();
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(2);
    constexpr std::uint64_t turns = 40;
    std::atomic<int> wrong{0};
    std::atomic<bool> enough{false};
    std::thread watcher([&] {
        const auto begun = std::chrono::steady_clock::now();
        const std::uint64_t first = rota::runtime::read_sched_stats().handoffs;
        while (rota::runtime::read_sched_stats().handoffs < first + turns) {
            if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(30)) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_GE(rota::runtime::read_sched_stats().handoffs, first + turns);
        enough = true;
    });
    rota::run([&] {
        rota::wait_group wg;
        for (int i = 0; i < 6; ++i) {
            wg.go([&] {
                while (!enough) wrong += own_processors() != before;
            });
        }
        wg.wait();
    });
    watcher.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace rota::rt
