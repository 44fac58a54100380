// rota::metrics: names, values that change as they must, and the text for Prometheus.
#include <rota/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include <signal.h>
#include <unistd.h>

#include <rota/pprof.hpp>
#include <rota/trace.hpp>

#include "anywhere.hpp"
#include "exposition.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

using metric_values =
    std::map<std::string, std::variant<std::uint64_t, double, rota::metrics::histogram>,
             std::less<>>;

metric_values all_metrics() {
    metric_values result;
    for (auto& s : rota::metrics::read()) result[std::string(s.name)] = std::move(s.value);
    return result;
}

std::uint64_t metric(std::string_view name) {
    const metric_values all = all_metrics();
    const auto found = all.find(name);
    if (found == all.end()) {
        ADD_FAILURE() << "no metric " << name;
        return 0;
    }
    return std::get<std::uint64_t>(found->second);
}

std::uint64_t count_of(std::string_view name) {
    const metric_values all = all_metrics();
    const auto& h = std::get<rota::metrics::histogram>(all.find(name)->second);
    std::uint64_t n = 0;
    for (const std::uint64_t c : h.counts) n += c;
    return n;
}

// The value of a line `name value`; -1 if there is none.
double exposed(const std::string& text, const std::string& name) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(name + " ", 0) == 0) return std::stod(line.substr(name.size() + 1));
    }
    return -1;
}

struct thread_figures {
    std::uint64_t created, stacks;
    bool operator==(const thread_figures&) const = default;
};

thread_figures read_thread_figures() {
    return {metric("/rota/sched/threads-created:threads"),
            metric("/memory/classes/os-stacks:bytes")};
}

// The figures of threads once they have been constant for a while. They are read one after another.
// A thread counts from its start, and gets its signal stack a moment later.
thread_figures thread_figures_at_rest() {
    thread_figures last = read_thread_figures();
    for (int same = 0; same < 20; ++same) {
        rota::sleep_for(1ms);
        const thread_figures now = read_thread_figures();
        if (now != last) same = 0;
        last = now;
    }
    return last;
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// /cpu/classes, and the test's own clock before and after.
struct processor_look {
    double begun, total, user, idle, gc, scavenge, ended;
};

processor_look look_at_processors() {
    processor_look l{};
    l.begun = seconds_now();
    const metric_values all = all_metrics();
    l.ended = seconds_now();
    const auto value = [&all](const char* name) {
        return std::get<double>(all.at(std::string("/cpu/classes/") + name + ":cpu-seconds"));
    };
    l.total = value("total");
    l.user = value("user");
    l.idle = value("idle");
    l.gc = value("gc/total");
    l.scavenge = value("scavenge/total");
    return l;
}

// The names of Go 1.27's runtime/metrics, for the classes of which rota has any.
constexpr std::string_view go_s_names =
    "/cpu/classes/gc/mark/assist:cpu-seconds /cpu/classes/gc/mark/dedicated:cpu-seconds "
    "/cpu/classes/gc/mark/idle:cpu-seconds /cpu/classes/gc/pause:cpu-seconds "
    "/cpu/classes/gc/total:cpu-seconds /cpu/classes/idle:cpu-seconds "
    "/cpu/classes/scavenge/assist:cpu-seconds /cpu/classes/scavenge/background:cpu-seconds "
    "/cpu/classes/scavenge/total:cpu-seconds /cpu/classes/total:cpu-seconds "
    "/cpu/classes/user:cpu-seconds /gc/cycles/automatic:gc-cycles /gc/cycles/forced:gc-cycles "
    "/gc/cycles/total:gc-cycles /gc/pauses:seconds /gc/stack/starting-size:bytes "
    "/memory/classes/heap/free:bytes /memory/classes/heap/objects:bytes "
    "/memory/classes/heap/released:bytes /memory/classes/heap/stacks:bytes "
    "/memory/classes/heap/unused:bytes /memory/classes/metadata/mcache/free:bytes "
    "/memory/classes/metadata/mcache/inuse:bytes /memory/classes/metadata/mspan/free:bytes "
    "/memory/classes/metadata/mspan/inuse:bytes /memory/classes/metadata/other:bytes "
    "/memory/classes/os-stacks:bytes /memory/classes/other:bytes "
    "/memory/classes/profiling/buckets:bytes /memory/classes/total:bytes "
    "/sched/gomaxprocs:threads /sched/goroutines-created:goroutines "
    "/sched/goroutines/not-in-go:goroutines /sched/goroutines/runnable:goroutines "
    "/sched/goroutines/running:goroutines /sched/goroutines/waiting:goroutines "
    "/sched/goroutines:goroutines /sched/latencies:seconds /sched/pauses/stopping/gc:seconds "
    "/sched/pauses/stopping/other:seconds /sched/pauses/total/gc:seconds "
    "/sched/pauses/total/other:seconds /sched/threads/total:threads "
    "/sync/mutex/wait/total:seconds";

}  // namespace

