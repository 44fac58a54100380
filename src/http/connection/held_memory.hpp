// Counts the heap bytes that a server's connections hold, and tells when enough has gone to return
// memory to the kernel.
//
// malloc keeps freed memory. glibc has several arenas, and returns the end of an arena; a block in
// use keeps the memory before it. So a server that a thousand connections have made large stays
// large. Therefore connections count the bytes that they hold. When the count has fallen far
// enough, the server drops its spare exchanges and trims the heap (server_state::return_memory).
//
// What is counted: an exchange for each connection and each request of HTTP/2; heads, bodies and
// answers that a connection of HTTP/2 keeps; a head or a body of HTTP/1.1 that has outgrown its
// first buffer, in a string of request::body too; the text of a write while the write lasts.
// Connections count in steps of `step`, so that a small request changes nothing here.
//
// Rejected:
//   * to compare the process's resident memory: what the program itself keeps looks the same;
//   * mallinfo2, which walks all free blocks under the locks of the arenas;
//   * buffers in mappings of our own: nghttp2's memory and the handlers' strings are malloc's, and
//     each buffer would cost two system calls and its page faults.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/atomic.hpp"

namespace rota::http::detail {

// bytes of the heap; an exchange with its buffers
inline constexpr std::int64_t exchange_cost = 12 * 1024;

class held_memory {
  public:
    static constexpr std::int64_t step = 64 * 1024;

    // Adds `change` bytes; below 0: fewer. Any thread. True: the memory has fallen far enough.
    bool note(std::int64_t change) noexcept {
        // relaxed, all: counts, which are read again before anything is done
        const std::int64_t now = held_.fetch_add(change, rt::memory_order_relaxed) + change;
        if (change < 0) return has_fallen(now);
        std::int64_t most = most_.load(rt::memory_order_relaxed);
        while (now > most && !most_.compare_exchange(most, now, rt::memory_order_relaxed,
                                                     rt::memory_order_relaxed)) {
        }
        return false;
    }
    bool has_fallen() const noexcept { return has_fallen(held()); }
    std::int64_t held() const noexcept {
        return held_.load(rt::memory_order_relaxed);  // relaxed: as above
    }
    // Makes the bytes held at present the new maximum. Caller: one thread at a time.
    void begin_anew() noexcept {
        most_.store(held(), rt::memory_order_relaxed);  // relaxed: as above
    }

  private:
    // least: bytes; a smaller fall is no gain. part: memory below that part comes back too soon.
    static constexpr std::int64_t least = 16 << 20, part = 4;

    bool has_fallen(std::int64_t now) const noexcept {
        const std::int64_t most = most_.load(rt::memory_order_relaxed);  // relaxed: as above
        return most - now >= std::max(least, most / part);
    }

    rt::atomic<std::int64_t> held_{0};
    rt::atomic<std::int64_t> most_{0};  // bytes; the most held since begin_anew
};

}  // namespace rota::http::detail
