// Figures about the scheduler and the process, for programs that monitor themselves and for
// Prometheus.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <rota/detail/exceptions.hpp>
#include <rota/detail/vector.hpp>

namespace rota::metrics {

/// A distribution. Bucket i counts the values from buckets[i], inclusive, to buckets[i + 1],
/// exclusive; buckets.size() is counts.size() + 1. The first boundary may be minus infinity, the
/// last one infinity. Counts never go down. Go: metrics.Float64Histogram, with the same boundaries.
struct histogram {
    rota::detail::vector<double> buckets;
    rota::detail::vector<std::uint64_t> counts;
    double sum = 0;  ///< of the values, in the metric's unit; exact, which Go's is not
};

struct sample {
    std::string_view name;  ///< of static lifetime
    std::variant<std::uint64_t, double, histogram> value;
};

struct description {
    std::string_view name;
    std::string_view text;
    bool cumulative;  ///< counts up from the start of the process; else it is the present state
};

/// Every metric, by name. A metric that Go's runtime/metrics has too has Go's name:
///
///     /sched/goroutines:goroutines            goroutines that exist. Of them:
///     /sched/goroutines/running:goroutines    running, at most GOMAXPROCS.
///     /sched/goroutines/runnable:goroutines   waiting for a processor: in a queue, or stopped
///                                             while computing, or still computing on a thread
///                                             that has lost its processor.
///     /sched/goroutines/waiting:goroutines    waiting for an event.
///     /sched/goroutines/not-in-go:goroutines  in rota::blocking, or in a call that has blocked
///                                             its thread and has cost it its processor.
///     /sched/goroutines-created:goroutines
///     /sched/gomaxprocs:threads
///     /sched/threads/total:threads
///     /sched/latencies:seconds                from runnable to running. Timed: every 64th time on
///                                             each processor, every 64th time by threads without
///                                             a processor, and every 8th goroutine that was
///                                             stopped while computing.
///     /sched/pauses/stopping/other:seconds    until the world has stopped.
///     /sched/pauses/total/other:seconds       until the world goes on.
///     /sync/mutex/wait/total:seconds          waits for mutex and shared_mutex.
///     /cpu/classes/total:cpu-seconds          GOMAXPROCS, added up over time. The classes:
///     /cpu/classes/idle:cpu-seconds           processors had nothing to run.
///     /cpu/classes/user:cpu-seconds           processors ran.
///     /cpu/classes/scavenge/...:cpu-seconds   processors gave memory of stacks to the kernel.
///     /memory/classes/heap/stacks:bytes       stacks of goroutines, in use or kept for reuse.
///     /memory/classes/heap/released:bytes     address space for more of them, no memory.
///     /memory/classes/metadata/...:bytes      records of stacks (mspan), processors' lists of
///                                             spare blocks (mcache), the scheduler's tables.
///     /memory/classes/os-stacks:bytes         stacks of the runtime's threads, and for signals.
///     /memory/classes/other:bytes             buffers of traces and CPU profiles.
///     /memory/classes/profiling/buckets:bytes tables of the block and the mutex profile.
///     /memory/classes/total:bytes             the sum of the memory classes.
///     /gc/stack/starting-size:bytes           size of a goroutine's stack, by default.
///
/// Memory is address space, as in Go; of a stack only touched pages are memory. Allocations of the
/// program are in none of these classes. The names of rota's own metrics begin with /rota/.
///
/// There is no collector. The metrics of its work exist and stay 0: /gc/cycles/..., /gc/pauses,
/// /sched/pauses/.../gc, /cpu/classes/gc/..., and the runtime's heap in /memory/classes. Absent are
/// Go's metrics of the program's heap (/gc/heap/..., /gc/scan/..., /gc/finalizers/...,
/// /gc/cleanups/...), of settings of its collector (/gc/gogc, /gc/gomemlimit, /gc/limiter), of
/// settings for older programs (/godebug/...) and of calls of C (/cgo/...): here they would mean
/// nothing.
std::span<const description> all();

/// The present values of the metrics, in the order of all(). Each figure is exact at some moment of
/// the call. Goroutines change state while the states are counted, so the states need not add up.
/// Boots the runtime. Does not block; may migrate. Costs a few microseconds, plus some for each
/// thread, nothing for each goroutine. Throws std::bad_alloc. Go: metrics.Read.
rota::detail::vector<sample> read();

/// The same in the text format of Prometheus, version 0.0.4, under the names of Go's client
/// (go_goroutines, go_threads, go_info, go_memstats_..., go_sched_...), with that client's figures
/// of the process (process_...). Histograms have steps of ten, up to a second. Opens files in
/// /proc. Throws std::bad_alloc.
std::string prometheus();

/// The media type of that text.
inline constexpr std::string_view prometheus_type = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace rota::metrics
