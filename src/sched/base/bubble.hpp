// Door: keeps bubbles, groups of goroutines with a clock of their own. Go: runtime/synctest.go.
//
// A goroutine created in a bubble belongs to it. It is durably blocked while it waits for something
// that only the bubble can bring about: a channel made inside, a select over such channels, sleep,
// a condition, a group, a future. When every goroutine is durably blocked, the bubble's keeper (the
// goroutine in synctest::test) is woken. It lets a synctest::wait() return, or moves the clock to
// the next timer.
//
// A channel, a context and an object of the sync room belong to the bubble in which they were made.
// A wait_group belongs to the bubble of the goroutine that was the first to add. A goroutine that
// waits in any other object sets g::waits_outside before it parks: it is not durably blocked, and
// time stands still.
//
// Invariant: `active` counts the goroutines that are not durably blocked. After a durable park has
// been committed, the stack that runs next takes the goroutine off the count; its waker puts it
// back. The waker may come first: then the count is one too high for a moment, never too low. So
// when it is 0, every goroutine is parked, and no goroutine of the bubble is about to ready
// another.
//
// The keeper ends a bubble while `active` is 0. Goroutines that are left are durably blocked, and
// never run again: objects that they refer to may be gone with the frames of the test. goready()
// finds that in bubble_readied(), and leaves the goroutine parked.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/g.hpp"
#include "core/status.hpp"
#include "sys/thread/lock.hpp"
#include "timer/heap.hpp"

namespace rota::rt {

struct bubble {
    // number of the goroutine that called synctest::test, for dumps; fixed while used
    std::uint64_t id = 0;
    // number of this use, never 0; channels and objects keep it; fixed while used
    std::uint64_t serial = 0;
    timer_heap timers;  // has a lock of its own
    // ns; written by the keeper, read inside the bubble. relaxed: it moves while every goroutine
    // inside is parked, and readying them publishes it
    atomic<std::int64_t> now{0};

    lock mu{lock_rank::bubble};
    std::int64_t total ROTA_GUARDED_BY(mu) = 0;  // goroutines in it, without the keeper
    // of these, the goroutines that are not durably blocked
    std::int64_t active ROTA_GUARDED_BY(mu) = 0;
    g* keeper ROTA_GUARDED_BY(mu) = nullptr;  // parked until `active` is 0; else null
    g* waiter ROTA_GUARDED_BY(mu) = nullptr;  // the goroutine in synctest::wait()
    // goroutines that are left never run again; set by the keeper
    bool over ROTA_GUARDED_BY(mu) = false;
    bubble* next_free = nullptr;  // used by synctest/
};

// Whether a goroutine of a bubble that parks for this reason can only be woken from inside. Where
// the reason does not tell, the parking goroutine sets g::waits_outside.
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

// Puts gp, which is new, into its creator's bubble b; takes gp, which has ended, out of its bubble.
void bubble_enter(bubble& b, g& gp) ROTA_EXCLUDES(b.mu);
void bubble_leave(g& gp);

// A goroutine of b has parked durably, its registers saved; it is being readied.
void bubble_blocked(bubble& b) ROTA_EXCLUDES(b.mu);
// False: b is over, and the goroutine must not be readied.
[[nodiscard]] bool bubble_readied(bubble& b) ROTA_EXCLUDES(b.mu);

// Whether gp was left in a bubble that is over: it never runs again. Caller: inside a
// runtime_entry.
bool is_abandoned(const g& gp);

// Parks the calling goroutine, the keeper of b, until every goroutine inside is durably blocked.
// Returns with b.mu held.
void bubble_await_quiet(bubble& b) ROTA_ACQUIRE(b.mu);

// While it lives, the calling goroutine is in no bubble, nor are the goroutines that it starts: for
// work that serves the whole process. It must not park meanwhile.
class outside_bubble {
  public:
    outside_bubble();
    ~outside_bubble();
    outside_bubble(const outside_bubble&) = delete;
    outside_bubble& operator=(const outside_bubble&) = delete;

  private:
    g* me_;  // null: it was in no bubble
    bubble* was_in_;
};

// The calling goroutine parks next for something from outside the bubble, whatever the wait reason
// says. false: takes that back, if the goroutine has not parked.
void bubble_waits_outside(bool on);

// The serial number of the caller's bubble; 0: none. Any thread.
std::uint64_t current_bubble();

// Whether the calling goroutine is in a bubble, and the object was made elsewhere. `maker`: serial
// number of the object's bubble, or 0. Caller: inside a runtime_entry.
ROTA_ALWAYS_INLINE bool is_made_outside(const g& me, std::uint64_t maker) {
    return ROTA_UNLIKELY(me.is_in_bubble) && maker != me.in->serial;
}

// The serial number of the bubble that an object of the sync room belongs to; 0: none. Caller:
// inside a runtime_entry.
std::uint64_t bubble_of_object(const void* object);
// Sets that number. If memory is refused, the object belongs to no bubble. Caller: outside the
// runtime.
void set_bubble_of_object(const void* object, std::uint64_t serial);
void forget_objects_of(std::uint64_t serial);

// Whether the calling goroutine, about to wait in the object, waits for something outside its
// bubble. Caller: inside a runtime_entry, holds no lock of rank `bubble` or above.
bool waits_outside_in(const void* object);

// The time of gp's, or the caller's, bubble; outside bubbles nanotime().
std::int64_t bubble_now(const g& gp);
std::int64_t current_now();

}  // namespace rota::rt
