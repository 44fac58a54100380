// Checks stack slots: classes, arenas, guards, and the behaviour when the kernel refuses a call.
#include "mem/stack.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rota/go.hpp>

#include "core/g.hpp"
#include "sys/call/fault.hpp"
#include "sys/call/mmap.hpp"

#include "../death_tests.hpp"

namespace rota::rt {
namespace {

// The statement must die of the access, and of nothing else: a child that could not start has died
// too.
#if ROTA_ASAN || ROTA_TSAN
#define EXPECT_BAD_ACCESS(statement) EXPECT_DEATH(statement, "Sanitizer.*SEGV")
#else
#define EXPECT_BAD_ACCESS(statement) EXPECT_EXIT(statement, died_of_access, "")
// A forked child has the runtime of its parent, which reports a stack overflow and exits with 2.
bool died_of_access(int status) {
    return (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) ||
           (WIFEXITED(status) && WEXITSTATUS(status) == 2);
}
#endif

TEST(stack_class, is_the_smallest_that_holds_the_size) {
    // An off-by-one here gives every goroutine half or twice the stack.
    EXPECT_EQ(stack_class_size(stack_class_for(1)), stack_size_min);
    EXPECT_EQ(stack_class_size(stack_class_for(stack_size_min)), stack_size_min);
    EXPECT_EQ(stack_class_size(stack_class_for(stack_size_min + 1)), 2 * stack_size_min);
    EXPECT_EQ(stack_class_size(stack_class_for(stack_size_default)), stack_size_default);
    EXPECT_EQ(stack_class_size(stack_class_for(~std::size_t{0})), stack_size_max);
}

TEST(stack_alloc, hands_out_slots_that_do_not_overlap_and_are_found_by_address) {
    // Two goroutines on one stack would destroy each other; if a slot is not found, the report of
    // its overflow has no name.
    std::set<std::byte*> seen;
    std::vector<stack_slot> slots;
    for (int i = 0; i < 300; ++i) {
        const stack_slot slot = stack_alloc(stack_class_for(stack_size_default));
        ASSERT_TRUE(slot);
        EXPECT_EQ(slot.hi - slot.usable_lo(), static_cast<std::ptrdiff_t>(stack_size_default));
        EXPECT_TRUE(seen.insert(slot.lo).second);
        std::memset(slot.hi - 64, 0x5a, 64);
        for (const std::byte* at : {slot.lo, slot.lo + 5000, slot.hi - 1}) {
            const stack_slot found = stack_find(at);
            EXPECT_EQ(found.lo, slot.lo);
            EXPECT_EQ(found.index, slot.index);
        }
        slots.push_back(slot);
    }
    for (const stack_slot& slot : slots) stack_release(slot);
    EXPECT_FALSE(stack_find(&seen));
}

// Whether the kernel has a page for the top of the slot.
bool has_top(const stack_slot& slot) {
    unsigned char in_core = 0;
    return ::mincore(slot.hi - page_size, page_size, &in_core) == 0 && (in_core & 1) != 0;
}

// A system call tells whether a page can be read, without a fault.
bool can_be_read(const std::byte* at) {
    return ::access(reinterpret_cast<const char*>(at), F_OK) == 0 || errno != EFAULT;
}

// The number of pages in the slot's guard that can be read.
std::size_t gaps_in_guard(const stack_slot& slot) {
    std::size_t gaps = 0;
    for (std::byte* at = slot.lo; at < slot.usable_lo(); at += page_size) gaps += can_be_read(at);
    return gaps;
}

// Takes `n` slots, and reports each slot without a guard.
void take_guarded(std::vector<stack_slot>& slots, std::uint8_t cls, int n) {
    for (int i = 0; i < n; ++i) {
        slots.push_back(stack_alloc(cls));
        ASSERT_TRUE(slots.back());
        EXPECT_EQ(gaps_in_guard(slots.back()), 0U) << "slot " << slots.back().index;
    }
}

// Retries while another thread has the lock.
bool has_touched(std::uint8_t cls) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < limit) {
        const touch_result r = stack_touch_ahead(cls);
        if (r != touch_result::busy) return r == touch_result::done;
        std::this_thread::yield();
    }
    ADD_FAILURE() << "the lock of the stacks is never free";
    return false;
}

