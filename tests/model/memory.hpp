// The memory of the explorer: the values that the threads of a schedule may see of each other.
//
// Each location keeps every value ever stored to it, in one order. Each thread has a view: for each
// location the oldest of its values that the thread may still read. A load may return any value
// from there on; a store appends. A release store carries the view of its thread; an acquire load
// of it joins that view.
//
// This is the C++20 model with two restrictions. Stores to one location are ordered as they are
// executed. No load returns a value that is stored later, so the relaxed outcome of "load
// buffering" does not exist here. Compilers and processors of the kinds that rota runs on do not
// show it either in code that computes addresses and conditions from loaded values.
//
//    relaxed read of an old value     store -> load reordering, late stores, IRIW
//    release store, relaxed load      message passing fails
//    seq_cst                          one order: a further view that these accesses share
//    fences                           pending views, joined (acquire) or carried (release) later
//    process-wide barrier             every thread's view becomes the union of the views
//
// A vector clock travels with the views; with it the explorer finds accesses to plain memory that
// nothing orders.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace model {

inline constexpr unsigned thread_max = 10;
inline constexpr unsigned location_max = 256;

struct view {
    std::uint32_t clock[thread_max];
    std::uint16_t seen[location_max];

    void clear(unsigned locations);
    void join(const view& other, unsigned locations);
    void join_seen(const view& other, unsigned locations);
    void copy(const view& other, unsigned locations);
};

struct message {
    std::uint64_t value;
    std::uint8_t thread;
    bool carries;  // whether the message carries a view
    view carried;
};

struct location {
    const void* address;
    unsigned size;
    std::uint16_t readers;  // a bit for each thread, while several threads lived
    std::uint16_t writers;
    std::vector<std::uint32_t> history;  // of messages; the first is the initial value
};

// A fault of the program: a static text; null without a fault.
using complaint = const char*;

class memory {
  public:
    memory();

    // Begins a schedule: nothing has been accessed, one thread exists.
    void reset();
    void start_thread(unsigned parent, unsigned child);
    void join_thread(unsigned joiner, unsigned ended);

    void created(const void* at);
    void destroyed(const void* at);
    // The location at this address, new if need be. Null, with a complaint, if its life is over or
    // has not begun.
    location* locate(const void* at, unsigned size, complaint& wrong);
    unsigned index_of(const location& l) const {
        return static_cast<unsigned>(&l - locations_.data());
    }
    location& at(unsigned index) { return locations_[index]; }

    unsigned newest(const location& l) const { return static_cast<unsigned>(l.history.size()) - 1; }
    // The oldest value that a load of this thread may return.
    unsigned oldest(unsigned thread, const location& l, std::memory_order order) const;
    std::uint64_t value(const location& l, unsigned index) const {
        return messages_[l.history[index]].value;
    }

    void read(unsigned thread, location& l, unsigned index, std::memory_order order);
    // `modifies`: the store is the second half of a read-modify-write of the newest value.
    void write(unsigned thread, location& l, std::uint64_t v, std::memory_order order,
               bool modifies);
    // A store that was issued when the thread's view was `then`.
    void write_late(unsigned thread, location& l, std::uint64_t v, const view& then);
    void fence(unsigned thread, std::memory_order order);
    void barrier(unsigned threads);
    void copy_view(view& to, unsigned thread) const { to.copy(now_[thread].own, count_); }

    // Accesses to plain memory.
    complaint plain_read(unsigned thread, const void* at);
    complaint plain_write(unsigned thread, const void* at);

  private:
    struct state {
        view own;
        view released;  // the view at the last release fence
        view pending;   // read by relaxed loads, for the next acquire fence
        bool has_released;
        bool has_pending;
    };
    enum class life : std::uint8_t { unknown, begun, over };
    struct slot {
        const void* address;
        std::uint32_t epoch;
        std::int32_t location;  // -1: not accessed yet
        life stage;
    };
    struct shadow {
        const void* address;
        std::uint32_t epoch;
        std::uint32_t write_clock;
        std::uint32_t read_clock[thread_max];
        std::uint8_t writer;
    };
    static constexpr unsigned slot_count = 4096, shadow_count = 256, message_max = 16384;

    slot& slot_of(const void* at);
    shadow& shadow_of(const void* at);
    message& add_message(location& l, std::uint64_t v, unsigned thread);
    bool is_ordered(unsigned thread, unsigned other, std::uint32_t clock) const {
        return other == thread || clock <= now_[thread].own.clock[other];
    }

    std::vector<location> locations_;
    std::unique_ptr<message[]> messages_;
    std::unique_ptr<slot[]> slots_;
    std::unique_ptr<shadow[]> shadows_;
    state now_[thread_max];
    view sequential_;  // the view that seq_cst accesses share
    unsigned count_ = 0;
    unsigned message_count_ = 0;
    std::uint32_t epoch_ = 0;
};

bool is_acquire(std::memory_order order);
bool is_release(std::memory_order order);

}  // namespace model
