// poll_desc: what the poller knows of one descriptor.
//
// A record outlives what it stands for: events are on their way while a descriptor is closed, and
// timers may remember it. So records are never given back to the kernel, and each use has a number
// of its own, its generation. The kernel is given record and generation as one tag, 32 bits each;
// an event whose generation is over is dropped. One that is looked at just before the record
// changes hands may still say `ready` to the next owner: that costs one vain try, as all say
// `ready` at least (netpoll/poll_word.hpp). Go: pollDesc, fdseq, pollCache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "netpoll/backend.hpp"
#include "netpoll/poll_word.hpp"
#include "sys/lock.hpp"
#include "timer/heap.hpp"

namespace rota::rt {

struct poll_desc;

// What has been told of a record and not been taken (netpoll/mailbox.hpp).
struct poll_letter {
    poll_desc* next = nullptr;
    poll_event event;
    bool is_posted = false;
};

// What the watcher of a ring is asked for (netpoll/uring.hpp), or what a repeatable run watches
// (netpoll/simulated.hpp).
struct ring_request {
    ring_request* next = nullptr;
    std::uint64_t tag = ~std::uint64_t{0};  // nobody's
    int fd = -1;
    enum class sort : std::uint8_t { watch, removal, file } what = sort::watch;
    bool is_outside = false;
};

enum class poll_dir : std::uint8_t { read, write };

// What a reader that waits would do first (netpoll/read_ahead.hpp). Written by the reader before it
// waits, then by who takes it out of its word, then the reader's own again.
struct read_order {
    static constexpr std::int32_t not_done = INT32_MIN;

    std::int32_t got = not_done;  // else what the call has returned
    void* to = nullptr;           // null: there is no order
    std::uint32_t size = 0;
    int fd = -1;
};

struct alignas(cache_line) poll_desc {
    // --- fixed: the record's own ---------------------------------------------------
    std::uint32_t index = 0;

    // --- changes between two uses --------------------------------------------------
    atomic<std::uint32_t> generation{0};

    // What whoever has waited looks at next, the fd say: written before anybody else knows the
    // record. A hint, also for those whose wait is over: it may be an object no more.
    const void* beside = nullptr;

    // --- anyone writes ---------------------------------------------------------------
    poll_word word[2];
    // The kernel has said that the other side has ended, or that something urgent has come: a read
    // that returns less than there was room for does not mean that nothing is left. Set before
    // `ready` is; never cleared.
    atomic<bool> ended{false};

    // --- the reader, and who lets it go on: see there ----------------------------------
    read_order order;

    // --- guarded by mu -----------------------------------------------------------------
    lock mu{lock_rank::fd};
    bool evicted ROTA_GUARDED_BY(mu) = false;    // closed: no deadline is set any more
    bool has_limit[2] ROTA_GUARDED_BY(mu) = {};  // the timer has been started since it was stopped
    timer limit[2] ROTA_GUARDED_BY(mu);          // the deadlines

    // --- those of the back end that has them ---------------------------------------------
    poll_letter letter;    // guarded by the lock of the mailbox
    ring_request request;  // who adds writes it, and hands it to the watcher

    // --- guarded by the lock of the free ones -------------------------------------------
    poll_desc* next_free = nullptr;

    poll_word& operator[](poll_dir d) { return word[static_cast<std::uint8_t>(d)]; }

    std::uint64_t tag() const {
        return std::uint64_t{index} << 32 |
               generation.load(memory_order_relaxed);  // relaxed: the owner's own
    }
};

static_assert(offsetof(poll_desc, word) + sizeof(poll_desc::word) <= cache_line,
              "a word leads to its record: poll_desc_around");
static_assert(offsetof(poll_desc, order) + sizeof(read_order) <= cache_line, "of the same line");

// A record for a new descriptor; null if there are too many.
[[nodiscard]] poll_desc* poll_desc_new();
// The descriptor is closed, its timers are stopped, and nobody waits in it.
void poll_desc_free(poll_desc& d);
// The record that the tag names, if that use of it goes on; else null.
[[nodiscard]] poll_desc* poll_desc_of(std::uint64_t tag);
// Asks for the line of that record, whatever its use.
void prefetch_poll_desc(std::uint64_t tag);
// The record of that word.
[[nodiscard]] inline poll_desc& poll_desc_around(const void* word) {
    constexpr std::uintptr_t in_line = cache_line - 1;
    return *reinterpret_cast<poll_desc*>(reinterpret_cast<std::uintptr_t>(word) & ~in_line);
}
// What lies beside a word, which is a record's, or null: see `beside`.
[[nodiscard]] const void* beside_poll_word(const void* word);

}  // namespace rota::rt
