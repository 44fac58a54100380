// Door: decides whether to take goroutines away from the p that made them.
//
// A goroutine comes with the cache lines of its stack and of its data. When it has ended, its p
// fetches them back one by one: some 50 ns each or some 500, depending on the distance of the
// cores. One p may finish tiny goroutines sooner than two ps that pass each other their memory. No
// goroutine tells how long it will run. So an m looks back at its last steal: the goroutines that
// it took from another p.
//
//   * If the last steal was too little work, the m leaves further work to the other p for a moment,
//     at most about as long as it takes to wake a core.
//   * While steals consist of tiny goroutines, an A/B trial compares two ways: sharing work, and
//     leaving it to the p that makes it, the producer. The way in which the ps together make more
//     steps gets more and more of the time. The trial tries the other way only now and then.
//
//            rate_last_steal, lasts: the sample is over, the steps of all ps in it are noted
//         ┌──────────────────────────────────────────────────────────────────────────┐
//         ▼                                                                          │
//       shared ─────────────────────────────────────────────────────────────────►  by_producer
//         ▲                                                                          │
//         └───────────── no steal and no look for `forgotten_after` ──────────────────┘
//
// An m that leaves work to its producer counts as spinning, so new work wakes no m. Instead this m
// looks every few µs whether work waits at any p, and serves it. So no goroutine waits much longer
// than if an m had to be woken for it.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// self has taken goroutines from the ring of `from`, or goroutines that this ring has spilled into
// the global queue. Caller: holds a p.
void note_steal(m& self, p& from);

// self has nothing left to run: judges its last steal. Caller: holds a p.
void rate_last_steal(m& self);

// The number of goroutines that self may take at a time.
[[nodiscard]] std::uint32_t steal_max(const m& self);

// Whether self leaves the global queue to the p that has spilled into it. Before self gives up its
// p, it looks at the global queue once more.
[[nodiscard]] bool leaves_spill(const m& self);

// Whether a processor is free for a waiting m, and a busy p that does not spin may have work for
// it.
[[nodiscard]] bool is_waiting_worth_it();

// The time for which self leaves other ps their work. Caller: spins.
class steal_backoff {
  public:
    explicit steal_backoff(m& self);
    // False once that time is over, or when work waits for self.
    [[nodiscard]] bool lasts();
    // Valid once lasts() is false: the p with a ring, runnext or timers that wait for self; null:
    // none.
    [[nodiscard]] p* starving_p() const { return starving_p_; }

  private:
    void watch_producer();
    bool does_producer_progress(std::int64_t now);
    void note_moves(std::int64_t now);
    bool does_anyone_else_wait(std::int64_t now);
    bool is_there_anything_left(std::int64_t now);
    bool end(p* starving_p);

    m& self_;
    // null: none; else the producer, while the trial says `by_producer` and it makes progress
    p* producer_ = nullptr;
    p* starving_p_ = nullptr;
    std::int64_t until_ = 0;
    std::int64_t looked_at_ = 0;  // ns, when the producer was last looked at
    std::uint32_t steps_ = 0;
    // ns, when self last saw work that it could leave to the producer
    std::int64_t had_some_at_ = 0;
    // A p with a goroutine in runnext at the last look, and that goroutine.
    p* other_ = nullptr;
    const g* next_ = nullptr;
};

}  // namespace rota::rt
