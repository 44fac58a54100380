// Checks the cost of the search for unreachable goroutines, and its result when it cannot prove
// anything.
#include "diag/leak/unreachable.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rota/rota.hpp>

#include "base/annotations.hpp"
#include "core/getg.hpp"
#include "diag/stack/goroutine_list.hpp"
#include "sched/record/labels.hpp"
#include "sys/proc/memory_map.hpp"

#include "../../eventually.hpp"
#include "../../main_thread.hpp"

using namespace rota::rt;

namespace {

// Repeats the search for up to 20 s while a thread has had no processor for longer than the search
// waits for it.
unreachable_goroutines search() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
        unreachable_goroutines result = find_unreachable_goroutines();
        if (result.unproven == nullptr ||
            std::strstr(result.unproven, "has no processor") == nullptr ||
            std::chrono::steady_clock::now() > until)
            return result;
    }
}

std::size_t count_found(const char* wanted_reason, unreachable_goroutines& result) {
    result = search();
    if (wanted_reason == nullptr) {
        EXPECT_EQ(result.unproven, nullptr) << result.unproven;
    }
    return result.goids.size();
}

constexpr int leaked_channels = 10'000;

// The leaking test keeps the handles inverted, so that it can release the goroutines later.
struct inverted_handles {
    std::uintptr_t bits[leaked_channels];
};

__attribute__((noinline)) void leak_many(inverted_handles& to) {
    for (std::uintptr_t& bits : to.bits) {
        alignas(rota::chan<int>) std::byte place[sizeof(rota::chan<int>)];
        auto* const ch = new (place) rota::chan<int>(rota::make_chan<int>());
        rota::go([c = *ch] { c.recv(); });
        static_assert(sizeof bits == sizeof *ch);
        std::memcpy(&bits, place, sizeof bits);
        bits = ~bits;
    }
}

void let_many_go(inverted_handles& to) {
    for (std::uintptr_t bits : to.bits) {
        bits = ~bits;
        rota::chan<int> ch;
        std::memcpy(static_cast<void*>(&ch), &bits, sizeof bits);
        ch.close();
    }
}

}  // namespace

TEST(unreachable_search, ten_thousand_are_looked_at_in_bounded_memory) {
    if (ROTA_ASAN || ROTA_TSAN) GTEST_SKIP() << "sanitizers keep frames elsewhere";
    rota::run([] {
        static inverted_handles handles;
        rota::wait_group leaked;
        leaked.go([] { leak_many(handles); });
        leaked.wait();
        unreachable_goroutines result;
        // How many the search finds depends on the memory that other tests have left: words that
        // look like pointers to some of the stacks. Such words must not keep the search from
        // ending.
        (void)count_found(nullptr, result);
        std::printf("%zu of 10,000 found: threads held for %.1f ms, %.1f MiB read\n",
                    result.goids.size(), static_cast<double>(result.held_ns) / 1e6,
                    static_cast<double>(result.bytes_read) / (1 << 20));
        let_many_go(handles);
        while (rota::runtime::num_goroutine() > 1) rota::runtime::gosched();
        EXPECT_EQ(count_found(nullptr, result), 0u);
    });
}

TEST(unreachable_search, shared_memory_that_nobody_has_written_stays_unmade) {
    if (ROTA_ASAN || ROTA_TSAN) GTEST_SKIP() << "sanitizers keep frames elsewhere";
    constexpr std::size_t size = 64 << 20;
    void* const room =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(room, MAP_FAILED);
    static_cast<volatile char*>(room)[size / 2] = 1;
    EXPECT_EQ(search().unproven, nullptr);
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> there(size / page);
    ASSERT_EQ(mincore(room, size, there.data()), 0);
    const auto made =
        std::count_if(there.begin(), there.end(), [](auto t) { return (t & 1) != 0; });
    // While this machine uses swap, the search must read the pages, because they may lie there.
    if (!memory_map::swap_is_in_use()) {
        EXPECT_EQ(made, 1);
    }
    munmap(room, size);
}

TEST(unreachable_search, sees_all_memory_when_the_main_thread_has_ended) {
    // /proc/self shows no memory then: a channel in use would seem unreferenced.
    if (ROTA_ASAN || ROTA_TSAN) GTEST_SKIP() << "sanitizers keep frames elsewhere";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(rota_test::without_main_thread([] {
                    static rota::chan<int> in_use;
                    return rota::run([] {
                        in_use = rota::make_chan<int>();
                        rota::go([] { rota::chan<int>(in_use).recv(); });
                        std::string state;
                        for (int ms = 0; state.find("[chan receive]") == state.npos; ++ms) {
                            state = rota::runtime::stack(true);
                            if (ms == 20'000) {
                                std::fprintf(stderr, "nobody waits:\n%s", state.c_str());
                                return 3;
                            }
                            rota::sleep_for(std::chrono::milliseconds(1));
                        }
                        const unreachable_goroutines result = search();
                        if (result.unproven != nullptr)
                            std::fprintf(stderr, "%s\n", result.unproven);
                        return result.goids.empty() && result.unproven == nullptr ? 0 : 1;
                    });
                }),
                testing::ExitedWithCode(0), "");
}

