// Keeps standby ms for ps that sysmon takes from goroutines which neither yield nor return
// (sched/monitor/hostage).
//
// A p is taken only when its next m is certain, and set aside for it: an m off the idle list, or
// the first stopped m in line. Ms for that are ordered ahead. rota wants them, not the program, so
// they do not count against its limit of threads (set_max_threads). Where the kernel grants no
// more, the p stays where it is.
//
//     the program's limit reached       spares are made all the same: for goroutines that compute
//                                       until 1,024 are stopped, otherwise one for each p. If
//                                       they serve its calls until these hold more ms than it may
//                                       have, and none ends for half a second, it is reported: as
//                                       long as there are more, sysmon looks
//     1,024 stopped                     no goroutine begins, but one in 100 ms; spares are made for
//                                       those that have begun, within the program's limit
//     the kernel's limit reached, or    the last idle m begins no goroutine, and so comes
//     its answer still to come          back; asked again once a second
//     no m left, neither idle nor to    the first in line gets the p, and its former goroutine goes
//     be made                           into the line; nobody in line: the p stays
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// The reason to take a p.
enum class spare_for : std::uint8_t { computes, blocked };

// The next m of a p, set aside for it.
struct heir {
    m* mp = nullptr;  // null: none
    bool is_stopped = false;
};

// Announces that sysmon will take a p: the m that will be without one, and the next m while it is
// set aside, do not count against the program's limit.
void note_hostage(spare_for why) ROTA_EXCLUDES(sched.mu);

// Notes that the last idle m is about to get a p: while goroutines compute for long it begins none.
void note_last_m() ROTA_REQUIRES(sched.mu);

// Orders one more m for the idle list, if too few sleep there and the limits allow it. Caller:
// sysmon, with `now` before it takes a p, otherwise `soon`: the last m may wait for some
// milliseconds.
enum class spare_need : std::uint8_t { now, soon };
void order_spare(spare_for why, spare_need need, std::int64_t now) ROTA_EXCLUDES(sched.mu);

// Orders more ms for the idle list: a quarter as many as there are, 16 at most, within the
// program's limit. So a program whose calls block by the hundred does not wait for a new thread at
// each of them. Caller: any thread inside the runtime that has just used the last idle m.
void order_ahead() ROTA_EXCLUDES(sched.mu);

// When the first stopped m in line is the heir although other goroutines are queued: before an idle
// m, without an idle m, or never.
enum class line_turn : std::uint8_t { first, last, none };

// Sets the heir of pp aside. Caller: sysmon, which gives it the p, or puts it back.
[[nodiscard]] heir set_aside(const p& pp, line_turn turn, std::int64_t now) ROTA_EXCLUDES(sched.mu);
void give_to(heir to, p& pp) ROTA_EXCLUDES(sched.mu);
void put_back(heir to) ROTA_EXCLUDES(sched.mu);

// While ms are short, all switches go through g0, which puts off goroutines that have not begun
// (is_put_off). A round of sysmon, which says whether goroutines compute and may be stopped, brings
// them back when the shortage is over. True: it is not over, or not all have come back.
class shortage {
  public:
    bool round(bool is_anyone_stopped, std::int64_t now) ROTA_EXCLUDES(sched.mu);
    // Whether there is something to do in the next round, as far as is known here.
    bool is_open() const {
        return any_left_ || too_many_kept_ || ms_are_short() || is_limit_passed();
    }

  private:
    // Puts the put-off goroutines in front of the global queue, if the shortage is over; returns
    // how many.
    std::uint32_t take_back(bool is_short, bool is_anyone_stopped) ROTA_REQUIRES(sched.mu);

    std::uint32_t last_back_ = 0;    // runq.popped() when all goroutines taken back are gone
    std::uint64_t served_then_ = 0;  // sched.suspended_served when they came
    bool any_left_ = false;        // put-off goroutines are left; no more come, unless ms are short
    std::int64_t last_begun_ = 0;  // ns, about: no goroutine has been kept from beginning since
    bool too_many_kept_ = false;   // more ms are in the program's calls than it may have
    std::uint64_t calls_seen_ = 0;  // sched.calls_ended
    std::int64_t last_round_ = 0;
    std::int64_t kept_since_ = 0;  // ns: since when too many are kept, without an end of a call
};

// Puts gp, which is to run next, off if it has not begun and may not. True: it has.
[[nodiscard]] bool is_put_off(g& gp) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
