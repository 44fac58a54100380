// rota::metrics::read: one table of names, and where each value comes from.
#include <rota/metrics.hpp>

#include <iterator>
#include <limits>

#include "diag/figures.hpp"
#include "mem/mapped.hpp"
#include "sched/stw.hpp"
#include "trace/counters.hpp"

namespace rota::metrics {

namespace {

using rt::scheduler_figures;

constexpr double second_ns = 1e9;

histogram copy_of(const rt::time_histogram& h) {
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
    const rt::time_histogram& (*times)() = nullptr;
    std::uint64_t (*number)() = nullptr;
    bool in_seconds = false;  // the figure counts nanoseconds
};

const rt::time_histogram& latencies() { return rt::sched_latency; }
const rt::time_histogram& stopping() { return rt::stops_for(rt::stop_reason::gomaxprocs).stopping; }
const rt::time_histogram& paused() { return rt::stops_for(rt::stop_reason::gomaxprocs).total; }

using f = scheduler_figures;

constexpr description names[] = {
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
    for (std::size_t i = 0; i < std::size(names); ++i) {
        const source& s = sources[i];
        sample one{names[i].name, std::uint64_t{0}};
        if (s.times != nullptr) one.value = copy_of(s.times());
        else if (s.number != nullptr) one.value = s.number();
        else if (s.in_seconds) one.value = static_cast<double>(now.*s.figure) / second_ns;
        else one.value = now.*s.figure;
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace rota::metrics
