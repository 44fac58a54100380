// Keeps the buffers of events. Each thread writes into a chunk of its own, without a lock. A full
// chunk goes to the list of the running generation, and an empty chunk takes its place.
//
// A chunk becomes a batch: its thread and time go into the batch's header when a reader takes the
// list (diag/trace). Chunks come straight from the kernel, are reused while a trace runs, and are
// limited in number. Events are dropped and counted if the readers take the lists too slowly and
// the limit is reached, or if the kernel has no memory left. The generation then says that it is
// incomplete, because a reader of the trace could not follow it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "sys/thread/lock.hpp"
#include "trace/clock.hpp"
#include "trace/wire.hpp"

namespace rota::rt {

struct trace_chunk {
    static constexpr std::size_t bytes = 32 * 1024;
    static constexpr std::size_t head = 40;

    trace_chunk* next;
    std::uint64_t thread;
    std::uint64_t time;     // of the first event; later times are relative to the predecessor
    std::uint64_t used;     // bytes of `data`; written when the chunk goes to the list
    std::uint64_t counted;  // 1: the chunk counts against the limit
    std::uint8_t data[bytes - head];
};
static_assert(sizeof(trace_chunk) == trace_chunk::bytes);
static_assert(sizeof(trace_chunk::data) <= 65536, "a reader takes no larger batch");

// The buffer of one thread. Not synchronised: sched/record/trace_events says when it may be
// written.
struct trace_stream {
    std::uint8_t* at = nullptr;  // in chunk's data, as `end`; both null: there is no chunk
    std::uint8_t* end = nullptr;
    std::uint64_t last = 0;  // time of the last event: never goes back
    trace_chunk* chunk = nullptr;
    std::uint64_t thread = trace_no_thread;  // thread number for the next chunk
    bool is_unlimited = false;               // its chunks do not count against the limit

    bool has_room(std::size_t bytes) const { return static_cast<std::size_t>(end - at) >= bytes; }
};

// The chunks of one generation in the order in which they were filled. The chunks of one thread
// are in the order of time.
struct trace_list {
    trace_chunk* first = nullptr;
    trace_chunk* last = nullptr;
    std::size_t count = 0;      // chunks that count against the limit
    std::uint64_t dropped = 0;  // events that found no chunk or no memory for their names
    bool refused = false;       // an event was dropped because the kernel has no memory left

    void add(trace_chunk& c);
};

class trace_store {
  public:
    constexpr trace_store() = default;

    // Limits the bytes of chunks from this call on.
    void set_limit(std::size_t bytes);
    std::size_t limit();
    // Moves the stream's chunk, which is full or null, to the list and gives it an empty chunk.
    // False: there is no chunk, and an event is dropped. Caller: a writer of the stream. Takes: mu.
    bool renew(trace_stream& s, std::uint64_t now);
    // Counts an event as dropped because a table had no room for it. Takes: mu.
    void drop(bool refused);
    // Moves the stream's chunk to the list, full or not.
    void flush(trace_stream& s);
    // Returns the chunks flushed since the last call. Caller: no thread writes meanwhile.
    trace_list take();
    // Frees the chunks of the list: for reuse if `keep`, else to the kernel.
    void release(trace_list& list, bool keep);
    // Gives unused chunks to the kernel.
    void trim();
    // Bytes of the chunks in use; relaxed: advice.
    std::size_t bytes_in_use() const {
        return in_use_.load(memory_order_relaxed) * trace_chunk::bytes;
    }

  private:
    trace_chunk* empty_chunk(bool is_unlimited);
    void list(trace_stream& s) ROTA_REQUIRES(mu_);

    lock mu_{lock_rank::trace_store};
    trace_chunk* free_ ROTA_GUARDED_BY(mu_) = nullptr;
    trace_list list_ ROTA_GUARDED_BY(mu_);
    std::size_t limit_ ROTA_GUARDED_BY(mu_) = 0;
    atomic<std::size_t> in_use_{0};  // written under mu_; relaxed: advice for readers
};
inline constinit trace_store trace_chunks;

// Appends an event of the moment `now`. Caller: the only writer of `s`. Inlined into its caller:
// for the events of every switch.
template <class... A>
ROTA_ALWAYS_INLINE void trace_put_here(trace_stream& s, std::uint64_t now, trace_event e,
                                       A... args) {
    constexpr std::size_t most = 1 + uvarint_max * (1 + sizeof...(A));
    if (ROTA_UNLIKELY(!s.has_room(most)) && !trace_chunks.renew(s, now)) return;
    std::uint8_t* at = s.at;
    *at++ = static_cast<std::uint8_t>(e);
    const std::uint64_t step = now > s.last ? now - s.last : 0;
    s.last += step;
    at = put_uvarint(at, step);
    ((at = put_uvarint(at, static_cast<std::uint64_t>(args))), ...);
    s.at = at;
}

// The same, not forced inline.
template <class... A>
inline void trace_put_at(trace_stream& s, std::uint64_t now, trace_event e, A... args) {
    trace_put_here(s, now, e, args...);
}

template <class... A>
inline void trace_put(trace_stream& s, trace_event e, A... args) {
    trace_put_at(s, trace_now(), e, args...);
}

}  // namespace rota::rt