TEST(unreachable_search, is_not_cancelled_while_it_holds_the_others) {
    // Nothing would release the held threads, and the world would stand still.
    if (ROTA_ASAN || ROTA_TSAN) GTEST_SKIP() << "sanitizers keep frames elsewhere";
    std::atomic<bool> has_ended{false};
    std::thread cancelled([&] {
        pthread_cancel(pthread_self());
        (void)find_unreachable_goroutines();
        has_ended = true;
        pthread_testcancel();
    });
    cancelled.join();
    EXPECT_TRUE(has_ended);
    EXPECT_EQ(search().unproven, nullptr);
}

TEST(unreachable_search, a_thread_that_cannot_be_held_leaves_all_unproven) {
    // Otherwise the search would miss a pointer in one of the thread's registers.
    std::atomic<bool> ready{false}, may_end{false};
    std::thread deaf([&] {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        ready = true;
        while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    while (!ready) std::this_thread::yield();
    const unreachable_goroutines result = find_unreachable_goroutines();
    EXPECT_NE(result.unproven, nullptr);
    may_end = true;
    deaf.join();
    if (ROTA_ASAN || ROTA_TSAN) return;
    EXPECT_EQ(search().unproven, nullptr);
}

namespace {

// Starts a goroutine that waits until `ends` has an element. Null: it did not begin to wait.
const g* park_one(rota::wait_group& wg, const rota::chan<int>& ends) {
    const auto parked = std::make_shared<std::atomic<const g*>>(nullptr);
    wg.go([parked, ends] {
        *parked = current_goroutine();
        ends.recv();
    });
    const auto waits = [&] {
        return *parked != nullptr && readgstatus(**parked) == g_status::waiting;
    };
    return rota_test::eventually(waits) ? parked->load() : nullptr;
}

}  // namespace

// malloc keeps the words of freed memory, and a search reads them.
TEST(unreachable_search, lists_of_goroutines_have_no_pointers_into_stacks) {
    rota::run([] {
        const auto ends = rota::make_chan<int>();
        rota::wait_group wg;
        const g* const parked = park_one(wg, ends);
        ASSERT_NE(parked, nullptr);
        const label_reader reading;
        const std::vector<goroutine_state> all = list_goroutines(0);
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const goroutine_state& s) {
            return s.address.get() == parked;
        }));
        std::vector<std::uintptr_t> words(all.size() * sizeof all[0] / sizeof(std::uintptr_t));
        std::memcpy(words.data(), static_cast<const void*>(all.data()),
                    words.size() * sizeof words[0]);
        const auto lo = reinterpret_cast<std::uintptr_t>(parked->stack.lo);
        const auto hi = reinterpret_cast<std::uintptr_t>(parked->stack.hi);
        for (const std::uintptr_t word : words) EXPECT_FALSE(lo <= word && word < hi) << word;
        ends.send(0);
        wg.wait();
    });
}

// Positions, counted from the caller's frame, of words in dead frames that point into [lo, hi).
ROTA_NOINLINE std::vector<std::size_t> dead_pointers_into(std::uintptr_t lo, std::uintptr_t hi) {
    constexpr std::size_t depth_max = 96 * 1024 / sizeof(std::uintptr_t);
    const auto* const top = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
    std::vector<std::size_t> found;
    for (std::size_t i = 1; i < depth_max; ++i) {
        const std::uintptr_t word = __atomic_load_n(top - i, __ATOMIC_RELAXED);
        if (lo <= word && word < hi) found.push_back(i * sizeof word);
    }
    return found;
}

// A search reads the whole stack of a thread that the program made, also below the frames in use:
// it does not know where they begin.
TEST(unreachable_search, readers_leave_no_pointers_in_dead_frames_of_threads) {
    if (ROTA_ASAN || ROTA_TSAN) return;
    rota::run([] {
        const auto ends = rota::make_chan<int>();
        rota::wait_group wg;
        const g* const parked = park_one(wg, ends);
        ASSERT_NE(parked, nullptr);
        const auto lo = reinterpret_cast<std::uintptr_t>(parked->sched.sp);
        const auto hi = reinterpret_cast<std::uintptr_t>(parked);
        std::vector<std::size_t> left_by_lists, left_by_short_lists, left_by_dumps;
        std::thread outside([&] {
            constexpr std::size_t pcs_max = 64;
            (void)list_goroutines(pcs_max);
            left_by_lists = dead_pointers_into(lo, hi);
            (void)list_goroutines(0);
            left_by_short_lists = dead_pointers_into(lo, hi);
            (void)rota::runtime::stack(true);
            left_by_dumps = dead_pointers_into(lo, hi);
        });
        rota::blocking([&] { outside.join(); });
        EXPECT_EQ(left_by_lists, std::vector<std::size_t>());
        EXPECT_EQ(left_by_short_lists, std::vector<std::size_t>());
        EXPECT_EQ(left_by_dumps, std::vector<std::size_t>());
        ends.send(0);
        wg.wait();
    });
}
