// Keeps the heap's order, and finds the heap whose lock guards a timer.
#include "timer/heap.hpp"

#include <limits>

namespace rota::rt {

namespace {

constexpr std::size_t arity = 4;

// When a periodic timer that was due at `when` is due next, seen at `now`: periods that have passed
// unserved are left out.
std::int64_t next_period(std::int64_t when, std::int64_t period, std::int64_t now) {
    const std::int64_t missed = (now - when) / period;
    std::int64_t ahead = 0;
    std::int64_t next = 0;
    if (__builtin_mul_overflow(period, missed + 1, &ahead) ||
        __builtin_add_overflow(when, ahead, &next))
        return std::numeric_limits<std::int64_t>::max();
    return next;
}

}  // namespace

// Takes the lock of t's home at that moment. A timer without a home gets `fresh`.
timer_heap& timer_heap::lock_home(timer& t, timer_heap* fresh) ROTA_NO_TSA {  // which is said late
    for (;;) {
        timer_heap* home = t.home.load(memory_order_acquire);  // pairs(timer.home)
        if (home == nullptr) {
            // Of several threads that start it at once, one names the heap.
            if (!t.home.compare_exchange(home, fresh, memory_order_acq_rel,  // pairs(timer.home)
                                         memory_order_acquire))              // pairs(timer.home)
                continue;
            home = fresh;
        }
        home->mu_.acquire();
        if (t.home.load(memory_order_relaxed) == home) {  // relaxed: it changes under that lock
            if (ROTA_LIKELY(home->successor_ == nullptr)) return *home;
            // The timer was not started when its heap was left: it follows at this moment.
            t.home.store(home->successor_, memory_order_release);  // pairs(timer.home)
        }
        home->mu_.release();
    }
}

timer_change timer_heap::reset(timer& t, std::int64_t when, std::int64_t period) ROTA_NO_TSA {
    timer_change change;
    timer_heap& home = lock_home(t, this);
    t.when = when > 0 ? when : 1;  // earliest_ uses 0 for "none"
    t.period = period;
    change.was_started = t.slot != 0;
    if (change.was_started) {
        home.sift(home.places_[t.slot].at, entry_of(t));
    } else {
        home.insert(t);
    }
    change.earlier = home.publish_start(t.when);
    home.mu_.release();
    return change;
}

timer_change timer_heap::start(timer& t, std::int64_t when,
                               std::int64_t period) ROTA_NO_TSA {  // reset takes the lock itself
    t.home.store(this, memory_order_relaxed);  // relaxed: published to other threads together with
                                               // t
    mu_.acquire();
    if (ROTA_UNLIKELY(successor_ != nullptr)) {
        mu_.release();
        return reset(t, when, period);
    }
    t.when = when > 0 ? when : 1;
    t.period = period;
    insert(t);
    const bool earlier = publish_start(t.when);
    mu_.release();
    return {false, earlier};
}

bool timer_heap::stop(timer& t) ROTA_NO_TSA {
    if (t.home.load(memory_order_relaxed) == nullptr) return false;  // relaxed: never started
    timer_heap& home = lock_home(t, nullptr);
    const bool started = t.slot != 0;
    if (started) {
        home.erase(home.places_[t.slot].at);
        (void)home.publish();
    }
    home.mu_.release();
    return started;
}

bool timer_heap::add_wait(std::int64_t when, void* what) ROTA_NO_TSA {  // the lock is known only at
                                                                        // run time
    timer_heap* heap = this;
    heap->mu_.acquire();
    // A thread without a p may come late to the heap of a p that is gone.
    while (ROTA_UNLIKELY(heap->successor_ != nullptr)) {
        timer_heap* const next = heap->successor_;
        heap->mu_.release();
        heap = next;
        heap->mu_.acquire();
    }
    if (when <= 0) when = 1;
    heap->push({when, reinterpret_cast<std::uintptr_t>(what) | 1});
    const bool earlier = heap->publish_start(when);
    heap->mu_.release();
    return earlier;
}

std::uint32_t timer_heap::pop_due(std::int64_t now, timer_errand* due, std::uint32_t max) {
    const lock_guard guard(mu_);
    std::uint32_t n = 0;
    while (n < max && size_locked() > 0 && at(0).when <= now) {
        const entry first = at(0);
        if (first.is_wait()) {
            erase(0);
            due[n++] = {nullptr, reinterpret_cast<void*>(first.what - 1)};
            continue;
        }
        timer& t = *places_[first.slot()].t;
        if (t.period > 0) {
            t.when = next_period(t.when, t.period, now);
            pace.note_tick(t.when, t.period);
            sift_down(0, entry_of(t));
        } else {
            erase(0);
        }
        due[n++] = t.errand();  // the last access to a timer without a period
    }
    if (n > 0) (void)publish();
    forget_if_empty();
    return n;
}

bool timer_heap::move_all(timer_heap& to) ROTA_NO_TSA {  // two locks, in the order of addresses
    ROTA_CHECK(&to != this);
    lock& first = this < &to ? mu_ : to.mu_;
    lock& second = this < &to ? to.mu_ : mu_;
    first.acquire();
    second.acquire();
    ROTA_CHECK(successor_ == nullptr && to.successor_ == nullptr);
    successor_ = &to;
    for (std::size_t i = 0; i < size_locked(); ++i) {
        if (at(i).is_wait()) {
            to.push(at(i));
            continue;
        }
        timer& t = *places_[at(i).slot()].t;
        free_slot(t.slot);
        t.home.store(&to, memory_order_release);  // pairs(timer.home)
        to.insert(t);
    }
    entries_.clear();
    (void)publish();
    forget_if_empty();
    const bool earlier = to.publish();
    second.release();
    first.release();
    return earlier;
}

void timer_heap::forget_bound() {
    const lock_guard guard(mu_);
    forget_if_empty();
}

void timer_heap::reopen() {
    const lock_guard guard(mu_);
    successor_ = nullptr;
}

// Gives t a number and a place.
void timer_heap::insert(timer& t) {
    if (ROTA_UNLIKELY(free_ == 0)) {
        if (places_.empty()) places_.push_back({nullptr, 0});  // 0 means "not started"
        free_ = static_cast<std::uint32_t>(places_.size());
        ROTA_CHECK(free_ != 0);
        places_.push_back({nullptr, 0});
    }
    t.slot = free_;
    place& mine = places_[t.slot];
    free_ = mine.at;
    mine.t = &t;
    push(entry_of(t));
}

void timer_heap::push(entry e) {
    while (entries_.size() < unused) entries_.push_back({});
    entries_.push_back(e);
    sift(size_locked() - 1, e);
}

void timer_heap::free_slot(std::uint32_t slot) {
    places_[slot].t->slot = 0;
    if (slot + 1 == places_.size()) return places_.pop_back();
    places_[slot] = {nullptr, free_};
    free_ = slot;
}

// Removes the entry at i from the heap.
void timer_heap::erase(std::size_t i) {
    if (!at(i).is_wait()) free_slot(at(i).slot());
    const entry last = at(size_locked() - 1);
    entries_.pop_back();
    if (i < size_locked()) sift(i, last);
}

// Publishes the count and the earliest moment, except that an emptied heap keeps its moment: see
// bound(). True if the earliest moment became earlier.
bool timer_heap::publish() {
    // relaxed: see size()
    count_.store(static_cast<std::uint32_t>(size_locked()), memory_order_relaxed);
    const std::int64_t was = earliest_.load(memory_order_relaxed);  // relaxed: our own, under mu_
    if (size_locked() == 0) return false;                           // `was` stays: see bound()
    const std::int64_t is = at(0).when;
    if (is == was) return false;
    if (was != 0 && is > was) {
        // Later: a reader of the old moment polls the heap once in vain.
        earliest_.store(is, memory_order_relaxed);  // relaxed: see above
        return false;
    }
    // seq_cst: a thread that adds stores the new earliest moment and then checks whether an m
    // sleeps too long. The sleeper announces its sleep and then reads the earliest moments. One of
    // the two sees the other.
    earliest_.store(is, memory_order_seq_cst);  // pairs(timer.earliest)
    return true;
}

// publish() for a timer that has been set.
bool timer_heap::publish_start(std::int64_t when) {
    // The moment of the batch first: a thread that sees the new earliest moment then sees it as
    // well.
    const bool batch_is_earlier = pace.note_set(when);
    return publish() || batch_is_earlier;
}

void timer_heap::forget_if_empty() {
    if (size_locked() == 0) earliest_.store(0, memory_order_relaxed);  // relaxed: see publish
}

inline void timer_heap::put(std::size_t i, entry e) {
    at(i) = e;
    if (!e.is_wait()) places_[e.slot()].at = static_cast<std::uint32_t>(i);
}

// Finds the place of `moving`; the entry at i is free.
void timer_heap::sift(std::size_t i, entry moving) {
    const std::size_t start = i;
    while (i > 0) {
        const std::size_t parent = (i - 1) / arity;
        if (moving.when >= at(parent).when) break;
        put(i, at(parent));
        i = parent;
    }
    if (i == start) sift_down(i, moving);
    else put(i, moving);
}

// No branches: the least child cannot be predicted. Prefetches the children of the four meanwhile:
// in a big heap no level is in a cache.
inline std::size_t timer_heap::least_of_four(std::size_t first) {
    const entry* const children = &at(first);
    const std::size_t next = first * arity + 1;
    if (next + arity * arity <= size_locked()) {
        for (std::size_t i = 0; i < arity; ++i) __builtin_prefetch(&at(next + i * arity), 1);
    }
    const auto is_less = [children](std::size_t a, std::size_t b) {
        return std::size_t{children[a].when < children[b].when};
    };
    const std::size_t low = is_less(1, 0), high = 2 + is_less(3, 2);
    return first + low + is_less(high, low) * (high - low);
}

std::size_t timer_heap::least_of(std::size_t first, std::size_t end) {
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
        if (at(child).when < at(least).when) least = child;
    }
    return least;
}

void timer_heap::sift_down(std::size_t i, entry moving) {
    const std::size_t n = size_locked();
    for (;;) {
        const std::size_t first = i * arity + 1;
        if (first >= n) break;
        const std::size_t least = first + arity <= n ? least_of_four(first) : least_of(first, n);
        if (moving.when <= at(least).when) break;
        put(i, at(least));
        i = least;
    }
    put(i, moving);
}

}  // namespace rota::rt
