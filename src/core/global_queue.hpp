// The global run queue: a ring of pointers that grows.
//
// Go links the goroutines themselves. Here the header of a g lies in its own stack, in a page that
// the processor may have to look up anew. A linked queue would wait for one such page after the
// other. An array is filled and emptied without touching a g, and the m that runs the goroutines
// next can prefetch several headers at once (bench skynet, parked_1m).
#pragma once

#include <cstdint>
#include <cstring>

#include "base/check.hpp"
#include "mem/mapped.hpp"

namespace rota::rt {

struct g;

// First in, first out. Not synchronised: sched.mu guards it.
class global_queue {
  public:
    constexpr global_queue() = default;
    global_queue(const global_queue&) = delete;
    global_queue& operator=(const global_queue&) = delete;

    bool empty() const { return head_ == tail_; }
    std::uint32_t size() const { return tail_ - head_; }
    // Counts of pushes and pops, wrapping. A goroutine pushed when pushed() was n is next when
    // popped() is n.
    std::uint32_t pushed() const { return tail_; }
    std::uint32_t popped() const { return head_; }

    void push(g& gp) {
        if (size() == capacity_) grow();
        slots_[tail_++ & (capacity_ - 1)] = &gp;
    }

    g* pop() {
        ROTA_DCHECK(!empty());
        return slots_[head_++ & (capacity_ - 1)];
    }

    // Copies the first goroutines, at most `most`, to `to`; returns their number.
    std::uint32_t copy(const g** to, std::uint32_t most) const {
        const std::uint32_t n = size() < most ? size() : most;
        for (std::uint32_t i = 0; i < n; ++i) to[i] = slots_[(head_ + i) & (capacity_ - 1)];
        return n;
    }

    // Moves the first n goroutines of `from` to the front of this queue, in their order. For a
    // holder of a noted turn it is as if they had not been popped.
    void put_in_front(global_queue& from, std::uint32_t n) {
        ROTA_DCHECK(n <= from.size());
        while (size() + n > capacity_) grow();
        for (std::uint32_t i = n; i > 0; --i) {
            g* const gp = from.slots_[(from.head_ + i - 1) & (from.capacity_ - 1)];
            slots_[--head_ & (capacity_ - 1)] = gp;
        }
        from.head_ += n;
    }

  private:
    void grow() {
        const std::uint32_t capacity = capacity_ == 0 ? 1024 : capacity_ * 2;
        g** const slots = static_cast<g**>(mapped_pages(capacity * sizeof(g*)));
        const std::uint32_t n = size();
        for (std::uint32_t i = head_; i != head_ + n; ++i)
            slots[i & (capacity - 1)] = slots_[i & (capacity_ - 1)];
        if (slots_ != nullptr) mapped_free(slots_, capacity_ * sizeof(g*));
        slots_ = slots;
        capacity_ = capacity;
    }

    g** slots_ = nullptr;
    std::uint32_t capacity_ = 0;  // a power of two
    std::uint32_t head_ = 0;      // indices wrap; only differences count
    std::uint32_t tail_ = 0;
};

}  // namespace rota::rt
