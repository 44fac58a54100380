// Door: bubbles, groups of goroutines with a clock of their own. Go: runtime/synctest.go.
//
// A goroutine created in a bubble belongs to it. It is durably blocked while it waits for something
// that only the bubble can bring about: a channel made inside, a select over such, sleep, a
// condition, a group, a future. When all are, the goroutine that keeps the bubble (its keeper, in
// synctest::test) is woken: it lets a synctest::wait() return, or moves the clock to the next
// timer.
//
// A channel, a context and an object of the sync room belong to the bubble in which they were made,
// a wait_group to the one whose goroutine was the first to add. A goroutine that waits in anything
// else sets g::waits_outside before it parks: it is not durably blocked, and time stands still.
//
// Accounts: `active` counts the goroutines that are not durably blocked. Who parks durably is taken
// off by the stack that comes next, after the park's commit; who readies it puts it back. The
// second may come first: then the count is one too high for a moment, never too low. So when it is
// 0, all are parked, and no goroutine of the bubble is on the way to ready one.
//
// The keeper ends a bubble while `active` is 0. Goroutines that are left are durably blocked then
// and never run again: what they refer to by reference may be gone with the frames of the test.
// goready() finds that in bubble_readied(), and leaves the goroutine where it is.
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
    std::uint64_t serial =
        0;              // of this use, never 0: what channels and objects keep; fixed likewise
    timer_heap timers;  // has a lock of its own
    atomic<std::int64_t> now{
        0};  // written by the keeper, read inside the bubble; relaxed: it moves
             // while all inside are parked, and readying them publishes it

    lock mu{lock_rank::bubble};
    std::int64_t total ROTA_GUARDED_BY(mu) = 0;   // goroutines in it, the keeper not counted
    std::int64_t active ROTA_GUARDED_BY(mu) = 0;  // of them, those not durably blocked
    g* keeper ROTA_GUARDED_BY(mu) = nullptr;      // parked until active is 0
    g* waiter ROTA_GUARDED_BY(mu) = nullptr;      // in synctest::wait()
    bool over ROTA_GUARDED_BY(mu) = false;        // who is left never runs again; by the keeper
    bubble* next_free = nullptr;                  // synctest/'s
};

// Whether a goroutine of a bubble that parks for this reason can be woken from inside alone. Where
// the reason does not tell, who parks says so by g::waits_outside.
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
// False: b is over, and the goroutine must not be readied.
[[nodiscard]] bool bubble_readied(bubble& b) ROTA_EXCLUDES(b.mu);

// Whether gp was left in a bubble that is over: it never runs again. Caller: inside a
// runtime_entry.
bool is_abandoned(const g& gp);

// The calling goroutine, keeper of b, waits until all inside are durably blocked. Holds b.mu then.
void bubble_await_quiet(bubble& b) ROTA_ACQUIRE(b.mu);

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

// The serial number of the bubble that the caller is in; 0: in none. Any thread.
std::uint64_t current_bubble();

// Whether the calling goroutine is in a bubble, and the maker is not that: the serial number of the
// bubble in which something was made, or 0. Caller: inside a runtime_entry.
ROTA_ALWAYS_INLINE bool is_made_outside(const g& me, std::uint64_t maker) {
    return ROTA_UNLIKELY(me.is_in_bubble) && maker != me.in->serial;
}

// The bubble that the object of the sync room belongs to, by serial number, or 0. Caller: inside a
// runtime_entry.
std::uint64_t bubble_of_object(const void* object);
// From now on that is this one. Without memory it is none. Caller: outside the runtime.
void set_bubble_of_object(const void* object, std::uint64_t serial);
void forget_objects_of(std::uint64_t serial);

// Whether the calling goroutine, about to wait in the object, waits for the outside of its bubble.
// Caller: inside a runtime_entry, holds no lock of rank `bubble` or above.
bool waits_outside_in(const void* object);

// What time it is for the caller: its bubble's, or nanotime().
std::int64_t bubble_now(const g& gp);
std::int64_t current_now();

}  // namespace rota::rt
