// Tells for which channels a parked goroutine waits, and where they lie. The search for goroutines
// that can never run again asks this (diag/leak/unreachable). No goroutine may run meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chan/hchan.hpp"
#include "core/g.hpp"

namespace rota::rt {

// Left by a waiting select for its commit function, in the frame of the select.
struct selected_channels {
    detail::hchan** order;     // its channels, each once
    std::uint32_t count;       // of entries in order
    std::uint32_t places = 0;  // sudogs in their queues
};

// The channels of one wait.
struct awaited_channels {
    bool is_known = false;  // false: it waits for something else, or for something else as well
    const detail::hchan* one = nullptr;
    detail::hchan* const* several = nullptr;  // instead of `one`
    std::uint32_t count = 0;                  // 0: no channel, so it waits for ever
    std::uint32_t places = 0;                 // sudogs that it has in their queues

    const detail::hchan& operator[](std::uint32_t i) const {
        return several != nullptr ? *several[i] : *one;
    }
};

// The channels that gp, in state `waiting`, waits for.
awaited_channels channels_awaited_by(const g& gp);

// The block that make_chan has allocated. False: c is part of something else, of unknown extent.
struct memory_range {
    std::uintptr_t lo = 0, hi = 0;
};
bool find_block(const detail::hchan& c, memory_range& block);

// Calls visit(arg, gp) for each sudog in c's queues whose goroutine has not been woken elsewhere.
// Calls it for none if a thread was stopped inside the channel: the queues may be in disorder.
void visit_waiters(const detail::hchan& c, void (*visit)(void* arg, const g& gp), void* arg);

}  // namespace rota::rt
