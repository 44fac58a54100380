// Decides when goroutines that have not begun are put off because ms are short, and when they come
// back (sched/queue/start_admission). Ends the program if its calls keep more ms than it may have.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sched/m/standby.hpp"

namespace rota::rt {

// While ms are short, all switches go through g0, which puts off goroutines that have not begun
// (defer_start). A round of sysmon, which says whether goroutines compute and may be stopped,
// brings them back when the shortage is over. True: it is not over, or not all have come back.
class admission_control {
  public:
    bool round(bool is_anyone_stopped, std::int64_t now) ROTA_EXCLUDES(sched.mu);
    // Whether there is something to do in the next round, as far as is known here.
    bool is_open() const {
        return any_left_ || too_many_kept_ || ms_are_short() || is_limit_passed();
    }

  private:
    // Puts the deferred goroutines in front of the global queue, if the shortage is over; returns
    // how many.
    std::uint32_t take_back(bool is_short, bool is_anyone_stopped) ROTA_REQUIRES(sched.mu);

    std::uint32_t last_back_ = 0;    // runq.popped() when all goroutines taken back are gone
    std::uint64_t served_then_ = 0;  // sched.suspended_served when they came
    // deferred goroutines are left; no more come, unless ms are short
    bool any_left_ = false;
    std::int64_t last_begun_ = 0;   // ns, about: no goroutine has been kept from beginning since
    bool too_many_kept_ = false;    // more ms are in the program's calls than it may have
    std::uint64_t calls_seen_ = 0;  // sched.calls_ended
    std::int64_t last_round_ = 0;
    std::int64_t kept_since_ = 0;  // ns: since when too many are kept, without an end of a call
};

}  // namespace rota::rt
