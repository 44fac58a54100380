// Figures about the scheduler and the process, for programs that watch themselves and for
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

/// A distribution. Bucket i counts what lies from buckets[i], inclusive, to buckets[i + 1],
/// exclusive; buckets.size() is counts.size() + 1. The first boundary may be minus infinity, the
/// last one infinity. Counts never go down. Go: metrics.Float64Histogram, with the same boundaries.
struct histogram {
    rota::detail::vector<double> buckets;
    rota::detail::vector<std::uint64_t> counts;
    double sum = 0;  ///< of all values, in the metric's unit; exact, which Go's is not
};

struct sample {
    std::string_view name;  ///< of static life
    std::variant<std::uint64_t, double, histogram> value;
};

struct description {
    std::string_view name;
    std::string_view text;
    bool cumulative;  ///< counts up from the process's beginning; else it is a state of the moment
};

/// Every metric there is, by name. What Go's runtime/metrics has too is called as there:
///
///     /sched/goroutines:goroutines            that exist, and those of them that
///     /sched/goroutines/running:goroutines    run, at most GOMAXPROCS,
///     /sched/goroutines/runnable:goroutines   could run, and wait for a processor: in a queue,
///                                             stopped where they computed, or computing on a
///                                             thread that has lost its processor,
///     /sched/goroutines/waiting:goroutines    wait for something,
///     /sched/goroutines/not-in-go:goroutines  are in rota::blocking, or in a call that has blocked
///                                             its thread and has cost it its processor
///     /sched/goroutines-created:goroutines
///     /sched/gomaxprocs:threads
///     /sched/threads/total:threads
///     /sched/latencies:seconds                from runnable to running; every 64th time on each
///                                             processor, and of all that others make runnable;
///                                             every 8th time that one was stopped as it computed
///     /sched/pauses/stopping/other:seconds    until the world has stopped
///     /sched/pauses/total/other:seconds       until it goes on
///     /sync/mutex/wait/total:seconds          waited for mutex and shared_mutex
///     /cpu/classes/total:cpu-seconds          GOMAXPROCS, added up over time: the sum of
///     /cpu/classes/idle:cpu-seconds           processors had nothing to run,
///     /cpu/classes/user:cpu-seconds           they had, and
///     /cpu/classes/scavenge/...:cpu-seconds   they gave stacks' memory back to the kernel
///     /memory/classes/heap/stacks:bytes       stacks of goroutines, and those kept for others
///     /memory/classes/heap/released:bytes     address space for more of them, no memory
///     /memory/classes/metadata/...:bytes      records of stacks (mspan), processors' lists of
///                                             spare blocks (mcache), the scheduler's tables
///     /memory/classes/os-stacks:bytes         stacks of the runtime's threads, and for signals
///     /memory/classes/other:bytes             buffers of traces and CPU profiles
///     /memory/classes/profiling/buckets:bytes tables of the block and the mutex profile
///     /memory/classes/total:bytes             all classes of memory together
///     /gc/stack/starting-size:bytes           of a goroutine's stack, if none was asked for
///
/// Memory is address space, as in Go; of stacks only touched pages are memory. What the program
/// itself allocates is in none of these. rota's own begin with /rota/.
///
/// There is no collector. What counts its work is there and stays 0: /gc/cycles/..., /gc/pauses,
/// /sched/pauses/.../gc, /cpu/classes/gc/..., and the runtime's heap in /memory/classes. Absent is
/// what Go says of the program's heap (/gc/heap/..., /gc/scan/..., /gc/finalizers/...,
/// /gc/cleanups/...) and of settings of its collector (/gc/gogc, /gc/gomemlimit, /gc/limiter), of
/// settings for older programs (/godebug/...) and of calls of C (/cgo/...): here they would mean
/// nothing.
std::span<const description> all();

/// All metrics as they are now, in the order of all(). Each figure is exact at some moment of the
/// call; the states of goroutines are counted while these move, and need not add up. Boots the
/// runtime. Does not block; may migrate. Costs a few microseconds and some for each thread, nothing
/// for each goroutine. Throws std::bad_alloc. Go: metrics.Read.
rota::detail::vector<sample> read();

/// The same in the text format of Prometheus, version 0.0.4, under the names of Go's client
/// (go_goroutines, go_threads, go_info, go_memstats_..., go_sched_...), and what that says of the
/// process (process_...).
/// Histograms have steps of ten, up to a second. Opens files in /proc. Throws std::bad_alloc.
std::string prometheus();

/// The media type of that text.
inline constexpr std::string_view prometheus_type = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace rota::metrics