TEST_ANYWHERE(metrics, are_all_there_under_their_descriptions) {
    // A name could have no value, or the values of two names could be swapped.
    const auto described = rota::metrics::all();
    const auto samples = rota::metrics::read();
    ASSERT_EQ(described.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        EXPECT_EQ(described[i].name, samples[i].name);
        EXPECT_FALSE(described[i].text.empty());
        const auto colon = samples[i].name.find(':');
        EXPECT_NE(colon, std::string_view::npos) << samples[i].name;
        EXPECT_EQ(std::holds_alternative<rota::metrics::histogram>(samples[i].value),
                  samples[i].name.find("latencies") != std::string_view::npos ||
                      samples[i].name.find("pauses") != std::string_view::npos);
    }
}

TEST_ANYWHERE(metrics, count_goroutines_by_what_they_do) {
    // Waiting goroutines could be counted as running, or not be counted.
    constexpr int waiting = 30;
    const std::uint64_t created = metric("/sched/goroutines-created:goroutines");
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    for (int i = 0; i < waiting; ++i) wg.go([ch] { ch.recv(); });
    EXPECT_TRUE(eventually([&] {
        return metric("/sched/goroutines/waiting:goroutines") >= waiting;
    })) << scheduler_state();
    EXPECT_GE(metric("/sched/goroutines-created:goroutines"), created + waiting);
    EXPECT_GE(metric("/sched/goroutines:goroutines"), static_cast<std::uint64_t>(waiting));
    if (rota::runtime::goid() != 0) {
        EXPECT_GE(metric("/sched/goroutines/running:goroutines"), 1u);
    }
    EXPECT_LE(metric("/sched/goroutines/running:goroutines"), metric("/sched/gomaxprocs:threads"));
    ch.close();
    wg.wait();
}

TEST(metrics, count_goroutines_in_blocking_calls) {
    // A call that lasts could be taken for a running goroutine.
    rota::run([] {
        std::atomic<bool> entered{false}, leave{false};
        rota::wait_group wg;
        wg.go([&] {
            rota::blocking([&] {
                entered = true;
                // Between looks; the test sets `leave`, or patience ends.
                const auto until = std::chrono::steady_clock::now() + 2 * patience;
                while (!leave && std::chrono::steady_clock::now() < until)
                    std::this_thread::sleep_for(1ms);
            });
        });
        EXPECT_TRUE(eventually([&] {
            return entered && metric("/sched/goroutines/not-in-go:goroutines") >= 1;
        })) << scheduler_state();
        leave = true;
        wg.wait();
    });
}

TEST(metrics, count_goroutines_that_wait_for_a_processor) {
    // Queued goroutines could be missed: an overload would look like rest.
    rota::run([] {
        const int before = rota::runtime::gomaxprocs(1);
        // While the machine delays this thread, other goroutines may get the processor and empty
        // the queue.
        EXPECT_TRUE(eventually([] {
            rota::wait_group wg;
            for (int i = 0; i < 20; ++i) wg.go([] {});
            const std::uint64_t runnable = metric("/sched/goroutines/runnable:goroutines");
            wg.wait();
            return runnable >= 20;
        })) << scheduler_state();
        rota::runtime::gomaxprocs(before);
    });
}

