// Checks traces in a process with many goroutines, and in a process that runs short of memory.
//
// What could go wrong: a generation stops the world for a time that grows with the number of
// goroutines. A buffer that the kernel refuses ends the program instead of the trace. The file that
// remains is not a valid trace, or no trace can be started afterwards.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/rota.hpp>
#include <rota/trace.hpp>

#include "../../death_tests.hpp"
#include "../../gomaxprocs_restored.hpp"
#include "base/fatal.hpp"
#include "core/sched.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/trace_rest.hpp"
#include "sched/world/stw.hpp"
#include "sys/call/fault.hpp"

namespace {

namespace fs = std::filesystem;

class trace_file_name {
  public:
    ~trace_file_name() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    const std::string& path() const { return path_; }
    std::uintmax_t size() const { return fs::file_size(path_); }
    static std::string of(::pid_t pid) { return "/tmp/rota_trace_unit_" + std::to_string(pid); }

  private:
    const std::string path_ = of(::getpid());
};

// relaxed: the counter belongs to a stop for which this goroutine has waited
std::uint64_t stop_figure(const rota::rt::atomic<std::uint64_t>& counter) {
    return counter.load(rota::rt::memory_order_relaxed);
}

// Each step is a generation and a stop.
std::int64_t least_pause_ns(int steps) {
    const rota::rt::stop_counters& c = rota::rt::stops_for(rota::rt::stop_reason::trace);
    std::int64_t least = INT64_MAX;
    for (int i = 0; i < steps; ++i) {
        const std::uint64_t stops = stop_figure(c.stops), ns = stop_figure(c.paused_ns);
        rota::trace::flight_recorder box;
        box.start();
        const auto mean = (stop_figure(c.paused_ns) - ns) / (stop_figure(c.stops) - stops);
        least = std::min(least, static_cast<std::int64_t>(mean));
    }
    return least;
}

TEST(trace_session, tells_of_many_goroutines_in_each_generation) {
#if ROTA_ASAN || ROTA_TSAN
    constexpr int count = 1'000;
#else
    constexpr int count = 200'000;
#endif
    const trace_file_name file;
    std::int64_t few = 0, many = 0;
    rota::run([&] {
        rota::trace::start(file.path());
        few = least_pause_ns(5);
        auto gate = rota::make_chan<int>();
        rota::wait_group all;
        for (int i = 0; i < count; ++i) all.go([gate] { gate.recv(); });
        many = least_pause_ns(5);
        rota::trace::stop();
        gate.close();
        all.wait();
    });
    std::printf("shortest stop for a generation: %lld ns, and %lld ns with %d goroutines\n",
                static_cast<long long>(few), static_cast<long long>(many), count);
    EXPECT_GE(file.size(), std::uintmax_t{5} * 14 * count);  // each generation names them all
}

// Whether the goroutine of the trace rests; and, below, how many processors have timers.
bool is_resting() {
    const rota::rt::runtime_entry inside;
    const rota::rt::lock_guard guard(rota::rt::sched.mu);
    return rota::rt::is_trace_resting();
}
int procs_with_timers() {
    int n = 0;
    for (std::int32_t i = 0; i < rota::rt::proc_count(); ++i)
        n += rota::rt::sched.allp[i]->timers.earliest_hint() != 0;
    return n;
}

// Yields instead of setting a timer: the test observes waits of goroutines. False after a
// minute.
bool comes_while_yielding(auto is_so) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_so()) {
        if (std::chrono::steady_clock::now() > until) return false;
        rota::runtime::gosched();
    }
    return true;
}

// What could go wrong: the goroutine that attends to a trace is never woken, and the trace has one
// generation. Or a timer wakes it, and for a timer every eighth switch of its processor reads the
// clock.
TEST(trace_session, is_seen_to_without_a_timer) {
    rota::run([] {
        const int before = procs_with_timers();
        rota::trace::flight_recorder box;
        box.start();
        EXPECT_TRUE(comes_while_yielding(is_resting));
        EXPECT_EQ(procs_with_timers(), before);
        const rota::rt::stop_counters& c = rota::rt::stops_for(rota::rt::stop_reason::trace);
        const std::uint64_t stops = stop_figure(c.stops);
        EXPECT_TRUE(comes_while_yielding([&] { return stop_figure(c.stops) != stops; }))
            << "stops: " << stop_figure(c.stops);
        box.stop();
    });
}

