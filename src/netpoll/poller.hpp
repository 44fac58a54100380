// The poller: one idle m waits in it for the next timer and for descriptors, and any m polls it for
// ready goroutines. At most one m sleeps in it at a time (sched.last_poll).
//
// Until the first descriptor is opened it is a futex, and costs no other system call. From then on
// the sleep is the back end's. A break is a sticky token: it ends the sleep under way or else the
// next one.
//
//     quiet ──sleep──► asleep (futex) ───wake──► broken      (and one futex call)
//       │ └───sleep──► waits (back end) ─wake──► broken      (and one call to the back end)
//       └──────────────wake────────────────────► broken      (no m sleeps)
//     any ──the sleep is over──► quiet
//
// Go: netpoll(delay), netpollBreak, netpollWaiters.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "netpoll/backend.hpp"

namespace rota::rt {

struct g;
struct poll_desc;

// Events a poll. An echo among 1000 connections costs 3 to 7 % more CPU with 128; with 16, 24 and
// 48 it costs the same within the noise. The reason is a guess, as the caches could not be
// measured. A request touches memory of its connection, most of it the kernel's, at the poll, at
// the read-ahead, and when the goroutine runs; the memory of 32 connections stays in the caches
// meanwhile.
inline constexpr std::size_t poll_at_once = 32;

// Goroutines that have waited for a descriptor, taken out of its words: the caller readies them.
struct ready_list {
    std::uint32_t count = 0;
    bool is_full = false;         // the poll brought as many events as asked for: more may wait
    g* all[2 * poll_events_max];  // entries below `count`
};

class poller {
  public:
    // --- descriptors -----------------------------------------------------------------
    // Starts the back end. 0, or the errno value of a missing resource (EMFILE, ENFILE, ENOMEM:
    // epoll or eventfd); the next call tries anew.
    [[nodiscard]] int start();
    // Watches fd for d. 0, or an errno value; EPERM: it cannot be polled (a regular file).
    [[nodiscard]] int add(int fd, poll_desc& d);
    // Watches fd, which need not be the runtime's, for one of these events (poll's bits), once, and
    // reports it to d. A later call for fd replaces this one. 0, or an errno value; EPERM as above;
    // EEXIST: it is added, and stays so; ENOSYS: the back end cannot.
    [[nodiscard]] int arm(int fd, std::uint32_t events, poll_desc& d);
    // Before fd is closed. May block the thread for a moment.
    void remove(int fd, std::uint64_t tag);

    // --- calls on files that cannot be watched ----------------------------------------
    // Whether the back end makes them (netpoll/file_request.hpp): fixed once rota has been booted.
    bool makes_file_calls() const { return chosen_->makes_file_calls(); }
    // Makes one call. Caller: after start().
    void ask(file_request& r) { backend()->ask(r); }

    // --- goroutines that wait for them -------------------------------------------------
    // Counted before the wait begins, until after the goroutine has been queued: while the count is
    // 0 no descriptor can wake a goroutine. seq_cst: a thread about to wait counts itself, then
    // checks whether an m polls; an m that has polled says so, then checks whether a goroutine
    // waits.
    void count_waiter() { waiters_.fetch_add(1, memory_order_seq_cst); }  // pairs(poll.waiters)
    void discount_waiters(std::uint32_t n) {
        waiters_.fetch_sub(n, memory_order_seq_cst);  // pairs(poll.waiters)
    }
    bool has_waiters() const {
        return waiters_.load(memory_order_seq_cst) != 0;  // pairs(poll.waiters)
    }
    // The number of waiters: for reports.
    std::uint32_t waiter_count() const { return waiters_.load(memory_order_relaxed); }
    // has_waiters() for a reader that comes back soon anyway.
    bool has_waiters_hint() const { return waiters_.load(memory_order_relaxed) != 0; }

    // --- polling -------------------------------------------------------------------------
    // Sleeps until `deadline` (nanotime; no_deadline: for ever), a break, or until a goroutine can
    // go on. Brings at most poll_at_once events; the next poll brings more. Caller: one at a time.
    void sleep(std::int64_t deadline, ready_list& ready);
    // Polls without sleeping, for at most `most` events, and poll_events_max. Any thread.
    void look(ready_list& ready, std::size_t most = poll_at_once);
    // Waits for `ns` of real time; the runtime's clock may differ. Caller: as sleep().
    void look_for(std::int64_t ns, ready_list& ready);

    // Sleeps until `deadline` or a break, without descriptors.
    void sleep_until(std::int64_t deadline);

    // Ends the sleep. Any thread, any number of times.
    void wake();

    // Sets the back end. Caller: before the first start().
    void use(poll_backend& b) { chosen_ = &b; }
    // Notes the error of the back end that was asked for: for reports. Caller: boot alone.
    void note_refusal(int error) { refusal_ = error; }
    int refusal() const { return refusal_; }
    int watcher() const { return chosen_->watcher(); }
    const char* backend_name() const { return chosen_->name(); }

  private:
    static constexpr std::uint32_t quiet = 0, broken = 1, asleep = 2, waits = 3;

    poll_backend* backend() const {
        return started_.load(memory_order_acquire);  // pairs(poll.start)
    }

    atomic<std::uint32_t> word_{quiet};
    poll_backend* chosen_ = &net_epoll;       // fixed at the first start()
    int refusal_ = 0;                         // fixed at boot
    atomic<poll_backend*> started_{nullptr};  // null: no descriptor yet
    alignas(cache_line) atomic<std::uint32_t> waiters_{0};
};
inline constinit poller net_poller;

}  // namespace rota::rt
