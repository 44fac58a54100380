// Marks the goroutines that a live object can still reach, for the search for goroutines that can
// never run again.
//
// Marking knows two kinds of objects by address: the used parts of candidates' stacks, and the
// blocks of channels for which candidates wait. A word that points anywhere into a stack, or into a
// channel but not its buffer, marks that object. The contents of a marked object are followed too.
// Pointers to a goroutine's header do not count: only rota has such pointers, and they do not lead
// to a goroutine that stands in a wait list.
//
//     a candidate's stack is marked     it can be woken; so can waiters for objects on that stack
//     a channel's block is marked       its queues point to its waiters, into their stacks
//
// All memory is mapped before threads are held; marking takes no lock and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chan/awaited.hpp"
#include "core/g.hpp"
#include "sys/call/mmap.hpp"

namespace rota::rt {

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

// A goroutine that waits for another goroutine.
struct candidate {
    enum class kind : std::uint8_t { for_ever, channels, semaphore, list, word };

    const g* gp;
    std::uintptr_t lo;           // the lowest used address of its stack
    std::uintptr_t top;          // its header: the stack ends there
    const void* object;          // the awaited object; unused for channels
    std::uint32_t places;        // queues that should hold it
    std::uint32_t seen;          // queues in which it was found
    std::uint32_t waits_here;    // first waiter for an object on this stack
    std::uint32_t waits_beside;  // next candidate in that list
    std::uint32_t waits_for;     // candidate on whose stack its object lies
    kind what;
    bool marked;
};

struct awaited_block {
    memory_range at;
    const detail::hchan* chan;
    bool marked;
};

// An array of fixed capacity in a mapping of its own.
template <class T>
class mapped_room {
  public:
    mapped_room() = default;
    ~mapped_room() {
        if (data_ != nullptr) mmap_free(data_, capacity_ * sizeof(T));
    }
    mapped_room(const mapped_room&) = delete;
    mapped_room& operator=(const mapped_room&) = delete;

    // False: the kernel has no room for it.
    [[nodiscard]] bool reserve(std::size_t capacity) {
        data_ = static_cast<T*>(mmap_reserve(capacity * sizeof(T)));
        capacity_ = data_ != nullptr ? capacity : 0;
        return data_ != nullptr;
    }
    // False: it is full.
    bool push(const T& v) {
        if (size_ == capacity_) return false;
        data_[size_++] = v;
        return true;
    }
    T pop() { return data_[--size_]; }
    void cut(std::size_t size) { size_ = size; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    memory_range extent() const {
        const auto lo = reinterpret_cast<std::uintptr_t>(data_);
        return {lo, lo + capacity_ * sizeof(T)};
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

class marking {
  public:
    mapped_room<candidate> candidates;
    mapped_room<awaited_block> blocks;

    [[nodiscard]] bool reserve(std::size_t candidates_max, std::size_t blocks_max);

    // Sorts both and drops duplicates. Afterwards objects can be found.
    void sort();
    candidate* find_stack(std::uintptr_t address);
    candidate* find_goroutine(const g& gp);
    awaited_block* find_block_at(std::uintptr_t address);

    // Only `owner` can wake c.
    void link(candidate& c, candidate& owner);

    void mark(candidate& c);
    void mark(awaited_block& b);
    // Marks the objects to which the words point. The words may be part of a stack, or a copy.
    void mark_from(const void* words, std::size_t count);
    // Follows marked objects until nothing new is marked.
    void drain();

    memory_range work_extent() const { return work_.extent(); }

  private:
    void consider(std::uintptr_t word);
    void look_into(const candidate& c);

    // Marked objects to follow: stacks by number, then blocks.
    mapped_room<std::uint32_t> work_;
    memory_range stacks_, blocks_at_;  // from the first to the last object
};

// The used words of a parked goroutine's stack, from its saved stack pointer to its header.
struct stack_words {
    const void* words;
    std::size_t count;
};
stack_words saved_stack(const g& gp);

}  // namespace rota::rt
