// Channels: sending, receiving, closing, the nil channel, the one-way views.
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota::chan_status;
using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::panic_of;
using rota_test::scheduler_state;

template <class C>
concept can_send = requires(const C& c) { c.send(1); };
template <class C>
concept can_recv = requires(const C& c) { c.recv(); };
template <class C>
concept can_close = requires(const C& c) { c.close(); };

static_assert(can_send<rota::chan<int>> && can_recv<rota::chan<int>> && can_close<rota::chan<int>>);
static_assert(can_send<rota::send_chan<int>> && !can_recv<rota::send_chan<int>>);
static_assert(!can_send<rota::recv_chan<int>> && can_recv<rota::recv_chan<int>>);
static_assert(can_close<rota::send_chan<int>> && !can_close<rota::recv_chan<int>>);
static_assert(std::is_convertible_v<rota::chan<int>, rota::send_chan<int>>);
static_assert(std::is_convertible_v<rota::chan<int>, rota::recv_chan<int>>);
static_assert(!std::is_convertible_v<rota::recv_chan<int>, rota::chan<int>>);
static_assert(!std::is_convertible_v<rota::recv_chan<int>, rota::send_chan<int>>);
static_assert(!std::is_convertible_v<rota::chan<int>, bool>, "only in a condition");
static_assert(std::is_nothrow_copy_constructible_v<rota::chan<std::string>>);

TEST_ANYWHERE(chan, unbuffered_send_returns_only_after_its_receive) {
    // The sender could continue with the value left in the channel. Then `sent` would be set before
    // any receive.
    auto ch = rota::make_chan<int>();
    std::atomic<bool> sent{false};
    ASSERT_TRUE(go_and_park([&, ch] {
        ch.send(1);
        sent = true;
    }));
    for (int i = 0; i < 100; ++i) rota_test::give_way();
    EXPECT_FALSE(sent);
    EXPECT_EQ(ch.recv(), 1);
    EXPECT_TRUE(eventually([&] { return sent.load(); })) << scheduler_state();
}

TEST_ANYWHERE(chan, unbuffered_receive_waits_for_its_send) {
    // A receive could return a value that no goroutine has sent. Then `got` would be set too early,
    // or to a wrong value.
    auto ch = rota::make_chan<int>();
    std::atomic<int> got{0};
    ASSERT_TRUE(go_and_park([&, ch] { got = *ch.recv(); }));
    for (int i = 0; i < 100; ++i) rota_test::give_way();
    EXPECT_EQ(got, 0);
    ch.send(7);
    EXPECT_TRUE(eventually([&] { return got == 7; })) << got << "; " << scheduler_state();
}

TEST_ANYWHERE(chan, buffer_takes_its_capacity_and_no_more) {
    // A slot too few or too many could be used, or the indices could wrap wrongly. Then try_send
    // would give a wrong answer, or the order would break after a few laps.
    for (const std::size_t capacity : {1u, 2u, 3u, 7u, 64u}) {
        auto ch = rota::make_chan<int>(capacity);
        EXPECT_EQ(ch.cap(), capacity);
        int in = 0;
        int out = 0;
        for (int lap = 0; lap < 5; ++lap) {
            for (std::size_t i = 0; i < capacity; ++i) {
                EXPECT_EQ(ch.len(), i);
                ASSERT_EQ(ch.try_send(in++), chan_status::ok);
            }
            EXPECT_EQ(ch.try_send(-1), chan_status::would_block);
            EXPECT_EQ(ch.len(), capacity);
            const std::size_t taken = lap % 2 == 0 ? capacity : capacity / 2;
            for (std::size_t i = 0; i < taken; ++i) ASSERT_EQ(ch.recv(), out++);
            for (std::size_t i = taken; i < capacity; ++i) ASSERT_EQ(ch.recv(), out++);
            EXPECT_EQ(ch.len(), 0u);
        }
    }
}

TEST_ANYWHERE(chan, full_buffer_makes_the_sender_wait_until_there_is_room) {
    // The waiting sender's value could be lost or overtake the buffered values. Then the values
    // would come out in a different order.
    auto ch = rota::make_chan<int>(2);
    ch.send(1);
    ch.send(2);
    std::atomic<bool> sent{false};
    ASSERT_TRUE(go_and_park([&, ch] {
        ch.send(3);
        sent = true;
    }));
    EXPECT_FALSE(sent);
    EXPECT_EQ(ch.len(), 2u);
    EXPECT_EQ(ch.recv(), 1);
    EXPECT_TRUE(eventually([&] { return sent.load(); })) << scheduler_state();
    EXPECT_EQ(ch.len(), 2u);
    EXPECT_EQ(ch.recv(), 2);
    EXPECT_EQ(ch.recv(), 3);
}

