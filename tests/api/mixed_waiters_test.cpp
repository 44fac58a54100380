// Threads and goroutines that wait in one line: each is served in its turn.
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "../asleep.hpp"
#include "anywhere.hpp"
#include "parked.hpp"

using namespace std::chrono_literals;
using rota_test::eventually;
using rota_test::panic_of;
using rota_test::scheduler_state;

namespace {

// Calls f in turn in a goroutine and in a thread. Each time it waits until f sleeps, so that the
// waiters stand one behind the other.
class line {
  public:
    ~line() {
        for (std::thread& t : threads_) t.join();
    }

    template <class F>
    [[nodiscard]] bool join(F f) {
        if (++length_ % 2 == 0) return rota_test::go_and_park(std::move(f));
        std::atomic<int> tid{0};
        threads_.emplace_back([&tid, f] {
            // registers the thread with rota, which takes a lock the first time
            rota::runtime::num_thread();
            tid = ::gettid();
            f();
        });
        return eventually([&tid] { return tid != 0 && stays_asleep(tid); });
    }

  private:
    // A thread may also sleep on its way, briefly, for a lock of the allocator or of tsan.
    static bool stays_asleep(int tid) {
        for (int look = 0; look < 5; ++look) {
            if (look != 0) rota::sleep_for(1ms);
            if (!rota_test::does_thread_sleep(::getpid(), std::to_string(tid))) return false;
        }
        return true;
    }

    std::vector<std::thread> threads_;
    int length_ = 0;
};

constexpr int many = 12;

}  // namespace

TEST_ANYWHERE(mixed_waiters, receivers_are_served_in_the_order_of_their_coming) {
    // Threads could stand in a line of their own: value i would not go to receiver i.
    auto ch = rota::make_chan<int>();
    std::vector<std::atomic<int>> got(many);
    line waiting;
    for (int i = 0; i < many; ++i) {
        auto& slot = got[static_cast<std::size_t>(i)];
        ASSERT_TRUE(waiting.join([&slot, ch] { slot = *ch.recv(); })) << scheduler_state();
    }
    for (int i = 0; i < many; ++i) ch.send(1000 + i);
    for (int i = 0; i < many; ++i) {
        const auto& slot = got[static_cast<std::size_t>(i)];
        EXPECT_TRUE(eventually([&] { return slot != 0; })) << scheduler_state();
        EXPECT_EQ(slot, 1000 + i);
    }
}

TEST_ANYWHERE(mixed_waiters, senders_are_served_in_the_order_of_their_coming) {
    // As above, for the queue of senders, with and without a buffer in front of it.
    for (const int capacity : {0, 3}) {
        auto ch = rota::make_chan<int>(static_cast<std::size_t>(capacity));
        for (int i = 0; i < capacity; ++i) ch.send(i);
        line waiting;
        for (int i = capacity; i < capacity + many; ++i)
            ASSERT_TRUE(waiting.join([ch, i] { ch.send(i); })) << scheduler_state();
        for (int i = 0; i < capacity + many; ++i) EXPECT_EQ(ch.recv(), i) << "of " << capacity;
    }
}

TEST_ANYWHERE(mixed_waiters, for_a_condition_are_woken_in_the_order_of_their_coming) {
    // As above, for notify_one.
    rota::mutex mu;
    rota::condition_variable changed;
    std::vector<int> woken;  // under mu
    const auto count = [&] {
        const std::lock_guard guard(mu);
        return woken.size();
    };
    rota::wait_group all;
    {
        line waiting;
        for (int i = 0; i < many; ++i) {
            all.add(1);
            ASSERT_TRUE(waiting.join([&, i] {
                std::unique_lock lk(mu);
                changed.wait(lk);
                woken.push_back(i);
                lk.unlock();
                all.done();
            })) << scheduler_state();
        }
        for (std::size_t i = 1; i <= many; ++i) {
            changed.notify_one();
            EXPECT_TRUE(eventually([&] { return count() == i; })) << scheduler_state();
        }
    }
    all.wait();
    for (int i = 0; i < many; ++i) EXPECT_EQ(woken[static_cast<std::size_t>(i)], i);
}

TEST_ANYWHERE(mixed_waiters, that_send_panic_when_the_channel_is_closed) {
    // A sender woken by the close could return as if its value had been received. A thread, a send
    // with a time limit, and a select each leave by a path of their own.
    const std::function<void(const rota::chan<int>&)> sends[] = {
        [](const rota::chan<int>& ch) { ch.send(1); },
        [](const rota::chan<int>& ch) { (void)ch.send_for(1, 1h); },
        [](const rota::chan<int>& ch) {
            auto never = rota::make_chan<int>();
            rota::select(rota::on_send(ch, 1), rota::on_recv(never));
        },
        [](const rota::chan<int>& ch) {
            rota::select_set set;
            set.send(ch, 1);
            std::optional<int> none;
            set.recv(rota::make_chan<int>(), none);
            set.wait();
        }};
    for (const auto& send : sends) {
        auto ch = rota::make_chan<int>(1);
        ch.send(0);
        std::atomic<int> panicked{0};
        line waiting;
        for (int i = 0; i < 4; ++i) {
            ASSERT_TRUE(waiting.join([&panicked, &send, ch] {
                panicked += panic_of([&] { send(ch); }) == "send on closed channel" ? 1 : 1000;
            })) << scheduler_state();
        }
        ch.close();
        EXPECT_TRUE(eventually([&] { return panicked % 1000 + panicked / 1000 == 4; }))
            << panicked << "; " << scheduler_state();
        EXPECT_EQ(panicked, 4) << "of the kind " << &send - sends;
        EXPECT_EQ(ch.recv(), 0);
        EXPECT_EQ(ch.recv(), std::nullopt);
    }
}

TEST_ANYWHERE(mixed_waiters, that_receive_are_told_when_the_channel_is_closed) {
    // As above: a receiver could sleep on, or get a value that was never sent.
    const std::function<bool(const rota::chan<int>&)> receives[] = {
        [](const rota::chan<int>& ch) { return !ch.recv(); },
        [](const rota::chan<int>& ch) {
            int out = 7;
            return ch.recv_for(out, 1h) == rota::chan_status::closed;
        },
        [](const rota::chan<int>& ch) {
            for ([[maybe_unused]] const int v : ch) return false;
            return true;
        },
        [](const rota::chan<int>& ch) {
            auto never = rota::make_chan<int>();
            std::optional<int> got = 7;
            return rota::select(rota::on_recv(never),
                                rota::on_recv(ch, [&](std::optional<int> v) { got = v; })) == 1 &&
                   !got;
        }};
    for (const auto& receive : receives) {
        auto ch = rota::make_chan<int>();
        std::atomic<int> told{0};
        line waiting;
        for (int i = 0; i < 4; ++i) {
            ASSERT_TRUE(waiting.join([&told, &receive, ch] { told += receive(ch) ? 1 : 1000; }))
                << scheduler_state();
        }
        ch.close();
        EXPECT_TRUE(eventually([&] { return told % 1000 + told / 1000 == 4; }))
            << told << "; " << scheduler_state();
        EXPECT_EQ(told, 4) << "of the kind " << &receive - receives;
    }
}