TEST(stack_pitch, is_an_odd_number_of_pages) {
    // Tops a power of two apart share few sets of the translation buffer: a spawn takes 1.6 times
    // as long, and only this test would show it.
    for (const std::uint8_t guard : {stack_guard_pages, stack_guard_pages_short}) {
        for (std::uint8_t cls = 0; cls < stack_class_count; ++cls)
            EXPECT_EQ(stack_pitch(cls, guard) / page_size % 2, 1U) << "class " << int{cls};
    }
    constexpr std::uint8_t cls = stack_class_for(stack_size_default);
    std::vector<stack_slot> slots;
    for (int i = 0; i < 300; ++i) slots.push_back(stack_alloc(cls));
    std::size_t pairs = 0;
    for (std::size_t i = 1; i < slots.size(); ++i) {
        const stack_slot &a = slots[i - 1], &b = slots[i];
        ASSERT_TRUE(a) << "slot " << i - 1;
        ASSERT_TRUE(b) << "slot " << i;
        if (a.arena != b.arena) continue;
        const auto apart =
            static_cast<std::ptrdiff_t>(b.index) - static_cast<std::ptrdiff_t>(a.index);
        EXPECT_EQ(b.hi - a.hi,
                  apart * static_cast<std::ptrdiff_t>(stack_pitch(cls, a.guard_pages)));
        ++pairs;
    }
    EXPECT_GT(pairs, 0U);
    for (const stack_slot& slot : slots) stack_release(slot);
}

// Takes slots of `cls` until the runtime has prepared slots that come next. False: the kernel does
// not prepare many in one call.
bool has_prepared(std::vector<stack_slot>& slots, std::uint8_t cls) {
    for (int round = 0; round < 10; ++round) {  // sysmon may look just in between
        take_guarded(slots, cls, 8);
        if (has_touched(cls)) return true;
    }
    std::printf("not shown: this kernel prepares no stacks of many ranges in one call\n");
    return false;
}

// Number of slots of a class whose tops are committed, handed out or not.
std::size_t tops_of_class(std::uint8_t cls) {
    struct count {
        std::uint8_t cls;
        std::size_t n;
    } c{cls, 0};
    stack_for_each(
        [](const stack_slot& slot, void* arg) {
            auto& all = *static_cast<count*>(arg);
            if (slot.cls == all.cls && has_top(slot)) ++all.n;
        },
        &c);
    return c.n;
}

TEST(stack_touch_ahead, commits_the_tops_of_slots_that_come_next_and_no_more) {
    // The call could touch slots that no goroutine will use, or the wrong page, or never end. Ended
    // goroutines of other tests may still have stacks of this class; no goroutine takes more of
    // them here.
    constexpr std::uint8_t cls = stack_class_for(2 << 20);
    const std::size_t others = tops_of_class(cls);
    std::vector<stack_slot> slots;
    if (!has_prepared(slots, cls)) return;
    EXPECT_FALSE(has_touched(cls)) << "no slot was taken since";
    take_guarded(slots, cls, 16);
    std::size_t ahead = 0;
    for (std::size_t i = slots.size() - 16; i < slots.size(); ++i) ahead += has_top(slots[i]);
    EXPECT_EQ(ahead, 16U);
    EXPECT_LE(tops_of_class(cls), others + slots.size() + 16);
    for (int i = 0; i < 20; ++i) {
        take_guarded(slots, cls, 4);
        (void)has_touched(cls);
    }
    const std::size_t used = others + slots.size();
    EXPECT_LE(tops_of_class(cls), used + used / 4 + 16 + 16);
    for (const stack_slot& slot : slots) stack_release(slot);
}

TEST(stack_alloc, commits_no_more_tops_ahead_than_an_eighth_of_what_is_in_use) {
    // A program with few goroutines could have memory for many. Ended goroutines of other tests may
    // still have stacks of this class; no goroutine takes more of them here.
    constexpr std::uint8_t cls = stack_class_for(1 << 20);
    const std::size_t others = tops_of_class(cls);
    std::vector<stack_slot> slots;
    for (std::size_t n = 1; n <= 200; ++n) {
        take_guarded(slots, cls, 1);
        *(slots.back().hi - 1) = std::byte{1};
        const std::size_t used = others + n;
        EXPECT_LE(tops_of_class(cls), used + std::min<std::size_t>(used / 8, 16))
            << n << " in use, and " << others << " before";
    }
    for (const stack_slot& slot : slots) stack_release(slot);
}

