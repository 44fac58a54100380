// Keeps timers in a heap: 4-ary, earliest first, one per p. The heap knows moments and callbacks,
// never a g.
//
// A 4-ary heap touches half the cache lines of a binary one. An atomic word caches the earliest
// moment, so that "is anything due?" costs one load. A thread that makes it earlier is told so, and
// must wake the sleeping poller (sched/queue/timers.hpp does that). Go: runtime/time.go.
//
// Go marks stopped timers and sweeps them out later. Here a timer is taken out at once. The heap
// finds a timer's entry by a number in a dense table, not by a field in the timer, so sifting
// touches no timer. So a timer that is not started is nowhere in the heap, and its memory is its
// owner's. A wait that cannot be stopped (a sleep) is not even a timer: it is an entry that holds
// its waiter. So a hundred thousand sleeps come due without a read of memory that has long left the
// caches.
//
// Who owns the memory. The thread that starts a timer keeps it alive until stop() has returned
// (with any result), or until claim() has been called for a timer without a period. claim() runs
// under the heap's lock; after it the heap never touches the timer again. `run` then gets the
// result of claim(): the errand must keep that alive itself.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "mem/mapped.hpp"
#include "sys/thread/lock.hpp"
#include "timer/pace.hpp"

namespace rota::rt {

class timer_heap;

// The work for a timer or wait that has come due; done without any lock.
struct timer_errand {
    void (*run)(void* arg) = nullptr;  // null: a wait, and arg is the `what` of add_wait
    void* arg = nullptr;               // null: the claim was lost, there is nothing to do
};

struct timer {
    // --- set by the owner while it is not started --------------------------------
    void* arg = nullptr;
    void (*run)(void* arg) = nullptr;  // on g0 of some m, or in a foreign thread; must not park
    // Called when due, under the heap's lock. Decides by an atomic word of the owner whether the
    // timer wins against a competing event. Returns the argument of `run`, or null. Calls and locks
    // nothing. A null claim stands for a function that returns arg.
    void* (*claim)(timer&) = nullptr;

    // --- guarded by the lock of the home ------------------------------------------
    std::int64_t when = 0;    // nanotime
    std::int64_t period = 0;  // ns; > 0: comes due again and again
    std::uint32_t slot = 0;   // its number in the home's table; 0: not started
    // The heap whose lock guards this timer; it changes under that lock only. Null: never started.
    atomic<timer_heap*> home{nullptr};

    timer_errand errand() { return {run, claim == nullptr ? arg : claim(*this)}; }
};

// The result of a change.
struct timer_change {
    bool was_started = false;  // and had not come due: that start will not run any more
    bool earlier = false;      // the heap's next moment became earlier: the poller must hear of it
};

class timer_heap {
  public:
    // Starts t, or moves it: it comes due at `when`, then every `period` ns if that is not 0.
    // `this` becomes the home of a timer without a home; any other timer stays in its own heap. Any
    // thread, also several at once and while t comes due.
    [[nodiscard]] timer_change reset(timer& t, std::int64_t when, std::int64_t period = 0);

    // reset() for the first start, while no other thread knows the timer.
    [[nodiscard]] timer_change start(timer& t, std::int64_t when, std::int64_t period = 0)
        ROTA_EXCLUDES(mu_);

    // Adds a wait that cannot be stopped: at `when` pop_due gives out `what`, a multiple of 2.
    // True: the heap's next moment became earlier, and the poller must hear of it.
    [[nodiscard]] bool add_wait(std::int64_t when, void* what) ROTA_EXCLUDES(mu_);

    // Stops t, in whichever heap it is. True: it had been started, and will not come due for that
    // start. Its memory is its owner's afterwards. Any thread.
    static bool stop(timer& t);

    // Takes the earliest timers that are due at `now`, up to `max`, into `due`; returns their
    // number.
    std::uint32_t pop_due(std::int64_t now, timer_errand* due, std::uint32_t max)
        ROTA_EXCLUDES(mu_);

    // Moves every timer to `to`, which becomes their home, also the home of stopped timers of this
    // heap. For a p that goes away; reopen() when the p comes back. True: the earliest moment of
    // `to` became earlier.
    [[nodiscard]] bool move_all(timer_heap& to);
    void reopen() ROTA_EXCLUDES(mu_);

