// Takes tokens of a weighted semaphore and gives them back. Go: semaphore.Weighted.
//
// A waiter lies in its own frame and in two lists: the semaphore's and the context's. The first
// claimer decides (context/waiter.hpp). The semaphore claims under mu_, and wakes after it has
// released mu_. So it touches no member of its own after a waiter may have gone on and destroyed
// it.
#include <rota/sync/weighted_semaphore.hpp>

#include <rota/panic.hpp>

#include "context/waiter.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/destroyed.hpp"

namespace rota::detail {

struct semaphore_waiter : rt::context_waiter {
    explicit semaphore_waiter(std::int64_t weight) : n(weight) {}

    const std::int64_t n;

    // --- guarded by mu_; once granted, `next` is the granting thread's -----------------------
    semaphore_waiter* next = nullptr;
    semaphore_waiter* prev = nullptr;
    bool waits = false;  // it is in the list
};

}  // namespace rota::detail

namespace rota {

using namespace rota::rt;
using detail::semaphore_waiter;

namespace {

class mutex_guard {
  public:
    explicit mutex_guard(mutex& mu) : mu_(mu) { mu_.lock(); }
    ~mutex_guard() { mu_.unlock(); }
    mutex_guard(const mutex_guard&) = delete;
    mutex_guard& operator=(const mutex_guard&) = delete;

  private:
    mutex& mu_;
};

void append(semaphore_waiter*& first, semaphore_waiter*& last, semaphore_waiter& w) {
    w.prev = last;
    (last == nullptr ? first : last->next) = &w;
    last = &w;
    w.waits = true;
}

void remove(semaphore_waiter*& first, semaphore_waiter*& last, semaphore_waiter& w) {
    (w.prev == nullptr ? first : w.prev->next) = w.next;
    (w.next == nullptr ? last : w.next->prev) = w.prev;
    w.next = w.prev = nullptr;
    w.waits = false;
}

// Wakes each waiter of the chain; a waiter may be gone as soon as it is woken.
void wake_all(semaphore_waiter* w) {
    while (w != nullptr) {
        semaphore_waiter* const next = w->next;
        w->wake();
        w = next;
    }
}

// Whether the caller is in a bubble, and tokens may come from outside of it.
bool is_awaited_from_bubble(const weighted_semaphore& s) {
    const runtime_entry inside;
    return waits_outside_in(&s);
}

void check_weight(std::int64_t n) {
    if (n < 0) panic("semaphore: negative weight");
}

}  // namespace

// Gives tokens to the waiters at the head while there are enough; returns these waiters, claimed
// and linked. Waiters claimed by their context are passed over: they remove themselves. Caller:
// holds mu_.
semaphore_waiter* weighted_semaphore::grant() {
    semaphore_waiter* granted = nullptr;
    semaphore_waiter** end = &granted;
    while (first_ != nullptr) {
        semaphore_waiter& w = *first_;
        const bool gone = w.claimed.load(memory_order_relaxed) ==  // relaxed: claim() decides
                          context_waiter::outcome::cancelled;
        if (!gone && w.n > size_ - held_) break;
        remove(first_, last_, w);
        if (!w.claim(context_waiter::outcome::granted)) continue;
        held_ += w.n;
        *end = &w;
        end = &w.next;
    }
    return granted;
}

ROTA_COLD void weighted_semaphore::report_waiters() const {
    report_destroyed("weighted_semaphore", find_waiter(first_->word));
}

std::error_code weighted_semaphore::acquire(context ctx, std::int64_t n) {
    check_weight(n);
    if (const std::error_code ended = ctx.err()) return ended;
    semaphore_waiter w(n);
    {
        const mutex_guard guard(mu_);
        if (first_ == nullptr && n <= size_ - held_) {
            held_ += n;
            return {};
        }
        // A waiter that can never be served must not hold up later waiters.
        if (n <= size_) append(first_, last_, w);
    }
    const bool outside = is_awaited_from_bubble(*this) || is_ended_outside(ctx.node());
    if (!enlist(ctx.node(), w)) w.cancel();
    if (w.wait(wait_reason::semacquire, outside) == context_waiter::outcome::granted) {
        unlist(ctx.node(), w);
        // The context may have ended before the tokens came, without having reached this waiter
        // yet.
        const std::error_code ended = ctx.err();
        if (ended) release(n);
        return ended;
    }
    semaphore_waiter* granted = nullptr;
    {
        const mutex_guard guard(mu_);
        // There may be enough tokens for the waiters behind this waiter.
        if (w.waits) remove(first_, last_, w);
        granted = grant();
    }
    wake_all(granted);
    return ctx.err();
}

bool weighted_semaphore::try_acquire(std::int64_t n) {
    check_weight(n);
    const mutex_guard guard(mu_);
    if (first_ != nullptr || n > size_ - held_) return false;
    held_ += n;
    return true;
}

void weighted_semaphore::release(std::int64_t n) {
    check_weight(n);
    semaphore_waiter* granted = nullptr;
    {
        const mutex_guard guard(mu_);
        if (n > held_) panic("semaphore: released more than held");
        held_ -= n;
        granted = grant();
    }
    wake_all(granted);
}

}  // namespace rota
