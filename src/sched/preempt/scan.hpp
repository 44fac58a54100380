// Holds parked goroutines off their stacks, so that their stacks can be read.
//
// Goroutines that run go on; a goroutine that does not run cannot begin to. The m that starts a
// goroutine first stores the goroutine's state, `running`, and then looks whether a scan is under
// way. The scanner first announces the scan, and then, behind a process-wide barrier, reads the
// states. So either the scan sees that the goroutine runs, or its m sees the scan and waits in g0.
// The direct switch needs no look of its own: a scan sets sched.direct_switch_blockers, which sends
// it to g0.
//
// A goroutine may be marked as waiting, or queued, and still be on its stack for some instructions.
// So the scan notes the running goroutines at its beginning, and after that the goroutine that each
// m has under it or has just left. These count as running until the scan ends.
//
// A goroutine that is stopped on its thread (sched/preempt/suspend) may hold any lock of the
// program or of the C library, and the scanner may want such a lock before the end. So a scan does
// not keep it: a stopped_hold does, for as long as its frames are read. A hold has the same two
// sides. The m says by a word of its own that it is still, clears that, and then looks for a hold;
// while there is one it sets the word again and waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sched.hpp"
#include "mem/stack.hpp"

namespace rota::rt {

class stack_scan {
  public:
    // Begins a scan. Takes no lock, allocates nothing, and waits for no thread: also for signal
    // handlers and crash reports. The caller must not park before the end. Without membarrier no
    // stack can be read.
    void begin();
    // As begin(), for the next `count` slots from `at` on.
    void begin(stack_place at, std::uint32_t count);
    // Ends the scan: ms may start goroutines again.
    void end();

    // Whether gp, in one of the scanned slots, is off its stack and stays so until end(): gp.sched
    // says where it will go on.
    bool holds(const g& gp) const;
    // False: the kernel has no barrier, or there are too many ms; holds() is then always false.
    bool is_usable() const { return usable_; }

  private:
    bool announce();
    void note(const g* gp);
    void look_at(const stack_slot& slot);
    static void note_running(const stack_slot& slot, void* self);
    void note_on_ms();

    static constexpr std::size_t noted_max = 4096;
    std::size_t noted_count_ = 0;
    bool usable_ = false;
    const std::byte* lo_ = nullptr;  // lowest address of the scanned slots; written by look_at
    const std::byte* hi_ = nullptr;
    const g* noted_[noted_max] = {};  // goroutines on their stacks
};

// Visits the goroutines piece by piece, some slots at a time.
class slot_tour {
  public:
    // Goroutines that begin from now on are not on the tour, or it might never end.
    slot_tour();

    // Finds the next slots with a live goroutine; passes by slots before them without a scan.
    // False: there are none.
    bool find_next();
    stack_place at() const { return at_; }
    static constexpr std::uint32_t at_once = 32;  // some 0.1 ms to walk their stacks
    // Visits those slots again, and goes on behind them.
    void visit(void (*visit)(const stack_slot&, void*), void* arg);
    bool is_on_it(const g& gp) const;

  private:
    stack_place at_;
    std::uint64_t newest_;
    bool is_more_ = true;
};

// Waits in g0 while a scan is under way. gp has been marked as running on g0's behalf.
ROTA_COLD void wait_for_scan(g& gp);

// Called between start_running and the switch to gp.
ROTA_ALWAYS_INLINE void give_way_to_scan(g& gp) {
    std::atomic_signal_fence(std::memory_order_seq_cst);                // pairs(scan.stop)
    if (ROTA_UNLIKELY(sched.scanning.load(memory_order_acquire) != 0))  // pairs(scan.over)
        wait_for_scan(gp);
}

// Keeps goroutines that are stopped on their threads where they are. The holder takes no lock and
// waits for no thread. Caller: not to be stopped, nor to park, before the end.
class stopped_hold {
  public:
    stopped_hold();
    ~stopped_hold();
    stopped_hold(const stopped_hold&) = delete;
    stopped_hold& operator=(const stopped_hold&) = delete;

    // Where a signal has interrupted gp, if it is stopped; otherwise null.
    const gobuf* find(const g& gp) const;
};

// Marks the m's goroutine, which a signal has interrupted at `interrupted` and which is about to
// stop, as still: from now on its stack may be read.
void stand_still(m& self, const gobuf& interrupted);
// Ends that; waits while there is a stopped_hold.
void move_again(m& self);

}  // namespace rota::rt
