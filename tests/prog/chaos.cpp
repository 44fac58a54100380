// Programs that see what chaos mode does. Each prints what it has counted.
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

// "parks=N moves=M": how many of the parks ended on another thread.
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
            // Nobody can have answered: receiving parks.
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

// The order in which goroutines run that are started in one go: their numbers on one line.
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

// "operations=N yields=M": operations that need not wait, and how many yielded.
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

// "longest=N": the longest time in milliseconds in which a goroutine that does nothing but yield
// got no turn, because its thread starved.
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

// "wrong=N right=M": a hundred times each, a lock is held across a park. Those of the standard
// belong to a thread; one that checks its owner says so. rota's belong to nobody.
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
