// rota::metrics::read: one table of names, and where each value comes from.
#include <rota/metrics.hpp>

#include <iterator>
#include <limits>

#include "diag/figures.hpp"
#include "mem/mapped.hpp"
#include "mem/stack.hpp"
#include "sched/entry.hpp"
#include "sched/stw.hpp"
#include "sys/signal.hpp"
#include "trace/contention.hpp"
#include "trace/counters.hpp"

namespace rota::metrics {

namespace {

using rt::scheduler_figures;

constexpr double second_ns = 1e9;

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
        out.buckets.push_back(
            i == 0 ? -infinity : static_cast<double>(rt::time_histogram::begin_of(i)) / second_ns);
        out.counts.push_back(h.count(i));
    }
    out.buckets.push_back(infinity);
    out.sum = static_cast<double>(h.sum_ns()) / second_ns;
    return out;
}

// A metric is a figure of the scheduler, a distribution, or what a function says.
struct source {
    std::uint64_t scheduler_figures::* figure = nullptr;
    times_of (*times)() = nullptr;
    std::uint64_t (*number)() = nullptr;
    bool in_seconds = false;  // the figure counts nanoseconds
    bool adds_up = false;     // all numbers before it, which are its parts
};

times_of latencies() {
    times_of h;
    h.add(rt::sched_latency);
    return h;
}

times_of all_stops(rt::time_histogram rt::stop_counters::* which) {
    times_of h;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rt::stop_reason::count); ++i)
        h.add(rt::stops_for(static_cast<rt::stop_reason>(i)).*which);
    return h;
}

times_of stopping() { return all_stops(&rt::stop_counters::stopping); }
times_of paused() { return all_stops(&rt::stop_counters::total); }

// The classes of memory: rota's own address space, each byte in one of them.
std::uint64_t stacks_free() { return rt::stack_bytes().not_handed_out; }
std::uint64_t stacks_used() { return rt::stack_bytes().handed_out; }
std::uint64_t profiling_tables() {
    const rt::runtime_entry inside;
    return rt::contention.blocked.mapped() + rt::contention.held.mapped();
}
std::uint64_t other_tables() {
    const std::uint64_t profiling = profiling_tables();
    const std::uint64_t all = rt::mapped_bytes();
    return (all > profiling ? all - profiling : 0) + rt::stack_bytes().tables;
}
std::uint64_t kernel_stacks() {
    // relaxed: a report
    return rt::shared_counts.stack_bytes.load(rt::memory_order_relaxed) + rt::signal_stack_bytes();
}

using f = scheduler_figures;

constexpr description names[] = {
    {"/memory/classes/heap/released:bytes",
     "Address space for stacks of goroutines to come, which is no memory yet, or not any more.",
     false},
    {"/memory/classes/heap/stacks:bytes",
     "Address space of goroutines' stacks, those kept for goroutines to come too; only pages that "
     "were touched are memory.",
     false},
    {"/memory/classes/metadata/other:bytes", "Address space of the scheduler's own tables.", false},
    {"/memory/classes/os-stacks:bytes",
     "Address space of the stacks of threads that the runtime has started, and of those on which "
     "signals are handled.",
     false},
    {"/memory/classes/profiling/buckets:bytes",
     "Address space of the tables of the block and the mutex profile.", false},
    {"/memory/classes/total:bytes",
     "All address space that the runtime has taken from the kernel: the sum of the others.", false},
    {"/rota/memory/tables:bytes", "Address space of the scheduler's own tables.", false},
    {"/rota/sched/global-gets:batches", "Batches taken from the global run queue.", true},
    {"/rota/sched/goroutines-stolen:goroutines", "Goroutines taken from other processors.", true},
    {"/rota/sched/handoffs:processors", "Processors taken from blocked system calls.", true},
    {"/rota/sched/parks:parks", "Times that a goroutine was put to sleep.", true},
    {"/rota/sched/preemptions:slices", "Time slices ended by request.", true},
    {"/rota/sched/steals:steals", "Successful raids of one processor on another.", true},
    {"/rota/sched/syscalls:calls", "Calls of rota::blocking.", true},
    {"/rota/sched/threads-created:threads", "Threads ever started.", true},
    {"/rota/sched/timers-run:timers", "Timers that have fired.", true},
    {"/rota/sched/wakeups:threads", "Idle threads woken.", true},
    {"/sched/gomaxprocs:threads", "The current GOMAXPROCS: how many goroutines run at once.",
     false},
    {"/sched/goroutines-created:goroutines", "Goroutines created since the process began.", true},
    {"/sched/goroutines/not-in-go:goroutines",
     "Goroutines in blocking calls, or that go on without a processor.", false},
    {"/sched/goroutines/runnable:goroutines", "Goroutines that wait for a processor.", false},
    {"/sched/goroutines/running:goroutines", "Goroutines that run.", false},
    {"/sched/goroutines/waiting:goroutines", "Goroutines that wait for something.", false},
    {"/sched/goroutines:goroutines", "Goroutines that exist.", false},
    {"/sched/latencies:seconds",
     "Time that goroutines have been runnable before they ran; one of 64 is counted.", true},
    {"/sched/pauses/stopping/other:seconds", "Time from the wish to stop the world until it stood.",
     true},
    {"/sched/pauses/total/other:seconds", "Time from that wish until the world went on.", true},
    {"/sched/threads/total:threads", "Threads that the runtime schedules on, and its monitor.",
     false},
    {"/sync/mutex/wait/total:seconds", "Time that goroutines have waited for locks, all together.",
     true},
};

constexpr source sources[] = {
    {.number = stacks_free},
    {.number = stacks_used},
    {.number = other_tables},
    {.number = kernel_stacks},
    {.number = profiling_tables},
    {.adds_up = true},
    {.number = [] { return std::uint64_t{rt::mapped_bytes()}; }},
    {&f::global_gets},
    {&f::stolen},
    {&f::handoffs},
    {&f::parks},
    {&f::preemptions},
    {&f::steals},
    {&f::syscalls},
    {&f::threads_created},
    {&f::timers_run},
    {&f::wakeups},
    {&f::gomaxprocs},
    {&f::created},
    {&f::not_in_go},
    {&f::runnable},
    {&f::running},
    {&f::waiting},
    {&f::goroutines},
    {.times = latencies},
    {.times = stopping},
    {.times = paused},
    {&f::threads},
    {.figure = &f::lock_wait_ns, .in_seconds = true},
};
static_assert(std::size(names) == std::size(sources));

}  // namespace

std::span<const description> all() { return names; }

std::vector<sample> read() {
    const scheduler_figures now = rt::read_figures();
    std::vector<sample> result;
    result.reserve(std::size(names));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < std::size(names); ++i) {
        const source& s = sources[i];
        sample one{names[i].name, std::uint64_t{0}};
        if (s.times != nullptr) one.value = copy_of(s.times());
        else if (s.adds_up) one.value = sum;
        else if (s.number != nullptr) sum += std::get<std::uint64_t>(one.value = s.number());
        else if (s.in_seconds) one.value = static_cast<double>(now.*s.figure) / second_ns;
        else one.value = now.*s.figure;
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace rota::metrics
