// Defines g, the record of a goroutine. Its header lies at the top of its own stack, and its
// closure lies right below the header.
//
// Run queues, wait lists and timers know only a g and that goready() resumes it; they do not know
// that it has a stack. An m's g0, on whose stack the scheduler runs, is a g as well. In a thread
// that rota did not start, g0 stands for that thread in every wait list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "arch/context.hpp"
#include "arch/fiber.hpp"
#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "base/check.hpp"
#include "core/status.hpp"
#include "mem/stack.hpp"

namespace rota::rt {

struct g;
struct bubble;
struct m;
struct run_record;
struct label_set;

using entry_fn = void (*)(void* closure);

// The values of rota::local that belong to one goroutine (sync/local.cpp).
struct goroutine_locals {
    // Destroys the values, in user code. Callers: the goroutine after its function has returned,
    // and a thread that rota did not start before it gives its m back.
    void (*end)(g& gp) = nullptr;
};

// Where a goroutine was made. Readers may look at a goroutine that ends at the same moment.
class creation_place {
  public:
    constexpr creation_place() = default;
    // Addresses of user space need no mask.
    explicit creation_place(const void* return_address, std::uint16_t stack = 0)
        : bits_(reinterpret_cast<std::uintptr_t>(return_address) |
                (std::uint64_t{stack} << address_bits)) {}

    // The return address in the creator.
    ROTA_READS_RACING const void* address() const {
        return reinterpret_cast<const void*>(bits_ & address_mask);
    }
    // The number of the creator's whole stack, see sched/record/creation; 0: it was not kept.
    ROTA_READS_RACING std::uint16_t stack() const {
        return static_cast<std::uint16_t>(bits_ >> address_bits);
    }

  private:
    static constexpr int address_bits = 48;  // what user space has
    static constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
    std::uint64_t bits_ = 0;
};

struct g {
    // --- the cache line of the switch: every field that a park, a ready and a resume touch. It
    // --- is cold where thousands wait. Owner: the m that runs the g, until the switch away from it
    // --- is complete. While the g waits it has no owner; then its waker owns it.
    gobuf sched;                   // where it resumes
    void* caught = nullptr;        // its exception state while it does not run: eh_state
    unsigned int uncaught = 0;     // exceptions in flight while it does not run: eh_state
    std::uint32_t wait_since = 0;  // seconds: about_now() at its last park; any thread may read it
    m* mp = nullptr;               // the m it runs on; a thread's own g: always its m
    // The argument of its last commit function. With `why` it tells the object that the g waits
    // for, see chan/awaited and sync/wait/awaited. Other threads read it only while no goroutine
    // runs.
    const void* park_arg = nullptr;
    atomic<g_status> status{g_status::idle};  // any thread may read it
    wait_reason why = wait_reason::none;
    bool is_thread = false;        // a g0: parking it blocks its thread
    bool waits_outside = false;    // parks next on something from outside its bubble
    bool durably_blocked = false;  // written by the g before it parks, then by its waker
    bool is_in_bubble = false;     // `in` is not null
    bool is_locked : 1 = false;    // `locked_m` is not null; bits, as the line is full
    bool is_pinned : 1 = false;    // `pin_count` is not 0
    // sched/base/park_check examines its actions when it leaves its thread. Fixed with the stack.
    bool is_checked : 1 = false;
    bool leaves_with_care : 1 = false;  // is_pinned or is_checked: one test for both
    // Bits: actions that are due when it begins to run. Written by its waker and its own m.
    std::uint8_t at_start = 0;
    static constexpr std::uint8_t start_timed = 1;  // `ready_since` is counted: sched/base/latency
    // the g gives up its p: sched/thread/syscall, leave_p
    static constexpr std::uint8_t start_blocks = 2;
    [[no_unique_address]] fiber fib;  // for the sanitizers

