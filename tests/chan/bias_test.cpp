// Checks that a channel used by goroutines of one p has its lock biased to that p until another p
// or a thread uses the channel.
#include <gtest/gtest.h>

#include <thread>

#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/runtime.hpp>

#include "../gomaxprocs_restored.hpp"
#include "chan/hchan.hpp"
#include "sys/thread/asymmetric.hpp"

namespace {

using rota::chan;

// The caller must be the only user of the channel at the moment.
bool is_biased(const chan<int>& ch) ROTA_NO_TSA { return engine_of(ch)->mu.is_biased(); }

// Sends `values` values there and back; each value makes the receiver wait once.
void pass_on(const chan<int>& ch, const chan<int>& back, int values) {
    rota::go([=] {
        for (int i = 0; i < values; ++i) back.send(*ch.recv() + 1);
    });
    for (int i = 0; i < values; ++i) {
        ch.send(i);
        ASSERT_EQ(back.recv(), i + 1);
    }
}

TEST(chan_bias, comes_with_waits_of_one_p_and_goes_with_a_thread) {
    // boots the runtime
    if (!rota::rt::asymmetric.owner.load(std::memory_order_relaxed)) rota::run([] {});
    if (!rota::rt::asymmetric.owner.load(std::memory_order_relaxed))
        GTEST_SKIP() << "this build or kernel has no restartable sequences";
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(1);
    rota::run([] {
        const auto ch = rota::make_chan<int>(), back = rota::make_chan<int>();
        EXPECT_FALSE(is_biased(back));
        pass_on(ch, back, 10);
        EXPECT_FALSE(is_biased(back));
        pass_on(ch, back, 1100);
        EXPECT_TRUE(is_biased(back));

        const auto kept = rota::make_chan<int>(4);
        pass_on(ch, kept, 1100);
        EXPECT_TRUE(is_biased(kept));
        std::thread([&] { kept.send(7); }).join();
        EXPECT_FALSE(is_biased(kept));
        EXPECT_EQ(kept.recv(), 7);
        // The next bias needs more waits than the first.
        pass_on(ch, kept, 1100);
        EXPECT_FALSE(is_biased(kept));
        pass_on(ch, kept, 4200);
        EXPECT_TRUE(is_biased(kept));
    });
}

TEST(chan_bias, does_not_come_where_others_wake) {
    // The receiver waits on its p again and again, but a thread wakes it: the lock must stay
    // unbiased.
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(1);
    rota::run([] {
        const auto ch = rota::make_chan<int>();
        std::thread server([ch] {
            for (int i = 0; i < 3000; ++i) ch.send(i);
        });
        for (int i = 0; i < 3000; ++i) ASSERT_EQ(ch.recv(), i);
        rota::blocking([&] { server.join(); });
        EXPECT_FALSE(is_biased(ch));
    });
}

TEST(chan_bias, loses_nothing_between_ps_and_threads) {
    // In each round one p first has the channel for itself; then another p and a thread use it too.
    constexpr int rounds = 10, each = 2000;
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(2);
    long sum = 0;
    rota::run([&] {
        const auto ch = rota::make_chan<int>(8), back = rota::make_chan<int>();
        for (int round = 0; round < rounds; ++round) {
            pass_on(ch, back, each);
            std::thread sender([&] {
                for (int i = 0; i < each; ++i) ch.send(1);
            });
            rota::go([=] {
                for (int i = 0; i < each; ++i) ch.send(1);
            });
            for (int i = 0; i < 2 * each; ++i) sum += *ch.recv();
            rota::blocking([&] { sender.join(); });
        }
    });
    EXPECT_EQ(sum, long{rounds} * 2 * each);
}

}  // namespace