    // A moment before which nothing is due, 0 if the heap is empty; mostly the earliest moment. A
    // writer that makes it earlier wakes each m that might have read the old moment. A heap emptied
    // by stops keeps its moment: the next timer is mostly due later, and then no m need be told. A
    // thread that finds nothing there at that moment, or passes by with time to spare, forgets it.
    std::int64_t bound() const {
        return earliest_.load(memory_order_seq_cst);  // pairs(timer.earliest)
    }
    // bound() for a reader that comes back soon anyway.
    std::int64_t earliest_hint() const { return earliest_.load(memory_order_relaxed); }
    void forget_bound() ROTA_EXCLUDES(mu_);
    // The earliest moment, 0 if there is none. Caller: no thread starts or stops timers meanwhile.
    std::int64_t earliest() const { return size() == 0 ? 0 : bound(); }

    // Calls f(table, bytes) with the table of pointers to the started timers.
    template <class F>
    void with_table(F f) ROTA_EXCLUDES(mu_) {
        const lock_guard guard(mu_);
        f(static_cast<const void*>(places_.data()), places_.size() * sizeof(place));
    }

    // relaxed: a hint; a caller that must know is ordered by the event that says that no thread
    // changes it.
    std::uint32_t size() const { return count_.load(memory_order_relaxed); }

    // When due timers are to be run. Readers: the m that runs them, and an m that plans its sleep.
    timer_pace pace;

  private:
    // `what`: the number of a timer, doubled, or the argument of a wait, plus 1.
    struct entry {
        std::int64_t when;
        std::uintptr_t what;
        bool is_wait() const { return (what & 1) != 0; }
        std::uint32_t slot() const { return static_cast<std::uint32_t>(what >> 1); }
    };
    static entry entry_of(const timer& t) { return {t.when, std::uintptr_t{t.slot} << 1}; }
    struct place {
        timer* t;          // null: the number is free
        std::uint32_t at;  // the index of its entry, or the next free number
    };
    // Entries begin after three unused ones: the four children of an entry then share a cache line.
    static constexpr std::size_t unused = 3;
    std::size_t size_locked() const ROTA_REQUIRES(mu_) {
        return entries_.empty() ? 0 : entries_.size() - unused;
    }
    entry& at(std::size_t i) ROTA_REQUIRES(mu_) { return entries_[i + unused]; }
    static timer_heap& lock_home(timer& t, timer_heap* fresh);
    void insert(timer& t) ROTA_REQUIRES(mu_);
    void push(entry e) ROTA_REQUIRES(mu_);
    void erase(std::size_t i) ROTA_REQUIRES(mu_);
    void free_slot(std::uint32_t slot) ROTA_REQUIRES(mu_);
    void put(std::size_t i, entry e) ROTA_REQUIRES(mu_);
    void sift(std::size_t i, entry moving) ROTA_REQUIRES(mu_);
    void sift_down(std::size_t i, entry moving) ROTA_REQUIRES(mu_);
    std::size_t least_of_four(std::size_t first) ROTA_REQUIRES(mu_);
    std::size_t least_of(std::size_t first, std::size_t end) ROTA_REQUIRES(mu_);
    bool publish() ROTA_REQUIRES(mu_);
    bool publish_start(std::int64_t when) ROTA_REQUIRES(mu_);
    void forget_if_empty() ROTA_REQUIRES(mu_);

    lock mu_{lock_rank::timers};
    mapped_array<entry> entries_ ROTA_GUARDED_BY(mu_);
    mapped_array<place> places_ ROTA_GUARDED_BY(mu_);       // by number; no timer has 0
    std::uint32_t free_ ROTA_GUARDED_BY(mu_) = 0;           // the first free number
    timer_heap* successor_ ROTA_GUARDED_BY(mu_) = nullptr;  // the heap to which its timers have
                                                            // moved
    atomic<std::int64_t> earliest_{0};                      // written under mu_, read by any thread
    atomic<std::uint32_t> count_{0};                        // written under mu_, read by any thread
};

}  // namespace rota::rt