    // --- owner: as above; before the g is known, its maker ------------------------------
    bool exits = false;  // goexit unwinds it
    // Proved never to run again (diag/leak/unreachable), which writes it while it waits.
    bool is_leaked : 1 = false;
    // Its closure begins with the address of the function that it calls; fixed from newproc to
    // goexit.
    bool calls_address : 1 = false;
    // Bytes of go_options::name, which stands right below the header; fixed from newproc to goexit.
    std::uint8_t name_size = 0;
    // How many of its latest turns lost the p in a call that blocked unannounced
    // (sched/preempt/retake). Written by the g, and by the taker of its p, which has locked the g
    // out.
    std::uint8_t blocked_turns : 4 = 0;
    // Count of its latest announced calls that lost the p (sched/thread/syscall). Written by the g.
    std::uint8_t blocked_calls : 4 = 0;
    // time when it was made runnable, written by its waker; see at_start
    std::uint32_t ready_since = 0;
    std::uint32_t lock_count = 0;  // how often it has locked itself to its thread
    std::uint32_t pin_count = 0;   // scopes of rota::runtime::pin that it is in; written by the g
    // Its bubble from newproc to its end, or null: set_bubble.
    bubble* in = nullptr;
    goroutine_locals* locals = nullptr;
    label_set* labels = nullptr;  // written by the g, or by its maker: sched/record/labels
    m* locked_m = nullptr;        // the only m that may run it; written by the g, and by its m

    // --- fixed between newproc and goexit ------------------------------------------
    entry_fn entry = nullptr;
    void* closure = nullptr;  // of a dead g: null, unless it is being made for its next life
    std::uint64_t goid = 0;
    std::uint64_t parent_goid = 0;
    creation_place created_at;
    run_record* main_of = nullptr;  // set for the goroutine that run() waits for
    stack_slot stack;

    // --- for execution traces (sched/record/trace_word). Writer: the thread that may change its
    // state
    std::uint64_t traced = 0;
};

#if !ROTA_TSAN && !ROTA_ASAN && !defined(ROTA_MODEL)
static_assert(sizeof(g) <= 3 * cache_line, "a spawn touches three lines");
static_assert(offsetof(g, at_start) < cache_line, "a switch touches one");
#endif

// Puts gp into bubble b, or takes it out of its bubble if b is null. Caller: gp itself, or its
// maker.
inline void set_bubble(g& gp, bubble* b) {
    gp.in = b;
    gp.is_in_bubble = b != nullptr;
}

// Moves gp from one state to another; no other thread may move it at the same time. Debug builds
// use a compare-and-swap, so that they catch at once a g that is readied twice, or before it has
// parked. relaxed: the queue, list or lock through which gp is found publishes the state with
// everything else.
inline void casgstatus(g& gp, g_status from, g_status to) {
#if defined(ROTA_DEBUG_CHECKS)
    ROTA_CHECK(gp.status.cas(from, to, memory_order_relaxed));
#else
    ROTA_CHECK(gp.status.load(memory_order_relaxed) == from);
    gp.status.store(to, memory_order_relaxed);
#endif
}

inline g_status readgstatus(const g& gp) { return gp.status.load(memory_order_relaxed); }

// The text of go_options::name; empty if there is none. While gp is being made, the result may be
// half of the name, or the name of the previous goroutine in this stack.
ROTA_READS_RACING inline std::string_view name_of(const g& gp) {
    return {reinterpret_cast<const char*>(&gp) - gp.name_size, gp.name_size};
}

// The function that gp runs, for reports: `entry`, or the function whose address gp's closure
// begins with. If gp ends meanwhile, the result may be any word of its stack, which is no address
// of code. The address of a virtual function is an index in a table, a small number; the result is
// then `entry`.
ROTA_READS_RACING inline const void* function_of(const g& gp) {
    constexpr std::uintptr_t first_address = 64 * 1024;  // the kernel maps nothing below
    const auto entry = reinterpret_cast<const void*>(gp.entry);
    std::uintptr_t function = 0;
    const auto closure = reinterpret_cast<std::uintptr_t>(gp.closure);  // null when it has ended
    // stack.usable_lo(), which ThreadSanitizer would see as a race of its own
    const std::uintptr_t lo =
        reinterpret_cast<std::uintptr_t>(gp.stack.lo) + gp.stack.guard_pages * page_size;
    const bool is_inside =
        lo <= closure && closure + sizeof function <= reinterpret_cast<std::uintptr_t>(&gp);
    if (!gp.calls_address || !is_inside) return entry;
    std::memcpy(&function, reinterpret_cast<const void*>(closure), sizeof function);
    return function < first_address ? entry : reinterpret_cast<const void*>(function);
}

// Go adds no colour, since its stacks move anyway. Headers at one offset of every slot would share
// few cache sets. 16 offsets, 128 bytes apart, take 40 % off a spawn (bench spawn).
inline constexpr std::uintptr_t header_colours = 16, header_stride = 128;
inline g* header_of(const stack_slot& slot) {
    constexpr std::size_t size = (sizeof(g) + cache_line - 1) / cache_line * cache_line;
    return reinterpret_cast<g*>(slot.hi - size - slot.index % header_colours * header_stride);
}

}  // namespace rota::rt
