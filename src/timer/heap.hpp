// Timers and the heap that keeps them: 4-ary, earliest first, one per p. It knows moments and
// callbacks, never a g.
//
// A 4-ary heap touches half the cache lines of a binary one. The earliest moment is cached in an
// atomic word, so that "is anything due?" costs one load. Whoever makes it earlier is told so and
// owes the sleeping poller a wake-up (sched/timers.hpp does all of that). Go: runtime/time.go.
//
// Go marks stopped timers and sweeps them out later. Here a timer is taken out at once: the heap
// knows each one's place by a number in a dense table, not by a field in the timer, so that sifting
// touches no timer. So a timer that is not started is nowhere in the heap, and its memory is its
// owner's. A wait that nobody stops (a sleep) is not even a timer: an entry that holds what it is
// for, so that a hundred thousand of them come due without a look at memory long out of all caches.
//
// Who owns the memory. Whoever starts a timer keeps it alive until stop() has returned (whatever it
// returned), or until claim() has been called for a timer without a period. claim() runs under the
// heap's lock; after it the heap never touches the timer again. What remains, `run`, gets what
// claim() has returned: the errand must keep that alive itself.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "mem/mapped.hpp"
#include "sys/lock.hpp"
#include "timer/pace.hpp"

namespace rota::rt {

class timer_heap;

// What is to be done for what has come due, without any lock.
struct timer_errand {
    void (*run)(void* arg) = nullptr;  // null: a wait, and arg is what add_wait was given
    void* arg = nullptr;               // null: somebody else was faster, there is nothing to do
};

struct timer {
    // --- set by the owner while it is not started --------------------------------
    void* arg = nullptr;
    void (*run)(void* arg) = nullptr;  // on g0 of some m, or in a foreign thread; must not park
    // When due, under the heap's lock: decides whether the timer wins against what else may happen,
    // by an atomic word of its owner's. Returns what `run` shall get, or null. Calls and locks
    // nothing. A null claim stands for one that returns arg.
    void* (*claim)(timer&) = nullptr;

    // --- guarded by the lock of the home ------------------------------------------
    std::int64_t when = 0;    // nanotime
    std::int64_t period = 0;  // > 0: comes due again and again
    std::uint32_t slot = 0;   // its number in the home's table; 0: not started
    // The heap whose lock guards this timer; it changes under that lock only. Null: never started.
    atomic<timer_heap*> home{nullptr};

    timer_errand errand() { return {run, claim == nullptr ? arg : claim(*this)}; }
};

// What a change asks of the caller.
struct timer_change {
    bool was_started = false;  // and had not come due: it will not run for that start any more
    bool earlier = false;  // the heap is to be looked at earlier now: the poller must hear of it
};

class timer_heap {
  public:
    // Starts t, or moves it: it comes due at `when`, then every `period` ns if that is not 0.
    // `this` becomes the home of a timer that has none; any other stays in its own heap. Any
    // thread, also several at once and while it comes due.
    [[nodiscard]] timer_change reset(timer& t, std::int64_t when, std::int64_t period = 0);

    // As reset, for a timer that nobody else knows yet: the first start.
    [[nodiscard]] timer_change start(timer& t, std::int64_t when, std::int64_t period = 0)
        ROTA_EXCLUDES(mu_);

    // Adds a wait that nobody can stop: at `when` pop_due gives out `what`, which is a multiple
    // of 2. True: the heap is to be looked at earlier now, and the poller must hear of it.
    [[nodiscard]] bool add_wait(std::int64_t when, void* what) ROTA_EXCLUDES(mu_);

    // Stops t, wherever it is. True: it had been started, and will not come due for that start. Its
    // memory is its owner's afterwards. Any thread.
    static bool stop(timer& t);

    // Takes the earliest timers that are due at `now`, up to `max`, into `due`; returns how many.
    std::uint32_t pop_due(std::int64_t now, timer_errand* due, std::uint32_t max)
        ROTA_EXCLUDES(mu_);

    // Moves all timers to `to`, which is their home from now on, and that of those stopped ones
    // whose home was this heap. For a p that goes away; reopen() when it comes back. True: the
    // earliest moment of `to` became earlier.
    [[nodiscard]] bool move_all(timer_heap& to);
    void reopen() ROTA_EXCLUDES(mu_);

    // A moment before which nothing is due, 0 if there is nothing; mostly that of the earliest. A
    // writer that makes it earlier wakes whoever might have read the old one. A heap that stops
    // have emptied keeps it, as if one had been left: the next one that is started is mostly due
    // later, and then nobody need be told. Who finds nothing there at that moment, or passes by
    // with time to spare, forgets it.
    std::int64_t bound() const {
        return earliest_.load(memory_order_seq_cst);  // pairs(timer.earliest)
    }
    // As bound(), for a reader that comes back soon anyway.
    std::int64_t earliest_hint() const { return earliest_.load(memory_order_relaxed); }
    void forget_bound() ROTA_EXCLUDES(mu_);
    // The earliest moment, 0 if there is none, while nobody starts or stops any.
    std::int64_t earliest() const { return size() == 0 ? 0 : bound(); }

    // Calls f(table, bytes) with what points to all timers that have been started.
    template <class F>
    void with_table(F f) ROTA_EXCLUDES(mu_) {
        const lock_guard guard(mu_);
        f(static_cast<const void*>(places_.data()), places_.size() * sizeof(place));
    }

    // relaxed: a hint; whoever must know is ordered by what tells it that nobody changes it.
    std::uint32_t size() const { return count_.load(memory_order_relaxed); }

    // When what is due is to be run: for who runs it, and who looks ahead.
    timer_pace pace;

  private:
    // `what` is the number of a timer, doubled, or what a wait is for, plus 1.
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
    // Entries begin behind three unused ones: the four children of each then share a cache line.
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
    mapped_array<place> places_ ROTA_GUARDED_BY(mu_);       // by number; 0 is never given
    std::uint32_t free_ ROTA_GUARDED_BY(mu_) = 0;           // the first free number
    timer_heap* successor_ ROTA_GUARDED_BY(mu_) = nullptr;  // where its timers have moved
    atomic<std::int64_t> earliest_{0};                      // written under mu_, read by anyone
    atomic<std::uint32_t> count_{0};                        // written under mu_, read by anyone
};

}  // namespace rota::rt