TEST(stack_touch_ahead, leaves_no_slot_without_its_guard) {
    // If a slot counts as guarded without a guard, its overflow runs into the neighbour. The test
    // takes slots before, inside, and behind prepared ranges.
    if (stack_guards_are_spent()) {
        std::printf("not shown: guards are mappings here, and are used up\n");
        return;
    }
    constexpr std::uint8_t cls = stack_class_for(4 << 20);
    std::vector<stack_slot> slots;
    if (!has_prepared(slots, cls)) return;
    for (const int n : {1, 5, 20, 40, 60, 20}) {
        take_guarded(slots, cls, n);
        (void)has_touched(cls);
        (void)has_touched(cls);
    }
    for (const stack_slot& slot : slots) stack_release(slot);
}

TEST(stack_release, gives_the_pages_back_and_the_address_again) {
    // A released slot reads as zero, so that its header says "idle", and comes back before fresh
    // address space is used.
    const std::uint8_t cls = stack_class_for(64 * 1024);
    const stack_slot slot = stack_alloc(cls);
    ASSERT_TRUE(slot);
    slot.hi[-8] = std::byte{42};
    stack_release(slot);
    EXPECT_EQ(slot.hi[-8], std::byte{0});
    const stack_slot again = stack_alloc(cls);
    EXPECT_EQ(again.lo, slot.lo);
    stack_release(again);
}

namespace {

// Touches `pages` pages of the stack, one behind the other.
[[gnu::noinline]] int go_deep(int pages) {
    volatile char page[4096];
    page[0] = static_cast<char>(pages);
    const int deeper = pages == 0 ? 0 : go_deep(pages - 1);
    asm volatile("" : : "r"(&page[0]) : "memory");  // prevents a loop that uses one frame again
    return deeper + page[0];
}

// The number of committed pages in the caller's slot.
[[gnu::noinline]] std::size_t committed_pages() {
    const stack_slot slot = stack_find(__builtin_frame_address(0));
    std::byte* const low = slot.usable_lo();
    const auto size = static_cast<std::size_t>(slot.hi - low);
    std::vector<unsigned char> each(size / 4096);
    if (::mincore(low, size, each.data()) != 0) return 0;
    return static_cast<std::size_t>(
        std::count_if(each.begin(), each.end(), [](unsigned char c) { return (c & 1) != 0; }));
}

}  // namespace

TEST(stack_trim, gives_back_what_lies_below_and_leaves_what_is_in_use) {
    // The call could also give back frames in use, or give back nothing.
    rota::run([] {
        char own[1000];
        std::memset(own, 'x', sizeof own);
        EXPECT_GE(go_deep(20), 0);
        const std::size_t deep = committed_pages();
        stack_trim();
        const std::size_t trimmed = committed_pages();
        EXPECT_GE(deep, 20U);
        EXPECT_LE(trimmed, 8U);
        EXPECT_GE(trimmed, 1U);
        EXPECT_EQ(std::string(own, sizeof own), std::string(1000, 'x'));
        EXPECT_GE(go_deep(20), 0);
    });
    stack_trim();  // on a thread: does nothing
}

TEST(stack_guard, covers_the_largest_known_frame_of_a_library) {
    // A frame larger than the guard reaches the neighbour's stack. libldap has a frame of 131 KB,
    // which may begin at the last bytes of a stack. Where address space is short the guard covers
    // libpython's 65 KB.
    constexpr std::size_t last_bytes = 512;
    EXPECT_GE(stack_guard_pages * page_size, 131 * 1024 + last_bytes);
    EXPECT_GE(stack_guard_pages_short * page_size, 65 * 1024 + last_bytes);
}

TEST(stack_guard, faults_below_the_usable_part) {
    // Without a working guard an overflow runs into the neighbour's stack. Each page counts: a
    // frame may touch only its low end.
    if (stack_guards_are_spent())
        GTEST_SKIP() << "guards are mappings here, and the tests before have used them up";
    const stack_slot slot = stack_alloc(stack_class_for(stack_size_default));
    ASSERT_TRUE(slot);
    *slot.usable_lo() = std::byte{1};
    EXPECT_BAD_ACCESS(*(slot.usable_lo() - 1) = std::byte{1});
    EXPECT_BAD_ACCESS(*slot.lo = std::byte{1});
    EXPECT_EQ(gaps_in_guard(slot), 0U);
    stack_release(slot);
}

