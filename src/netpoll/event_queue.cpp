// Posts events of one thread as pending events, hands them out to polling threads, and sets the
// wake token.
#include "netpoll/event_queue.hpp"

#include "netpoll/poll_desc.hpp"
#include "sys/call/futex.hpp"

namespace rota::rt {

void event_queue::put(const poll_event* events, int n) {
    {
        const lock_guard guard(mu_);
        for (int i = 0; i < n; ++i) {
            const poll_event& e = events[i];
            poll_desc* const d = poll_desc_of(e.tag);
            if (d == nullptr) continue;
            pending_event& mine = d->pending;
            if (!mine.is_posted) {
                mine = {};
                mine.is_posted = true;
                // relaxed: under mu_
                if (first_.load(memory_order_relaxed) == nullptr)
                    first_.store(d, memory_order_relaxed);  // relaxed: as above
                else last_->pending.next = d;
                last_ = d;
            }
            if (mine.event.tag != e.tag)
                mine.event = e;  // the pending event is of a use that is
                                 // over
            mine.event.read |= e.read;
            mine.event.write |= e.write;
            mine.event.ended |= e.ended;
        }
    }
    wake();
}

int event_queue::take(std::span<poll_event> out) {
    // relaxed: the wake token wakes every thread that must not miss a pending event
    if (first_.load(memory_order_relaxed) == nullptr) return 0;
    const lock_guard guard(mu_);
    poll_desc* d = first_.load(memory_order_relaxed);  // relaxed: under mu_
    std::size_t n = 0;
    for (; d != nullptr && n < out.size(); d = d->pending.next) {
        d->pending.is_posted = false;
        out[n++] = d->pending.event;
    }
    first_.store(d, memory_order_relaxed);  // relaxed: under mu_
    return static_cast<int>(n);
}

void event_queue::sleep(std::int64_t deadline) {
    // relaxed: decided by the exchange below
    if (wake_token_.cas(clear, asleep, memory_order_relaxed))
        (void)futex_wait(wake_token_, asleep, deadline);
    (void)wake_token_.exchange(clear, memory_order_acq_rel);  // pairs(events.wake)
}

void event_queue::wake() {
    // pairs(events.wake)
    const std::uint32_t was = wake_token_.exchange(set, memory_order_acq_rel);
    if (was == asleep) futex_wake(wake_token_, 1);
}

}  // namespace rota::rt
