// Holding still what is parked, so that its stack can be read.
//
// Goroutines that run go on; none that does not run begins to. Who starts one first stores its
// state, `running`, and then looks whether a scan is under way; who scans first says so, and then,
// behind a process-wide barrier, reads the states. So either the scan sees that a goroutine runs,
// or its m sees the scan and waits in g0. The direct switch needs no look of its own: a scan sets
// sched.through_g0, which sends it there.
//
// A goroutine may be marked as waiting, or queued, and still be on its stack for some instructions.
// So the scan notes who runs at its beginning, and whom each m has under it or has just left after
// that; these count as running until its end.
//
// A goroutine that is stopped on its thread (sched/suspend) may hold any lock of the program or of
// the C library, and whoever scans may want one before the end. So a scan does not keep it: a
// stopped_hold does, for as long as its frames are read. It has the same two sides: the m says by a
// word of its own that it is still, clears that, and then looks for a hold; while there is one it
// sets the word again and waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sched.hpp"
#include "mem/stack.hpp"

namespace rota::rt {

class stack_scan {
  public:
    // Begins a scan. Takes no lock, allocates nothing, and waits for nobody: also for signal
    // handlers and crash reports. The caller must not park before the end. Without membarrier no
    // stack can be read.
    void begin();
    // The same, of which only the next `count` slots from `at` on are to be looked at.
    void begin(stack_place at, std::uint32_t count);
    // Others may start goroutines again.
    void end();

    // Whether gp, one of those, is off its stack and stays so until end(): gp.sched says where it
    // will go on.
    bool holds(const g& gp) const;
    // Otherwise the kernel has no barrier, or there are too many ms: holds() says no to all.
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
    const std::byte* lo_ = nullptr;  // the slots that are looked at lie there
    const std::byte* hi_ = nullptr;
    const g* noted_[noted_max] = {};  // on their stacks
};

// Who looks at all goroutines by and by, some slots at a time.
class slot_tour {
  public:
    // Those that begin from now on are not on it, or it might never end.
    slot_tour();

    // The next slots in which somebody lives; those before are passed by, without a scan. False:
    // there are none.
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

// gp, which has been marked as running on g0's behalf, waits there while a scan is under way.
ROTA_COLD void wait_for_scan(g& gp);

// Called between start_running and the switch to gp.
ROTA_ALWAYS_INLINE void give_way_to_scan(g& gp) {
    std::atomic_signal_fence(std::memory_order_seq_cst);                // pairs(scan.stop)
    if (ROTA_UNLIKELY(sched.scanning.load(memory_order_acquire) != 0))  // pairs(scan.over)
        wait_for_scan(gp);
}

// Keeps goroutines that are stopped on their threads where they are. Who has one takes no lock and
// waits for nobody. Caller: not to be stopped, nor to park, before the end.
class stopped_hold {
  public:
    stopped_hold();
    ~stopped_hold();
    stopped_hold(const stopped_hold&) = delete;
    stopped_hold& operator=(const stopped_hold&) = delete;

    // Where a signal has interrupted gp, if it is stopped; otherwise null.
    const gobuf* find(const g& gp) const;
};

// The m's goroutine, which a signal has interrupted there, is about to stop: from now on it may be
// looked at,
void stand_still(m& self, const gobuf& interrupted);
// until this, which waits while there is a stopped_hold.
void move_again(m& self);

}  // namespace rota::rt
