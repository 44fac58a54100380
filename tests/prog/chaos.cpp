// Programs that observe chaos mode. Each prints its counts.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <vector>

#include <pthread.h>
#include <sys/syscall.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

__attribute__((noinline)) long this_thread() { return ::syscall(SYS_gettid); }

// Prints "parks=N moves=M": M is the number of parks that ended on another thread.
int parks_and_moves() {
    return rota::run([] {
        constexpr int many = 300;
        int moves = 0;
        auto there = rota::make_chan<int>(), back = rota::make_chan<int>();
        rota::go([there, back] {
            for (const int v : there) back.send(v);
        });
        int parks = 0;
        for (int i = 0; i < many; ++i) {
            // The answer cannot be there yet: receiving parks.
            there.send(i);
            const long before = this_thread();
            rota::sleep_for(1us);
            moves += this_thread() != before ? 1 : 0;
            ++parks;
            back.recv();
        }
        there.close();
        std::printf("parks=%d moves=%d\n", parks, moves);
        return 0;
    });
}

// Prints, on one line, the numbers of goroutines in the order in which they run. One loop starts
// them.
int order() {
    return rota::run([] {
        constexpr int many = 40;
        std::vector<int> seen;
        rota::mutex mu;
        rota::wait_group all;
        for (int i = 0; i < many; ++i) {
            all.go([&, i] {
                const std::lock_guard guard(mu);
                seen.push_back(i);
            });
        }
        all.wait();
        for (const int i : seen) std::printf("%d ", i);
        std::printf("\n");
        std::vector<int> sorted = seen;
        std::sort(sorted.begin(), sorted.end());
        for (int i = 0; i < many; ++i) {
            if (sorted[static_cast<std::size_t>(i)] != i) return 1;
        }
        return 0;
    });
}

// Prints "operations=N yields=M": N operations that need not wait, M yields among them.
int yields() {
    return rota::run([] {
        constexpr int many = 4000;
        auto ch = rota::make_chan<int>(1);
        const std::uint64_t before = rota::runtime::read_sched_stats().preemptions;
        for (int i = 0; i < many; ++i) {
            ch.send(i);
            ch.recv();
        }
        const std::uint64_t after = rota::runtime::read_sched_stats().preemptions;
        std::printf("operations=%d yields=%d\n", 2 * many, static_cast<int>(after - before));
        return 0;
    });
}

// Prints "longest=N": the longest time, in milliseconds, in which a goroutine that only yields did
// not run because its thread starved.
int starvation() {
    return rota::run([] {
        using clock = std::chrono::steady_clock;
        clock::duration longest{};
        const auto end = clock::now() + 20s;
        for (auto last = clock::now(); longest < 3ms && last < end;) {
            rota::runtime::gosched();
            const auto now = clock::now();
            longest = std::max(longest, now - last);
            last = now;
        }
        std::printf("longest=%ld\n",
                    static_cast<long>(
                        std::chrono::duration_cast<std::chrono::milliseconds>(longest).count()));
        return longest >= 3ms ? 0 : 1;
    });
}

// Prints "wrong=N right=M": a hundred times each, a lock is held across a park. A standard lock
// belongs to a thread; a mutex that checks its owner reports the mistake. A rota mutex belongs to
// no thread.
int locks_across_parks() {
    return rota::run([] {
        pthread_mutexattr_t checked;
        ::pthread_mutexattr_init(&checked);
        ::pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
        rota::mutex ours;
        int wrong = 0, right = 0;
        for (int i = 0; i < 100; ++i) {
            pthread_mutex_t theirs;
            ::pthread_mutex_init(&theirs, &checked);
            ::pthread_mutex_lock(&theirs);
            const std::lock_guard guard(ours);
            rota::sleep_for(1us);
            wrong += ::pthread_mutex_unlock(&theirs) == EPERM ? 1 : 0;
            right += ours.try_lock() ? 0 : 1;
        }
        std::printf("wrong=%d right=%d\n", wrong, right);
        return ours.try_lock() ? 0 : 1;
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"parks_and_moves", parks_and_moves},
                     {"order", order},
                     {"yields", yields},
                     {"starvation", starvation},
                     {"locks_across_parks", locks_across_parks}});
}
