// The queue of samples between signal handlers and the collector.
#include "diag/stack/sample_queue.hpp"

#include <cstring>

namespace rota::rt {

void cpu_sample::copy(const cpu_sample& from) {
    std::memcpy(static_cast<void*>(this), &from,
                offsetof(cpu_sample, pcs) + from.size * sizeof *from.pcs);
}

void sample_queue::init() {
    // relaxed, all: no other thread knows of it yet
    for (std::uint64_t i = 0; i < slot_count; ++i) slots_[i].number.store(i, memory_order_relaxed);
}

cpu_sample* sample_queue::claim(std::uint64_t& ticket) {
    std::uint64_t at = head_.load(memory_order_relaxed);  // relaxed: the exchange decides
    for (;;) {
        slot& s = slots_[at % slot_count];
        const std::uint64_t number = s.number.load(memory_order_acquire);  // pairs(samples.free)
        if (number == at) {
            if (head_.compare_exchange(at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
                // relaxed, both: the slot's number publishes
                ticket = at;
                return &s.sample;
            }
        } else if (number < at) {
            lost_.fetch_add(1, memory_order_relaxed);  // relaxed: a count
            return nullptr;
        } else {
            at = head_.load(memory_order_relaxed);  // relaxed: as above
        }
    }
}

void sample_queue::publish(std::uint64_t ticket) {
    slots_[ticket % slot_count].number.store(ticket + 1,
                                             memory_order_release);  // pairs(samples.full)
}

const cpu_sample* sample_queue::take() {
    slot& s = slots_[tail_ % slot_count];
    if (s.number.load(memory_order_acquire) != tail_ + 1) return nullptr;  // pairs(samples.full)
    return &s.sample;
}

void sample_queue::give_back() {
    slots_[tail_ % slot_count].number.store(tail_ + slot_count,
                                            memory_order_release);  // pairs(samples.free)
    ++tail_;
}

bool sample_queue::is_anyone_inside() const {
    return head_.load(memory_order_relaxed) != tail_;  // relaxed: asked again
}

}  // namespace rota::rt