// The fault: sysmon, which wakes that goroutine, also sleeps while no goroutine runs.
TEST(trace_session, is_seen_to_while_nobody_runs) {
    constexpr int tries = 600;
    rota::trace::flight_recorder box;
    box.start();
    const rota::rt::stop_counters& c = rota::rt::stops_for(rota::rt::stop_reason::trace);
    for (int generation = 0; generation < 2; ++generation) {
        const std::uint64_t stops = stop_figure(c.stops);
        int i = 0;
        while (stop_figure(c.stops) == stops && i++ < tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        EXPECT_GT(stop_figure(c.stops), stops) << "stops: " << stop_figure(c.stops);
    }
    box.stop();
}

// Runs in a child process; the file name belongs to its parent.
[[noreturn]] void end_by_what_sysmon_finds() {
    rota::run([] {
        rota::trace::recorder_options how;
        how.crash_path = trace_file_name::of(::getppid());
        rota::trace::flight_recorder box(how);
        box.start();
        rota::rt::hooks.look_for_deadlocks = [] {
            rota::rt::fatal("planted", rota::rt::trace_scope::none);
        };
        __atomic_store_n(&rota::rt::hooks.deadlock_period, 1, __ATOMIC_RELEASE);
        rota::make_chan<int>().recv();
    });
    std::abort();
}

// The fault: sysmon reports the fault that ends the process, and waits for the goroutine
// that would write the last moments, which only sysmon wakes.
TEST(trace_session_DeathTest, writes_the_last_moments_when_sysmon_ends_the_process) {
    const trace_file_name its;
    EXPECT_DEATH(end_by_what_sysmon_finds(), "planted(.|\n)*the last moments are in");
    EXPECT_GT(its.size(), 0u);
}

#if defined(ROTA_DEBUG_CHECKS)

std::atomic<int> until_refusal{0};

int refuse_one_mapping(rota::rt::sys_call call) {
    return call == rota::rt::sys_call::mmap && until_refusal.fetch_sub(1) == 1 ? ENOMEM : 0;
}

// Two goroutines that exist before the trace and wake each other on demand.
struct worked {
    rota::chan<int> there = rota::make_chan<int>(), back = rota::make_chan<int>();
    rota::wait_group both;
    rota::chan<int> begin = rota::make_chan<int>(), end = rota::make_chan<int>();
    worked() {
        both.go([this] {
            for (const int rounds : begin) {
                for (int i = 0; i < rounds; ++i) {
                    there.send(i);
                    back.recv();
                }
                end.send(0);
            }
            there.close();
        });
        both.go([this] {
            while (const auto v = there.recv()) back.send(*v);
        });
    }
    void work(int rounds) {
        begin.send(rounds);
        end.recv();
        rota::trace::log("unit", "text");
    }
    ~worked() {
        begin.close();
        both.wait();
    }
};

// Refuses the nth mapping, for each n until a whole trace needs no more mappings.
TEST(trace_session, ends_with_an_error_where_memory_is_refused) {
    const trace_file_name file;
    int refused = 0;
    rota::run([&] {
        const rota_test::gomaxprocs_restored at_the_end;
        rota::runtime::gomaxprocs(1);
        worked pair;
        rota::trace::start(file.path());  // memory that is kept for ever exists from here on
        pair.work(5000);
        rota::trace::stop();
        const std::uintmax_t whole = file.size();
        for (int n = 1; n < 100; ++n) {
            until_refusal = n;
            rota::rt::plant_fault(refuse_one_mapping);
            std::error_code ec;
            rota::trace::start(file.path(), {}, ec);
            if (!ec) {
                pair.work(5000);
                rota::trace::stop(ec);
            }
            rota::rt::plant_fault(nullptr);
            EXPECT_FALSE(rota::trace::is_enabled());
            if (until_refusal > 0) {
                EXPECT_FALSE(ec) << ec.message();
                EXPECT_GT(file.size(), whole / 2);
                break;
            }
            EXPECT_EQ(ec, std::errc::not_enough_memory) << n;
            if (ec) ++refused;
            EXPECT_EQ(file.size(), 16u) << n;  // the header: the file has no whole generation
        }
    });
    std::printf("refused: %d\n", refused);
    EXPECT_GE(refused, 3);
}

// A recorder forgets the lost generation, and goes on.
TEST(trace_session, of_a_recorder_goes_on_where_memory_is_refused) {
    const trace_file_name file;
    rota::run([&] {
        const rota_test::gomaxprocs_restored at_the_end;
        rota::runtime::gomaxprocs(1);
        worked pair;
        rota::trace::flight_recorder box;
        box.start();
        pair.work(100);
        until_refusal = 1;
        rota::rt::plant_fault(refuse_one_mapping);
        pair.work(5000);
        rota::rt::plant_fault(nullptr);
        EXPECT_LE(until_refusal, 0);
        std::error_code ec;
        box.write_to(file.path(), ec);
        EXPECT_EQ(ec, std::errc::not_enough_memory);
        EXPECT_EQ(file.size(), 16u);  // the header: there was no generation before
        pair.work(100);
        box.write_to(file.path());
        const std::uintmax_t before = file.size();
        EXPECT_GT(before, 1000u);
        // The recorder writes the generations that it had before, although the current generation
        // is lost.
        until_refusal = 1;
        rota::rt::plant_fault(refuse_one_mapping);
        for (int i = 0; i < 100 && until_refusal > 0; ++i) pair.work(5000);
        rota::rt::plant_fault(nullptr);
        EXPECT_LE(until_refusal, 0);
        box.write_to(file.path(), ec);
        EXPECT_EQ(ec, std::errc::not_enough_memory);
        EXPECT_GE(file.size(), before);
    });
}

#endif

}  // namespace
