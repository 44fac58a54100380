// rota::metrics::read: one table of names, and where each value comes from.
#include <rota/metrics.hpp>

#include <array>
#include <iterator>
#include <limits>

#include "base/shortfall.hpp"
#include "diag/metrics/memory_figures.hpp"
#include "diag/metrics/scheduler_counters.hpp"
#include "mem/mapped.hpp"
#include "mem/stack.hpp"
#include "sched/base/stop_reason.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sched/world/stw.hpp"
#include "sys/thread/asymmetric.hpp"
#include "trace/counters.hpp"

namespace rota::metrics {

namespace {

using rt::memory_figures;
using rt::scheduler_counters;
using value = decltype(sample::value);

constexpr double second_ns = 1e9;

double in_seconds(auto ns) { return static_cast<double>(ns) / second_ns; }

// Adds up: the stops of the world are counted for each reason.
struct times_of {
    const rt::time_histogram* of[static_cast<std::size_t>(rt::stop_reason::count)] = {};
    std::size_t size = 0;

    void add(const rt::time_histogram& h) { of[size++] = &h; }
    std::uint64_t count(std::size_t bucket) const {
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < size; ++i) n += of[i]->count(bucket);
        return n;
    }
    std::uint64_t sum_ns() const {
        std::uint64_t ns = 0;
        for (std::size_t i = 0; i < size; ++i) ns += of[i]->sum_ns();
        return ns;
    }
};

histogram copy_of(const times_of& h) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr std::size_t n = rt::time_histogram::bucket_count;
    histogram out;
    out.buckets.reserve(n + 1);
    out.counts.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        out.buckets.push_back(i == 0 ? -infinity : in_seconds(rt::time_histogram::begin_of(i)));
        out.counts.push_back(h.count(i));
    }
    out.buckets.push_back(infinity);
    out.sum = in_seconds(h.sum_ns());
    return out;
}

value latencies() {
    times_of h;
    h.add(rt::sched_latency);
    return copy_of(h);
}

value all_stops(rt::time_histogram rt::stop_counters::* which) {
    times_of h;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rt::stop_reason::count); ++i)
        h.add(rt::stops_for(static_cast<rt::stop_reason>(i)).*which);
    return copy_of(h);
}

value stopping() { return all_stops(&rt::stop_counters::stopping); }
value paused() { return all_stops(&rt::stop_counters::total); }
// Stops for a collector, of which there is none.
value never() { return copy_of({}); }

struct figures {
    scheduler_counters scheduler;
    memory_figures memory;
};
using source = value (*)(const figures&);

template <std::uint64_t scheduler_counters::* F>
value of(const figures& now) {
    return now.scheduler.*F;
}
template <std::uint64_t memory_figures::* F>
value bytes(const figures& now) {
    return now.memory.*F;
}
template <value (*F)()>
value times(const figures&) {
    return F();
}
template <std::uint64_t N>
value always(const figures&) {
    return N;
}
value no_seconds(const figures&) { return 0.0; }

value processor_time(const figures& now) { return in_seconds(now.scheduler.processor_ns); }
value idle_time(const figures& now) { return in_seconds(now.scheduler.idle_ns); }
value user_time(const figures& now) {
    const std::int64_t other = now.scheduler.idle_ns + now.scheduler.trim_ns;
    return in_seconds(now.scheduler.processor_ns - other);
}
value trim_time(const figures& now) { return in_seconds(now.scheduler.trim_ns); }
value lock_time(const figures& now) { return in_seconds(now.scheduler.lock_wait_ns); }
value all_memory(const figures& now) { return now.memory.total(); }
template <rt::shortfall S>
value refused(const figures&) {
    return rt::shortfall_count(S);
}
// 0: goroutines that compute are not preempted; 1: by signals alone; 2: with membarrier, too.
value preemption_mode(const figures&) {
    if (!rt::stop_settings.stops) return std::uint64_t{0};
    const bool has_barrier =
        rt::asymmetric.heavy.load(std::memory_order_relaxed);  // relaxed: fixed
    return std::uint64_t{has_barrier ? 2u : 1u};
}
value all_tables(const figures&) { return std::uint64_t{rt::mapped_bytes()}; }

using f = scheduler_counters;
using b = memory_figures;

struct metric {
    description described;
    source get;
};

constexpr bool counts_up = true, is_a_state = false;