TEST_ANYWHERE(chan, try_forms_never_wait_and_serve_parked_peers) {
    // A try form could miss a waiting peer, forget to wake it, or wait itself. Then it would return
    // would_block, the peer would stay, or the watchdog would end the test.
    auto ch = rota::make_chan<int>();
    int out = 0;
    EXPECT_EQ(ch.try_send(1), chan_status::would_block);
    EXPECT_EQ(ch.try_recv(out), chan_status::would_block);

    std::atomic<int> got{0};
    ASSERT_TRUE(go_and_park([&, ch] { got = *ch.recv(); }));
    EXPECT_EQ(ch.try_send(5), chan_status::ok);
    EXPECT_TRUE(eventually([&] { return got == 5; })) << got;

    std::atomic<bool> sent{false};
    ASSERT_TRUE(go_and_park([&, ch] {
        ch.send(6);
        sent = true;
    }));
    EXPECT_EQ(ch.try_recv(out), chan_status::ok);
    EXPECT_EQ(out, 6);
    EXPECT_TRUE(eventually([&] { return sent.load(); }));
}

TEST_ANYWHERE(chan, close_lets_buffered_values_out_and_then_says_closed) {
    // close could discard the buffer, or a drained channel could block for ever. Then the values or
    // the nullopt would not come.
    auto ch = rota::make_chan<int>(3);
    ch.send(1);
    ch.send(2);
    EXPECT_FALSE(ch.closed());
    ch.close();
    EXPECT_TRUE(ch.closed());
    int out = 0;
    EXPECT_EQ(ch.try_recv(out), chan_status::ok);
    EXPECT_EQ(out, 1);
    EXPECT_EQ(ch.recv(), 2);
    EXPECT_EQ(ch.recv(), std::nullopt);
    EXPECT_EQ(ch.try_recv(out), chan_status::closed);
    EXPECT_EQ(out, 1) << "a closed channel must leave the variable alone";
}

TEST_ANYWHERE(chan, close_wakes_every_waiting_receiver) {
    // Only the first receiver could be woken, or a receiver could be woken with a value. Then not
    // every receiver would report nullopt.
    auto ch = rota::make_chan<int>();
    std::atomic<int> ended{0};
    constexpr int many = 50;
    for (int i = 0; i < many; ++i) {
        rota::go([&, ch] {
            EXPECT_EQ(ch.recv(), std::nullopt);
            ++ended;
        });
    }
    for (int i = 0; i < 20; ++i) rota_test::give_way();
    ch.close();
    EXPECT_TRUE(eventually([&] { return ended == many; })) << ended << "; " << scheduler_state();
}

TEST_ANYWHERE(chan, close_makes_waiting_senders_panic) {
    // A waiting sender could return as if its value had been received. Then not every sender would
    // report the panic.
    for (const std::size_t capacity : {0u, 2u}) {
        auto ch = rota::make_chan<int>(capacity);
        for (std::size_t i = 0; i < capacity; ++i) ch.send(0);
        std::atomic<int> panicked{0};
        constexpr int many = 20;
        for (int i = 0; i < many; ++i) {
            ASSERT_TRUE(go_and_park([&, ch] {
                try {
                    ch.send(1);
                } catch (const rota::panic_error& e) {
                    panicked += std::string(e.what()) == "send on closed channel";
                }
            }));
        }
        ch.close();
        EXPECT_TRUE(eventually([&] { return panicked == many; })) << panicked;
        for (std::size_t i = 0; i < capacity; ++i) EXPECT_EQ(ch.recv(), 0);
        EXPECT_EQ(ch.recv(), std::nullopt);
    }
}

TEST_ANYWHERE(chan, misuse_is_a_panic_with_gos_text) {
    // Misuse could pass silently, crash, or leave the channel locked.
    // Then the text would differ, or the operation after it would hang.
    auto ch = rota::make_chan<int>(1);
    ch.close();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(panic_of([&] { ch.send(1); }), "send on closed channel");
        EXPECT_EQ(panic_of([&] { ch << 1; }), "send on closed channel");
        EXPECT_EQ(panic_of([&] { (void)ch.try_send(1); }), "send on closed channel");
        EXPECT_EQ(panic_of([&] { ch.close(); }), "close of closed channel");
        EXPECT_EQ(panic_of([&] { rota::send_chan<int>(ch).close(); }), "close of closed channel");
        EXPECT_EQ(ch.recv(), std::nullopt);
    }
    const rota::chan<int> nil;
    EXPECT_EQ(panic_of([&] { nil.close(); }), "close of nil channel");
    EXPECT_EQ(panic_of([&] { rota::send_chan<int>().close(); }), "close of nil channel");
}