namespace {

// How often each state stands in a dump of the goroutines.
std::map<std::string, int> states_told() {
    const std::string dump = rota::runtime::stack(true);
    std::map<std::string, int> count;
    for (std::size_t at = dump.find("\n\ngoroutine "); at != dump.npos;
         at = dump.find("\n\ngoroutine ", at + 1)) {
        const std::size_t begin = dump.find('[', at) + 1;
        ++count[dump.substr(begin, dump.find_first_of(",]", begin) - begin)];
    }
    return count;
}

}  // namespace

TEST(metrics, tell_of_goroutines_that_were_stopped_where_they_computed) {
    // Goroutines that share too few processors, and never enter the runtime, could be reported as
    // in a system call. An overload would then look like waiting for the kernel, and no wait for a
    // processor would be measured.
    if (rota_test::under_tsan) {
        std::puts("no thread is stopped under tsan");
        return;
    }
    rota::run([] {
        const int before = rota::runtime::gomaxprocs(2);
        const std::uint64_t timed = count_of("/sched/latencies:seconds");
        constexpr int hogs = 10;
        std::atomic<bool> over{false};
        rota::wait_group wg;
        for (int i = 0; i < hogs; ++i)
            wg.go([&over] {
                while (!over.load(std::memory_order_relaxed)) {
                }
            });
        EXPECT_TRUE(eventually([] {
            return metric("/sched/goroutines/runnable:goroutines") >= hogs - 3 &&
                   metric("/sched/goroutines/running:goroutines") <= 2;
        })) << scheduler_state();
        // A thread on its way into the line waits for the line's lock.
        std::map<std::string, int> told;
        EXPECT_TRUE(eventually([&] {
            told = states_told();
            const int preempted = told["preempted"], running = told["running"];
            return preempted >= hogs / 2 && told["syscall"] == 0 &&
                   preempted + running + told["runnable"] >= hogs;
        })) << told["preempted"]
            << " preempted, " << told["running"] << " running, " << told["runnable"]
            << " runnable, " << told["syscall"] << " in system calls";
        EXPECT_TRUE(eventually([&] { return count_of("/sched/latencies:seconds") > timed + 4; }))
            << "nobody's wait is timed";
        over = true;
        wg.wait();
        rota::runtime::gomaxprocs(before);
    });
}

TEST(metrics, measure_how_long_goroutines_wait_for_a_processor) {
    // The runtime could time no goroutine, or every goroutine, which would cost a look at the clock
    // each time.
    rota::run([] {
        constexpr std::uint64_t rounds = 20'000, period = 64;
        const std::uint64_t before = count_of("/sched/latencies:seconds");
        auto ping = rota::make_chan<int>(), pong = rota::make_chan<int>();
        rota::wait_group wg;
        wg.go([&] {
            while (ping.recv()) pong.send(1);
        });
        for (std::uint64_t i = 0; i < rounds; ++i) {
            ping.send(1);
            pong.recv();
        }
        ping.close();
        wg.wait();
        const std::uint64_t timed = count_of("/sched/latencies:seconds") - before;
        EXPECT_GE(timed, rounds / period / 2) << scheduler_state();
        EXPECT_LE(timed, rounds);
    });
}

TEST(metrics, time_goroutines_that_threads_without_a_processor_make_runnable) {
    // A thread of the program's own wakes goroutines, and the runtime could time none of them: a
    // service with work from such threads would show no latencies. While the thread wakes them, the
    // goroutines do nothing that is timed: each of their changes is a park.
    rota::run([] {
        constexpr std::uint64_t rounds = 6'400, period = 64;
        auto work = rota::make_chan<int>();
        std::atomic<std::uint64_t> done{0};
        rota::wait_group wg;
        wg.go([&] {
            while (work.recv()) ++done;
        });
        const std::uint64_t before = count_of("/sched/latencies:seconds");
        auto ended = rota::make_chan<int>();
        std::thread feeder([&] {
            for (std::uint64_t i = 0; i < rounds; ++i) work.send(1);
            work.close();
            ended.send(1);
        });
        ended.recv();
        feeder.join();
        wg.wait();
        EXPECT_EQ(done, rounds);
        // Not each send wakes: the receiver may still be awake when the next value comes.
        const std::uint64_t timed = count_of("/sched/latencies:seconds") - before;
        EXPECT_GE(timed, 3u) << "of " << rounds / period << " at most\n" << scheduler_state();
        EXPECT_LE(timed, rounds);
    });
}

