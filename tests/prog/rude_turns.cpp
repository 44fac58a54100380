// Checks which goroutines get a turn beside goroutines that compute, or that block without
// rota::blocking. Also checks that their threads are not disturbed without need.
//
//     prog_rude_turns CASE      GOMAXPROCS and GODEBUG from the environment
//
// Each case waits for its own condition, and then prints "done". If the condition never holds, the
// time limit of the starting program ends the case.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "program.hpp"
#include "sysmon_thread.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

std::atomic<bool> stop{false};
bool stopped() { return stop.load(std::memory_order_relaxed); }

std::atomic<unsigned> rounds{0};  // counted by every goroutine that computes

void compute() {
    while (!stopped()) rounds.fetch_add(1, std::memory_order_relaxed);
}

bool nap(long ns) {
    const timespec t{0, ns};
    return ::nanosleep(&t, nullptr) == 0 || errno != EINTR;
}

// The kernel's state of a thread of this process, or '?'.
char state_of(int tid) {
    char line[512] = {};
    const std::string path = "/proc/self/task/" + std::to_string(tid) + "/stat";
    std::FILE* const stat = std::fopen(path.c_str(), "re");
    if (stat == nullptr) return '?';
    if (std::fgets(line, sizeof line, stat) == nullptr) line[0] = 0;
    std::fclose(stat);
    const char* const name_end = std::strrchr(line, ')');
    return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : '?';
}

// Goroutines that compute, each of which stays on its thread.
class hogs {
  public:
    explicit hogs(int n) : tids_(static_cast<std::size_t>(n)) {
        for (auto& tid : tids_) {
            group_.go([&tid] {
                tid = ::gettid();
                compute();
            });
        }
    }
    ~hogs() {
        stop = true;
        group_.wait();
    }
    hogs(const hogs&) = delete;
    hogs& operator=(const hogs&) = delete;

    int begun() const {
        int n = 0;
        for (const auto& tid : tids_) n += tid != 0 ? 1 : 0;
        return n;
    }

    // The number of goroutines with a thread that runs or waits for a processor.
    int running() const {
        int n = 0;
        for (const auto& tid : tids_) n += tid != 0 && state_of(tid) == 'R' ? 1 : 0;
        return n;
    }

  private:
    std::vector<std::atomic<int>> tids_;
    rota::wait_group group_;
};

// Waits until ten checks in a row have seen at most `most` of them run.
void await_no_more_than(int most, const hogs& all) {
    int in_a_row = 0;
    await([&] { return (in_a_row = all.running() <= most ? in_a_row + 1 : 0) == 10; },
          [] { rota::sleep_for(1ms); });
}

// run() returns three times, and then throws, although goroutines compute for ever.
int run_returns() {
    for (int i = 0; i < 3; ++i) {
        rota::run([] {
            rota::go([] {
                for (volatile unsigned n = 0;;) n = n + 1;
            });
            rota::sleep_for(15ms);
        });
        say("returned");
    }
    try {
        rota::run([] {
            rota::sleep_for(1ms);
            throw std::runtime_error("thrown");
        });
    } catch (const std::runtime_error& e) {
        say(e.what());
    }
    ::_exit(0);
}

