// Checks the stacks of goroutines that hold a thread: they compute, were stopped, or are inside a
// call.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <rota/pprof.hpp>
#include <rota/rota.hpp>

#include "../../gomaxprocs_restored.hpp"
#include "../../prog/build_kind.hpp"
#include "diag/stack/goroutine_list.hpp"
#include "sched/record/labels.hpp"

// Outside rota::rt: a dump does not show frames of the runtime.
namespace stacks_on_threads_test {
namespace {

using namespace std::chrono_literals;
using namespace rota;
using rota_test::gomaxprocs_restored;

#define APART __attribute__((noinline))

std::atomic<bool> over{false};

APART void computes_for_ever() {
    while (!over.load(std::memory_order_relaxed))
        std::atomic_signal_fence(std::memory_order_seq_cst);
}

APART void calls_who_computes() {
    computes_for_ever();
    std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call
}

struct two_ends {
    int ends[2] = {-1, -1};
    two_ends() { EXPECT_EQ(::pipe(ends), 0); }
    ~two_ends() {
        for (const int end : ends) ::close(end);
    }
    two_ends(const two_ends&) = delete;
    two_ends& operator=(const two_ends&) = delete;
    void write_one() const { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
};

APART void reads_in_secret(const two_ends& from) {
    char c = 0;
    EXPECT_EQ(::read(from.ends[0], &c, 1), 1);
}

APART void polls_in_secret(const two_ends& from) {
    pollfd one{from.ends[0], POLLIN, 0};
    EXPECT_EQ(::poll(&one, 1, -1), 1) << "errno " << errno << ": something has disturbed it";
}

APART void polls_as_it_says(const two_ends& from) {
    rota::blocking([&] { polls_in_secret(from); });
    std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call
}

APART void computes_as_it_says() {
    rota::blocking([] { computes_for_ever(); });
    std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call
}

// The part of a dump about the goroutine that is inside `function`.
std::string part_with(const std::string& dump, const std::string& function) {
    const std::size_t at = dump.find("::" + function + "(");
    if (at == dump.npos) return "";
    const std::size_t from = dump.rfind("\n\n", at);
    return dump.substr(from == dump.npos ? 0 : from + 2, dump.find("\n\n", at) - from);
}

// How many functions a part shows above the function that created the goroutine.
long frames_in(const std::string& part) {
    const std::string above = part.substr(0, part.find("\ncreated by"));
    return std::count(above.begin(), above.end(), '\t');
}

// Makes dumps until a dump shows `function` in this state.
std::string dump_with(const std::string& function, const std::string& state) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    std::string dump;
    do {
        runtime::gosched();
        dump = runtime::stack(true);
        const std::string part = part_with(dump, function);
        if (part.find(" [" + state) != part.npos) return part;
    } while (std::chrono::steady_clock::now() < until);
    ADD_FAILURE() << "no goroutine is shown in " << function << " as " << state << ":\n" << dump;
    return "";
}

// tsan keeps a signal until the thread calls a function: a goroutine that only computes is never
// asked for its stack, nor stopped.
#define NEEDS_SIGNALS() \
    if (rota_test::under_tsan) GTEST_SKIP() << "ThreadSanitizer delivers no signal to a loop"

TEST(stacks_on_threads, are_shown_of_who_computes) {
    // Otherwise a dump would say "goroutine running on other thread; stack unavailable" of the very
    // goroutine whose stack the user wants: a hog's.
    NEEDS_SIGNALS();
    const gomaxprocs_restored procs;
    run([] {
        runtime::gomaxprocs(4);
        over = false;
        wait_group wg;
        wg.go(calls_who_computes);
        const std::string part = dump_with("computes_for_ever", "running");
        EXPECT_EQ(part.find("unavailable"), part.npos) << part;
        EXPECT_NE(part.find("calls_who_computes()\n"), part.npos)
            << "its caller is missing in " << part;
        over = true;
        wg.wait();
    });
}

TEST(stacks_on_threads, are_shown_of_who_was_stopped) {
    NEEDS_SIGNALS();
    const gomaxprocs_restored procs;
    run([] {
        runtime::gomaxprocs(1);
        over = false;
        wait_group wg;
        for (int i = 0; i < 3; ++i) wg.go(calls_who_computes);
        const std::string part = dump_with("computes_for_ever", "preempted");
        EXPECT_NE(part.find("calls_who_computes()\n"), part.npos)
            << "its caller is missing in " << part;
        over = true;
        wg.wait();
    });
}

TEST(stacks_on_threads, are_shown_of_who_blocks_and_nobody_is_disturbed) {
    // A signal would end poll() with EINTR, and a library that does not expect that fails.
    const gomaxprocs_restored procs;
    run([] {
        runtime::gomaxprocs(4);
        two_ends a, b, c;
        wait_group wg;
        wg.go([&] { reads_in_secret(a); });
        wg.go([&] { polls_in_secret(b); });
        wg.go([&] { polls_as_it_says(c); });
        // The frames of sanitizers differ from the frames by which the runtime guesses a frame
        // pointer.
        if (rota_test::plain_build) {
            const std::string read = dump_with("reads_in_secret", "");
            // read(), reads_in_secret, and the function that wait_group::go calls, whatever is
            // inlined there.
            EXPECT_GE(frames_in(read), 3) << "no callers in " << read;
            (void)dump_with("polls_in_secret", "syscall");
            (void)dump_with("polls_as_it_says", "syscall");
        } else {
            std::printf("stacks are not looked at under %s\n", rota_test::sanitizer_name);
        }
        for (int i = 0; i < 50; ++i) (void)runtime::stack(true);
        a.write_one();
        b.write_one();
        c.write_one();
        wg.wait();
    });
}

TEST(stacks_on_threads, are_shown_of_who_computes_in_a_call) {
    NEEDS_SIGNALS();
    run([] {
        over = false;
        wait_group wg;
        wg.go(computes_as_it_says);
        const std::string part = dump_with("computes_for_ever", "syscall");
        EXPECT_NE(part.find("computes_as_it_says"), part.npos) << part;
        over = true;
        wg.wait();
    });
}

TEST(stacks_on_threads, are_in_profiles_too) {
    NEEDS_SIGNALS();
    const gomaxprocs_restored procs;
    run([] {
        runtime::gomaxprocs(2);
        over = false;
        wait_group wg;
        for (int i = 0; i < 4; ++i) wg.go(computes_for_ever);
        (void)dump_with("computes_for_ever", "");
        const auto until = std::chrono::steady_clock::now() + 20s;
        std::string profile;
        do {
            std::ostringstream text;
            pprof::write_profile("goroutine", text, 1);
            profile = text.str();
        } while (profile.find("computes_for_ever") == profile.npos &&
                 std::chrono::steady_clock::now() < until);
        EXPECT_NE(profile.find("computes_for_ever"), profile.npos) << profile;
        over = true;
        wg.wait();
    });
}

// Computes, parks, makes calls, ends, and begins again as a new goroutine.
void live(const chan<int>& ping, const two_ends& from) {
    for (int i = 0; i < 50; ++i) {
        (void)ping.try_send(i);
        int got = 0;
        (void)ping.try_recv(got);
        for (int spin = 0; spin < 20'000; ++spin)
            std::atomic_signal_fence(std::memory_order_seq_cst);
        if (i % 8 == 0) {
            rota::blocking([&] {
                pollfd one{from.ends[0], POLLIN, 0};
                (void)::poll(&one, 1, 1);
            });
        }
        if (i % 16 == 0) sleep_for(100us);
        runtime::gosched();
    }
}

TEST(stacks_on_threads, change_nothing_for_goroutines_that_come_and_go) {
    // What could go wrong: the runtime walks a stack while its goroutine runs; an answer is written
    // into a list that is gone; a goroutine is listed twice, or with the stack of another
    // goroutine.
    const gomaxprocs_restored procs;
    run([] {
        runtime::gomaxprocs(4);
        const two_ends nothing_comes;
        const auto ping = make_chan<int>(4);
        std::atomic<bool> end{false};
        wait_group wg;
        for (int i = 0; i < 8; ++i) {
            wg.go([&] {
                while (!end) {
                    wait_group one;
                    one.go([&] { live(ping, nothing_comes); });
                    one.wait();
                }
            });
        }
        const int rounds = rota_test::plain_build ? 300 : 60;
        std::size_t listed = 0, with_stack = 0;
        for (int i = 0; i < rounds; ++i) {
            const rt::label_reader reading;
            std::vector<std::uint64_t> goids;
            for (const rt::goroutine_state& g : rt::list_goroutines()) {
                goids.push_back(g.goid);
                ++listed;
                with_stack += g.has_stack ? 1 : 0;
                EXPECT_FALSE(g.pcs.empty()) << "goroutine " << g.goid;
            }
            std::sort(goids.begin(), goids.end());
            EXPECT_EQ(std::adjacent_find(goids.begin(), goids.end()), goids.end()) << "one twice";
        }
        end = true;
        wg.wait();
        // tsan: see NEEDS_SIGNALS
        const std::size_t wanted = rota_test::under_tsan ? 0 : listed * 95;
        EXPECT_GE(with_stack * 100, wanted) << with_stack << " of " << listed;
    });
}

}  // namespace
}  // namespace stacks_on_threads_test
