// Door: stops the world, and starts it again.
//
// While the world is stopped no goroutine runs and no m holds a p: every p is in the hands of the
// stopper. Threads of the program's own go on; goroutines that they ready wait in the global queue,
// their timers in a heap. Blocking calls go on as well; a goroutine that returns from a call
// queues.
//
//     p before                 how it comes to the stopper                     p meanwhile
//     idle       under sched.mu, at once                                          gcstop
//     syscall    by the compare-and-swap that sysmon uses (retake), at once       gcstop
//     of an m whose thread is still to be made: under sched.mu (sched.starting_ms)     gcstop
//     in the hands of a thread that starts an m with it: as the next line         gcstop
//     running    its m is asked to yield, comes through g0 (sched.direct_switch_blockers) gcstop
//                to findrunnable, or to pidle_put, and gives it up under sched.mu;
//                if that takes long: retake_p, for an m outside the runtime
//
//     gcstop  ──start──► running (the stopper's own) │ idle │ given to an m, if its queue is not
//                        empty │ dead (procresize)
//
// A goroutine whose p was taken while it computed goes on computing, as a goroutine in a system
// call does, until it enters the runtime. (Without membarrier no p can be taken, and the stop waits
// for it.) sysmon stops its thread if it runs for long without a p. Stopped threads stay stopped.
// An m without a p goes on looking for one; there is none, so it sleeps, as spinner or poller too.
//
// start_the_world looks, under sched.mu, after what could be lost meanwhile:
// * a wake-up: submitters find no idle p, set need_spinning, and go on. The start sees their work
//   in the queues, or need_spinning;
// * the poller: an m that has slept for the timers and then finds no p goes to sleep for good. The
//   start sees timers, and goroutines at descriptors, without a poller;
// * a deadlock: the detector is silent while the world is stopped. The stopper's m is awake, and
//   asks when it goes to sleep; a thread of the program's own silences it anyway.
// Go: stopTheWorld, startTheWorld.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "sched/base/stop_reason.hpp"
#include "trace/time_histogram.hpp"

namespace rota::rt {

// What the stops for one reason have cost. Written by the holder of the world's lock; readers live
// with stale figures.
struct stop_counters {
    atomic<std::uint64_t> stops{0};
    atomic<std::uint64_t> waited_ns{0};      // ns until all had stopped, sum over the stops
    atomic<std::uint64_t> paused_ns{0};      // ns from the first stopped p to the start, sum
    atomic<std::uint64_t> paused_max_ns{0};  // ns of the longest pause
    time_histogram stopping;                 // ns until all had stopped
    time_histogram total;                    // ns from the request to the start
};
const stop_counters& stops_for(stop_reason why);

// Takes the right to stop the world, which one caller has at a time: waits its turn, first come,
// first served. A goroutine parks; a thread of the program's own sleeps. Caller: inside a
// runtime_entry; the m and the p may have changed afterwards.
void world_lock();
void world_unlock();

// Stops every m but the caller's. False: the process exits, and nothing is stopped. Caller: holds
// the world's lock, inside a runtime_entry, and does not park before start_the_world.
[[nodiscard]] bool stop_the_world(stop_reason why);
void start_the_world();

}  // namespace rota::rt
