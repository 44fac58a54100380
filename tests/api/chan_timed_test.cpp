// Channels with a time limit: send_for and recv_for.
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <string>

#include "anywhere.hpp"
#include "parked.hpp"

using namespace std::chrono_literals;
using rota::chan_status;
using rota_test::eventually;
using rota_test::go_and_park;

TEST_ANYWHERE(chan_timed, operations_wait_at_least_as_long_as_asked_and_leave_nothing) {
    // An operation could give up early, or stay in the queue after it has. Then less time would
    // pass, or a later try form would find a peer that is gone.
    auto ch = rota::make_chan<int>();
    auto full = rota::make_chan<int>(1);
    full.send(1);
    const rota::chan<int> nil;
    int out = 5;
    const auto lasts = [](auto f) {
        const auto before = rota::clock::now();
        EXPECT_EQ(f(), chan_status::timeout);
        EXPECT_GE(rota::clock::now() - before, 2ms);
    };
    lasts([&] { return ch.recv_for(out, 2ms); });
    lasts([&] { return ch.send_for(1, 2000us); });
    lasts([&] { return full.send_for(2, 0.002s); });
    lasts([&] { return nil.recv_for(out, 2ms); });
    lasts([&] { return nil.send_for(1, 2ms); });
    EXPECT_EQ(out, 5);
    EXPECT_EQ(ch.try_send(1), chan_status::would_block);
    EXPECT_EQ(ch.try_recv(out), chan_status::would_block);
    EXPECT_EQ(full.recv(), 1);
    EXPECT_EQ(full.len(), 0u);
}

TEST_ANYWHERE(chan_timed, zero_and_negative_durations_do_not_wait) {
    // A negative duration could be taken for an endless duration. Then the test would not end.
    auto ch = rota::make_chan<std::string>(1);
    std::string out;
    EXPECT_EQ(ch.recv_for(out, 0ms), chan_status::timeout);
    EXPECT_EQ(ch.send_for("a", -5h), chan_status::ok);
    EXPECT_EQ(ch.send_for("b", std::chrono::hours::min()), chan_status::timeout);
    EXPECT_EQ(ch.recv_for(out, std::chrono::duration<double>(-1e300)), chan_status::ok);
    EXPECT_EQ(out, "a");
    EXPECT_EQ(rota::chan<int>().send_for(1, 0s), chan_status::timeout);
}

TEST_ANYWHERE(kb30_chan_timed, the_longest_durations_do_not_overflow) {
    // now + d could wrap around to the past. Then the wait would end before its value is there.
    const auto served = [](auto duration) {
        auto ch = rota::make_chan<int>();
        std::atomic<int> got{0};
        ASSERT_TRUE(go_and_park([&got, ch, duration] {
            int v = 0;
            if (ch.recv_for(v, duration) == chan_status::ok) got = v;
            else got = -1;
        }));
        for (int i = 0; i < 20; ++i) rota_test::give_way();
        EXPECT_EQ(got, 0);
        EXPECT_EQ(ch.send_for(3, duration), chan_status::ok);
        EXPECT_TRUE(eventually([&] { return got == 3; })) << got;
    };
    served(std::chrono::hours::max());
    served(std::chrono::nanoseconds::max());
    served(std::chrono::nanoseconds::max() - 1ns);
    served(std::chrono::duration<double>(1e300));
    served(1h);
}

TEST_ANYWHERE(chan_timed, operations_meet_their_peers) {
    // A limited wait could be invisible to a try form or to another limited wait. Then an operation
    // would return would_block or time out.
    auto ch = rota::make_chan<std::unique_ptr<int>>();
    std::atomic<int> got{0};
    ASSERT_TRUE(go_and_park([&got, ch] {
        std::unique_ptr<int> v;
        if (ch.recv_for(v, 1h) == chan_status::ok) got = *v;
    }));
    EXPECT_EQ(ch.try_send(std::make_unique<int>(7)), chan_status::ok);
    EXPECT_TRUE(eventually([&] { return got == 7; }));
    ASSERT_TRUE(go_and_park([&got, ch] {
        if (ch.send_for(std::make_unique<int>(8), 1h) == chan_status::ok) got = 8;
    }));
    std::unique_ptr<int> v;
    EXPECT_EQ(ch.recv_for(v, 1h), chan_status::ok);
    EXPECT_EQ(*v, 8);
    EXPECT_TRUE(eventually([&] { return got == 8; }));
    const rota::send_chan<std::unique_ptr<int>> in = ch;
    const rota::recv_chan<std::unique_ptr<int>> out = ch;
    EXPECT_EQ(in.send_for(nullptr, 1ns), chan_status::timeout);
    EXPECT_EQ(out.recv_for(v, 1ns), chan_status::timeout);
}

TEST_ANYWHERE(chan_timed, close_ends_a_limited_wait) {
    // The close could look like a time-out, or like a value. Then the status would be wrong.
    auto ch = rota::make_chan<int>();
    auto full = rota::make_chan<int>(1);
    full.send(1);
    std::atomic<int> told{0};
    ASSERT_TRUE(go_and_park([&told, ch] {
        int v = 0;
        if (ch.recv_for(v, 1h) == chan_status::closed) ++told;
    }));
    ASSERT_TRUE(go_and_park([&told, full] {
        try {
            (void)full.send_for(2, 1h);
        } catch (const rota::panic_error&) {
            ++told;
        }
    }));
    ch.close();
    full.close();
    EXPECT_TRUE(eventually([&] { return told == 2; })) << told;
    int v = 0;
    EXPECT_EQ(ch.recv_for(v, 1h), chan_status::closed);
    EXPECT_EQ(full.recv_for(v, 1h), chan_status::ok);
    EXPECT_THROW((void)full.send_for(1, 1h), rota::panic_error);
}

TEST_ANYWHERE(kb48_chan_timed, a_value_and_a_time_out_never_both_win) {
    // The timer and a peer could both wake the waiter, or each could leave it to the other. Then a
    // value would be lost or doubled, or the watchdog would end the test.
    auto ch = rota::make_chan<int>();
    constexpr int many = rota_test::scaled(2000);
    std::atomic<int> sent{0};
    std::atomic<bool> stop{false};
    rota::wait_group wg;
    for (int k = 0; k < 2; ++k) {
        wg.go([&, ch] {
            for (int i = 0; i < many; ++i) {
                if (ch.send_for(1, std::chrono::microseconds(i % 50)) == chan_status::ok) ++sent;
            }
        });
    }
    int received = 0;
    rota::go([&, ch] {
        wg.wait();
        stop = true;
    });
    for (int i = 0; !stop; ++i) {
        int v = 0;
        if (ch.recv_for(v, std::chrono::microseconds(i % 30)) == chan_status::ok) received += v;
    }
    EXPECT_EQ(received, sent);
}
