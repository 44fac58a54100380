// Door: bubbles, groups of goroutines with a clock of their own. Go: runtime/synctest.go.
//
// A goroutine created in a bubble belongs to it. It is durably blocked while it waits for something
// that only the bubble can bring about: a channel made inside, a select over such, sleep, a
// condition, a group, a future. When all are, the goroutine that keeps the bubble (its keeper, in
// synctest::test) is woken: it lets a synctest::wait() return, or moves the clock to the next
// timer.
//
// Accounts: `active` counts the goroutines that are not durably blocked. Who parks durably is taken
// off by the stack that comes next, after the park's commit; who readies it puts it back. The
// second may come first: then the count is one too high for a moment, never too low. So when it is
// 0, all are parked, and nobody is on the way to ready one.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/g.hpp"
#include "core/status.hpp"
#include "sys/lock.hpp"
#include "timer/heap.hpp"

namespace rota::rt {

struct bubble {
    std::uint64_t id = 0;  // the goroutine that called synctest::test, for dumps; fixed while used
    timer_heap timers;     // has a lock of its own
    atomic<std::int64_t> now{
        0};  // written by the keeper, read inside the bubble; relaxed: it moves
             // while all inside are parked, and readying them publishes it

    lock mu{lock_rank::bubble};
    std::int64_t total ROTA_GUARDED_BY(mu) = 0;   // goroutines in it, the keeper not counted
    std::int64_t active ROTA_GUARDED_BY(mu) = 0;  // of them, those not durably blocked
    g* keeper ROTA_GUARDED_BY(mu) = nullptr;      // parked until active is 0
    g* waiter ROTA_GUARDED_BY(mu) = nullptr;      // in synctest::wait()
    bubble* next_free = nullptr;                  // synctest/'s
};

// Whether a goroutine of a bubble that parks for this reason can be woken from inside alone. Where
// the reason does not tell (channels from outside), who parks says so by g::waits_outside.
constexpr bool is_durable(wait_reason why) {
    switch (why) {
        case wait_reason::chan_receive:
        case wait_reason::chan_send:
        case wait_reason::chan_receive_nil:
        case wait_reason::chan_send_nil:
        case wait_reason::select:
        case wait_reason::select_no_cases:
        case wait_reason::sleep:
        case wait_reason::semacquire:
        case wait_reason::wait_group_wait:
        case wait_reason::cond_wait:
        case wait_reason::future_get:
        case wait_reason::synctest_wait: return true;
        default: return false;
    }
}

// gp, new, belongs to the bubble of its creator; it has ended.
void bubble_enter(bubble& b, g& gp) ROTA_EXCLUDES(b.mu);
void bubble_leave(g& gp);

// A goroutine of b has parked durably, its registers saved; it is readied.
void bubble_blocked(bubble& b) ROTA_EXCLUDES(b.mu);
void bubble_readied(bubble& b) ROTA_EXCLUDES(b.mu);

// The calling goroutine, keeper of b, waits until all inside are durably blocked.
void bubble_await_quiet(bubble& b) ROTA_EXCLUDES(b.mu);

// While it lives the calling goroutine is in no bubble, and so are those that it starts: what
// serves the whole process. It must not park meanwhile.
class outside_bubble {
  public:
    outside_bubble();
    ~outside_bubble();
    outside_bubble(const outside_bubble&) = delete;
    outside_bubble& operator=(const outside_bubble&) = delete;

  private:
    g* me_;  // null: it was in none
    bubble* was_in_;
};

// The calling goroutine parks next for what comes from outside, whatever the reason says. Taken
// back by false, if it has not parked.
void bubble_waits_outside(bool on);

// What time it is for the caller: its bubble's, or nanotime().
std::int64_t bubble_now(const g& gp);
std::int64_t current_now();

}  // namespace rota::rt
