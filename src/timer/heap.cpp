// The sifting.
#include "timer/heap.hpp"

namespace rota::rt {

namespace {
constexpr std::size_t arity = 4;
}

bool timer_heap::add(timer& t) {
    const lock_guard guard(mu_);
    entries_.push_back({t.when, &t});
    sift_up(entries_.size() - 1);
    const bool first = entries_[0].t == &t;
    if (first) publish();
    else
        count_.store(static_cast<std::uint32_t>(entries_.size()),
                     memory_order_relaxed);  // relaxed: for reports
    return first;
}

std::uint32_t timer_heap::pop_due(std::int64_t now, timer** due, std::uint32_t max) {
    const lock_guard guard(mu_);
    std::uint32_t n = 0;
    while (n < max && !entries_.empty() && entries_[0].when <= now) {
        due[n++] = entries_[0].t;
        entries_[0] = entries_[entries_.size() - 1];
        entries_.pop_back();
        if (!entries_.empty()) sift_down(0);
    }
    if (n > 0) publish();
    return n;
}

void timer_heap::publish() {
    // seq_cst: add() stores the new earliest moment and then looks whether somebody sleeps too
    // long; the sleeper announces its sleep and then reads the earliest moments. One of the two
    // sees the other.
    earliest_.store(entries_.empty() ? 0 : entries_[0].when,
                    memory_order_seq_cst);  // pairs(timer.earliest)
    count_.store(static_cast<std::uint32_t>(entries_.size()),
                 memory_order_relaxed);  // relaxed: for reports
}

void timer_heap::sift_up(std::size_t i) {
    const entry moving = entries_[i];
    while (i > 0) {
        const std::size_t parent = (i - 1) / arity;
        if (moving.when >= entries_[parent].when) break;
        entries_[i] = entries_[parent];
        i = parent;
    }
    entries_[i] = moving;
}

void timer_heap::sift_down(std::size_t i) {
    const std::size_t n = entries_.size();
    const entry moving = entries_[i];
    for (;;) {
        const std::size_t first = i * arity + 1;
        if (first >= n) break;
        std::size_t least = first;
        for (std::size_t child = first + 1; child < n && child < first + arity; ++child) {
            if (entries_[child].when < entries_[least].when) least = child;
        }
        if (moving.when <= entries_[least].when) break;
        entries_[i] = entries_[least];
        i = least;
    }
    entries_[i] = moving;
}

}  // namespace rota::rt