TEST(metrics, know_the_memory_of_stacks) {
    // Stacks could be missed or counted twice, or reserved memory be taken for used memory. The
    // second source is the kernel: the classes together are a part of the process's address space.
    rota::run([] {
        constexpr int goroutines = 40;
        constexpr std::size_t stack = 4 << 20;
        const std::uint64_t before = metric("/memory/classes/heap/stacks:bytes");
        auto ch = rota::make_chan<int>();
        rota::wait_group wg;
        wg.add(goroutines);
        for (int i = 0; i < goroutines; ++i) {
            rota::go({.stack_size = stack}, [&wg, ch] {
                ch.recv();
                wg.done();
            });
        }
        const std::uint64_t after = metric("/memory/classes/heap/stacks:bytes");
        // The program may already have kept stacks of this size for the goroutines, at most for
        // each of them.
        EXPECT_GE(after, std::uint64_t{goroutines} * stack);
        // sysmon may meanwhile have given back stacks of other tests.
        EXPECT_LE(after, before + std::uint64_t{goroutines} * 2 * stack);
        const metric_values all = all_metrics();
        std::uint64_t sum = 0;
        for (const auto& [name, value] : all) {
            if (name.starts_with("/memory/classes/") && name != "/memory/classes/total:bytes")
                sum += std::get<std::uint64_t>(value);
        }
        const auto total = std::get<std::uint64_t>(all.at("/memory/classes/total:bytes"));
        EXPECT_EQ(total, sum);
        const double process = exposed(rota::metrics::prometheus(), "process_virtual_memory_bytes");
        if (process > 0) {
            EXPECT_LE(static_cast<double>(total), process);
        }
        ch.close();
        wg.wait();
    });
}

TEST(metrics, know_the_memory_of_threads) {
    // Threads' stacks could be missed, or those of the program's own threads be counted too. Each
    // thread that the runtime starts has the same amount.
    rota::run([] {
        bool agree = false;
        std::uint64_t started = 0, more = 0;
        // A thread that the machine delays at the beginning may get its signal stack later, and
        // then counts only on one side. A wrong count shows each time.
        for (int tries = 0; tries < 5 && !agree; ++tries) {
            const thread_figures before = thread_figures_at_rest();
            std::atomic<int> inside{0};
            std::atomic<std::size_t> signal_stack{0};  // 0: not the runtime's
            std::atomic<bool> leave{false};
            rota::wait_group wg;
            const int blocked = static_cast<int>(metric("/sched/threads/total:threads")) + 8;
            for (int i = 0; i < blocked; ++i) {
                wg.go([&] {
                    rota::blocking([&] {
                        stack_t its{};
                        if (::sigaltstack(nullptr, &its) == 0 && its.ss_size == 256 << 10)
                            signal_stack = its.ss_size;
                        ++inside;
                        // Between looks; the test sets `leave`, or patience ends.
                        const auto until = std::chrono::steady_clock::now() + 2 * patience;
                        while (!leave && std::chrono::steady_clock::now() < until)
                            std::this_thread::sleep_for(1ms);
                    });
                });
            }
            EXPECT_TRUE(eventually([&] { return inside == blocked; })) << scheduler_state();
            const auto until = std::chrono::steady_clock::now() + patience / 10;
            do {
                const thread_figures now = read_thread_figures();
                started = now.created - before.created;
                more = now.stacks - before.stacks;
                // The stacks from the kernel also hold the C library's data, the same amount on
                // each.
                const std::uint64_t each = started > 0 ? more / started : 0;
                agree = started > 0 && more % started == 0 && each >= (256 << 10) + signal_stack &&
                        each <= (512 << 10) + signal_stack;
                give_way();
            } while (!agree && std::chrono::steady_clock::now() < until);
            leave = true;
            wg.wait();
        }
        EXPECT_TRUE(agree) << started << " threads have " << more << '\n' << scheduler_state();
    });
}

