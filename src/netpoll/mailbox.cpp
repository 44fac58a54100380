// Posts events of one thread as letters, hands them out to polling threads, and rings the bell.
#include "netpoll/mailbox.hpp"

#include "netpoll/poll_desc.hpp"
#include "sys/call/futex.hpp"

namespace rota::rt {

void mailbox::put(const poll_event* events, int n) {
    {
        const lock_guard guard(mu_);
        for (int i = 0; i < n; ++i) {
            const poll_event& e = events[i];
            poll_desc* const d = poll_desc_of(e.tag);
            if (d == nullptr) continue;
            poll_letter& mine = d->letter;
            if (!mine.is_posted) {
                mine = {};
                mine.is_posted = true;
                // relaxed: under mu_
                if (first_.load(memory_order_relaxed) == nullptr)
                    first_.store(d, memory_order_relaxed);  // relaxed: as above
                else last_->letter.next = d;
                last_ = d;
            }
            if (mine.event.tag != e.tag)
                mine.event = e;  // the letter's event is of a use that is
                                 // over
            mine.event.read |= e.read;
            mine.event.write |= e.write;
            mine.event.ended |= e.ended;
        }
    }
    ring();
}

int mailbox::take(std::span<poll_event> out) {
    // relaxed: the bell wakes every thread that must not miss a letter
    if (first_.load(memory_order_relaxed) == nullptr) return 0;
    const lock_guard guard(mu_);
    poll_desc* d = first_.load(memory_order_relaxed);  // relaxed: under mu_
    std::size_t n = 0;
    for (; d != nullptr && n < out.size(); d = d->letter.next) {
        d->letter.is_posted = false;
        out[n++] = d->letter.event;
    }
    first_.store(d, memory_order_relaxed);  // relaxed: under mu_
    return static_cast<int>(n);
}

void mailbox::sleep(std::int64_t deadline) {
    if (bell_.cas(quiet, asleep, memory_order_relaxed))  // relaxed: decided by the exchange below
        (void)futex_wait(bell_, asleep, deadline);
    (void)bell_.exchange(quiet, memory_order_acq_rel);  // pairs(mail.bell)
}

void mailbox::ring() {
    const std::uint32_t was = bell_.exchange(rung, memory_order_acq_rel);  // pairs(mail.bell)
    if (was == asleep) futex_wake(bell_, 1);
}

}  // namespace rota::rt