TEST_ANYWHERE(chan, absurd_capacity_is_a_panic) {
    // The size in bytes could overflow to a small number. Then the channel would write beyond its
    // buffer.
    constexpr auto most = std::numeric_limits<std::size_t>::max();
    constexpr const char* text = "makechan: size out of range";
    EXPECT_EQ(panic_of([] { rota::make_chan<int>(most); }), text);
    EXPECT_EQ(panic_of([] { rota::make_chan<int>(most / 4 + 2); }), text);
    EXPECT_EQ(panic_of([] { rota::make_chan<std::string>(most / 2); }), text);
    EXPECT_EQ(panic_of([] { rota::make_chan<rota::unit>(most); }), text);
    struct big {
        char bytes[4096];
    };
    EXPECT_EQ(panic_of([] { rota::make_chan<big>(most >> 11); }), text);
    EXPECT_EQ(panic_of([] { rota::make_chan<char>(static_cast<std::size_t>(-1LL)); }), text);
}

TEST_ANYWHERE(chan, nil_never_is_ready) {
    // An operation on the nil channel could crash or count as done. Then the answer would differ,
    // or an operation that must block for ever would return.
    const rota::chan<int> nil;
    int out = 0;
    EXPECT_FALSE(nil);
    EXPECT_EQ(nil.try_send(1), chan_status::would_block);
    EXPECT_EQ(nil.try_recv(out), chan_status::would_block);
    EXPECT_EQ(nil.len(), 0u);
    EXPECT_EQ(nil.cap(), 0u);
    EXPECT_FALSE(nil.closed());
    static std::atomic<int> came_back{0};
    ASSERT_TRUE(go_and_park([nil] {
        nil.send(1);
        ++came_back;
    }));
    ASSERT_TRUE(go_and_park([nil] {
        nil.recv();
        ++came_back;
    }));
    ASSERT_TRUE(go_and_park([nil] {
        for (int v : nil) came_back += v;
        ++came_back;
    }));
    rota_test::leaves_behind(3);
    for (int i = 0; i < 100; ++i) rota_test::give_way();
    EXPECT_EQ(came_back, 0);
}

TEST_ANYWHERE(chan, handles_are_references_to_one_channel) {
    // A copy could have its own buffer, or equality could compare contents. Then a value sent
    // through a copy would not come out of the original.
    auto a = rota::make_chan<int>(1);
    const auto b = a;
    auto c = rota::make_chan<int>(1);
    EXPECT_TRUE(a);
    EXPECT_TRUE(a == b);
    EXPECT_FALSE(a == c);
    EXPECT_TRUE(a != rota::chan<int>());
    EXPECT_TRUE(rota::chan<int>() == rota::chan<int>());
    a.send(1);
    EXPECT_EQ(b.recv(), 1);
    c = a;
    EXPECT_TRUE(c == b);
    rota::chan<int> moved = std::move(c);
    EXPECT_TRUE(moved == a);
    b.send(2);
    a = rota::chan<int>();
    EXPECT_EQ(moved.recv(), 2);
}

TEST_ANYWHERE(chan, one_way_views_are_the_same_channel) {
    // A view could lose len, cap, ==, bool or the reference that keeps the channel alive.
    // Then an answer would differ, or asan report a use after free.
    rota::send_chan<int> tx;
    rota::recv_chan<int> rx;
    EXPECT_FALSE(tx);
    EXPECT_FALSE(rx);
    {
        auto ch = rota::make_chan<int>(4);
        tx = ch;
        rx = ch;
        EXPECT_TRUE(tx == rota::send_chan<int>(ch));
        EXPECT_TRUE(rx == rota::recv_chan<int>(ch));
    }
    EXPECT_TRUE(tx);
    tx << 1 << 2;
    tx.send(3);
    EXPECT_EQ(tx.try_send(4), chan_status::ok);
    EXPECT_EQ(tx.try_send(5), chan_status::would_block);
    EXPECT_EQ(rx.len(), 4u);
    EXPECT_EQ(tx.cap(), 4u);
    EXPECT_EQ(rx.recv(), 1);
    int out = 0;
    EXPECT_EQ(rx.try_recv(out), chan_status::ok);
    EXPECT_EQ(out, 2);
    tx.close();
    EXPECT_TRUE(rx.closed());
    int sum = 0;
    for (const int v : rx) sum += v;
    EXPECT_EQ(sum, 7);
}