TEST(metrics, know_the_memory_of_traces_and_of_processors) {
    // Buffers of a trace could be counted as tables of the scheduler, and removed processors as
    // existing ones.
    rota::run([] {
        const auto path = std::filesystem::temp_directory_path() /
                          ("rota_memory_" + std::to_string(::getpid()) + ".trace");
        rota::trace::start(path);
        EXPECT_GE(metric("/memory/classes/other:bytes"), 64u << 10);
        rota::trace::stop();
        std::filesystem::remove(path);
        const int before = rota::runtime::gomaxprocs(6);
        const std::uint64_t six = metric("/memory/classes/metadata/mcache/inuse:bytes");
        const std::uint64_t gone = metric("/memory/classes/metadata/mcache/free:bytes");
        rota::runtime::gomaxprocs(2);
        const std::uint64_t two = metric("/memory/classes/metadata/mcache/inuse:bytes");
        EXPECT_EQ(six, 3 * two);
        EXPECT_GT(two, 0u);
        EXPECT_EQ(metric("/memory/classes/metadata/mcache/free:bytes"), gone + six - two);
        EXPECT_GT(metric("/memory/classes/metadata/mspan/inuse:bytes"), 0u);
        rota::runtime::gomaxprocs(before);
    });
}

TEST(metrics, know_the_memory_of_profiles) {
    // The memory of the block profile could be counted as tables of the scheduler, or not at all.
    rota::run([] {
        rota::pprof::set_block_profile_rate(1);
        auto ch = rota::make_chan<int>();
        rota::wait_group wg;
        wg.go([ch] { ch.recv(); });
        rota::runtime::gosched();
        ch.send(1);
        wg.wait();
        ch.close();
        rota::pprof::set_block_profile_rate(0);
        EXPECT_TRUE(eventually([] {
            return metric("/memory/classes/profiling/buckets:bytes") >= 4096;
        })) << metric("/memory/classes/profiling/buckets:bytes");
        EXPECT_GE(metric("/rota/memory/tables:bytes"),
                  metric("/memory/classes/profiling/buckets:bytes"));
    });
}

TEST(metrics, have_no_names_that_mean_nothing_here) {
    // A figure of Go's heap that is always 0 would say that the program has no memory. A name that
    // Go does not have must not look like a name of Go's.
    for (const auto& d : rota::metrics::all()) {
        const std::string name(d.name);
        EXPECT_TRUE(name.starts_with("/rota/") || name.starts_with("/sched/") ||
                    name.starts_with("/sync/") || name.starts_with("/memory/classes/") ||
                    name.starts_with("/cpu/classes/") || name.starts_with("/gc/cycles/") ||
                    name == "/gc/pauses:seconds" || name == "/gc/stack/starting-size:bytes")
            << name;
        if (!name.starts_with("/rota/")) {
            EXPECT_NE(go_s_names.find(name), std::string_view::npos) << name;
        }
    }
    std::istringstream go_s{std::string(go_s_names)};
    for (std::string name; go_s >> name;)
        EXPECT_TRUE(std::ranges::any_of(rota::metrics::all(), [&](const auto& d) {
            return d.name == name;
        })) << name;
    EXPECT_TRUE(std::is_sorted(rota::metrics::all().begin(), rota::metrics::all().end(),
                               [](const auto& a, const auto& b) { return a.name < b.name; }))
        << "Go sorts by name";
}

