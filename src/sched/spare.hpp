// The ms that stand by for ps which sysmon takes from goroutines that do not come (sched/hostage).
//
// A p is taken only when its next m is certain, and set aside for it: one off the idle list, or the
// first that is stopped and waits in line. Ms for that are ordered ahead. They are rota's own wish,
// not the program's: they stand outside its limit of threads (set_max_threads), and where the
// kernel grants no more, the p stays where it is.
//
//     the program's limit reached       spares are made all the same: for goroutines that compute
//                                       until 1,024 are stopped, for others one for each p. If
//                                       they serve its calls until these hold more ms than it may
//                                       have, and none ends for half a second, it is reported: as
//                                       long as there are more, sysmon looks
//     1,024 stopped                     no goroutine begins, but one in 100 ms; spares are made for
//                                       those that have begun, within the program's limit
//     the kernel's limit reached, or    the last idle m runs nobody who has not begun, and so comes
//     its answer still to come          back; asked again once a second
//     no m left, neither idle nor to    the first in line gets the p, and its former goroutine goes
//     be made                           into the line; nobody in line: the p stays
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Why a p is to be taken.
enum class spare_for : std::uint8_t { computes, blocked };

// The next m of a p, set aside for it.
struct heir {
    m* mp = nullptr;  // null: none
    bool is_stopped = false;
};

// From before sysmon takes a p: the m that will be without one, and its next one while it is set
// aside, are not the program's to be counted against its limit.
void note_hostage(spare_for why) ROTA_EXCLUDES(sched.mu);

// The last idle m is about to get a p: while goroutines compute for long it begins nobody.
void note_last_m() ROTA_REQUIRES(sched.mu);

// Has one more m made that sleeps on the idle list, if too few do, and it may. Caller: sysmon,
// `now` before it takes a p, otherwise `soon`: the last one may wait for some milliseconds.
enum class spare_need : std::uint8_t { now, soon };
void order_spare(spare_for why, spare_need need, std::int64_t now) ROTA_EXCLUDES(sched.mu);

// Has more ms made, which sleep on the idle list: a quarter as many as there are, 16 at most,
// within the program's limit. So a program whose calls block by the hundred does not wait for a new
// thread at each of them. Caller: any thread inside the runtime that has just used the last idle m.
void order_ahead() ROTA_EXCLUDES(sched.mu);

// When the first in line is the heir although others are queued: before an idle m, if there is no
// other m, or not even then.
enum class line_turn : std::uint8_t { first, last, none };

// The heir of pp. Caller: sysmon, which gives it the p, or puts it back.
[[nodiscard]] heir set_aside(const p& pp, line_turn turn, std::int64_t now) ROTA_EXCLUDES(sched.mu);
void give_to(heir to, p& pp) ROTA_EXCLUDES(sched.mu);
void put_back(heir to) ROTA_EXCLUDES(sched.mu);

// While ms are short, all switches go through g0, which puts off who has not begun (is_put_off).
// Once a round of sysmon's, which is told whether goroutines compute and may be stopped: those who
// were put off come back if that is over. True: it is not, or not all have come back.
class shortage {
  public:
    bool round(bool is_anyone_stopped, std::int64_t now) ROTA_EXCLUDES(sched.mu);
    // Whether there is something to do in the next round, as far as is known here.
    bool is_open() const {
        return any_left_ || too_many_kept_ || ms_are_short() || is_limit_passed();
    }

  private:
    // Puts those in front of the global queue who were put off, if that is over; returns how many.
    std::uint32_t take_back(bool is_short, bool is_anyone_stopped) ROTA_REQUIRES(sched.mu);

    std::uint32_t last_back_ = 0;    // runq.popped() when all who were taken back are gone
    std::uint64_t served_then_ = 0;  // sched.suspended_served when they came
    bool any_left_ = false;          // who was put off; nobody more is, unless ms are short
    std::int64_t last_begun_ = 0;    // about: no goroutine has been kept from it since
    bool too_many_kept_ = false;     // more ms are in the program's calls than it may have
    std::uint64_t calls_seen_ = 0;   // sched.calls_ended
    std::int64_t last_round_ = 0;
    std::int64_t kept_since_ = 0;  // that it is so, without an end of a call
};

// gp is to run next: true, and it has been put off, if it has not begun and may not.
[[nodiscard]] bool is_put_off(g& gp) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