// Each goroutine makes a short blocking call after another and never enters the runtime. So its
// thread's CPU clock has moved at every check by sysmon. Its p must still become free soon, not
// only after a time slice: at least a quarter of the goroutines wait less than that for the
// preceding goroutine.
int short_calls() {
    constexpr int all = 40;
    std::vector<std::chrono::steady_clock::time_point> began;
    rota::run([&] {
        rota::wait_group group;
        std::atomic<int> begun{0};
        began.resize(all);
        for (int i = 0; i < all; ++i) {
            group.go([&] {
                began[static_cast<std::size_t>(begun.fetch_add(1))] =
                    std::chrono::steady_clock::now();
                while (begun < all) nap(10'000);
            });
        }
        group.wait();
    });
    std::vector<std::chrono::steady_clock::duration> gaps;
    for (std::size_t i = 1; i < began.size(); ++i) gaps.push_back(began[i] - began[i - 1]);
    std::sort(gaps.begin(), gaps.end());
    const auto quarter = std::chrono::duration<double, std::milli>(gaps[gaps.size() / 4]);
    std::fprintf(stderr, "a quarter within %.2f ms\n", quarter.count());
    say(quarter < 8ms ? "done" : "late");
    return 0;
}

// Loops of short sleeps are not interrupted, except a few in which the thread was just awake. In a
// few more loops the thread waits for a processor. There a nap takes as long as the machine needs.
int sleeps() {
    std::atomic<int> interrupted{0}, slept{0};
    rota::run([&] {
        rota::wait_group sleepers;
        const auto until = std::chrono::steady_clock::now() + 5s;
        const auto goes_on = [&slept, until] {
            ++slept;
            return std::chrono::steady_clock::now() < until;
        };
        for (int i = 0; i < 2; ++i) {
            sleepers.go([&] {
                for (int k = 0; k < 10'000 && goes_on(); ++k) interrupted += nap(60'000) ? 0 : 1;
            });
            sleepers.go([&] {
                for (int k = 0; k < 1000 && goes_on(); ++k)
                    interrupted += ::poll(nullptr, 0, 1) == 0 || errno != EINTR ? 0 : 1;
            });
        }
        rota::go([] {
            while (!stopped()) rota::runtime::gosched();
        });
        sleepers.wait();
        stop = true;
    });
    std::fprintf(stderr, "%d of %d interrupted\n", interrupted.load(), slept.load());
    say(interrupted <= 20 + slept / 500 ? "done" : "interrupted");
    return 0;
}

// No descriptor is left with which sysmon could ask the kernel for the state of a thread.
int no_descriptors() {
    std::atomic<int> interrupted{0};
    rota::run([&] {
        std::vector<int> all;
        for (int fd = 0; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) all.push_back(fd);
        rota::wait_group group;
        for (int i = 0; i < 2; ++i) {
            group.go([&] {
                while (!stopped()) interrupted += nap(20'000'000) ? 0 : 1;
            });
        }
        for (int k = 0; k < 20; ++k) rota::sleep_for(5ms);
        stop = true;
        group.wait();
        for (const int fd : all) ::close(fd);
    });
    say(interrupted == 0 ? "done" : "interrupted");
    return 0;
}

// A program in which each thread blocks every signal: it handles signals in a single waiting
// thread.
int signals_blocked() {
    sigset_t all, after;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    rota::run([] {
        hogs four(4);
        await([&] { return four.begun() == 4; }, [] { rota::sleep_for(1ms); });
        await_no_more_than(1, four);
    });
    ::pthread_sigmask(SIG_BLOCK, nullptr, &after);
    say(::sigismember(&after, SIGURG) == 1 ? "done" : "unblocked");
    return 0;
}

// More goroutines compute than the limit allows threads.
int thread_limit() {
    rota::runtime::set_max_threads(20);
    rota::run([] {
        std::atomic<int> ticks{0};
        rota::wait_group polite;
        polite.go([&] {
            for (; ticks < 100; ++ticks) rota::sleep_for(200us);
        });
        hogs many(40);
        polite.wait();
    });
    say("done");
    return 0;
}

// Waits until main, which sleeps and wakes, has had a hundred turns.
void take_turns() {
    for (int i = 0; i < 100; ++i) rota::sleep_for(1ms);
}

// n goroutines that have begun and waited begin to compute, beside `blocked` goroutines in calls.
int begun_at_limit(int n, int threads, int blocked) {
    rota::runtime::set_max_threads(threads);
    rota::run([=] {
        rota::wait_group group;
        std::atomic<int> waiting{0}, inside{0};
        const auto start = rota::make_chan<int>();
        for (int i = 0; i < blocked; ++i) {
            group.go([&inside] {
                rota::blocking([&inside] {
                    ++inside;
                    while (!stopped()) nap(1'000'000);
                });
            });
        }
        for (int i = 0; i < n; ++i) {
            group.go([&waiting, start] {
                ++waiting;
                (void)start.recv();
                compute();
            });
        }
        await([&] { return waiting == n && inside == blocked; });
        start.close();
        take_turns();
        stop = true;
        group.wait();
    });
    say("done");
    return 0;
}

// The runtime exceeds the limit: the program did not ask for the threads of goroutines that
// compute.
int begun_beyond_limit() { return begun_at_limit(30, 12, 0); }
int begun_few() { return begun_at_limit(3, 5, 0); }
int begun_beside_calls() { return begun_at_limit(3, 9, 5); }

// The limit is low: new goroutines must begin beside two that compute.
int begin_at_limit() {
    rota::runtime::set_max_threads(6);
    rota::run([] {
        hogs two(2);
        std::atomic<int> handled{0};
        for (int i = 0; i < 50; ++i) {
            rota::go([&handled] { ++handled; });
            rota::sleep_for(1ms);
        }
        await([&] { return handled == 50; }, [] { rota::sleep_for(1ms); });
    });
    say("done");
    return 0;
}

// The limit allows no new thread when goroutines block without rota::blocking.
int block_at_limit() {
    rota::runtime::set_max_threads(2);
    rota::run([] {
        rota::wait_group group;
        for (int i = 0; i < 4; ++i) {
            group.go([] {
                for (int k = 0; k < 10; ++k) nap(5'000'000);
            });
        }
        take_turns();
        group.wait();
    });
    say("done");
    return 0;
}

// Starts a process that computes as long as this process lives.
void fork_hog() {
    const pid_t parent = ::getpid();
    if (::fork() != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    for (volatile unsigned n = 0;;) n = n + 1;
}

// This process, and those that it starts.
bool stay_on_this_processor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    return ::sched_setaffinity(0, sizeof one, &one) == 0;
}

// Other programs have most of the processors, and timers come due all the time. Of twenty
// goroutines that compute, those without a p stay in line: most of them must not want a processor.
// All run on one processor, so that the figure depends little on what else the machine does: 7 to
// 11, and 15 to 20 without lending. The best of five windows counts.
int line_on_busy_machine() {
    if (!stay_on_this_processor()) return 1;
    for (int i = 0; i < 8; ++i) fork_hog();
    constexpr std::size_t window = 40, windows = 5;
    int running[windows * window];
    rota::run([&] {
        rota::wait_group tickers;
        for (int i = 0; i < 50; ++i) {
            tickers.go([] {
                while (!stopped()) rota::sleep_for(1ms);
            });
        }
        hogs many(20);
        await([&] { return many.begun() == 20; }, [] { rota::sleep_for(1ms); });
        for (int& n : running) {
            rota::sleep_for(5ms);
            n = many.running();
        }
        stop = true;
        tickers.wait();
    });
    int best = 20;
    for (int* from = running; from != std::end(running); from += window) {
        std::nth_element(from, from + window / 2, from + window);
        best = std::min(best, from[window / 2]);
    }
    std::fprintf(stderr, "%d of 20 run or wait for a processor\n", best);
    say(best <= 13 ? "done" : "too many");
    return 0;
}

// Goroutines that alternately compute and wait in poll(). Other programs have most of the
// processors, and timers come due all the time: lending a p interrupts very few of their calls.
int sleeps_on_busy_machine() {
    for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i) fork_hog();
    std::atomic<int> interrupted{0}, slept{0};
    rota::run([&] {
        rota::wait_group group;
        for (int i = 0; i < 20; ++i) {
            group.go([] {
                while (!stopped()) rota::sleep_for(1ms);
            });
        }
        for (int i = 0; i < 8; ++i) {
            group.go([&] {
                while (!stopped()) {
                    for (volatile unsigned n = 0; n < 1'000'000;) n = n + 1;
                    interrupted += ::poll(nullptr, 0, 1) == 0 || errno != EINTR ? 0 : 1;
                    ++slept;
                }
            });
        }
        rota::sleep_for(2s);
        stop = true;
        group.wait();
    });
    std::fprintf(stderr, "%d of %d interrupted\n", interrupted.load(), slept.load());
    say(slept > 100 && interrupted <= 2 + slept / 100 ? "done" : "interrupted");
    return 0;
}