TEST(metrics, know_that_nothing_collects) {
    // A user who asks whether collections make a program slow would get no answer, or a wrong
    // answer.
    const metric_values all = all_metrics();
    for (const char* const name :
         {"/gc/cycles/automatic:gc-cycles", "/gc/cycles/forced:gc-cycles",
          "/gc/cycles/total:gc-cycles", "/memory/classes/heap/objects:bytes"})
        EXPECT_EQ(std::get<std::uint64_t>(all.at(name)), 0u) << name;
    for (const char* const name :
         {"/cpu/classes/gc/mark/assist:cpu-seconds", "/cpu/classes/gc/mark/dedicated:cpu-seconds",
          "/cpu/classes/gc/mark/idle:cpu-seconds", "/cpu/classes/gc/pause:cpu-seconds",
          "/cpu/classes/gc/total:cpu-seconds"})
        EXPECT_EQ(std::get<double>(all.at(name)), 0.0) << name;
    for (const char* const name : {"/gc/pauses:seconds", "/sched/pauses/stopping/gc:seconds",
                                   "/sched/pauses/total/gc:seconds"}) {
        EXPECT_EQ(count_of(name), 0u) << name;
        EXPECT_EQ(std::get<rota::metrics::histogram>(all.at(name)).counts.size(), 162u) << name;
    }
    EXPECT_EQ(metric("/gc/stack/starting-size:bytes"), 256u << 10);
}

TEST(metrics, add_up_the_time_of_processors) {
    // The value of GOMAXPROCS could be forgotten when it changes, or the classes could be
    // incomplete. The test looks at its own clock before and after each look at rota's.
    rota::run([] {
        const int before = rota::runtime::gomaxprocs(3);
        const processor_look a = look_at_processors();
        rota::sleep_for(2ms);
        const processor_look b = look_at_processors();
        rota::runtime::gomaxprocs(1);
        const processor_look c = look_at_processors();
        rota::sleep_for(2ms);
        const processor_look d = look_at_processors();
        rota::runtime::gomaxprocs(before);
        constexpr double rounding = 1e-6;
        EXPECT_GE(b.total - a.total, 3 * (b.begun - a.ended) - rounding);
        EXPECT_LE(b.total - a.total, 3 * (b.ended - a.begun) + rounding);
        EXPECT_GE(c.total - b.total, c.begun - b.ended - rounding);
        EXPECT_LE(c.total - b.total, 3 * (c.ended - b.begun) + rounding);
        EXPECT_GE(d.total - c.total, d.begun - c.ended - rounding);
        EXPECT_LE(d.total - c.total, d.ended - c.begun + rounding);
        for (const processor_look* const l : {&a, &b, &c, &d}) {
            EXPECT_NEAR(l->user + l->idle + l->gc + l->scavenge, l->total, rounding);
            EXPECT_LE(l->idle, l->total + rounding);
        }
        EXPECT_GE(b.idle, a.idle);
        EXPECT_GE(d.idle, c.idle);
    });
}

TEST(metrics, know_which_processors_are_idle) {
    // A sleeping processor could count as busy, or a computing processor as idle. The machine may
    // delay threads that look for work, or take processors from threads that compute: the expected
    // result comes once.
    rota::run([] {
        const int before = rota::runtime::gomaxprocs(2);
        EXPECT_TRUE(eventually([] {
            const processor_look a = look_at_processors();
            rota::sleep_for(3ms);
            const processor_look b = look_at_processors();
            return b.idle - a.idle >= b.begun - a.ended;
        })) << scheduler_state();
        rota::runtime::gomaxprocs(1);
        EXPECT_TRUE(eventually([] {
            const processor_look a = look_at_processors();
            while (seconds_now() < a.ended + 100e-6) {
            }
            const processor_look b = look_at_processors();
            rota::runtime::gosched();
            return b.idle == a.idle && b.user - a.user >= 99e-6;
        })) << scheduler_state();
        rota::runtime::gomaxprocs(before);
    });
}