TEST(header_of, colours_the_tops_and_stays_inside_the_slot) {
    // Headers at one offset would share few cache sets; a header outside its slot would lie in the
    // neighbour's guard.
    std::set<std::ptrdiff_t> offsets;
    for (std::uint32_t index = 0; index < 64; ++index) {
        stack_slot slot;
        slot.lo = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
        slot.hi = slot.lo + stack_size_min;
        slot.index = index;
        const auto* const header = reinterpret_cast<const std::byte*>(header_of(slot));
        EXPECT_LE(header + sizeof(g), slot.hi);
        EXPECT_GT(header, slot.usable_lo());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(header) % cache_line, 0u);
        offsets.insert(slot.hi - header);
    }
    EXPECT_EQ(offsets.size(), 16u);
}

#if defined(ROTA_DEBUG_CHECKS)

int fail_mmap(sys_call call) { return call == sys_call::mmap ? ENOMEM : 0; }
int fail_markers(sys_call call) { return call == sys_call::madvise ? EINVAL : 0; }
int fail_all_guards(sys_call call) {
    return call == sys_call::madvise ? EINVAL : call == sys_call::mprotect ? ENOMEM : 0;
}

TEST(stack_alloc, is_empty_when_the_kernel_has_no_address_space) {
    // For a refused mapping stack_alloc must return "no slot" and leave nothing half made; the next
    // call must work.
    const std::uint8_t cls =
        stack_class_for(32 << 20);  // used by no other test: it needs a new arena
    plant_fault(fail_mmap);
    const stack_slot none = stack_alloc(cls);
    plant_fault(nullptr);
    EXPECT_FALSE(none);
    const stack_slot slot = stack_alloc(cls);
    EXPECT_TRUE(slot);
    stack_release(slot);
}

// Each in a child process: a process chooses the kind of guard once.
TEST(stack_guard, falls_back_to_mappings_where_markers_are_unknown) {
    // On a kernel before 6.13 the marker call fails: the guard page must fault nevertheless.
    EXPECT_BAD_ACCESS({
        plant_fault(fail_markers);
        const stack_slot slot = stack_alloc(stack_class_for(16 << 20));
        *slot.usable_lo() = std::byte{1};
        *(slot.usable_lo() - 1) = std::byte{1};
    });
}

TEST(stack_guard, says_once_that_there_is_none) {
    // Where neither kind of guard works goroutines still run; one line says that guards are missing
    // and how to get them.
    EXPECT_EXIT(
        {
            plant_fault(fail_all_guards);
            const stack_slot slot = stack_alloc(stack_class_for(16 << 20));
            const stack_slot other = stack_alloc(stack_class_for(16 << 20));
            *slot.lo = std::byte{1};  // not guarded: no fault
            _exit(slot && other ? 7 : 8);
        },
        testing::ExitedWithCode(7), "vm.max_map_count");
}

// State of the thread that prepares slots: its call is under way; its call may go on. Each is used
// by one test.
std::atomic<bool> call_is_under_way{false}, call_may_go_on{false};
thread_local bool prepares = false;

int hold_who_prepares(sys_call call) {
    if (call != sys_call::madvise || !prepares) return 0;
    call_is_under_way.store(true);
    while (!call_may_go_on.load()) std::this_thread::yield();
    return 0;
}
int refuse_who_prepares(sys_call call) {
    return call == sys_call::madvise && prepares ? EINVAL : 0;
}

// How many slots of an arena are not in `slots`.
std::size_t missing_in(const std::vector<stack_slot>& slots, std::uint16_t arena) {
    std::set<std::byte*> seen;
    for (const stack_slot& slot : slots) seen.insert(slot.lo);
    struct count {
        const std::set<std::byte*>& seen;
        std::uint16_t arena;
        std::size_t n;
    } c{seen, arena, 0};
    stack_for_each(
        [](const stack_slot& slot, void* arg) {
            auto& missing = *static_cast<count*>(arg);
            if (slot.arena == missing.arena && !missing.seen.contains(slot.lo)) ++missing.n;
        },
        &c);
    return c.n;
}

