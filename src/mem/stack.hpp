// Hands out stacks: slots of equal size in reserved address space, committed page by page on touch.
//
// A slot is a guard and above it a stack, a power of two from 16 KiB to 64 MiB. Slots of one size
// come from arenas: one mapping each, so a million stacks are a few hundred mappings. A fresh or
// decommitted slot costs address space only. The user of a slot puts its own header at the top;
// this room knows nothing of the header and hands out numbers.
//
// A guard is 132 KiB: libraries are built without stack probes, and a frame larger than the guard
// passes it and writes into the neighbour's stack. Frames up to 131 KB are known. Where the address
// space is limited, guards are 68 KiB (mem/stack_room.hpp).
//
// Both sizes are an odd number of pages, so that slots lie an odd number of pages apart. Most
// goroutines use only the tops of their slots. With a power of two between them, the tops fall on
// one sixty-fourth of the sets of a translation buffer, whose index is the low bits of the page's
// number: spawn took 78 ns instead of 48 on a Zen 4.
//
// Guards: MADV_GUARD_INSTALL, once per slot, no mapping. On kernels without it, mprotect at two
// mappings a slot, up to half of vm.max_map_count. Slots beyond that run without a guard, and one
// line on stderr reports it.
//
// A guard of markers is an entry for each of its pages in a page table that the tops of stacks need
// anyway: a 2 MiB range holds several slots. 132 KiB instead of 4 KiB costs the distance of the
// tops, 776 B of page tables a goroutine instead of 520, and the time to write the markers, some 20
// ns each. To pay for it, the thread that takes a fresh slot prepares up to 16 in two system calls,
// which install their guards and commit their tops. Guard and top of a fresh slot, by one thread
// that does nothing else, on an Emerald Rapids with Linux 6.18:
//
//     4 KiB, 32 guards a call, tops by page faults      1,711 ns
//     132 KiB, 32 guards a call, tops by page faults    2,310 ns
//     132 KiB, 16 guards and tops a call                1,749 ns
//
// An idle thread prepares slots as well (stack_touch_ahead).
//
// Rejected after measurement: split stacks (break under the default linker, save nothing over
// lazily touched pages), compaction of parked stacks (races with writers; the kernel answers EFAULT
// for addresses in them).
//
// Rejected for guards:
//   * arenas of PROT_NONE in which the stacks are made accessible: two mappings a stack;
//   * one marker in each fourth page: a frame that touches its low end alone passes between them;
//   * a marker at both ends of a hole: a second frame in the hole passes the lower marker;
//   * a stack that the fault handler makes accessible step by step: a system call that writes into
//     a closed part fails with EFAULT instead.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "mem/stack_size.hpp"
#include "sys/call/mmap.hpp"

namespace rota::rt {

struct stack_slot {
    std::byte* lo = nullptr;  // the guard starts here
    std::byte* hi = nullptr;  // one past the end
    std::uint32_t index = 0;  // number in its arena: colours the top
    std::uint16_t arena = 0;
    std::uint8_t cls = 0;
    std::uint8_t guard_pages = 0;

    explicit operator bool() const { return lo != nullptr; }
    std::byte* usable_lo() const { return lo + guard_pages * page_size; }
    std::size_t usable_size() const { return static_cast<std::size_t>(hi - usable_lo()); }
};

// An unused slot. Empty if the kernel refuses more address space. Takes: the stack lock.
[[nodiscard]] stack_slot stack_alloc(std::uint8_t cls);

// Whether new slots get no guard: the kernel has guards of mappings only, and these are used up.
bool stack_guards_are_spent();

// If fresh slots are taken one after the other: prepares the next 16, as long as fewer are ready
// than a quarter of the used slots; at most 128. Any thread; two system calls of some 30
// microseconds together. Takes the stack lock; busy: another thread held it.
enum class touch_result : unsigned char { done, nothing_to_do, busy };
touch_result stack_touch_ahead(std::uint8_t cls);

// Gives the slot's pages back to the kernel and keeps its address for later. Caller: nothing in the
// slot is used any more.
void stack_release(const stack_slot& slot);

// A request to sysmon, which clears it and then gives most stacks of dead goroutines back
// (sched/goroutine/gfree). Writer: a room that has just ended many goroutines which will not come
// again soon. relaxed: a request; in an idle process sysmon gives every such stack back anyway.
inline constinit atomic<bool> stack_release_wanted{false};

// Gives the part of the caller's own stack below its present use back to the kernel: for a
// goroutine that has been deep and is going to wait for long. A system call; the next deep call
// takes pages anew. On a stack that is no slot: nothing.
void stack_trim();

// Whether the lowest page of a stack records how deep it has been used: stack_trim then does
// nothing. Written at boot, before there are goroutines; relaxed: a setting.
inline constinit atomic<bool> stack_depths_kept{false};

// Bytes from the top of the slot to its lowest page in memory: how deep its users have been since
// stack_forget_depth. One system call for each MiB.
[[nodiscard]] std::size_t stack_depth(const stack_slot& slot);

// Gives every page but the highest back. Caller: the stack below that page is not in use.
void stack_forget_depth(const stack_slot& slot);

// ns that the calls of stack_trim have taken together.
std::uint64_t stack_trim_ns();

// The slot that holds `address`, if any. Lock-free: signal handlers may call it.
[[nodiscard]] stack_slot stack_find(const void* address);

// A place in the sequence of slots.
struct stack_place {
    std::uint32_t arena = 0, index = 0;
};
// stack_for_each for at most `count` slots, from `at` on, which it advances. False: there are no
// more.
bool stack_for_some(stack_place& at, std::uint32_t count, void (*visit)(const stack_slot&, void*),
                    void* arg);

// Calls `visit` for every arena: each slot lies in an arena, and arenas hold nothing else.
// Lock-free.
void stack_arenas(void (*visit)(const std::byte* lo, const std::byte* hi, void*), void* arg);

// Calls `visit` for every slot ever handed out or prepared. The top of a slot that was never handed
// out reads as zero. Lock-free. Slots that are handed out meanwhile may be missed.
void stack_for_each(void (*visit)(const stack_slot&, void*), void* arg);

// Address space of stacks, in bytes: slots that are handed out, of which only touched pages use
// memory; slots that are not, which use none; and the tables of arenas. Lock-free.
struct stack_memory {
    std::size_t handed_out, not_handed_out, tables;
};
stack_memory stack_bytes();

// Where a debugger finds the arenas, and the offsets in them of the fields that stack_for_each
// reads.
struct stack_layout {
    const void* arenas;  // a pointer to their array
    const void* count;   // four bytes, as every number of an arena
    std::uint64_t arena_size, base, used, cls, guard_pages;  // the last two: one byte each
};
extern const stack_layout stacks_for_debuggers;

}  // namespace rota::rt
