// Implements the poller's sleep, on a futex with an absolute deadline or in the back end.
#include "netpoll/poller.hpp"

#include <cerrno>
#include <span>

#include "base/fatal.hpp"
#include "base/probe.hpp"
#include "core/sched.hpp"
#include "netpoll/poll_desc.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/futex.hpp"

namespace rota::rt {

namespace {

constinit lock one_starts{lock_rank::netpoll};

// Passes the kernel's events on to the words.
void take_events(const poll_event* events, int n, ready_list& ready) {
    // Prefetches the lines together: one after another, each would be waited for.
    for (int i = 0; i < n; ++i) prefetch_poll_desc(events[i].tag);
    for (int i = 0; i < n; ++i) {
        const poll_event& e = events[i];
        poll_desc* const d = poll_desc_of(e.tag);
        if (d == nullptr) continue;                               // the descriptor is closed
        if (e.ended) d->ended.store(true, memory_order_relaxed);  // relaxed: `ready` passes it on
        g* const reader = e.read ? (*d)[poll_dir::read].ready() : nullptr;
        g* const writer = e.write ? (*d)[poll_dir::write].ready() : nullptr;
        if (reader != nullptr) ready.all[ready.count++] = reader;
        if (writer != nullptr) ready.all[ready.count++] = writer;
    }
}

// False: interrupted by a signal.
bool take_what_is_there(poll_backend& b, std::int64_t timeout, ready_list& ready,
                        std::size_t most) {
    poll_event events[poll_events_max];
    const int n = b.wait(timeout, std::span(events).first(most));
    if (n == -EINTR) return false;
    // At exit programs may close any descriptor, even ours.
    if (n < 0 && sched.exiting.load(memory_order_relaxed)) return true;  // relaxed: set long before
    if (n < 0) {
        fatal("runtime: netpoll failed", trace_scope::none,
              "runtime: the poller cannot wait (errno=%zu): has the program closed a descriptor "
              "that is not its own?",
              static_cast<std::size_t>(-n));
    }
    ready.is_full = static_cast<std::size_t>(n) == most;
    take_events(events, n, ready);
    return true;
}

}  // namespace

int poller::start() {
    if (backend() != nullptr) return 0;
    {
        const lock_guard guard(one_starts);
        if (backend() != nullptr) return 0;
        const int error = chosen_->start();
        if (error != 0) return -error;
        started_.store(chosen_, memory_order_release);  // pairs(poll.start)
    }
    wake();  // an m may be asleep on the futex, and must sleep in the back end
    return 0;
}

int poller::add(int fd, poll_desc& d) {
    const int error = backend()->add(fd, d.tag());
    return error < 0 ? -error : 0;
}

int poller::arm(int fd, std::uint32_t events, poll_desc& d) {
    const int error = backend()->arm(fd, events, d.tag());
    return error < 0 ? -error : 0;
}

void poller::remove(int fd, std::uint64_t tag) { (void)backend()->remove(fd, tag); }

void poller::sleep(std::int64_t deadline, ready_list& ready) {
    poll_backend* const b = backend();
    ROTA_PROBE1("netpoll_sleep", "-8", deadline);
    if (b == nullptr) {
        sleep_until(deadline);
        ROTA_PROBE1("netpoll_wake", "4", ready.count);
        return;
    }
    bool sleeps = word_.cas(quiet, waits, memory_order_acquire);  // pairs(poller.break)
    for (;;) {
        std::int64_t timeout = 0;
        if (sleeps && deadline == no_deadline) timeout = -1;
        else if (sleeps) timeout = deadline - nanotime();
        if (timeout <= 0 && deadline != no_deadline) timeout = 0;
        if (take_what_is_there(*b, timeout, ready, poll_at_once)) break;
    }
    ROTA_PROBE1("netpoll_wake", "4", ready.count);
    // Whatever ended the sleep, the caller checks every source of work again: a token that comes
    // right now is no loss.
    word_.store(quiet, memory_order_seq_cst);  // pairs(poller.break)
}

void poller::look(ready_list& ready, std::size_t most) {
    if (poll_backend* const b = backend()) (void)take_what_is_there(*b, 0, ready, most);
}

void poller::look_for(std::int64_t ns, ready_list& ready) {
    if (poll_backend* const b = backend()) (void)take_what_is_there(*b, ns, ready, poll_events_max);
}

void poller::sleep_until(std::int64_t deadline) {
    if (word_.cas(quiet, asleep, memory_order_acquire)) {  // pairs(poller.break)
        (void)futex_wait(word_, asleep, deadline);
    }
    word_.store(quiet, memory_order_seq_cst);  // pairs(poller.break); as in sleep()
}

void poller::wake() {
    const std::uint32_t was = word_.exchange(broken, memory_order_seq_cst);  // pairs(poller.break)
    if (was == asleep) futex_wake(word_, 1);
    else if (was == waits) backend()->wake();
}

}  // namespace rota::rt