// Every thread is quiet; then goroutines that lost their ps long ago begin to compute.
int wake_unseen() {
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    constexpr int n = 6;
    static std::atomic<int> tids[n];
    static std::atomic<int> computing{0};
    std::thread([out = ends[1]] {
        await([] {
            for (const auto& tid : tids)
                if (tid == 0 || state_of(tid) != 'S') return false;
            return true;
        });
        const int sysmon = sysmon_thread();
        await_rest_of(sysmon);
        if (::write(out, "xxxxxx", n) != n) ::_exit(3);
        // A single check is enough: if sysmon misses them, each of them runs. On a busy machine
        // they often change places.
        await([] {
            int running = 0;
            for (const auto& tid : tids) running += state_of(tid) == 'R' ? 1 : 0;
            return computing == n && running <= 2;
        });
        say("done");
        ::_exit(0);
    }).detach();
    rota::run([in = ends[0]] {
        for (auto& tid : tids) {
            rota::go([&tid, in] {
                tid = ::gettid();
                char one = 0;
                if (::read(in, &one, 1) != 1) ::_exit(4);
                ++computing;
                compute();
            });
        }
        block_for_ever();
    });
    return 1;
}

// While work waits, sysmon checks goroutines that compute less often once it has found no blocked
// thread. This does not hold if other programs want the processors: a thread without a processor
// looks like a blocked thread.
int calm() {
    std::thread([] {
        await([] { return rounds > 1000; });
        const int sysmon = sysmon_thread();
        await([&] {
            const auto begin = std::chrono::steady_clock::now();
            const long before = sleeps_of(sysmon);
            ::usleep(200'000);  // the observed time
            const long more = sleeps_of(sysmon) - before;
            const std::chrono::duration<double, std::milli> time =
                std::chrono::steady_clock::now() - begin;
            std::fprintf(stderr, "%ld times in %.0f ms\n", more, time.count());
            return before >= 0 && static_cast<double>(more) < 1.3 * time.count();
        });
        say("done");
        ::_exit(0);
    }).detach();
    rota::run([] {
        hogs four(4);
        block_for_ever();
    });
    return 1;
}

// A stop of the world takes ps as well.
int resized() {
    rota::run([] {
        hogs four(4);
        await([&] { return four.begun() == 4; }, [] { rota::sleep_for(1ms); });
        for (int i = 0; i < 10; ++i) {
            rota::runtime::gomaxprocs(2);
            rota::runtime::gomaxprocs(1);
        }
        await_no_more_than(1, four);
    });
    say("done");
    return 0;
}

// A signal that does not come from sysmon leaves a blocked thread alone. Otherwise the thread would
// take a turn at every signal, and lose its p again. A goroutine that yields while its thread lacks
// a processor has the same effect: a single round in which that is rare is enough.
int foreign_signals() {
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    rota::run([&] {
        std::atomic<int> tid{0};
        rota::wait_group reader;
        reader.go([&] {
            tid = ::gettid();
            char one = 0;
            if (::read(ends[0], &one, 1) != 1) ::_exit(3);
        });
        rota::go([] {
            while (!stopped()) rota::runtime::gosched();
        });
        await([&] { return rota::runtime::read_sched_stats().handoffs > 0 && tid != 0; });
        bool is_left_alone = false;
        for (int round = 0; round < 10 && !is_left_alone; ++round) {
            const auto before = rota::runtime::read_sched_stats().handoffs;
            for (int i = 0; i < 100; ++i) {
                ::syscall(SYS_tgkill, ::getpid(), tid.load(), SIGURG);
                rota::sleep_for(1ms);
            }
            const auto more = rota::runtime::read_sched_stats().handoffs - before;
            std::fprintf(stderr, "%ld times\n", static_cast<long>(more));
            is_left_alone = more < 20;
        }
        stop = true;
        if (::write(ends[1], "x", 1) != 1) ::_exit(4);
        reader.wait();
        say(is_left_alone ? "done" : "woken");
    });
    return 0;
}

// A thread of the program's own sends to a goroutine beside six hogs. That goroutine must not wait
// for a slice of each hog, which would be six turns per request. A slice that ends while another
// program has the processor also counts, so a single series with few of those is enough.
int foreign_thread() {
    auto ask = rota::make_chan<int>();
    auto answer = rota::make_chan<bool>();  // whether to send another request
    constexpr int times = 50;
    std::thread client([&] {
        for (bool again = true; again;) {
            // The receiver has answered, and one of the six computes.
            const unsigned seen = rounds;
            await_in_blocking([seen] { return rounds - seen > 1'000; });
            ask.send(1);
            again = *answer.recv();
        }
    });
    rota::run([&] {
        hogs six(6);
        await([&] { return six.begun() == 6; }, [] { rota::sleep_for(1ms); });
        bool is_early = false;
        for (int series = 0; series < 5 && !is_early; ++series) {
            if (series > 0) answer.send(true);
            const auto before = rota::runtime::read_sched_stats().handoffs;
            for (int i = 0; i < times; ++i) {
                if (i > 0) answer.send(true);
                ask.recv();
            }
            const auto more = rota::runtime::read_sched_stats().handoffs - before;
            std::fprintf(stderr, "%ld times\n", static_cast<long>(more));
            is_early = more < 2 * times;
        }
        answer.send(false);
        say(is_early ? "done" : "waited");
    });
    client.join();
    return 0;
}

// The CPU time of the calling thread, in ns.
long own_time() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

// The time that the calling thread has waited for a processor, in ns, as the kernel counts it; 0 if
// the kernel does not count it.
long waited_for_processor_ns() {
    long ran = 0, waited = 0;
    const std::string path = "/proc/self/task/" + std::to_string(::gettid()) + "/schedstat";
    std::FILE* const file = std::fopen(path.c_str(), "re");
    if (file == nullptr) return 0;
    if (std::fscanf(file, "%ld %ld", &ran, &waited) != 2) waited = 0;
    std::fclose(file);
    return waited;
}

// sysmon stops a goroutine that holds a lock, and a hundred goroutines block on the lock, each on
// its own thread. Returns how many have come before the holder continues; -1: other processes had
// the processor.
int come_while_one_is_stopped() {
    static std::mutex m;
    std::atomic<int> came{0};
    int came_meanwhile = 0;
    rota::wait_group group;
    std::atomic<int> holder{0};
    std::atomic<bool> may_end{false};
    group.go([&] {
        const std::lock_guard guard(m);
        const long before = waited_for_processor_ns();
        holder = ::gettid();
        while (!may_end) {
        }
        for (const long until = own_time() + 200'000; own_time() < until;) {
        }
        came_meanwhile = came;
        if (waited_for_processor_ns() - before > 1'000'000) came_meanwhile = -1;
    });
    await([&] { return holder != 0; });
    // Long enough for sysmon to stop the holder while it lacks a processor, but no whole slice.
    // Then the holder stands in line, or is late for it and continues by itself.
    for (const long until = own_time() + 4'000'000; own_time() < until;) {
    }
    may_end = true;
    for (int i = 0; i < 100; ++i) {
        group.go([&] {
            ++came;
            const std::lock_guard guard(m);
        });
    }
    group.wait();
    return came_meanwhile;
}

// Goroutines block, one after the other, on a lock that a stopped goroutine holds: the holder must
// continue before each of them has blocked.
int convoy() {
    int came = -1;
    rota::run([&] {
        constexpr int threads = 60;
        std::atomic<int> up{0};
        rota::wait_group group;
        for (int i = 0; i < threads; ++i) {  // so that idle threads exist
            group.go([&] {
                rota::blocking([&] {
                    ++up;
                    await_in_blocking([&] { return up == threads; });
                });
            });
        }
        group.wait();
        // Rounds in which another process takes the processor say nothing about rota, and do not
        // count.
        for (int round = 0; round < 50 && came < 0; ++round) came = come_while_one_is_stopped();
    });
    std::fprintf(stderr, "%d came\n", came);
    // Normally one or two come; about forty if the line gets no turn before sysmon finds a blocked
    // goroutine.
    if (came < 0) say("no round without other processes");
    else say(came < 20 ? "done" : "too many");
    return 0;
}

// Computes until its thread has been stopped the given number of times. It also returns when the
// program ends and no goroutine waits for a turn any more.
void compute_until_stopped(int times) {
    using clock = std::chrono::steady_clock;
    auto last = clock::now();
    while (times > 0 && !stopped()) {
        const auto now = clock::now();
        if (now - last > 500us) --times;  // half the shortest slice of another goroutine
        last = now;
    }
}

// As many goroutines compute as reach the bound on stopped threads. From then on very few
// goroutines begin, about one in 100 ms. Goroutines that have begun still get turns, and every
// goroutine ends.
int bound_of_stopped() {
    constexpr int bound = 1024, step = 128;
    constexpr std::uint64_t turns = 300;
    rota::run([] {
        const auto handoffs = [] { return rota::runtime::read_sched_stats().handoffs; };
        const auto pause = [] { rota::sleep_for(1ms); };
        hogs many(bound + 400);
        for (int some = step; some <= bound; some += step)
            await([&] { return many.begun() >= some; }, pause);
        const int first = many.begun();
        const std::uint64_t since = handoffs();
        await([&] { return handoffs() - since >= turns; }, pause);
        const int more = many.begun() - first;
        std::fprintf(stderr, "%d have begun, then %d in %d turns\n", first, more,
                     static_cast<int>(handoffs() - since));
        if (more > static_cast<int>(turns) / 2) ::_exit(7);
        await([&] { return many.begun() >= first + 5; }, pause);
    });
    say("done");
    return 0;
}

// A goroutine locked to its thread stops and continues on that thread; so does the main goroutine.
int locked_hogs() {
    const int here = ::gettid();
    rota::run([here] {
        rota::wait_group group;
        for (int i = 0; i < 3; ++i) {
            group.go([i] {
                if (i < 2) rota::runtime::lock_os_thread();
                const int tid = ::gettid();
                compute_until_stopped(8);
                if (::gettid() != tid) ::_exit(5);
                compute();
            });
        }
        rota::go([] {
            while (!stopped()) rota::sleep_for(1ms);
        });
        rota::runtime::lock_os_thread();
        compute_until_stopped(8);
        if (::gettid() != here) ::_exit(6);
        stop = true;
        group.wait();
        if (::gettid() != here) ::_exit(7);
    });
    say("done");
    return 0;
}

constexpr program_case cases[] = {{"run_returns", run_returns},
                                  {"short_calls", short_calls},
                                  {"sleeps", sleeps},
                                  {"no_descriptors", no_descriptors},
                                  {"signals_blocked", signals_blocked},
                                  {"thread_limit", thread_limit},
                                  {"begun_beyond_limit", begun_beyond_limit},
                                  {"begun_few", begun_few},
                                  {"begun_beside_calls", begun_beside_calls},
                                  {"begin_at_limit", begin_at_limit},
                                  {"block_at_limit", block_at_limit},
                                  {"line_on_busy_machine", line_on_busy_machine},
                                  {"sleeps_on_busy_machine", sleeps_on_busy_machine},
                                  {"wake_unseen", wake_unseen},
                                  {"calm", calm},
                                  {"resized", resized},
                                  {"foreign_signals", foreign_signals},
                                  {"foreign_thread", foreign_thread},
                                  {"convoy", convoy},
                                  {"bound_of_stopped", bound_of_stopped},
                                  {"locked_hogs", locked_hogs}};

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, cases); }
