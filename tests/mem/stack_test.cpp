// Stack slots: classes, arenas, guards, and what happens when the kernel refuses.
#include "mem/stack.hpp"

#include <algorithm>
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
#include "sys/fault.hpp"
#include "sys/mmap.hpp"

#include "../death_tests.hpp"

namespace rota::rt {
namespace {

// The statement dies of the access, and not of anything else: a child that could not be started
// has died too.
#if ROTA_ASAN || ROTA_TSAN
#define EXPECT_BAD_ACCESS(statement) EXPECT_DEATH(statement, "Sanitizer.*SEGV")
#else
#define EXPECT_BAD_ACCESS(statement) EXPECT_EXIT(statement, died_of_access, "")
// A forked child has the runtime of its parent, which calls it a stack overflow and exits with 2.
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
    // Two goroutines on one stack would destroy each other; a slot that is not found makes its
    // overflow nameless.
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

// Somebody else may have the lock for a moment.
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
    // Tops a power of two apart share few sets of the translation buffer: 1.6 times the time of a
    // spawn, and nothing else would show it.
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

TEST(stack_touch_ahead, commits_the_tops_of_slots_that_come_next_and_no_more) {
    // It could touch slots that nobody will use, the wrong page, or never end. Nobody else takes
    // stacks of this class here, and none is given back: those come first, and are not fresh.
    constexpr std::uint8_t cls = stack_class_for(2 << 20);
    std::vector<stack_slot> slots;
    bool touched = false;
    for (int round = 0; round < 10 && !touched; ++round) {  // sysmon may look just in between
        for (int i = 0; i < 8; ++i) slots.push_back(stack_alloc(cls));
        touched = has_touched(cls);
    }
    if (!touched) GTEST_SKIP() << "this kernel commits no pages of many ranges in one call";
    EXPECT_FALSE(has_touched(cls)) << "no slot was taken since";
    for (int i = 0; i < 100; ++i) slots.push_back(stack_alloc(cls));
    std::size_t ahead = 0;
    for (const stack_slot& slot : slots) ahead += has_top(slot) ? 1 : 0;
    EXPECT_GE(ahead, 8U);
    EXPECT_LE(ahead, 48U);
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

// Touches so many pages of the stack, one behind the other.
[[gnu::noinline]] int go_deep(int pages) {
    volatile char page[4096];
    page[0] = static_cast<char>(pages);
    const int deeper = pages == 0 ? 0 : go_deep(pages - 1);
    asm volatile("" : : "r"(&page[0]) : "memory");  // no loop that uses one frame again
    return deeper + page[0];
}

// The pages of the caller's slot that the kernel has committed.
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
    // Frames that are in use could go with it, or nothing at all.
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
    stack_trim();  // on a thread: nothing
}

// A system call says whether a page can be read without dying of it.
bool can_be_read(const std::byte* at) {
    return ::access(reinterpret_cast<const char*>(at), F_OK) == 0 || errno != EFAULT;
}

TEST(stack_guard, covers_the_largest_known_frame_of_a_library) {
    // A frame that is larger than the guard reaches the neighbour's stack: libldap has 131 KB,
    // which a call may lay from the last bytes of a stack on. Where address space is short:
    // libpython's 65 KB.
    constexpr std::size_t last_bytes = 512;
    EXPECT_GE(stack_guard_pages * page_size, 131 * 1024 + last_bytes);
    EXPECT_GE(stack_guard_pages_short * page_size, 65 * 1024 + last_bytes);
}

TEST(stack_guard, faults_below_the_usable_part) {
    // Without a working guard an overflow runs into the neighbour's stack. Each page counts: a
    // frame may touch its low end alone.
    if (stack_guards_are_spent())
        GTEST_SKIP() << "guards are mappings here, and the tests before have used them up";
    const stack_slot slot = stack_alloc(stack_class_for(stack_size_default));
    ASSERT_TRUE(slot);
    *slot.usable_lo() = std::byte{1};
    EXPECT_BAD_ACCESS(*(slot.usable_lo() - 1) = std::byte{1});
    EXPECT_BAD_ACCESS(*slot.lo = std::byte{1});
    for (std::byte* at = slot.lo; at < slot.usable_lo(); at += page_size)
        EXPECT_FALSE(can_be_read(at)) << (slot.usable_lo() - at) << " bytes below the stack";
    stack_release(slot);
}

TEST(header_of, colours_the_tops_and_stays_inside_the_slot) {
    // All headers at one offset would share few cache sets; one outside its slot would lie in the
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
    // A refused mapping must come back as "no slot", nothing half made, and the next try must work.
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

// In a child of its own each: the kind of guard is decided once per process.
TEST(stack_guard, falls_back_to_mappings_where_markers_are_unknown) {
    // On a kernel before 6.13 the marker call fails: the guard page must fault all the same.
    EXPECT_BAD_ACCESS({
        plant_fault(fail_markers);
        const stack_slot slot = stack_alloc(stack_class_for(16 << 20));
        *slot.usable_lo() = std::byte{1};
        *(slot.usable_lo() - 1) = std::byte{1};
    });
}

TEST(stack_guard, says_once_that_there_is_none) {
    // Where neither kind works goroutines still run, and one line says what is missing and what
    // would help.
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

#endif

}  // namespace
}  // namespace rota::rt