TEST_ANYWHERE(chan, range_for_ends_when_closed_and_drained) {
    // The loop could end with values in the buffer, or never. Then the sum would be too small, or
    // the watchdog would end the test.
    for (const std::size_t capacity : {0u, 1u, 16u}) {
        auto ch = rota::make_chan<int>(capacity);
        rota::go([ch] {
            for (int i = 1; i <= 100; ++i) ch << i;
            ch.close();
        });
        int sum = 0;
        int last = 0;
        for (const int v : ch) {
            EXPECT_EQ(v, last + 1);
            last = v;
            sum += v;
        }
        EXPECT_EQ(sum, 5050);
    }
}

TEST_ANYWHERE(chan, shift_sends_and_can_be_chained) {
    // The chain could work on a copy that dies. Then not every value would arrive in order.
    auto ch = rota::make_chan<std::string>(3);
    ch << "a" << std::string("b") << "c";
    EXPECT_EQ(ch.recv(), "a");
    EXPECT_EQ(ch.recv(), "b");
    EXPECT_EQ(ch.recv(), "c");
}

TEST_ANYWHERE(chan, send_makes_visible_what_was_written_before) {
    // The value could be handed over before the memory that it points to is written. Then the
    // receiver would read an old value from the plain variable, and tsan would report a race.
    for (const std::size_t capacity : {0u, 1u, 8u}) {
        auto ch = rota::make_chan<const int*>(capacity);
        constexpr int many = rota_test::scaled(3000);
        rota::go([ch] {
            std::vector<int> values(static_cast<std::size_t>(many));
            auto ack = rota::make_chan<rota::unit>();
            for (int i = 0; i < many; ++i) {
                values[static_cast<std::size_t>(i)] = i;
                ch.send(&values[static_cast<std::size_t>(i)]);
            }
            ch.send(nullptr);
            ch.send(nullptr);
            while (ch.len() > 0) rota::runtime::gosched();
            ch.close();
        });
        for (int i = 0; i < many; ++i) {
            const int* const value = *ch.recv();
            ASSERT_EQ(*value, i);
        }
        EXPECT_EQ(ch.recv(), nullptr);
        EXPECT_EQ(ch.recv(), nullptr);
        EXPECT_EQ(ch.recv(), std::nullopt);
    }
}

TEST_ANYWHERE(chan, receive_makes_room_for_what_follows) {
    // The n-th receive from a channel of capacity k happens before the n+k-th send completes: as a
    // semaphore the channel must exclude. Otherwise tsan would report the plain counter.
    auto permits = rota::make_chan<rota::unit>(1);
    int plain = 0;
    rota::wait_group wg;
    constexpr int each = rota_test::scaled(2000);
    for (int g = 0; g < 4; ++g) {
        wg.go([&] {
            for (int i = 0; i < each; ++i) {
                permits.send({});
                ++plain;
                permits.recv();
            }
        });
    }
    wg.wait();
    EXPECT_EQ(plain, 4 * each);
}

TEST(chan, connects_threads_and_goroutines_in_every_combination) {
    // Waking a thread and waking a goroutine are different operations. If any of the four
    // combinations lost a wake-up, the watchdog would end the test.
    constexpr int each = rota_test::scaled(2000);
    for (const bool send_in_thread : {false, true}) {
        for (const bool recv_in_thread : {false, true}) {
            for (const std::size_t capacity : {0u, 4u}) {
                auto ch = rota::make_chan<int>(capacity);
                auto total = rota::make_chan<long>(1);
                auto producer = [=] {
                    for (int i = 0; i < each; ++i) ch.send(i);
                    ch.close();
                };
                auto consumer = [=] {
                    long sum = 0;
                    for (const int v : ch) sum += v;
                    total.send(sum);
                };
                std::vector<std::thread> threads;
                if (send_in_thread) threads.emplace_back(producer);
                else rota::go(producer);
                if (recv_in_thread) threads.emplace_back(consumer);
                else rota::go(consumer);
                EXPECT_EQ(total.recv(), static_cast<long>(each) * (each - 1) / 2);
                for (auto& t : threads) t.join();
            }
        }
    }
}
