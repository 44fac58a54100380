// Marking, for the search for goroutines that can never run again: which of them something that
// lives can still reach.
//
// Two kinds of objects are told apart by address: the stacks of candidates, as far as they are in
// use, and the blocks of channels for which candidates wait. A word that points into one marks it,
// wherever in it (of a channel, but for its buffer); what a marked object contains is looked at
// likewise. Pointers to a goroutine's header are none: only
// rota has such, and by them nobody who stands in a wait list is found.
//
//     a candidate's stack is marked     it can be woken; so can who waits for what lies there
//     a channel's block is marked       its queues point to those who wait, into their stacks
//
// All memory is mapped before threads are held; marking takes no lock and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chan/awaited.hpp"
#include "core/g.hpp"
#include "sys/mmap.hpp"

namespace rota::rt {

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

// A goroutine that waits for others.
struct candidate {
    enum class kind : std::uint8_t { for_ever, channels, semaphore, list, word };

    const g* gp;
    std::uintptr_t lo;           // where what it uses of its stack begins
    std::uintptr_t top;          // its header: the stack ends there
    const void* object;          // for which it waits, unless for channels
    std::uint32_t places;        // in how many queues it should be found,
    std::uint32_t seen;          // and in how many it was
    std::uint32_t waits_here;    // the first candidate that waits for what lies on this stack,
    std::uint32_t waits_beside;  // and the next one that waits for what lies where this one's lies
    std::uint32_t waits_for;     // that one
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

    // Sorts both, and drops what stands there twice. From then on objects can be found.
    void sort();
    candidate* find_stack(std::uintptr_t address);
    candidate* find_goroutine(const g& gp);
    awaited_block* find_block_at(std::uintptr_t address);

    // c can be woken by `owner` only.
    void link(candidate& c, candidate& owner);

    void mark(candidate& c);
    void mark(awaited_block& b);
    // Marks whatever the words point to. They may be part of a stack, or a copy.
    void mark_from(const void* words, std::size_t count);
    // Follows what has been marked, until there is nothing new.
    void drain();

    memory_range work_extent() const { return work_.extent(); }

  private:
    void consider(std::uintptr_t word);
    void look_into(const candidate& c);

    // Objects to look into: stacks by number, blocks behind them.
    mapped_room<std::uint32_t> work_;
    memory_range stacks_, blocks_at_;  // from the first to the last
};

// Of a goroutine that is off its stack: from where it will go on to its header.
struct stack_words {
    const void* words;
    std::size_t count;
};
stack_words saved_stack(const g& gp);

}  // namespace rota::rt
