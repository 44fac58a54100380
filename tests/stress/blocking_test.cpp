// Blocking calls under load: processors change hands while goroutines are ready, queued, or on
// their way back.
#include <atomic>
#include <thread>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "load.hpp"

using rota_test::choices;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::spin_until;
using rota_test::time_box;

TEST(kb07_hand_off, a_readied_goroutine_runs_although_its_waker_blocks) {
    // The woken goroutine lies in the runnext slot of a processor whose thread blocks at once. If
    // the slot stayed behind, the goroutine would never run, and the call, which waits for it,
    // would time out.
    const time_box box(std::chrono::milliseconds(1500));
    progress watch(1);
    choices choose(31);
    rota::run([&] {
        auto wake = rota::make_chan<std::atomic<bool>*>();
        rota::go([wake] {
            for (std::atomic<bool>* const flag : wake) *flag = true;
        });
        while (box.open()) {
            std::atomic<bool> ran{false};
            if (choose.once_in(2)) wake.send(&ran);
            else rota::go([&ran] { ran = true; });
            rota::blocking(
                [&] { EXPECT_TRUE(spin_until([&] { return ran.load(); })) << scheduler_state(); });
            watch.step(0);
        }
        wake.close();
    });
}

TEST(kb07_hand_off, a_whole_queue_runs_although_every_processor_blocks) {
    // Each goroutine readies the next and blocks until the last goroutine has come: none returns
    // before. A hand-off that starts no thread for queued goroutines would break the chain.
    const int links = 24;
    const time_box box(std::chrono::milliseconds(1500));
    progress watch(1);
    rota::run([&] {
        while (box.open()) {
            std::atomic<int> reached{0};
            rota::wait_group wg;
            struct chain {
                rota::wait_group& wg;
                std::atomic<int>& reached;
                int links;
                void link() {
                    const int mine = ++reached;
                    if (mine < links) wg.go([this] { link(); });
                    rota::blocking([this] {
                        EXPECT_TRUE(spin_until([this] { return reached >= links; }))
                            << reached << "; " << scheduler_state();
                    });
                }
            } c{wg, reached, links};
            wg.go([&] { c.link(); });
            wg.wait();
            watch.step(0);
        }
    });
}

TEST(blocking_stress, storms_of_calls_and_wake_ups_lose_nobody) {
    // Exit, retake, hand-off, park and ready meet in every order. A processor with two owners or
    // none would stop a worker or fail a check.
    constexpr std::size_t workers = 30;
    const time_box box(std::chrono::milliseconds(2000));
    progress watch(workers);
    auto ring = rota::make_chan<int>(4);
    std::atomic<long> in{0}, out{0};
    rota::wait_group wg;
    for (std::size_t id = 0; id < workers; ++id) {
        wg.go([&, id] {
            choices choose(id + 33);
            while (box.open()) {
                switch (choose.below(6)) {
                    case 0: rota::blocking([] {}); break;
                    case 1: rota::blocking([] { std::this_thread::yield(); }); break;
                    case 2: rota::blocking([] { (void)::poll(nullptr, 0, 1); }); break;
                    case 3:
                        if (ring.try_send(1) == rota::chan_status::ok) ++in;
                        break;
                    case 4: {
                        int v = 0;
                        if (ring.try_recv(v) == rota::chan_status::ok) out += v;
                        break;
                    }
                    default: rota::sleep_for(std::chrono::microseconds(choose.below(100)));
                }
                if (choose.once_in(8)) rota::runtime::gosched();
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    wg.wait();
    EXPECT_EQ(in, out + static_cast<long>(ring.len()));
}

TEST(kb40_retake, goroutines_in_calls_of_every_length_let_the_others_work) {
    // Sysmon compares ticks. If the ticks advanced in step with it, it would never take a
    // processor: workers that compute would stand still while callers sit in their calls.
    constexpr std::size_t callers = 8, computing = 4;
    const time_box box(std::chrono::milliseconds(1500));
    progress watch(callers + computing);
    rota::wait_group wg;
    for (std::size_t id = 0; id < callers + computing; ++id) {
        wg.go([&, id] {
            choices choose(id + 90);
            while (box.open()) {
                if (id < callers) {
                    const auto d = std::chrono::microseconds(20 + choose.below(980));
                    rota::blocking([d] {
                        const auto until = std::chrono::steady_clock::now() + d;
                        while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
                    });
                } else {
                    rota_test::burn(std::chrono::microseconds(10));
                    rota::runtime::gosched();
                }
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    wg.wait();
}
