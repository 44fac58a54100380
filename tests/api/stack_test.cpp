// rota::runtime::stack: the text of the calling goroutine's stack, and of every goroutine.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

#include "../pattern.hpp"
#include "anywhere.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

__attribute__((noinline)) std::string stack_from_here(bool all) {
    std::string text = rota::runtime::stack(all);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call
    return text;
}

__attribute__((noinline)) void waits_for_a_value(rota::chan<int> ch) {
    ch.recv();
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

namespace {

int count(const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

// How many goroutines have both words in their part of the text.
int goroutines_with(const std::string& text, const std::string& one, const std::string& other) {
    int n = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find("\n\n", at), text.size());
        const std::string part = text.substr(at, end - at);
        n += part.find(one) != part.npos && part.find(other) != part.npos ? 1 : 0;
        at = end + 2;
    }
    return n;
}

std::string header_of(std::uint64_t id) { return "goroutine " + std::to_string(id) + " ["; }

}  // namespace

TEST(stack, of_the_caller_opens_with_its_header_and_names_its_function) {
    // Frames of the runtime could come first, the caller be missing, or further goroutines be
    // shown.
    rota::run([] {
        const std::string text = stack_from_here(false);
        const std::string header = header_of(rota::runtime::goid()) + "running]:\n";
        EXPECT_EQ(text.rfind(header + "stack_from_here", 0), 0U) << text;
        EXPECT_EQ(count(text, "goroutine "), 1) << text;
        EXPECT_TRUE(matches(text, "\n\t[^\n]*stack_test.cpp:[0-9]+ \\+0x")) << text;
    });
}

TEST(stack, of_a_started_goroutine_ends_with_its_creator) {
    // Without it a reader cannot tell where the goroutine comes from.
    rota::run([] {
        auto text = rota::async([] { return stack_from_here(false); }).get();
        const char* const last = "\ncreated by [^\n]* in goroutine [0-9]+\n\t[^\n]*\n$";
        EXPECT_TRUE(matches(text, last)) << text;
    });
}

TEST(stack, in_a_thread_is_that_thread_s) {
    // There is no goroutine to ask: the call could crash, or return nothing.
    on_thread([] {
        const std::string text = stack_from_here(false);
        EXPECT_EQ(text.rfind("goroutine 0 [running]:\nstack_from_here", 0), 0U) << text;
    });
}

TEST_ANYWHERE(stack, of_all_shows_what_waits_and_where) {
    // A waiting goroutine could have no stack in the text, have another state, or be missing.
    constexpr int waiting = 20;
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    for (int i = 0; i < waiting; ++i) wg.go([ch] { waits_for_a_value(ch); });
    // A goroutine may still be on its way into the channel: it has the frame, but not yet the
    // state.
    std::string text;
    EXPECT_TRUE(eventually([&] {
        text = stack_from_here(true);
        return goroutines_with(text, " [chan receive]:\n", "\nwaits_for_a_value(") == waiting;
    })) << text;
    EXPECT_EQ(count(text, "\nwaits_for_a_value("), waiting) << text;
    EXPECT_EQ(count(text, "\nstack_from_here"), 1) << text;
    ch.close();
    wg.wait();
}

TEST(stack, of_one_that_has_not_run_yet_names_its_function) {
    // Its stack has no frame yet: the walk would begin at nothing.
    if (rota::runtime::gomaxprocs(0) != 1) return;
    rota::run([] {
        rota::wait_group wg;
        std::string text;
        // If main loses its turn before the trace, the goroutine has already run.
        EXPECT_TRUE(eventually([&] {
            wg.go([] {});
            text = stack_from_here(true);
            return matches(text, "goroutine [0-9]+ \\[runnable\\]:\n[^\n]+\n\t[^\n]+\ncreated by ");
        })) << text;
        wg.wait();
    });
}

TEST_ANYWHERE(stack, of_all_may_be_asked_while_everything_moves) {
    // A stack that is walked while its goroutine runs on it causes a crash, or a walk without end.
    // A goroutine that is forgotten when the world goes on stops the work.
    std::atomic<bool> stop{false};
    std::atomic<int> steps{0};
    rota::wait_group wg;
    for (int i = 0; i < 8; ++i) {
        auto ch = rota::make_chan<int>();
        wg.go([&, ch] {
            while (!stop) {
                ch.send(1);
                steps.fetch_add(1);
            }
            ch.close();
        });
        wg.go([ch] {
            while (ch.recv()) {
            }
        });
        wg.go([&] {
            while (!stop) {
                rota::sleep_for(20us);
                rota::blocking([] { std::this_thread::yield(); });
                rota::runtime::gosched();
            }
        });
    }
    for (int i = 0; i < scaled(100); ++i) {
        const std::string text = stack_from_here(true);
        EXPECT_GE(count(text, "goroutine "), 24);
        if (i % 10 == 0) {
            const int seen = steps.load();
            EXPECT_TRUE(eventually([&] { return steps.load() != seen; })) << scheduler_state();
        }
    }
    stop = true;
    wg.wait();
}

TEST_ANYWHERE(stack, of_all_may_be_asked_by_several_at_once) {
    // Two scans could undo each other: a scan is cut short, or goroutines never start again.
    rota::wait_group wg;
    for (int i = 0; i < 4; ++i) {
        wg.go([] {
            for (int round = 0; round < scaled(50); ++round) {
                // Its own frame; up to three more goroutines may wait for a processor at the start
                // of the same call.
                const int n = count(stack_from_here(true), "\nstack_from_here");
                EXPECT_TRUE(n >= 1 && n <= 4) << n;
                rota::sleep_for(10us);
            }
        });
    }
    wg.wait();
}
