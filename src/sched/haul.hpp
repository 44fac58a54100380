// Door: whether it is worth it to take goroutines away from the p that made them.
//
// A goroutine comes with the cache lines of its stack and of what it works on, and its p fetches
// them back one by one when it has ended: some 50 ns each or some 500, as far as the cores are
// apart. Those that do next to nothing may be done sooner by one p than by two that pass each other
// their memory. No goroutine tells what it is going to do; but who has done what it took away, its
// haul, can look back.
//
//   * Was the last haul too little, then the next is left to its p for a moment, at most about as
//     long as it takes to wake a core.
//   * While hauls are of little goroutines, two ways are on trial, in turn: sharing, and leaving
//     all to who makes it. Under which of them all ps together get on faster gets more and more of
//     the time, the other one is only looked at now and then.
//
//            judge_haul, lasts: its time is over, what all ps have done in it is noted
//         ┌──────────────────────────────────────────────────────────────────────────┐
//         ▼                                                                          │
//       shared ─────────────────────────────────────────────────────────────────►  alone
//         ▲                                                                          │
//         └───────────── no haul and no look for `forgotten_after` ──────────────────┘
//
// Who leaves all to its maker counts as spinning, so nobody is woken for what comes up meanwhile:
// it looks every few µs whether anybody waits for it, anywhere, and serves him. Nobody waits for
// much longer than if an m had to be woken for him.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// self has taken some from the ring of `from`, or of what that has spilled. Caller: holds a p.
void note_haul(m& self, p& from);

// self has nothing left to run: what has come of its last haul? Caller: as above.
void judge_haul(m& self);

// How many self may take at a time.
[[nodiscard]] std::uint32_t haul_max(const m& self);

// Whether self leaves what is in the global queue to the p that has spilled it. It is looked at
// again before self gives up its p.
[[nodiscard]] bool leaves_spill(const m& self);

// Whether there is a core to wait on, and anybody runs who may have work for us.
[[nodiscard]] bool is_waiting_worth_it();

// For how long self leaves to others what they have. Caller: spins.
class moment_of_patience {
  public:
    explicit moment_of_patience(m& self);
    // False once it is over, or when somebody waits for self.
    [[nodiscard]] bool lasts();
    // After that: whose ring, runnext or timers wait, or null.
    [[nodiscard]] p* needy() const { return needy_; }

  private:
    void watch_maker();
    bool does_maker_get_on(std::int64_t now);
    void note_moves(std::int64_t now);
    bool does_anyone_else_wait(std::int64_t now);
    bool is_there_anything_left(std::int64_t now);
    bool end(p* needy);

    m& self_;
    p* maker_ = nullptr;  // not null: as long as the trial says, and this one gets on
    p* needy_ = nullptr;
    std::int64_t until_ = 0;
    std::int64_t looked_at_ = 0;  // of the maker then:
    std::uint32_t steps_ = 0;
    std::int64_t had_some_at_ = 0;  // when there was something that could be left to him
    // Of another one: what was in its runnext.
    p* other_ = nullptr;
    const g* next_ = nullptr;
};

}  // namespace rota::rt
