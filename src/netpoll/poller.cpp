// The poller's sleep, on a futex with an absolute deadline.
#include "netpoll/poller.hpp"

#include "sys/futex.hpp"

namespace rota::rt {

void poller::sleep_until(std::int64_t deadline) {
    if (word_.cas(quiet, sleeping, memory_order_acquire)) {  // pairs(poller.break)
        (void)futex_wait(word_, sleeping, deadline);
    }
    // Whatever ended the sleep, the caller looks at everything again: a token that comes right now
    // is no loss.
    word_.store(quiet, memory_order_seq_cst);  // pairs(poller.break)
}

void poller::wake() {
    if (word_.exchange(broken, memory_order_seq_cst) == sleeping)
        futex_wake(word_, 1);  // pairs(poller.break)
}

}  // namespace rota::rt