constexpr metric table[] = {
    {{"/cpu/classes/gc/mark/assist:cpu-seconds",
      "Time that goroutines have spent on a collection: none, there is no collector.", counts_up},
     no_seconds},
    {{"/cpu/classes/gc/mark/dedicated:cpu-seconds",
      "Time of processors that do nothing but collect: none, there is no collector.", counts_up},
     no_seconds},
    {{"/cpu/classes/gc/mark/idle:cpu-seconds",
      "Time of idle processors that collect: none, there is no collector.", counts_up},
     no_seconds},
    {{"/cpu/classes/gc/pause:cpu-seconds",
      "Time in which the world stood still for a collection: none, there is no collector.",
      counts_up},
     no_seconds},
    {{"/cpu/classes/gc/total:cpu-seconds",
      "Time spent on collections, the sum of those: none, there is no collector.", counts_up},
     no_seconds},
    {{"/cpu/classes/idle:cpu-seconds", "Time for which processors had nothing to run.", counts_up},
     idle_time},
    {{"/cpu/classes/scavenge/assist:cpu-seconds",
      "Time spent on giving memory back because there was none: no time, nobody waits for that.",
      counts_up},
     no_seconds},
    {{"/cpu/classes/scavenge/background:cpu-seconds",
      "Time of processors in which goroutines gave back what lies below them in their stacks; all "
      "else the monitor gives back, which has no processor.",
      counts_up},
     trim_time},
    {{"/cpu/classes/scavenge/total:cpu-seconds",
      "Time spent on giving memory back to the kernel, the sum of those.", counts_up},
     trim_time},
    {{"/cpu/classes/total:cpu-seconds",
      "Time that there was to compute in: GOMAXPROCS, added up since the runtime began. The sum of "
      "user, idle, gc/total and scavenge/total.",
      counts_up},
     processor_time},
    {{"/cpu/classes/user:cpu-seconds",
      "The rest: goroutines ran, or the scheduler, or the kernel let another thread run instead.",
      counts_up},
     user_time},
    {{"/gc/cycles/automatic:gc-cycles",
      "Collections that the runtime has begun: none, there is no collector.", counts_up},
     always<0>},
    {{"/gc/cycles/forced:gc-cycles",
      "Collections that the program has asked for: none, there is no collector.", counts_up},
     always<0>},
    {{"/gc/cycles/total:gc-cycles", "All collections: none, there is no collector.", counts_up},
     always<0>},
    {{"/gc/pauses:seconds", "The same as /sched/pauses/total/gc:seconds.", counts_up},
     times<never>},
    {{"/gc/stack/starting-size:bytes",
      "Size of a new goroutine's stack if none was asked for; only pages that it touches become "
      "memory.",
      is_a_state},
     always<rt::stack_size_default>},
    {{"/memory/classes/heap/free:bytes",
      "Memory of the runtime's heap that holds nothing: none, it has no heap.", is_a_state},
     always<0>},
    {{"/memory/classes/heap/objects:bytes",
      "Memory of objects in the runtime's heap: none, it has no heap. The program's objects are "
      "its allocator's.",
      is_a_state},
     always<0>},
    {{"/memory/classes/heap/released:bytes",
      "Address space for stacks of goroutines to come, which is no memory yet, or not any more.",
      is_a_state},
     bytes<&b::stacks_free>},
    {{"/memory/classes/heap/stacks:bytes",
      "Address space of goroutines' stacks, those kept for goroutines to come too; only pages that "
      "were touched are memory.",
      is_a_state},
     bytes<&b::stacks_used>},
    {{"/memory/classes/heap/unused:bytes",
      "Memory kept for objects in the runtime's heap: none, it has no heap.", is_a_state},
     always<0>},
    {{"/memory/classes/metadata/mcache/free:bytes",
      "Memory of the lists below whose processors GOMAXPROCS has taken away.", is_a_state},
     bytes<&b::caches_free>},
    {{"/memory/classes/metadata/mcache/inuse:bytes",
      "Memory of processors' lists of stacks and small blocks for those who want one next.",
      is_a_state},
     bytes<&b::caches_used>},
    {{"/memory/classes/metadata/mspan/free:bytes",
      "Memory for more records of stacks: none is kept.", is_a_state},
     always<0>},
    {{"/memory/classes/metadata/mspan/inuse:bytes",
      "Memory of the records of where stacks lie and which of them are free.", is_a_state},
     bytes<&b::spans>},
    {{"/memory/classes/metadata/other:bytes", "Address space of the scheduler's own tables.",
      is_a_state},
     bytes<&b::other_tables>},
    {{"/memory/classes/os-stacks:bytes",
      "Address space of the stacks of threads that the runtime has started, and of those on which "
      "signals are handled.",
      is_a_state},
     bytes<&b::kernel_stacks>},
    {{"/memory/classes/other:bytes",
      "Address space of buffers and tables of execution traces and CPU profiles.", is_a_state},
     bytes<&b::traces>},
    {{"/memory/classes/profiling/buckets:bytes",
      "Address space of the tables of the block and the mutex profile.", is_a_state},
     bytes<&b::profiles>},
    {{"/memory/classes/total:bytes",
      "All address space that the runtime has taken from the kernel: the sum of the others.",
      is_a_state},
     all_memory},
    {{"/rota/memory/tables:bytes", "Address space of the scheduler's own tables, and of traces.",
      is_a_state},
     all_tables},
    {{"/rota/refused/children:refusals",
      "Times that a filter of system calls has refused the clone by which a program is started.",
      counts_up},
     refused<rt::shortfall::children>},
    {{"/rota/refused/io-uring:refusals",
      "Times that the kernel has refused io_uring where it was asked for; descriptors are watched "
      "by epoll then.",
      counts_up},
     refused<rt::shortfall::ring>},
    {{"/rota/refused/membarrier:refusals",
      "Times that the kernel, or a filter of system calls, has refused membarrier: goroutines are "
      "preempted by signals alone then.",
      counts_up},
     refused<rt::shortfall::membarrier>},
    {{"/rota/refused/preemption-thread:refusals",
      "Times that the kernel has refused the thread without which no goroutine that computes is "
      "preempted.",
      counts_up},
     refused<rt::shortfall::preemption>},
    {{"/rota/refused/signal-stacks:refusals",
      "Threads without an alternate signal stack, since the kernel has refused the memory.",
      counts_up},
     refused<rt::shortfall::signal_stacks>},
    {{"/rota/refused/threads:refusals",
      "Threads for goroutines that the kernel has refused, after all tries.", counts_up},
     refused<rt::shortfall::threads>},
    {{"/rota/sched/global-gets:batches", "Batches taken from the global run queue.", counts_up},
     of<&f::global_gets>},
    {{"/rota/sched/goroutines-stolen:goroutines", "Goroutines taken from other processors.",
      counts_up},
     of<&f::stolen>},
    {{"/rota/sched/handoffs:processors", "Processors taken from blocked system calls.", counts_up},
     of<&f::handoffs>},
    {{"/rota/sched/parks:parks", "Times that a goroutine was put to sleep.", counts_up},
     of<&f::parks>},
    {{"/rota/sched/preemption:mode",
      "How goroutines that compute are preempted. 0: not at all; 1: by signals alone, since there "
      "is no membarrier; 2: with membarrier.",
      is_a_state},
     preemption_mode},
    {{"/rota/sched/preemptions:slices", "Time slices ended by request.", counts_up},
     of<&f::preemptions>},
    {{"/rota/sched/steals:steals", "Successful raids of one processor on another.", counts_up},
     of<&f::steals>},
    {{"/rota/sched/syscalls:calls", "Calls of rota::blocking.", counts_up}, of<&f::syscalls>},
    {{"/rota/sched/threads-created:threads", "Threads ever started.", counts_up},
     of<&f::threads_created>},
    {{"/rota/sched/timers-run:timers", "Timers that have fired.", counts_up}, of<&f::timers_run>},
    {{"/rota/sched/wakeups:threads", "Idle threads woken.", counts_up}, of<&f::wakeups>},
    {{"/sched/gomaxprocs:threads", "The current GOMAXPROCS: how many goroutines run at once.",
      is_a_state},
     of<&f::gomaxprocs>},
    {{"/sched/goroutines-created:goroutines", "Goroutines created since the process began.",
      counts_up},
     of<&f::created>},
    {{"/sched/goroutines/not-in-go:goroutines",
      "Goroutines in blocking calls, also in those that have cost them their processor.",
      is_a_state},
     of<&f::not_in_go>},
    {{"/sched/goroutines/runnable:goroutines", "Goroutines that wait for a processor.", is_a_state},
     of<&f::runnable>},
    {{"/sched/goroutines/running:goroutines", "Goroutines that run.", is_a_state}, of<&f::running>},
    {{"/sched/goroutines/waiting:goroutines", "Goroutines that wait for something.", is_a_state},
     of<&f::waiting>},
    {{"/sched/goroutines:goroutines", "Goroutines that exist.", is_a_state}, of<&f::goroutines>},
    {{"/sched/latencies:seconds",
      "Time that goroutines have been runnable before they ran; one of 64 is counted, and one of 8 "
      "of those that were stopped where they computed.",
      counts_up},
     times<latencies>},
    {{"/sched/pauses/stopping/gc:seconds",
      "Time from the wish to stop the world for a collection until it stood: no times, there is no "
      "collector.",
      counts_up},
     times<never>},
    {{"/sched/pauses/stopping/other:seconds",
      "Time from the wish to stop the world until it stood.", counts_up},
     times<stopping>},
    {{"/sched/pauses/total/gc:seconds",
      "Time from the wish to stop the world for a collection until it went on: no times, there is "
      "no collector.",
      counts_up},
     times<never>},
    {{"/sched/pauses/total/other:seconds", "Time from that wish until the world went on.",
      counts_up},
     times<paused>},
    {{"/sched/threads/total:threads", "Threads that the runtime schedules on, and its monitor.",
      is_a_state},
     of<&f::threads>},
    {{"/sync/mutex/wait/total:seconds", "Time that goroutines have waited for locks, all together.",
      counts_up},
     lock_time},
};

constexpr auto names = [] {
    std::array<description, std::size(table)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = table[i].described;
    return all;
}();

}  // namespace

std::span<const description> all() { return names; }

std::vector<sample> read() {
    const figures now{rt::read_scheduler_counters(), rt::read_memory_figures()};
    std::vector<sample> result;
    result.reserve(std::size(table));
    for (const metric& m : table) result.push_back({m.described.name, m.get(now)});
    return result;
}

}  // namespace rota::metrics
