// Mutexes under load: counters that only exclusion keeps exact, with parks, threads and try_lock in
// between.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "load.hpp"

using rota_test::choices;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::time_box;

namespace {

// A plain counter and the mutex that guards it.
struct alignas(64) account {
    rota::mutex mu;
    std::uint64_t plain = 0;
};

}  // namespace

TEST(mutex_stress, counters_are_exact_with_sleeps_inside) {
    // Two holders at once lose an increment; a lost wake-up leaves a waiter. A plain counter would
    // then differ from the sum, or a worker would stand still.
    constexpr std::size_t goroutines = 24, threads = 4, workers = goroutines + threads;
    const time_box box(std::chrono::milliseconds(1500));
    std::vector<account> accounts(3);
    std::vector<std::vector<std::uint64_t>> added(workers, std::vector<std::uint64_t>(3, 0));
    progress watch(workers);
    const auto work = [&](std::size_t id) {
        choices choose(id + 7);
        while (box.open()) {
            const unsigned which = choose.below(3);
            account& a = accounts[which];
            if (choose.once_in(4)) {
                if (!a.mu.try_lock()) {
                    rota_test::give_way();
                    watch.step(id);
                    continue;
                }
            } else {
                a.mu.lock();
            }
            const std::uint64_t before = a.plain;
            if (choose.once_in(200)) rota::sleep_for(std::chrono::microseconds(choose.below(200)));
            else if (choose.once_in(20)) rota_test::give_way();
            else if (choose.once_in(50)) rota::blocking([] { std::this_thread::yield(); });
            a.plain = before + 1;
            a.mu.unlock();
            ++added[id][which];
            watch.step(id);
        }
        watch.finish(id);
    };
    rota::wait_group wg;
    std::vector<std::thread> others;
    for (std::size_t id = 0; id < goroutines; ++id) wg.go([&, id] { work(id); });
    for (std::size_t id = goroutines; id < workers; ++id)
        others.emplace_back([&, id] { work(id); });
    wg.wait();
    for (auto& t : others) t.join();
    for (std::size_t which = 0; which < 3; ++which) {
        std::uint64_t sum = 0;
        for (const auto& mine : added) sum += mine[which];
        EXPECT_EQ(accounts[which].plain, sum) << scheduler_state();
    }
}

TEST(mutex_stress, short_sections_among_many_goroutines_are_exact) {
    // The fast path, the spin and the hand-over of starvation mode meet here again and again. A
    // fault between them would make the plain counter wrong.
    constexpr std::size_t workers = 32;
    const time_box box;
    account a;
    std::atomic<std::uint64_t> added{0};
    progress watch(workers);
    rota::wait_group wg;
    for (std::size_t id = 0; id < workers; ++id) {
        wg.go([&, id] {
            std::uint64_t mine = 0;
            while (box.open()) {
                for (int i = 0; i < 50; ++i) {
                    const std::lock_guard guard(a.mu);
                    ++a.plain;
                    ++mine;
                }
                watch.step(id);
                rota::runtime::gosched();
            }
            added += mine;
            watch.finish(id);
        });
    }
    wg.wait();
    EXPECT_EQ(a.plain, added) << scheduler_state();
}

TEST(kb14_fairness, every_goroutine_gets_the_lock_again_and_again) {
    // If nothing ever handed the lock over, a goroutine that unlocks and locks again would always
    // win. A worker's count would then stand still although the other workers go on.
    constexpr std::size_t workers = 8;
    const time_box box;
    rota::mutex mu;
    progress watch(workers);
    rota::wait_group wg;
    for (std::size_t id = 0; id < workers; ++id) {
        wg.go([&, id] {
            while (box.open()) {
                const std::lock_guard guard(mu);
                rota::sleep_for(std::chrono::microseconds(id == 0 ? 500 : 20));
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    wg.wait();
}
