// Planted bugs: the sanitizer of this build must report them, in spite of the switches of stacks
// and threads. In a build without it the same program runs to its end in silence.
#include <atomic>
#include <climits>
#include <cstring>
#include <thread>

#include "act.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
constexpr bool under_ubsan = true;
#else
constexpr bool under_ubsan = false;
#endif
#else
constexpr bool under_ubsan = false;
#endif

int shared_by_mistake = 0;

// Parks and moves about, so that what follows happens on whichever thread.
void wander() {
    for (int i = 0; i < 50; ++i) {
        rota::runtime::gosched();
        rota::sleep_for(10us);
    }
}

// Lets two callers meet without ordering their memory, and write to the same place. More than once:
// tsan may miss two accesses of the very same moment, and a thread that is stopped in between, and
// passes the scheduler's lock, has an order.
void race_with_the_other(std::atomic<int>& there) {
    for (int round = 1; round <= 20; ++round) {
        there.fetch_add(1, std::memory_order_relaxed);
        meet([&] { return there.load(std::memory_order_relaxed) >= 2 * round; });
        ++*opaque(&shared_by_mistake);
    }
}

ROTA_ACT(race) {
    rota::run([] {
        static std::atomic<int> there{0};
        rota::wait_group both;
        for (int i = 0; i < 2; ++i) {
            both.go([] { race_with_the_other(there); });
        }
        both.wait();
    });
}

// As above, with goroutines that have parked and moved before: a fiber must keep its own history.
ROTA_ACT(race_after_migration) {
    rota::run([] {
        static std::atomic<int> there{0};
        rota::wait_group both;
        for (int i = 0; i < 2; ++i) {
            both.go([] {
                wander();
                race_with_the_other(there);
            });
        }
        both.wait();
    });
}

ROTA_ACT(race_with_thread) {
    rota::run([] {
        static std::atomic<int> there{0};
        std::thread outside([] { race_with_the_other(there); });
        auto inside = rota::async([] { race_with_the_other(there); });
        inside.get();
        rota::blocking([&outside] { outside.join(); });
    });
}

__attribute__((noinline)) int* address_of_local(int value) {
    int local[16];
    std::memset(local, value, sizeof local);
    return opaque(&local[value]);
}

ROTA_ACT(use_after_return) {
    rota::run([] {
        auto addresses = rota::make_chan<int*>();
        rota::wait_group both;
        both.go([addresses] {
            wander();
            addresses.send(address_of_local(3));  // of a frame that is no more
            wander();
        });
        both.go([addresses] { sink = **addresses.recv(); });
        both.wait();
    });
}

ROTA_ACT(use_after_free) {
    rota::run([] {
        rota::wait_group one;
        one.go([] {
            int* const freed = opaque(new int[10]{});
            wander();
            delete[] opaque(freed);
            wander();
            sink = opaque(freed)[5];
        });
        one.wait();
    });
}

ROTA_ACT(overflow_of_stack_array) {
    rota::run([] {
        rota::wait_group one;
        one.go([] {
            int local[10] = {};
            wander();
            sink = opaque(&local[0])[10];
        });
        one.wait();
    });
}

ROTA_ACT(signed_overflow) {
    rota::run([] {
        rota::wait_group one;
        one.go([] {
            int large = INT_MAX;
            wander();
            sink = *opaque(&large) + 1;
        });
        one.wait();
    });
}

// Goroutines that have ended: what only they knew of is lost.
ROTA_ACT(leak) {
    rota::run([] {
        rota::wait_group all;
        for (int i = 0; i < 100; ++i) {
            all.go([] {
                wander();
                std::memset(opaque(new char[1000]), 1, 1000);
            });
        }
        all.wait();
    });
}

// A report with `text` where the sanitizer is there to make it, silence elsewhere.
testing::AssertionResult judged(const outcome& o, bool sees, const char* text) {
    if (!sees) return went_well(o);
    if (!o.timed_out && (o.status != 0 || o.signal != 0) && o.says(text))
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected a report of \"" << text << "\" from " << o;
}

}  // namespace

TEST(sanitizer, of_this_build_is_named) {
    // For the reader of the log: which of the tests below have seen a report.
    std::printf("this build has: %s%s\n", sanitizer_name,
                under_ubsan ? ", UndefinedBehaviorSanitizer" : "");
}

TEST(kb60_planted_race, between_goroutines_is_reported) {
    // A switch of fibers tells tsan of an order that is not there: it keeps silent about a race.
    for (const char* name : {"race", "race_after_migration"})
        EXPECT_TRUE(judged(play(name, "2"), under_tsan, "WARNING: ThreadSanitizer: data race"));
}

TEST(kb60_planted_race, between_goroutine_and_thread_is_reported) {
    // As above, where one side is a thread that rota does not know.
    EXPECT_TRUE(
        judged(play("race_with_thread", "2"), under_tsan, "WARNING: ThreadSanitizer: data race"));
}

TEST(kb60_planted_use_after_return, across_goroutines_is_reported) {
    // asan's fake frames are mixed up between goroutines, or given up at a switch: the dead frame
    // looks alive.
    for (const char* procs : {"1", "2", "4"})
        EXPECT_TRUE(judged(play("use_after_return", procs), under_asan, "stack-use-after-return"));
}

TEST(kb60_planted_use_after_free, in_a_goroutine_is_reported) {
    // The report itself fails on a goroutine's stack: the child dies without words. tsan sees this
    // one too.
    constexpr bool seen = under_asan || under_tsan;
    for (const char* procs : {"1", "4"})
        EXPECT_TRUE(judged(play("use_after_free", procs), seen, "heap-use-after-free"));
}

TEST(kb60_planted_overflow, of_an_array_in_a_goroutine_s_stack_is_reported) {
    // Red zones are wiped when the stack is unpoisoned for a new goroutine or at a switch.
    for (const char* procs : {"1", "4"})
        EXPECT_TRUE(judged(play("overflow_of_stack_array", procs), under_asan, "buffer-overflow"));
}

TEST(kb60_planted_overflow, of_a_signed_integer_is_reported) {
    // ubsan's handler runs on the goroutine's stack and ends the process.
    EXPECT_TRUE(judged(play("signed_overflow", "2"), under_ubsan, "signed integer overflow"));
}

TEST(kb60_planted_leak, of_ended_goroutines_is_reported) {
    // The stacks that are kept for the leak checker at the end hide what dead goroutines lost.
    EXPECT_TRUE(judged(play("leak", "2"), under_asan, "detected memory leaks"));
}

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--act") == 0) {
        for (const act& a : acts()) {
            if (std::strcmp(a.name, argv[2]) == 0) return a.play(), 0;
        }
        return 64;
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
