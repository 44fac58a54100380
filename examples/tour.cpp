// A short tour of the runtime: it tests and measures four of its claims, and prints each result in
// a line.
//
// 1. A million goroutines, parked on a channel and woken: the cost of a goroutine.
// 2. A ping-pong between two goroutines: the cost of a switch through a channel.
// 3. A steal: work that starts on one P runs on other Ps.
// 4. Blocked system calls: the rest of the goroutines do not wait for them.
//
// Every step checks its claim: the exit status is 1 if the program did not see a required result.
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class stopwatch {
  public:
    double seconds() const { return duration<double>(steady_clock::now() - began_).count(); }

  private:
    steady_clock::time_point began_ = steady_clock::now();
};

// --- memory as the kernel reports it -------------------------------------------------------------

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

// The number after `key` in a file of lines `key number` or `key: number kB`; `otherwise` if the
// file has none. An empty key means a file that holds only a number ("max" counts as none).
std::uint64_t number_in(const char* path, const char* key, std::uint64_t otherwise) {
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) return otherwise;
    const std::size_t length = std::strlen(key);
    std::uint64_t found = otherwise;
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr) {
        if (std::strncmp(line, key, length) != 0) continue;
        unsigned long long number = 0;
        char unit = ' ';
        const char* rest = line + length + (line[length] == ':' ? 1 : 0);
        if (std::sscanf(rest, " %llu %c", &number, &unit) < 1) continue;
        found = unit == 'k' ? number * 1024 : number;
        break;
    }
    std::fclose(file);
    return found;
}

// The files with the figures of a control group, version 2 or 1.
struct group_files {
    const char* limit;
    const char* used;
    const char* details;
    const char* cache_key;  // names the part of `used` that the kernel gives back on demand
};
constexpr group_files group_kinds[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
     "file "},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat", "total_cache "},
};

// The memory that the program may still allocate, in bytes: the machine's figure or the control
// group's, whichever is less.
std::uint64_t memory_available() {
    std::uint64_t available = number_in("/proc/meminfo", "MemAvailable", unknown);
    for (const group_files& group : group_kinds) {
        const std::uint64_t limit = number_in(group.limit, "", unknown);
        const std::uint64_t used = number_in(group.used, "", 0);
        const std::uint64_t cache = number_in(group.details, group.cache_key, 0);
        const std::uint64_t taken = used - std::min(used, cache);
        available = std::min(available, limit - std::min(limit, taken));
    }
    return available;
}

// The bytes of resident pages and of the page tables that map them.
std::uint64_t memory_used() {
    return number_in("/proc/self/status", "VmRSS", 0) + number_in("/proc/self/status", "VmPTE", 0);
}

// --- 1 ------------------------------------------------------------------------------------------

constexpr int million = 1'000'000;

// A goroutine takes about 4.5 KiB. The count allows half as much again for the rest, and leaves
// half of the memory free.
int goroutines_that_fit() {
    const std::uint64_t fitting = memory_available() / 2 / (7 * 1024);
    return static_cast<int>(std::min<std::uint64_t>(fitting, million));
}

bool many_goroutines() {
    const int count = goroutines_that_fit();
    if (count < million) {
        std::printf("   memory is short (%.1f GB available): %d goroutines instead of a million\n",
                    static_cast<double>(memory_available()) / 1e9, count);
    }
    const rota::chan<rota::unit> gate = rota::make_chan<rota::unit>();
    std::atomic<int> arrived{0};
    std::atomic<int> woken{0};
    rota::wait_group left;
    left.add(count);

    const std::uint64_t memory_before = memory_used();
    const stopwatch creating;
    for (int i = 0; i < count; ++i) {
        rota::go([&] {
            arrived.fetch_add(1, std::memory_order_relaxed);
            if (!gate.recv()) woken.fetch_add(1, std::memory_order_relaxed);
            left.done();
        });
    }
    while (arrived.load(std::memory_order_relaxed) < count) rota::runtime::gosched();
    const double created = creating.seconds();
    const std::uint64_t memory = memory_used() - memory_before;
    const int alive = rota::runtime::num_goroutine();

    const stopwatch waking;
    gate.close();
    left.wait();
    const double ended = waking.seconds();

    std::printf("   %d goroutines alive: created and parked in %.0f ms (%.0f ns each), "
                "%.0f bytes each; woken and ended in %.0f ms (%.0f ns each)\n",
                alive, created * 1e3, created * 1e9 / count, static_cast<double>(memory) / count,
                ended * 1e3, ended * 1e9 / count);
    std::printf("   seen: all %d of them woke when the one channel they waited on was closed\n",
                woken.load());
    return woken.load() == count;
}