TEST(stack_touch_ahead, that_is_under_way_keeps_no_taker_waiting_and_leaves_it_no_bare_slot) {
    // Another thread is about to guard slots. A taker must neither wait for them nor use them. Once
    // they are ready they are handed out, although their arena was exhausted meanwhile.
    if (stack_guards_are_spent()) {
        std::printf("not shown: guards are mappings here, and are used up\n");
        return;
    }
    constexpr std::uint8_t cls = stack_class_for(8 << 20);
    std::vector<stack_slot> slots;
    if (!has_prepared(slots, cls)) return;
    const std::uint16_t first_arena = slots.front().arena;
    plant_fault(hold_who_prepares);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    // sysmon also prepares slots, of another class, and thereby ends the demand. So this thread
    // makes demand right before it looks.
    constexpr std::uint8_t demand_cls = stack_class_for(2 << 20);
    std::vector<stack_slot> demand;
    std::thread other([limit, &demand] {
        while (!call_is_under_way.load() && std::chrono::steady_clock::now() < limit) {
            if (demand.size() < 1000) take_guarded(demand, demand_cls, 4);
            prepares = true;
            (void)stack_touch_ahead(cls);
            prepares = false;
        }
    });
    while (!call_is_under_way.load() && std::chrono::steady_clock::now() < limit) {
        if (slots.size() < 60) take_guarded(slots, cls, 1);
        std::this_thread::yield();
    }
    EXPECT_TRUE(call_is_under_way.load());
    while (slots.back().arena == first_arena) take_guarded(slots, cls, 1);
    call_may_go_on.store(true);
    other.join();
    plant_fault(nullptr);
    take_guarded(slots, cls, 40);
    EXPECT_EQ(missing_in(slots, first_arena), 0U);
    for (const stack_slot& slot : slots) stack_release(slot);
    for (const stack_slot& slot : demand) stack_release(slot);
}

TEST(stack_touch_ahead, that_the_kernel_refuses_leaves_the_guards_to_the_takers) {
    // The slots of a refused call could count as guarded.
    EXPECT_EXIT(
        {
            constexpr std::uint8_t cls = stack_class_for(16 << 20);
            std::vector<stack_slot> slots;
            const bool shown = has_prepared(slots, cls);
            take_guarded(slots, cls, 8);
            plant_fault(refuse_who_prepares);
            prepares = true;
            (void)has_touched(cls);
            prepares = false;
            if (shown) take_guarded(slots, cls, 60);
            _exit(testing::Test::HasFailure() ? 8 : 7);
        },
        testing::ExitedWithCode(7), "^$");
}

std::atomic<int> calls_for_many{0};
int first_refusal = 0;

int refuse_first_for_many(sys_call, const char* site) {
    if (std::strcmp(site, "mmap_guard_many") != 0) return 0;
    return calls_for_many.fetch_add(1) == 0 ? first_refusal : 0;
}

// The number of calls that guard many slots, when the first such call fails with `refusal`.
int calls_after(int refusal) {
    constexpr std::uint8_t cls = stack_class_for(16 << 20);
    std::vector<stack_slot> slots;
    if (!has_prepared(slots, cls)) return -1;
    first_refusal = refusal;
    plant_fault_by_site(refuse_first_for_many);
    for (int round = 0; round < 3; ++round) {
        take_guarded(slots, cls, 16);
        (void)has_touched(cls);
    }
    plant_fault_by_site(nullptr);
    return calls_for_many.load();
}

TEST(stack_touch_ahead, that_lacks_memory_once_is_tried_again) {
    // Otherwise each stack would cost a call of its own from then on, for as long as the process
    // lives.
    EXPECT_EXIT(
        {
            const int calls = calls_after(ENOMEM);
            EXPECT_TRUE(calls < 0 || calls >= 2) << calls;
            _exit(testing::Test::HasFailure() ? 8 : 7);
        },
        testing::ExitedWithCode(7), "^$");
}

TEST(stack_touch_ahead, that_the_kernel_does_not_know_is_not_tried_again) {
    // Otherwise each claim of slots would make a call in vain.
    for (const int refusal : {EINVAL, ENOSYS, EPERM, EBADF}) {
        EXPECT_EXIT(
            {
                const int calls = calls_after(refusal);
                EXPECT_TRUE(calls < 0 || calls == 1) << refusal;
                _exit(testing::Test::HasFailure() ? 8 : 7);
            },
            testing::ExitedWithCode(7), "^$");
    }
}

#endif

}  // namespace
}  // namespace rota::rt
