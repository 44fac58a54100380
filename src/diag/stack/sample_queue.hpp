// Carries samples from signal handlers to the collector.
//
// A bounded queue: a handler claims a slot by one compare-and-swap and publishes it by the slot's
// number; the collector takes slots in order. No side waits for the other; a sample that finds no
// room is counted as lost. A free slot's number is its position, a full slot's is one more.
// Vyukov's queue, with one consumer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"

namespace rota::rt {

struct label_set;

struct cpu_sample {
    static constexpr std::size_t pcs_max = 64;
    static constexpr std::uint64_t no_p = ~std::uint64_t{0};
    const label_set* labels = nullptr;
    // Where the sample was taken: set only if a trace wants it.
    std::int64_t time = 0;        // nanotime
    std::uint64_t thread = 0;     // the kernel's number
    std::uint64_t p = no_p;       // which it held
    std::uint64_t goroutine = 0;  // which it ran; 0: none
    std::uint32_t size = 0;
    std::uintptr_t pcs[pcs_max];  // as return addresses, the innermost first

    // Copies the fields and `size` pcs.
    void copy(const cpu_sample& from);
};

class sample_queue {
  public:
    // For handlers: a slot to fill, or null; then publish it.
    cpu_sample* claim(std::uint64_t& ticket);
    void publish(std::uint64_t ticket);

    // For the collector: the next full slot, or null; then give it back.
    const cpu_sample* take();
    void give_back();

    // Whether a handler is still filling a slot.
    bool is_anyone_inside() const;
    // Returns the number of samples lost since the last call.
    // relaxed: a count
    std::uint64_t take_lost() { return lost_.exchange(0, memory_order_relaxed); }

    // Caller: before the first use, and while no handler is inside.
    void init();

  private:
    static constexpr std::uint64_t slot_count = 2048;
    struct slot {
        atomic<std::uint64_t> number{0};
        cpu_sample sample;
    };

    alignas(cache_line) atomic<std::uint64_t> head_{0};  // the next to be claimed
    alignas(cache_line) std::uint64_t tail_ = 0;         // collector only
    atomic<std::uint64_t> lost_{0};
    slot slots_[slot_count];
};

}  // namespace rota::rt
