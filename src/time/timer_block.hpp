// The object behind a timer's handle: a channel that the clock feeds, or a closure that it calls.
#pragma once

#include <cstdint>

#include <rota/detail/time_engine.hpp>

#include "timer/heap.hpp"

namespace rota::detail {

struct timer_block {
    enum class kind : std::uint8_t { sends, calls };

    explicit timer_block(kind k) : what(k) {}

    // --- fixed -------------------------------------------------------------------
    const kind what;
    // --- the heap's, guarded by its lock ---------------------------------------------
    rt::timer t;
};

// The moment `ns` after now; the last moment if that is beyond the clock's range.
inline std::int64_t moment_in(std::int64_t now, std::int64_t ns) {
    return saturated_add(now, ns > 0 ? ns : 0);
}

// The operations of time_engine.hpp that differ between the two kinds.
bool chan_timer_stop(timer_block& b);
bool chan_timer_reset(timer_block& b, std::int64_t ns, bool periodic);
void chan_timer_retain(timer_block& b) noexcept;
void chan_timer_release(timer_block& b) noexcept;
hchan* chan_timer_channel(timer_block& b) noexcept;

bool func_timer_stop(timer_block& b);
bool func_timer_reset(timer_block& b, std::int64_t ns);
void func_timer_retain(timer_block& b) noexcept;
void func_timer_release(timer_block& b) noexcept;

}  // namespace rota::detail