// --- 2 ------------------------------------------------------------------------------------------

bool ping_pong() {
    constexpr int rounds = 200'000;
    const rota::chan<int> ping = rota::make_chan<int>();
    const rota::chan<int> pong = rota::make_chan<int>();
    rota::go([ping, pong] {
        for (const int ball : ping) pong.send(ball + 1);
        pong.close();
    });
    const stopwatch playing;
    int ball = 0;
    for (int i = 0; i < rounds; ++i) {
        ping.send(ball);
        ball = pong.recv().value_or(-1);
    }
    const double seconds = playing.seconds();
    ping.close();
    const bool closed = !pong.recv();

    std::printf("   %.0f ns per round trip (%d rounds)\n", seconds * 1e9 / rounds, rounds);
    std::printf("   seen: the ball came back %d times; a round is two sends, two receives and two "
                "switches\n",
                ball);
    return ball == rounds && closed;
}

// --- 3 ------------------------------------------------------------------------------------------

// Work that the compiler cannot remove: `steps` steps of a linear congruential generator.
std::uint64_t compute(int steps) {
    std::uint64_t value = 1;
    for (int i = 0; i < steps; ++i) {
        value = value * 6364136223846793005U + 1442695040888963407U;
        asm volatile("" : "+r"(value));
    }
    return value;
}

struct steal_round {
    double seconds = 0;
    int elsewhere = 0;  // goroutines that ran on a thread other than the starting thread
    std::uint64_t steals = 0;
    std::uint64_t stolen = 0;
};

// Starts every goroutine from a single goroutine, on one P: a goroutine that runs on another P was
// stolen.
steal_round start_here_run_anywhere(int count, int steps) {
    const auto before = rota::runtime::read_sched_stats();
    const pid_t here = ::gettid();
    std::atomic<int> elsewhere{0};
    rota::wait_group left;
    left.add(count);
    const stopwatch working;
    for (int i = 0; i < count; ++i) {
        rota::go([&, steps] {
            compute(steps);
            if (::gettid() != here) elsewhere.fetch_add(1, std::memory_order_relaxed);
            left.done();
        });
    }
    left.wait();
    const double seconds = working.seconds();
    const auto after = rota::runtime::read_sched_stats();
    return {seconds, elsewhere.load(), after.steals - before.steals, after.stolen - before.stolen};
}

bool steal() {
    constexpr int count =
        200;  // fewer than a run queue holds, so that none overflows to the global queue
    constexpr int steps = 50'000;  // tens of microseconds
    constexpr int attempts_max = 50;
    const stopwatch alone;
    for (int i = 0; i < count; ++i) compute(steps);
    const double alone_seconds = alone.seconds();

    const int procs = rota::runtime::gomaxprocs(0);
    steal_round round;
    int attempts = 0;
    do {
        round = start_here_run_anywhere(count, steps);
        ++attempts;
    } while (procs > 1 && round.stolen == 0 && attempts < attempts_max);

    std::printf("   %d goroutines started on one P: %llu stolen in %llu steals, %d ran on another "
                "thread; %.2f ms, alone %.2f ms\n",
                count, static_cast<unsigned long long>(round.stolen),
                static_cast<unsigned long long>(round.steals), round.elsewhere, round.seconds * 1e3,
                alone_seconds * 1e3);
    if (procs == 1) {
        std::printf("   seen: GOMAXPROCS is 1, so there is no other P that could steal\n");
        return true;
    }
    if (round.stolen == 0) {
        std::printf("   NOT seen: no other P stole anything in %d attempts\n", attempts);
        return false;
    }
    std::printf("   seen: work went to where a P was idle, %.0f goroutines at a time%s\n",
                static_cast<double>(round.stolen) / static_cast<double>(round.steals),
                attempts > 1 ? ", though not at the first attempt" : "");
    return true;
}

