// Select under load: selects that meet selects, plain operations and closes on the same channels.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include <rota/rota.hpp>

#include "anywhere.hpp"

using rota::on_default;
using rota::on_recv;
using rota::on_send;
using rota_test::scaled;

TEST_ANYWHERE(kb22_select, that_sends_and_receives_on_one_channel_meets_others_only) {
    // The two cases of a select could match, or its lock be taken twice. A goroutine
    // would then receive its own number, or the test would stand still.
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{10}}) {
        const int rounds = scaled(500);
        const auto ch = rota::make_chan<int>(capacity);
        std::atomic<int> own{0};
        std::atomic<int> sent{0};
        std::atomic<int> received{0};
        rota::wait_group wg;
        for (int me = 0; me < 2; ++me) {
            wg.go([&, me] {
                const auto take = [&](std::optional<int> v) {
                    ++received;
                    if (*v == me) ++own;
                };
                // A goroutine that is done leaves a value or a gap, so the last goroutine never
                // waits alone.
                for (int i = 0; i < rounds; ++i) {
                    if (i % 2 == 0)
                        rota::select(on_recv(ch, take), on_send(ch, me, [&] { ++sent; }));
                    else rota::select(on_send(ch, me, [&] { ++sent; }), on_recv(ch, take));
                }
            });
        }
        wg.wait();
        EXPECT_EQ(sent - received, static_cast<int>(ch.len()));
        if (capacity == 0) {
            EXPECT_EQ(own, 0);
        }
    }
}

TEST_ANYWHERE(kb22_select, takes_the_same_channels_in_every_order) {
    // Locks taken in the order of the cases would wait for each other in a circle: the test would
    // stand still.
    const int each = scaled(3000);
    const std::array<rota::chan<int>, 3> ch{rota::make_chan<int>(), rota::make_chan<int>(),
                                            rota::make_chan<int>()};
    std::atomic<long> sum{0};
    rota::wait_group receiving;
    rota::wait_group sending;
    std::array<std::size_t, 3> order{0, 1, 2};
    do {
        receiving.go([&, order] {
            for (bool open = true; open;) {
                const auto take = [&](std::optional<int> v) {
                    open = v.has_value();
                    sum += v.value_or(0);
                };
                rota::select(on_recv(ch[order[0]], take), on_recv(ch[order[1]], take),
                             on_recv(ch[order[2]], take));
            }
        });
        sending.go([&, order] {
            for (int i = 1; i <= each; ++i)
                rota::select(on_send(ch[order[2]], i), on_send(ch[order[0]], i),
                             on_send(ch[order[1]], i));
        });
    } while (std::next_permutation(order.begin(), order.end()));
    sending.wait();
    for (const auto& c : ch) c.close();
    receiving.wait();
    EXPECT_EQ(sum, 6L * each * (each + 1) / 2);
}

TEST_ANYWHERE(kb22_select, may_have_one_channel_in_several_cases) {
    // The cases of a channel could be enqueued only once, or all be left behind. A value would
    // then be received twice or never, or a later value vanish in a dead case.
    for (int round = 0; round < scaled(300); ++round) {
        const auto ch = rota::make_chan<int>();
        int got = 0;
        rota::wait_group wg;
        wg.go([&] {
            const auto take = [&](std::optional<int> v) { got += *v; };
            rota::select(on_recv(ch, take), on_recv(ch, take), on_recv(ch, take));
            got += 10 * ch.recv().value();
        });
        ch.send(1);
        ch.send(2);
        wg.wait();
        ASSERT_EQ(got, 21);
    }
}

