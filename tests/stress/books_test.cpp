// The scheduler's own records under load: idle lists, stealing, and the thread of each goroutine.
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../slow_call.hpp"
#include "load.hpp"

using rota_test::choices;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::spin_until;
using rota_test::time_box;

namespace {

// Goroutines that end at once, in bursts from several queues at a time.
void burst(choices& choose, std::atomic<long>& ended) {
    rota::wait_group wg;
    const int many = 1 + static_cast<int>(choose.below(300));
    for (int i = 0; i < many; ++i) {
        const unsigned kind = choose.below(16);
        wg.go([&ended, kind] {
            if (kind == 0) rota::runtime::gosched();
            if (kind == 1) rota::blocking([] { std::this_thread::yield(); });
            if (kind == 2) rota::sleep_for(std::chrono::nanoseconds(1));
            ended.fetch_add(1, std::memory_order_relaxed);
        });
    }
    wg.wait();
    ended.fetch_sub(many, std::memory_order_relaxed);
}

// --- state of the thread -------------------------------------------------------------------------

// Not inlined: a goroutine may call these on another thread than before, and a compiler keeps the
// address of a thread's variable across calls.
[[gnu::noinline]] pid_t thread_by_kernel() { return static_cast<pid_t>(::syscall(SYS_gettid)); }
[[gnu::noinline]] pid_t& thread_by_local() {
    static thread_local pid_t own = 0;
    asm volatile("" ::: "memory");
    return own;
}
[[gnu::noinline]] int* address_of_errno() {
    asm volatile("" ::: "memory");
    return &errno;
}
[[gnu::noinline]] pthread_t thread_by_library() {
    asm volatile("" ::: "memory");
    return ::pthread_self();
}
// The facts of each thread when it was first seen.
struct thread_facts {
    int* errno_at = nullptr;
    pthread_t self{};
};
[[gnu::noinline]] thread_facts& facts_of_thread() {
    static thread_local thread_facts own;
    asm volatile("" ::: "memory");
    return own;
}

// Checks that the sources agree on which thread this is.
void look_at_thread() {
    const pid_t id = thread_by_kernel();
    if (thread_by_local() == 0) {
        thread_by_local() = id;
        facts_of_thread() = {address_of_errno(), thread_by_library()};
    }
    EXPECT_EQ(thread_by_local(), id);
    EXPECT_EQ(facts_of_thread().errno_at, address_of_errno());
    EXPECT_NE(::pthread_equal(facts_of_thread().self, thread_by_library()), 0);
}

}  // namespace

TEST(kb05_books, readers_of_the_figures_disturb_no_wake_up) {
    // A reader of the lists that removed a worker, or added it twice, would leave it asleep for
    // ever: a goroutine posted to the idle runtime would not run. Builds with checks compare the
    // idle counts with the lists at each change. Storms of GOMAXPROCS join here as soon as it can
    // be changed while the program runs.
    const time_box box;
    std::atomic<bool> stop{false};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
        readers.emplace_back([&] {
            while (!stop) {
                (void)scheduler_state();
                std::this_thread::yield();
            }
        });
    }
    choices choose(71);
    std::atomic<int> ran{0};
    for (int posts = 1; box.open(); ++posts) {
        if (choose.once_in(4)) rota_test::burn(std::chrono::microseconds(choose.below(60)));
        rota::go([&] {
            if (choose.once_in(3)) rota::sleep_for(std::chrono::microseconds(choose.below(50)));
            ran.fetch_add(1);
        });
        ASSERT_TRUE(spin_until([&] { return ran == posts; }))
            << "post " << posts << "; " << scheduler_state();
    }
    stop = true;
    for (std::thread& t : readers) t.join();
}

TEST(kb18_stealing, while_goroutines_end_and_processors_are_in_every_state) {
    // A thief and an owner that lock in opposite orders stop each other. A search that skips its
    // advance at a processor that it cannot rob turns for ever. A worker's count would then stand
    // still. Builds with checks verify the rank of each lock taken on the way.
    constexpr std::size_t workers = 6;
    const time_box box;
    progress watch(workers + 2);
    std::atomic<long> ended{0};
    rota::wait_group wg;
    for (std::size_t id = 0; id < workers; ++id) {
        wg.go([&, id] {
            choices choose(id + 120);
            while (box.open()) {
                burst(choose, ended);
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    // Processors that a thief cannot rob: in a call, with an empty queue, with timers only.
    for (std::size_t id = workers; id < workers + 2; ++id) {
        wg.go([&, id] {
            choices choose(id + 120);
            while (box.open()) {
                if (choose.once_in(2)) rota_test::sit_in_a_call(30);
                else rota::sleep_for(std::chrono::microseconds(20 + choose.below(200)));
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    wg.wait();
    EXPECT_EQ(ended, 0) << scheduler_state();
}

TEST(kb52_thread_locals, are_those_of_the_thread_that_runs_now) {
    // A goroutine comes back on another thread, but the runtime or the test still uses the old
    // thread's values: the current goroutine, errno, pthread_self, thread_local variables.
    constexpr std::size_t workers = 8;
    const time_box box;
    progress watch(workers);
    constexpr int turns_at_least = 1000;  // of each goroutine, in chaos mode while none has moved
    std::atomic<long> moves{0};
    rota::wait_group wg;
    auto ring = rota::make_chan<int>();
    for (std::size_t id = 0; id < workers; ++id) {
        wg.go([&, id] {
            choices choose(id + 140);
            const std::uint64_t me = rota::runtime::goid();
            for (int turns = 0; box.open() || (rota_test::in_chaos() && moves.load() == 0 &&
                                               turns < turns_at_least);
                 ++turns) {
                const pid_t before = thread_by_kernel();
                switch (choose.below(4)) {
                    case 0: rota::sleep_for(std::chrono::microseconds(choose.below(20))); break;
                    case 1: rota::blocking([] { std::this_thread::yield(); }); break;
                    case 2: rota::runtime::gosched(); break;
                    default: {
                        int v = 0;
                        if (ring.try_send(1) != rota::chan_status::ok) (void)ring.try_recv(v);
                    }
                }
                if (thread_by_kernel() != before) moves.fetch_add(1, std::memory_order_relaxed);
                look_at_thread();
                EXPECT_EQ(rota::runtime::goid(), me);
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    wg.wait();
    // In chaos mode every park moves the goroutine; without it a single processor need not move
    // any.
    if (rota_test::in_chaos()) {
        EXPECT_GT(moves, 0);
    }
}
