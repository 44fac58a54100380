// Door: stopping the world, and starting it again.
//
// While the world is stopped no goroutine runs and no m holds a p: all ps are in the hands of the
// one who has stopped it. Threads of the program's own go on; what they ready waits in the global
// queue, what they time in some heap. Blocking calls go on as well; who comes back from one queues.
//
//     p before                 how it comes to the stopper                     p meanwhile
//     idle       under sched.mu, at once                                          gcstop
//     syscall    by the compare-and-swap that sysmon uses (retake), at once       gcstop
//     of an m whose thread is still to be made: under sched.mu (sched.unborn)     gcstop
//     in the hands of somebody who starts an m with it: as the next line          gcstop
//     running    its m is asked to yield, comes through g0 (sched.through_g0)     gcstop
//                to findrunnable, or to pidle_put, and gives it up under sched.mu;
//                if that takes long: take_p, for who is outside the runtime
//
//     gcstop  ──start──► running (the stopper's own) │ idle │ given to an m, if its queue is not
//                        empty │ dead (procresize)
//
// A goroutine whose p was taken while it computed does so on, as others sit in system calls: until
// it enters the runtime (without membarrier, where nothing can be taken, everybody waits for that).
// Its thread is stopped by sysmon if it runs for long without a p. Threads that are stopped stay
// so. An m without a p goes on looking for one; there is none, so it sleeps, as spinner or poller
// too.
//
// What could be lost meanwhile, and is looked after by start_the_world under sched.mu:
//   * a wake-up: submitters find no idle p, leave word in need_spinning, and go on. It sees their
//     work in the queues, or need_spinning;
//   * the poller: an m that has slept for the timers and then finds no p goes to sleep for good. It
//     sees timers, and goroutines at descriptors, that nobody waits for;
//   * a deadlock: the detector is silent while the world is stopped. The stopper's m is awake, and
//     asks when it goes to sleep; a thread of the program's own silences it anyway.
// Go: stopTheWorld, startTheWorld.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "trace/time_histogram.hpp"

namespace rota::rt {

// What the world is stopped for.
enum class stop_reason : std::uint8_t { gomaxprocs, trace, leaks, count };

// What the stops for one reason have cost. Written by who holds the world's lock; readers live with
// stale figures.
struct stop_counters {
    atomic<std::uint64_t> stops{0};
    atomic<std::uint64_t> waited_ns{0};      // until all had stopped, all stops together
    atomic<std::uint64_t> paused_ns{0};      // from the first stopped p to the start, likewise
    atomic<std::uint64_t> paused_max_ns{0};  // the longest of them
    time_histogram stopping;                 // until all had stopped
    time_histogram total;                    // from the request to the start
};
const stop_counters& stops_for(stop_reason why);

// One stops the world at a time: waits its turn, first come, first served. A goroutine parks, the
// thread of the program's own sleeps. Caller: inside a runtime_entry; the m and the p are others
// afterwards.
void world_lock();
void world_unlock();

// Stops all but the caller. False: the process exits, and nothing is stopped. Caller: holds the
// world's lock, inside a runtime_entry, and does not park before start_the_world.
[[nodiscard]] bool stop_the_world(stop_reason why);
void start_the_world();

}  // namespace rota::rt
