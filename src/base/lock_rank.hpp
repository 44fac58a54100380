// The order of the runtime's locks, from first-taken to last-taken. docs/lock_order.md gives the
// reason of each line.
//
// A thread that holds a lock may take a second lock only if that stands further down. Builds with
// ROTA_DEBUG_CHECKS verify it at each acquisition.
#pragma once

#include <cstdint>

namespace rota::rt {

enum class lock_rank : std::uint8_t {
    boot,           // boot/: the first use of the runtime
    world,          // sched/: the turn to stop the world
    chan,           // chan/: an hchan; two at once in address order only
    sema,           // sync/: a root of the semaphore table
    lock_owners,    // sync/: a part of the table of mutex owners
    locals,         // sync/: the keys of rota::local
    pools,          // sync/: the list of pools
    pool,           // sync/: a pool's part of one processor
    hook,           // hook/: waits for the program's descriptors; kept sets
    bubble,         // sched/, synctest/: a bubble; the pool of bubbles; their objects
    fd,             // fd/: the deadlines of a descriptor
    timers,         // timer/: the heap of a p; two at once in address order only
    retake,         // sched/: from the request for an m's p to its outcome
    sched,          // core/: sched.mu
    gfree,          // sched/: the global list of dead goroutines
    blocks,         // mem/: the spare blocks of one size
    netpoll,        // netpoll/: the free poll records
    poll_events,    // netpoll/: events of descriptors
    trace,          // sched/: events of threads without a p; the end of a generation
    trace_strings,  // trace/: the strings of the program
    trace_store,    // trace/: the chunks of events; the stacks
    stack,          // mem/: arenas of stacks
    profile,        // trace/: a table of stacks
    mapped,         // mem/: the pages behind growing arrays and fixed objects
    revoke,         // sys/thread/lock: the end of a lock's bias
    count,
};

// Whether two locks of this rank may be held together; the caller then sorts them by address.
constexpr bool rank_nests(lock_rank r) { return r == lock_rank::chan || r == lock_rank::timers; }

}  // namespace rota::rt
