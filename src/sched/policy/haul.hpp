// Door: decides whether to take goroutines away from the p that made them.
//
// A goroutine comes with the cache lines of its stack and of its data. When it has ended, its p
// fetches them back one by one: some 50 ns each or some 500, depending on the distance of the
// cores. One p may finish tiny goroutines sooner than two ps that pass each other their memory. No
// goroutine tells how long it will run. So an m looks back at its last haul: the goroutines that it
// took from another p.
//
//   * If the last haul was too little work, the m leaves further work to the other p for a moment,
//     at most about as long as it takes to wake a core.
//   * While hauls consist of tiny goroutines, an A/B trial compares two ways: sharing work, and
//     leaving it to the p that makes it, the maker. The way in which the ps together make more
//     steps gets more and more of the time. The trial tries the other way only now and then.
//
//            judge_haul, lasts: the row is over, the steps of all ps in it are noted
//         ┌──────────────────────────────────────────────────────────────────────────┐
//         ▼                                                                          │
//       shared ─────────────────────────────────────────────────────────────────►  alone
//         ▲                                                                          │
//         └───────────── no haul and no look for `forgotten_after` ──────────────────┘
//
// An m that leaves work to its maker counts as spinning, so new work wakes no m. Instead this m
// looks every few µs whether work waits at any p, and serves it. So no goroutine waits much longer
// than if an m had to be woken for it.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// self has taken goroutines from the ring of `from`, or goroutines that this ring has spilled into
// the global queue. Caller: holds a p.
void note_haul(m& self, p& from);

// self has nothing left to run: judges its last haul. Caller: holds a p.
void judge_haul(m& self);

// The number of goroutines that self may take at a time.
[[nodiscard]] std::uint32_t haul_max(const m& self);

// Whether self leaves the global queue to the p that has spilled into it. Before self gives up its
// p, it looks at the global queue once more.
[[nodiscard]] bool leaves_spill(const m& self);

// Whether a processor is free for a waiting m, and a busy p that does not spin may have work for
// it.
[[nodiscard]] bool is_waiting_worth_it();

// The time for which self leaves other ps their work. Caller: spins.
class moment_of_patience {
  public:
    explicit moment_of_patience(m& self);
    // False once that time is over, or when work waits for self.
    [[nodiscard]] bool lasts();
    // Valid once lasts() is false: the p with a ring, runnext or timers that wait for self; null:
    // none.
    [[nodiscard]] p* needy() const { return needy_; }

  private:
    void watch_maker();
    bool does_maker_get_on(std::int64_t now);
    void note_moves(std::int64_t now);
    bool does_anyone_else_wait(std::int64_t now);
    bool is_there_anything_left(std::int64_t now);
    bool end(p* needy);

    m& self_;
    // null: none; else the maker, while the trial says `alone` and it makes progress
    p* maker_ = nullptr;
    p* needy_ = nullptr;
    std::int64_t until_ = 0;
    std::int64_t looked_at_ = 0;  // ns, when the maker was last looked at
    std::uint32_t steps_ = 0;
    std::int64_t had_some_at_ = 0;  // ns, when self last saw work that it could leave to the maker
    // A p with a goroutine in runnext at the last look, and that goroutine.
    p* other_ = nullptr;
    const g* next_ = nullptr;
};

}  // namespace rota::rt
