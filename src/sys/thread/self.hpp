// The one thread-local slot of the runtime: it points to the runtime's record of this thread.
//
// The slot is read by value through volatile assembly (rota/detail/preempt.hpp, since programs read
// it too). Both gcc and clang keep addresses of thread-locals across a call, and a goroutine may
// come back from a call on another thread. The slot holds a self_header*, which is the first base
// of core/m.hpp's m. It is null on a thread that has not used rota yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/detail/preempt.hpp>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "base/lock_rank.hpp"

namespace rota::rt {

// The bias of a lock (sys/thread/lock.hpp) to the p of this number; and the value for no bias.
constexpr std::uint32_t bias_of_p(std::uint32_t id) { return std::uint32_t{1} << 31 | id; }
inline constexpr std::uint32_t no_bias = ~std::uint32_t{0};

// The part of an m that the rooms below core/ may know. Owner: the thread itself.
struct self_header {
    static constexpr std::uint32_t held_max = 16;
    std::uint32_t held_count = 0;
    lock_rank held[held_max] = {};
    const void* held_at[held_max] = {};
    // The goroutine that runs here is asked to yield. Writers: any thread. relaxed: advice.
    // Programs read it at the preempt_point in their loops.
    atomic<bool> preempt{false};
    // The bias of the m's p, no_bias without a p. Also written by the thread that takes the p, as
    // m::pp.
    std::uint32_t bias = no_bias;
};
static_assert(offsetof(self_header, preempt) == rota::detail::preempt_offset);

ROTA_ALWAYS_INLINE self_header* self() {
    return static_cast<self_header*>(rota::detail::self_slot());
}

ROTA_ALWAYS_INLINE std::uint32_t own_bias() {
    const self_header* const me = self();
    return me == nullptr ? no_bias : me->bias;
}

void set_self(self_header* header);

// `end` runs at the end of each thread that called this, with the thread's header. A null header
// takes that back for the calling thread.
void at_thread_end(self_header* header, void (*end)(self_header*));

}  // namespace rota::rt