TEST(metrics, have_go_s_boundaries) {
    // Dashboards and tools that know Go's buckets would misread every value.
    const metric_values all = all_metrics();
    const auto& h = std::get<rota::metrics::histogram>(all.at("/sched/latencies:seconds"));
    ASSERT_EQ(h.buckets.size(), 163u);
    ASSERT_EQ(h.counts.size(), 162u);
    EXPECT_EQ(h.buckets.front(), -HUGE_VAL);
    EXPECT_EQ(h.buckets[1], 0.0);
    EXPECT_EQ(h.buckets[2], 64e-9);
    EXPECT_EQ(h.buckets[3], 128e-9);
    EXPECT_EQ(h.buckets[161], 140737.488355328);
    EXPECT_EQ(h.buckets.back(), HUGE_VAL);
    EXPECT_TRUE(std::is_sorted(h.buckets.begin(), h.buckets.end()));
}

TEST(metrics, count_stops_of_the_world_for_traces) {
    // The world stands still where a trace begins and ends, and a figure must say so.
    rota::run([] {
        const std::uint64_t before = count_of("/sched/pauses/total/other:seconds");
        const auto path = std::filesystem::temp_directory_path() /
                          ("rota_metrics_" + std::to_string(::getpid()) + ".trace");
        rota::trace::start(path);
        rota::trace::stop();
        std::filesystem::remove(path);
        EXPECT_GE(count_of("/sched/pauses/total/other:seconds"), before + 1);
    });
}

TEST(metrics, count_stops_of_the_world) {
    // A pause could be missed, or counted as a wait.
    rota::run([] {
        const std::uint64_t before = count_of("/sched/pauses/total/other:seconds");
        const int procs = rota::runtime::gomaxprocs(0);
        rota::runtime::gomaxprocs(procs + 1);
        rota::runtime::gomaxprocs(procs);
        EXPECT_GE(count_of("/sched/pauses/total/other:seconds"), before + 2);
        EXPECT_GE(count_of("/sched/pauses/stopping/other:seconds"), before + 2);
    });
}

TEST(metrics, add_up_the_time_that_locks_were_waited_for) {
    // A contended lock could cost nothing in the figures.
    rota::run([] {
        const auto waited = [] {
            return std::get<double>(all_metrics().at("/sync/mutex/wait/total:seconds"));
        };
        const double before = waited();
        rota::mutex mu;
        mu.lock();
        rota::wait_group wg;
        wg.go([&] {
            mu.lock();
            mu.unlock();
        });
        rota::sleep_for(20ms);
        mu.unlock();
        wg.wait();
        // The goroutine has begun to wait during the 20 ms, unless the machine had no time for it.
        EXPECT_GE(waited(), before);
        rota::shared_mutex shared;
        std::atomic<bool> waits{false};
        const double between = waited();
        for (int i = 0; i < 50 && waited() == between; ++i) {
            shared.lock();
            waits = false;
            wg.go([&] {
                waits = true;
                shared.lock_shared();
                shared.unlock_shared();
            });
            EXPECT_TRUE(eventually([&] { return waits.load(); }));
            rota::sleep_for(2ms);
            shared.unlock();
            wg.wait();
        }
        EXPECT_GT(waited(), between);
    });
}

TEST_ANYWHERE(prometheus, text_has_the_names_of_go_s_client) {
    // Otherwise boards that ask for go_goroutines would stay empty.
    const std::string text = rota::metrics::prometheus();
    EXPECT_GE(exposed(text, "go_goroutines"), rota::runtime::goid() != 0 ? 1 : 0) << text;
    EXPECT_GE(exposed(text, "go_threads"), 1) << text;
    EXPECT_EQ(exposed(text, "go_sched_gomaxprocs_threads"), rota::runtime::gomaxprocs(0)) << text;
    for (const char* const name :
         {"go_sched_goroutines_created_goroutines_total", "go_sched_latencies_seconds_sum",
          "go_sched_latencies_seconds_count", "rota_sched_steals_steals_total",
          "go_sync_mutex_wait_total_seconds_total", "process_cpu_seconds_total", "process_open_fds",
          "process_max_fds", "process_resident_memory_bytes", "process_virtual_memory_bytes",
          "process_start_time_seconds"})
        EXPECT_GE(exposed(text, name), 0) << name << " in\n" << text;
}

