// Work conservation: while a goroutine is runnable, no processor is idle.
//
// K goroutines, K at most GOMAXPROCS, are woken at once and then wait for each other without a call
// into rota. They can meet only if each has a processor. A submitter could skip a wake-up because
// of a spinner that has just looked. That would leave a goroutine in a queue beside an idle
// processor, for ever (known bugs 1 and 2).
#include <atomic>
#include <thread>
#include <vector>

#include "load.hpp"

using rota_test::choices;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::spin_until;
using rota_test::time_box;

namespace {

// Where the goroutines of a round meet.
class meeting {
  public:
    explicit meeting(int wanted) : wanted_(wanted) {}
    void attend() {
        ++there_;
        EXPECT_TRUE(spin_until([&] { return there_ >= wanted_; }))
            << there_ << " of " << wanted_ << " run; " << scheduler_state();
    }

  private:
    const int wanted_;
    std::atomic<int> there_{0};
};

int up_to_all(choices& choose) {
    return static_cast<int>(1 + choose.below(static_cast<unsigned>(rota::runtime::gomaxprocs(0))));
}

// Lets the runtime settle for a random moment, so that rounds begin with idle, spinning and
// sleeping threads.
void vary(choices& choose) {
    if (choose.once_in(3)) rota_test::burn(std::chrono::microseconds(choose.below(80)));
}

constexpr std::chrono::milliseconds usual{900};

}  // namespace

TEST(kb01_work_conservation, goroutines_started_by_a_goroutine_all_run_at_once) {
    // The creator publishes and looks for a spinner; the last spinner withdraws and looks again. If
    // both looks came before both writes, a goroutine would stay queued: the meeting would not be
    // full.
    const time_box box(usual);
    progress watch(1);
    choices choose(11);
    rota::run([&] {
        while (box.open()) {
            const int k = up_to_all(choose);
            meeting m(k);
            rota::wait_group wg;
            vary(choose);
            for (int i = 0; i < k; ++i) wg.go([&] { m.attend(); });
            wg.wait();
            watch.step(0);
        }
    });
}

TEST(kb01_work_conservation, goroutines_started_by_a_thread_all_run_at_once) {
    // As above, through the global queue.
    const time_box box(usual);
    progress watch(1);
    choices choose(12);
    while (box.open()) {
        const int k = up_to_all(choose);
        meeting m(k);
        rota::wait_group wg;
        vary(choose);
        for (int i = 0; i < k; ++i) wg.go([&] { m.attend(); });
        wg.wait();
        watch.step(0);
    }
}

TEST(kb02_successor, a_burst_of_wake_ups_from_one_goroutine_reaches_every_processor) {
    // Submitters skip their wake-up because a thread spins; that thread finds work and must wake
    // the next thread. Otherwise only a part of the burst would run at once.
    const time_box box(usual);
    progress watch(1);
    choices choose(13);
    rota::run([&] {
        const int all = rota::runtime::gomaxprocs(0);
        auto start = rota::make_chan<meeting*>();
        auto ended = rota::make_chan<rota::unit>(static_cast<std::size_t>(2 * all));
        for (int i = 0; i < 2 * all; ++i) {
            rota::go([=] {
                for (meeting* const m : start) {
                    if (m != nullptr) m->attend();
                    ended.send({});
                }
            });
        }
        while (box.open()) {
            const int k = up_to_all(choose);
            meeting m(k);
            vary(choose);
            // 2 P goroutines are woken; K of them meet, and the rest have no work.
            for (int i = 0; i < k; ++i) start.send(&m);
            for (int i = k; i < 2 * all; ++i) start.send(nullptr);
            for (int i = 0; i < 2 * all; ++i) ended.recv();
            watch.step(0);
        }
        start.close();
    });
}

TEST(kb02_successor, a_burst_of_wake_ups_by_close_reaches_every_processor) {
    // close readies every waiter in one go, into one queue.
    const time_box box(usual);
    progress watch(1);
    choices choose(14);
    rota::run([&] {
        while (box.open()) {
            const int k = up_to_all(choose);
            meeting m(k);
            auto gate = rota::make_chan<rota::unit>();
            rota::wait_group wg;
            for (int i = 0; i < k; ++i) {
                wg.go([&, gate] {
                    gate.recv();
                    m.attend();
                });
            }
            for (unsigned i = choose.below(20); i > 0; --i) rota::runtime::gosched();
            vary(choose);
            gate.close();
            wg.wait();
            watch.step(0);
        }
    });
}

TEST(kb02_successor, timers_that_end_together_reach_every_processor) {
    // One thread runs every due timer; the goroutines then lie in its queue.
    const time_box box(usual);
    progress watch(1);
    choices choose(15);
    rota::run([&] {
        while (box.open()) {
            const int k = up_to_all(choose);
            meeting m(k);
            rota::wait_group wg;
            const auto when = rota::clock::now() + std::chrono::microseconds(choose.below(300));
            for (int i = 0; i < k; ++i) {
                wg.go([&, when] {
                    rota::sleep_until(when);
                    m.attend();
                });
            }
            wg.wait();
            watch.step(0);
        }
    });
}

TEST(kb02_successor, a_thread_that_wakes_parked_goroutines_reaches_every_processor) {
    // A thread has no processor of its own for the work.
    const time_box box(usual);
    progress watch(1);
    choices choose(16);
    const int all = rota::runtime::gomaxprocs(0);
    auto start = rota::make_chan<meeting*>();
    auto ended = rota::make_chan<rota::unit>(static_cast<std::size_t>(all));
    for (int i = 0; i < all; ++i) {
        rota::go([=] {
            for (meeting* const m : start) {
                m->attend();
                ended.send({});
            }
        });
    }
    while (box.open()) {
        const int k = up_to_all(choose);
        meeting m(k);
        vary(choose);
        for (int i = 0; i < k; ++i) start.send(&m);
        for (int i = 0; i < k; ++i) ended.recv();
        watch.step(0);
    }
    start.close();
}

TEST(kb01_work_conservation, processors_that_come_out_of_blocking_calls_are_used) {
    // Goroutines return from blocking calls while further goroutines are readied. A processor that
    // exit and hand-off both leave idle would make the meeting incomplete.
    const time_box box(usual);
    progress watch(1);
    choices choose(17);
    rota::run([&] {
        while (box.open()) {
            const int k = up_to_all(choose);
            meeting m(k);
            std::atomic<bool> open{false};
            rota::wait_group wg;
            for (int i = 0; i < k; ++i) {
                wg.go([&, i] {
                    if (i % 2 == 0) {
                        rota::blocking([&] {
                            while (!open) std::this_thread::yield();
                        });
                    }
                    m.attend();
                });
            }
            wg.go([&] {
                rota_test::burn(std::chrono::microseconds(5));
                open = true;
            });
            wg.wait();
            watch.step(0);
        }
    });
}
