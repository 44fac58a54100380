// poll_desc: the poller's record of one descriptor.
//
// A record outlives its descriptor: events are on their way while a descriptor is closed, and
// timers may remember it. So records are never given back to the kernel, and each use has a number
// of its own, its generation. The kernel gets record and generation as one tag, 32 bits each; an
// event whose generation is over is dropped. An event that is checked just before the record
// changes hands may still set `ready` for the next owner. That costs one vain try, since `ready`
// may always be set once too often (netpoll/poll_word.hpp). Go: pollDesc, fdseq, pollCache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "netpoll/backend.hpp"
#include "netpoll/poll_word.hpp"
#include "sys/thread/lock.hpp"
#include "timer/heap.hpp"

namespace rota::rt {

struct poll_desc;

// The events of a record that have been reported and not been taken (netpoll/event_queue.hpp).
struct pending_event {
    poll_desc* next = nullptr;
    poll_event event;
    bool is_posted = false;
};

// A request to the watcher of a ring (netpoll/uring.hpp), or a watch of a repeatable run
// (netpoll/simulated.hpp).
struct ring_request {
    ring_request* next = nullptr;
    std::uint64_t tag = ~std::uint64_t{0};  // ~0: no record's
    int fd = -1;
    enum class sort : std::uint8_t { watch, removal, file } what = sort::watch;
    bool is_outside = false;
};

enum class poll_dir : std::uint8_t { read, write };

// The read that a waiting reader wants to do first (netpoll/read_ahead.hpp). Writers in turn: the
// reader before it waits, the thread that takes it out of its word, then the reader again.
struct read_request {
    static constexpr std::int32_t not_done = INT32_MIN;

    std::int32_t got = not_done;  // result of the call, or not_done
    void* to = nullptr;           // null: there is no order
    std::uint32_t size = 0;
    int fd = -1;
};

struct alignas(cache_line) poll_desc {
    // --- fixed: the record's own ---------------------------------------------------
    std::uint32_t index = 0;

    // --- changes between two uses --------------------------------------------------
    atomic<std::uint32_t> generation{0};

    // The object that a resumed goroutine reads next, such as the fd. Written before another thread
    // knows the record. A hint, even after the wait: the object may exist no more.
    const void* prefetch_hint = nullptr;

    // --- any thread writes ------------------------------------------------------------
    poll_word word[2];
    // The kernel has reported the peer's end or urgent data: a read shorter than its room does not
    // mean that nothing is left. Set before `ready` is; never cleared.
    atomic<bool> ended{false};

    // --- the reader, and the thread that lets it go on: see there ------------------------
    read_request order;

    // --- guarded by mu -----------------------------------------------------------------
    lock mu{lock_rank::fd};
    bool evicted ROTA_GUARDED_BY(mu) = false;    // closed: no deadline is set any more
    bool has_limit[2] ROTA_GUARDED_BY(mu) = {};  // the timer has been started since its last stop
    timer limit[2] ROTA_GUARDED_BY(mu);          // the deadlines

    // --- for the back ends that use them --------------------------------------------------
    pending_event pending;  // guarded by the lock of the event_queue
    ring_request request;   // written by add(), then handed to the watcher

    // --- guarded by the lock of the free records ----------------------------------------
    poll_desc* next_free = nullptr;

    poll_word& operator[](poll_dir d) { return word[static_cast<std::uint8_t>(d)]; }

    std::uint64_t tag() const {
        return std::uint64_t{index} << 32 |
               generation.load(memory_order_relaxed);  // relaxed: the owner's own
    }
};

static_assert(offsetof(poll_desc, word) + sizeof(poll_desc::word) <= cache_line,
              "a word leads to its record: poll_desc_around");
static_assert(offsetof(poll_desc, order) + sizeof(read_request) <= cache_line, "of the same line");

// A record for a new descriptor; null if there are too many.
[[nodiscard]] poll_desc* poll_desc_new();
// Caller: the descriptor is closed, its timers are stopped, and no goroutine waits in it.
void poll_desc_free(poll_desc& d);
// The record that the tag names, if that use of it goes on; else null.
[[nodiscard]] poll_desc* poll_desc_of(std::uint64_t tag);
// Prefetches the line of that record, whatever its use.
void prefetch_poll_desc(std::uint64_t tag);
// The record that contains the word.
[[nodiscard]] inline poll_desc& poll_desc_around(const void* word) {
    constexpr std::uintptr_t in_line = cache_line - 1;
    return *reinterpret_cast<poll_desc*>(reinterpret_cast<std::uintptr_t>(word) & ~in_line);
}
// The `prefetch_hint` of the record that contains the word; or null.
[[nodiscard]] const void* beside_poll_word(const void* word);

}  // namespace rota::rt