TEST_ANYWHERE(kb20_select, amid_plain_operations_loses_and_doubles_nothing) {
    // Two cases of a select could win, or a plain peer's value go to a case that has lost. The
    // counts of a channel's sends and receives would then differ.
    constexpr std::size_t lanes = 4;
    const int each = scaled(1500);
    constexpr std::array<std::size_t, lanes> capacity{0, 0, 2, 3};
    std::array<rota::chan<int>, lanes> ch;
    for (std::size_t i = 0; i < lanes; ++i) ch[i] = rota::make_chan<int>(capacity[i]);
    std::array<std::atomic<int>, lanes> sent{};
    std::array<std::atomic<int>, lanes> received{};
    rota::wait_group wg;
    for (std::size_t i = 0; i < lanes; ++i) {
        wg.go([&, i] {
            for (int n = 0; n < each; ++n) ch[i].send(n);
            sent[i] += each;
        });
        wg.go([&, i] {
            for (int n = 0; n < each; ++n) (void)ch[i].recv();
            received[i] += each;
        });
    }
    // Each of these does `each` operations on every lane; a finished lane becomes nil.
    wg.go([&] {
        std::array<int, lanes> done{};
        auto open = ch;
        for (int left = each * static_cast<int>(lanes); left > 0; --left) {
            const std::size_t i = rota::select(on_send(open[3], 0), on_send(open[2], 0),
                                               on_send(open[0], 0), on_send(open[1], 0));
            constexpr std::array<std::size_t, lanes> lane{3, 2, 0, 1};
            ++sent[lane[i]];
            if (++done[lane[i]] == each) open[lane[i]] = {};
        }
    });
    wg.go([&] {
        std::array<int, lanes> done{};
        auto open = ch;
        for (int left = each * static_cast<int>(lanes); left > 0; --left) {
            const std::size_t i = rota::select(on_recv(open[0]), on_recv(open[1]), on_recv(open[2]),
                                               on_recv(open[3]));
            ++received[i];
            if (++done[i] == each) open[i] = {};
        }
    });
    wg.wait();
    for (std::size_t i = 0; i < lanes; ++i) {
        EXPECT_EQ(sent[i], 2 * each) << i;
        EXPECT_EQ(received[i], 2 * each) << i;
        EXPECT_EQ(ch[i].len(), 0u) << i;
    }
}

TEST_ANYWHERE(select, default_does_not_run_while_another_case_is_ready) {
    // A select looks at its cases in turn, while values move from channel to channel. A
    // look that does not hold every lock would find none of them ready.
    const auto a = rota::make_chan<int>(2);
    const auto b = rota::make_chan<int>(2);
    std::atomic<bool> over{false};
    std::atomic<int> missed{0};
    a.send(1);
    rota::wait_group wg;
    wg.go([&] {
        // It puts back each value that it takes: when it looks, at least one of the two has a
        // value.
        while (!over) {
            const auto chosen = rota::select(on_recv(a), on_recv(b), on_default([&] { ++missed; }));
            if (chosen == 0) a.send(1);
            if (chosen == 1) b.send(1);
            rota::runtime::gosched();
        }
    });
    for (int round = 0; round < scaled(10'000); ++round) {
        b.send(1);
        (void)a.recv();
        a.send(1);
        (void)b.recv();
        if (round % 64 == 0) rota::runtime::gosched();
    }
    over = true;
    wg.wait();
    EXPECT_EQ(missed, 0);
}

TEST_ANYWHERE(kb21_select, whose_channels_are_all_closed_at_once_wakes_once) {
    // A close could wake a select that another close has woken, whose frame is gone. A goroutine
    // would then be readied twice, or the sanitizer would report the use of the frame.
    constexpr std::size_t channels = 4;
    for (int round = 0; round < scaled(200); ++round) {
        std::array<rota::chan<int>, channels> ch;
        for (auto& c : ch) c = rota::make_chan<int>();
        std::atomic<int> woken{0};
        rota::wait_group wg;
        for (int i = 0; i < 3; ++i) {
            wg.go([&] {
                const auto gone = [&](std::optional<int> v) { woken += v.has_value() ? 100 : 1; };
                rota::select(on_recv(ch[0], gone), on_recv(ch[1], gone), on_recv(ch[2], gone),
                             on_recv(ch[3], gone));
            });
        }
        for (auto& c : ch) wg.go([&c] { c.close(); });
        wg.wait();
        ASSERT_EQ(woken, 3);
    }
}

TEST_ANYWHERE(kb19_select, that_loses_leaves_the_waiters_behind_it_in_place) {
    // A losing case is removed from a channel's list; it could take the waiters behind it along.
    // The plain receiver behind it would then wait for ever.
    for (int round = 0; round < scaled(300); ++round) {
        const auto a = rota::make_chan<int>();
        const auto b = rota::make_chan<int>();
        std::atomic<int> got{0};
        rota::wait_group wg;
        for (int i = 0; i < 3; ++i) {
            const auto take = [&](std::optional<int> v) { got += *v; };
            wg.go([&, take] { rota::select(on_recv(a, take), on_recv(b, take)); });
            wg.go([&, take] { take(b.recv()); });
        }
        // The selects take these, since no other goroutine receives from a, and lose on b.
        for (int i = 0; i < 3; ++i) a.send(1);
        for (int i = 0; i < 3; ++i) b.send(10);
        wg.wait();
        ASSERT_EQ(got, 33);
    }
}
