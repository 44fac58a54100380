// Sleeps on a note and wakes its sleeper, by the futex of the note's word.
#include "sys/thread/note.hpp"

#include <cerrno>

#include "base/check.hpp"

namespace rota::rt {

bool note::sleep_until(std::int64_t deadline) {
    std::uint32_t seen = clear_state;
    if (!word_.compare_exchange(seen, sleeping_state, memory_order_acquire,  // pairs(note.token)
                                memory_order_acquire)) {                     // pairs(note.token)
        ROTA_CHECK(seen == set_state);
        return true;
    }
    for (;;) {
        const int error = futex_wait(word_, sleeping_state, deadline);
        if (word_.load(memory_order_acquire) == set_state) return true;  // pairs(note.token)
        if (error != ETIMEDOUT) continue;  // interrupted: the deadline is absolute
        seen = sleeping_state;
        return !word_.compare_exchange(seen, clear_state,
                                       memory_order_relaxed,   // relaxed: nothing was handed over
                                       memory_order_acquire);  // pairs(note.token)
    }
}

void note::wakeup() {
    // After the exchange the sleeper may be gone and the note reused: the code below uses the
    // word's address alone.
    const std::uint32_t old = word_.exchange(set_state, memory_order_release);  // pairs(note.token)
    ROTA_DCHECK(old != set_state);
    if (old == sleeping_state) futex_wake(word_, 1);
}

}  // namespace rota::rt