// --- 4 ------------------------------------------------------------------------------------------

// Goroutines that count, one per P, until they are stopped; each yields after every count.
class counters {
  public:
    explicit counters(int count) {
        left_.add(count);
        for (int i = 0; i < count; ++i) {
            rota::go([this] {
                while (!stop_.load(std::memory_order_relaxed)) {
                    compute(1000);
                    counted_.fetch_add(1, std::memory_order_relaxed);
                    rota::runtime::gosched();
                }
                left_.done();
            });
        }
    }
    ~counters() {
        stop_.store(true, std::memory_order_relaxed);
        left_.wait();
    }
    counters(const counters&) = delete;
    counters& operator=(const counters&) = delete;

    std::uint64_t counted() const { return counted_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> counted_{0};
    rota::wait_group left_;
};

void sleep_in_the_kernel(milliseconds time) {
    timespec request{0, static_cast<long>(time.count()) * 1'000'000};
    ::nanosleep(&request, nullptr);
}

// As many goroutines block in the kernel as there are Ps: if each kept its P, no goroutine could
// run.
bool blocked_system_call() {
    constexpr milliseconds blocked_for(50);
    const int procs = rota::runtime::gomaxprocs(0);
    counters counting(procs);

    std::uint64_t at = counting.counted();
    const stopwatch undisturbed;
    rota::sleep_for(blocked_for);
    const double usual_rate = static_cast<double>(counting.counted() - at) / undisturbed.seconds();

    const auto before = rota::runtime::read_sched_stats();
    rota::wait_group asleep;
    asleep.add(procs);
    at = counting.counted();
    const stopwatch blocked;
    for (int i = 0; i < procs; ++i) {
        rota::go([&] {
            rota::blocking([&] { sleep_in_the_kernel(blocked_for); });
            asleep.done();
        });
    }
    asleep.wait();
    const double seconds = blocked.seconds();
    const std::uint64_t meanwhile = counting.counted() - at;
    const auto after = rota::runtime::read_sched_stats();
    const std::uint64_t handoffs = after.handoffs - before.handoffs;

    const double kept = static_cast<double>(meanwhile) / seconds / usual_rate;
    std::printf("   %d in nanosleep for %lld ms, on %d Ps: %llu hand-offs; the others "
                "counted to %llu meanwhile, %.0f%% of their usual rate\n",
                procs, static_cast<long long>(blocked_for.count()), procs,
                static_cast<unsigned long long>(handoffs),
                static_cast<unsigned long long>(meanwhile), kept * 100);
    if (handoffs == 0 || meanwhile == 0) {
        std::printf("   NOT seen: the Ps of the blocked goroutines went to nobody\n");
        return false;
    }
    std::printf("   seen: the Ps were handed off, and the others went on counting\n");
    return true;
}

// ------------------------------------------------------------------------------------------------

struct station {
    const char* title;
    bool (*visit)();
};

constexpr station stations[] = {
    {"a million goroutines, created, parked on one channel, woken", many_goroutines},
    {"a ping-pong over two unbuffered channels", ping_pong},
    {"a steal", steal},
    {"blocked system calls", blocked_system_call},
};

int tour() {
    std::printf("tour: %d Ps on %d CPUs\n", rota::runtime::gomaxprocs(0), rota::runtime::num_cpu());
    int number = 0;
    int unseen = 0;
    for (const station& s : stations) {
        std::printf("%d. %s\n", ++number, s.title);
        std::fflush(stdout);
        if (!s.visit()) ++unseen;
        std::fflush(stdout);
    }
    return unseen == 0 ? 0 : 1;
}

}  // namespace

int main() { return rota::run(tour); }