TEST_ANYWHERE(prometheus, text_is_what_the_format_asks_for) {
    // A scraper refuses the whole text for a sample without a type, a family in two places, buckets
    // that go down, or a missing +Inf.
    const exposition text(rota::metrics::prometheus());
    EXPECT_EQ(text.complaint(), "");
    EXPECT_GE(text.families().size(), 60u);
    EXPECT_EQ(text.families().at("go_sched_latencies_seconds"), "histogram");
    EXPECT_EQ(text.families().at("go_gc_duration_seconds"), "summary");
    EXPECT_EQ(text.families().at("go_memstats_sys_bytes"), "gauge");
}

TEST(prometheus, what_the_format_forbids_is_seen) {
    // With a lenient checker the test above would accept any text.
    const std::string head = "# HELP a_total A.\n# TYPE a_total counter\n";
    const std::string h = "# HELP h H.\n# TYPE h histogram\n";
    EXPECT_EQ(exposition(head + "a_total 1\n").complaint(), "");
    EXPECT_EQ(exposition(h + "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 4\nh_count 3\n")
                  .complaint(),
              "");
    for (const std::string& wrong :
         {head, head + "a_total 1", head + "b_total 1\n", head + "a_total x\n",
          head + "a_total -1\n", head + "a_total{x=y} 1\n", head + "\na_total 1\n",
          head + "a_total 1\n" + head + "a_total 1\n", std::string("a_total 1\n"),
          std::string("# TYPE a_total counter\n# HELP a_total A.\na_total 1\n"),
          std::string("# HELP a A.\n# TYPE a counter\na 1\n"),
          h + "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 4\nh_count 1\n",
          h + "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 4\nh_count 2\n",
          h + "h_bucket{le=\"1\"} 2\nh_sum 4\nh_count 2\n",
          h + "h_bucket{le=\"2\"} 1\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 4\n"
              "h_count 3\n"})
        EXPECT_NE(exposition(wrong).complaint(), "") << wrong;
}

TEST(prometheus, memory_has_the_names_of_go_s_client) {
    // A board of memory could stay empty, or show sums that differ from their classes.
    const std::string text = rota::metrics::prometheus();
    const auto bytes = [&text](const char* name) {
        return exposed(text, "go_memory_classes_" + std::string(name) + "_bytes");
    };
    EXPECT_GT(bytes("total"), 0);
    EXPECT_EQ(exposed(text, "go_memstats_sys_bytes"), bytes("total"));
    EXPECT_EQ(exposed(text, "go_memstats_stack_inuse_bytes"), bytes("heap_stacks"));
    EXPECT_EQ(exposed(text, "go_memstats_stack_sys_bytes"),
              bytes("heap_stacks") + bytes("os_stacks"));
    EXPECT_EQ(exposed(text, "go_memstats_heap_sys_bytes"), bytes("heap_released"));
    EXPECT_EQ(exposed(text, "go_memstats_mcache_sys_bytes"),
              bytes("metadata_mcache_inuse") + bytes("metadata_mcache_free"));
    EXPECT_EQ(exposed(text, "go_memstats_gc_sys_bytes"), bytes("metadata_other"));
    // These names would be wrong about the program's own heap.
    for (const char* const name : {"alloc_bytes", "mallocs_total", "heap_objects", "next_gc_bytes"})
        EXPECT_EQ(exposed(text, std::string("go_memstats_") + name), -1) << name;
    EXPECT_NE(text.find("\ngo_info{version=\"rota 0."), std::string::npos);
}

TEST(prometheus, histograms_have_the_bounds_of_go_s_client) {
    // Otherwise a board that adds up processes would find different buckets in each.
    const std::string text = rota::metrics::prometheus();
    for (const char* const bound :
         {"6.399999999999999e-08", "6.399999999999999e-07", "7.167999999999999e-06",
          "8.191999999999999e-05", "0.0009175039999999999", "0.010485759999999998",
          "0.11744051199999998", "+Inf"}) {
        const std::string bucket =
            std::string("go_sched_latencies_seconds_bucket{le=\"") + bound + "\"} ";
        EXPECT_NE(text.find(bucket), std::string::npos) << bucket << " in\n" << text;
    }
}
