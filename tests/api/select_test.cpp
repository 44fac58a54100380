// Select: the case that runs, blocking, and the values of the cases.
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota::chan_status;
using rota::on_default;
using rota::on_recv;
using rota::on_send;
using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::panic_of;
using rota_test::scheduler_state;

TEST_ANYWHERE(select, returns_the_index_of_the_case_that_ran) {
    // The index could count only the channels, or the callback of another case could run. The index
    // would then differ from the argument's, or `ran` from the index.
    auto a = rota::make_chan<int>(1);
    auto b = rota::make_chan<std::string>(1);
    int ran = -1;
    const auto once = [&](bool with_default) {
        ran = -1;
        const auto mark = [&](int i) {
            EXPECT_EQ(ran, -1) << "two callbacks";
            ran = i;
        };
        const auto from_a = on_recv(a, [&](std::optional<int> v) {
            EXPECT_EQ(v, 7);
            mark(1);
        });
        const auto from_b = on_recv(b, [&](std::optional<std::string> v) {
            EXPECT_EQ(v, "seven");
            mark(2);
        });
        auto c1 = from_a;
        auto c2 = from_b;
        if (!with_default) return rota::select(on_recv(rota::chan<int>()), c1, c2);
        return rota::select(on_default([&] { mark(0); }), c1, c2);
    };
    EXPECT_EQ(once(true), 0u);
    EXPECT_EQ(ran, 0);
    for (const bool with_default : {false, true}) {
        a.send(7);
        EXPECT_EQ(once(with_default), 1u);
        EXPECT_EQ(ran, 1);
        b.send("seven");
        EXPECT_EQ(once(with_default), 2u);
        EXPECT_EQ(ran, 2);
    }
    EXPECT_EQ(rota::select(on_recv(a), on_recv(b), on_default()), 2u);
    EXPECT_EQ(rota::select(on_recv(a), on_default()), 1u);
    EXPECT_EQ(rota::select(on_default(), on_recv(a)), 0u);
    EXPECT_EQ(rota::select(on_default()), 0u);
}

TEST_ANYWHERE(select, blocks_until_one_case_can_run) {
    // It could return without a peer, or miss a peer. `got` would then be set too early, or not at
    // all.
    for (const int peer : {0, 1, 2}) {
        auto a = rota::make_chan<int>();
        auto b = rota::make_chan<int>(1);
        auto c = rota::make_chan<int>();
        std::atomic<int> got{-1};
        std::atomic<int> value{0};
        b.send(0);
        rota::wait_group wg;
        wg.add(1);
        ASSERT_TRUE(go_and_park([&, a, b, c] {
            const auto i = rota::select(on_recv(a, [&](std::optional<int> v) { value = *v; }),
                                        on_send(b, 20), on_send(c, 30));
            got = static_cast<int>(i);
            wg.done();
        }));
        for (int i = 0; i < 20; ++i) rota_test::give_way();
        EXPECT_EQ(got, -1);
        if (peer == 0) {
            a.send(10);
        } else if (peer == 1) {
            EXPECT_EQ(b.recv(), 0);
            EXPECT_EQ(b.recv(), 20);
        } else {
            EXPECT_EQ(c.recv(), 30);
        }
        wg.wait();
        EXPECT_EQ(got, peer);
        EXPECT_EQ(value, peer == 0 ? 10 : 0);
        int none = 0;
        EXPECT_EQ(a.try_send(1), chan_status::would_block) << "a case that has lost still waits";
        EXPECT_EQ(c.try_recv(none), chan_status::would_block) << "as above";
        EXPECT_EQ(b.len(), 0u + (peer == 1 ? 0u : 1u));
    }
}

TEST_ANYWHERE(select, chooses_uniformly_among_ready_cases) {
    // The first case could be preferred, or the neighbour of a case that is never ready. The counts
    // would then differ by more than chance allows: 20 standard deviations.
    std::array<rota::chan<int>, 5> chans;
    for (auto& c : chans) c = rota::make_chan<int>(1);
    std::array<int, 5> count{};
    constexpr int rounds = 6000;
    for (int i = 0; i < rounds; ++i) {
        for (const std::size_t k : {0u, 1u, 4u}) (void)chans[k].try_send(1);
        ++count[rota::select(on_recv(chans[0]), on_recv(chans[1]), on_recv(chans[2]),
                             on_recv(chans[3]), on_recv(chans[4]))];
    }
    EXPECT_EQ(count[2] + count[3], 0);
    for (const std::size_t k : {0u, 1u, 4u}) {
        EXPECT_NEAR(count[k], rounds / 3, 730) << k;
    }
}

TEST_ANYWHERE(select, chooses_uniformly_among_waiting_cases_of_one_channel) {
    // The cases stand in one queue, and the first that was enqueued could win each time. The counts
    // would then differ by more than chance allows: 7 standard deviations.
    const auto ch = rota::make_chan<int>(), other = rota::make_chan<int>();
    std::array<int, 4> count{};
    const int rounds = rota_test::scaled(3000);
    rota::wait_group wg;
    wg.go([&] {
        for (int i = 0; i < rounds; ++i)
            ++count[rota::select(on_recv(ch), on_recv(other), on_recv(ch), on_recv(ch))];
    });
    for (int i = 0; i < rounds; ++i) {
        rota::runtime::gosched();  // the select mostly waits by now
        ch.send(1);
    }
    wg.wait();
    EXPECT_EQ(count[1], 0);
    for (const std::size_t k : {0u, 2u, 3u}) {
        EXPECT_NEAR(count[k], rounds / 3, rounds / 3 / 5 + 30) << k;
    }
}

TEST_ANYWHERE(select, nil_channels_are_never_ready) {
    // A nil channel could be taken for a closed channel, or be locked. Its case would then run, or
    // the test would crash.
    const rota::chan<int> nil;
    auto a = rota::make_chan<int>(1);
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(rota::select(on_recv(nil), on_send(nil, 1), on_default()), 2u);
        EXPECT_EQ(rota::select(on_recv(nil), on_default()), 1u);
        EXPECT_EQ(rota::select(on_send(nil, 1), on_default()), 1u);
        EXPECT_EQ(rota::select(on_recv(nil), on_send(a, 1), on_send(nil, 1)), 1u);
        EXPECT_EQ(rota::select(on_send(nil, 1), on_recv(nil), on_recv(a)), 2u);
    }
}

TEST_ANYWHERE(select, without_cases_or_with_nil_channels_alone_blocks_for_ever) {
    // It could return, or spin: `returned` would be counted.
    static std::atomic<int> returned{0};
    ASSERT_TRUE(go_and_park([] {
        rota::select();
        ++returned;
    }));
    ASSERT_TRUE(go_and_park([] {
        rota::select(on_recv(rota::chan<int>()), on_send(rota::chan<int>(), 1));
        ++returned;
    }));
    ASSERT_TRUE(go_and_park([] {
        rota::select(on_recv(rota::chan<int>()));
        ++returned;
    }));
    rota_test::leaves_behind(3);
    for (int i = 0; i < 50; ++i) rota_test::give_way();
    EXPECT_EQ(returned, 0);
}

TEST_ANYWHERE(select, a_closed_channel_is_ready_for_good) {
    // A close could be seen as a value, or wake no goroutine. The callback would then get a value,
    // or the watchdog would end the test.
    auto a = rota::make_chan<int>(2);
    auto b = rota::make_chan<int>();
    a.send(1);
    a.close();
    std::optional<int> last = 5;
    const auto once = [&] {
        return rota::select(on_recv(b), on_recv(a, [&](std::optional<int> v) { last = v; }));
    };
    EXPECT_EQ(once(), 1u);
    EXPECT_EQ(last, 1);
    for (int i = 0; i < 10; ++i) {
        last = 5;
        EXPECT_EQ(once(), 1u);
        EXPECT_EQ(last, std::nullopt);
    }
    last = 5;
    EXPECT_EQ(rota::select(on_recv(a, [&](std::optional<int> v) { last = v; }), on_default()), 0u);
    EXPECT_EQ(last, std::nullopt);

    auto c = rota::make_chan<int>();
    std::atomic<bool> woken{false};
    ASSERT_TRUE(go_and_park([&, b, c] {
        rota::select(on_recv(b), on_recv(c, [&](std::optional<int> v) { woken = !v.has_value(); }));
    }));
    c.close();
    EXPECT_TRUE(eventually([&] { return woken.load(); })) << scheduler_state();
    EXPECT_EQ(b.try_send(1), chan_status::would_block);
}

TEST_ANYWHERE(select, a_send_on_a_closed_channel_panics) {
    // The case could be passed over, or the panic lose the value. No exception would then be
    // thrown, or `text` would be empty.
    auto full = rota::make_chan<std::string>(1);
    auto closed = rota::make_chan<std::string>(1);
    full.send("x");
    closed.close();
    std::string text = "precious, and too long for its own small buffer";
    const std::string same = text;
    const auto expect_panic = [&](auto f) {
        EXPECT_EQ(panic_of(f), "send on closed channel");
        EXPECT_EQ(text, same);
    };
    expect_panic([&] { rota::select(on_send(closed, std::move(text))); });
    expect_panic([&] { rota::select(on_send(closed, std::move(text)), on_default()); });
    expect_panic(
        [&] { rota::select(on_send(full, std::string("y")), on_send(closed, std::move(text))); });
    auto later = rota::make_chan<std::string>();
    std::atomic<bool> panicked{false};
    ASSERT_TRUE(go_and_park([&, full, later] {
        try {
            rota::select(on_send(full, std::string("y")), on_send(later, std::string("z")));
        } catch (const rota::panic_error& e) {
            panicked = std::string(e.what()) == "send on closed channel";
        }
    }));
    later.close();
    EXPECT_TRUE(eventually([&] { return panicked.load(); }));
}

TEST_ANYWHERE(select, single_forms_do_what_the_plain_operations_do) {
    // A form with code of its own could leave out a step: a result would differ.
    auto ch = rota::make_chan<int>(1);
    int ran = 0;
    EXPECT_EQ(rota::select(on_send(ch, 4, [&] { ran = 1; })), 0u);
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(rota::select(on_send(ch, 5, [&] { ran = 2; }), on_default([&] { ran = 3; })), 1u);
    EXPECT_EQ(ran, 3);
    EXPECT_EQ(rota::select(on_recv(ch, [&](std::optional<int> v) { ran = *v; })), 0u);
    EXPECT_EQ(ran, 4);
    EXPECT_EQ(rota::select(on_default([&] { ran = 6; }), on_recv(ch)), 0u);
    EXPECT_EQ(ran, 6);
    EXPECT_EQ(rota::select(on_default([&] { ran = 7; }), on_send(ch, 8, [&] { ran = 9; })), 1u);
    EXPECT_EQ(ran, 9);
    EXPECT_EQ(rota::select(on_recv(ch, [&] { ran = 10; }), on_default()), 0u);
    EXPECT_EQ(ran, 10);
}

TEST_ANYWHERE(select, takes_one_way_views_and_temporary_handles) {
    // A temporary handle could be the last handle, and its channel go before the select does: asan
    // would report the access.
    auto ch = rota::make_chan<int>(1);
    const rota::send_chan<int> in = ch;
    const rota::recv_chan<int> out = ch;
    int got = 0;
    EXPECT_EQ(rota::select(on_send(in, 3), on_recv(rota::make_chan<int>())), 0u);
    EXPECT_EQ(rota::select(on_recv(rota::recv_chan<int>(rota::make_chan<int>())),
                           on_recv(out, [&](std::optional<int> v) { got = *v; })),
              1u);
    EXPECT_EQ(got, 3);
    auto kept = on_send(rota::make_chan<int>(1), 5);
    EXPECT_EQ(rota::select(kept, on_default()), 0u);
    EXPECT_EQ(rota::select(kept, on_default()), 1u);
}

TEST_ANYWHERE(select, callbacks_run_when_the_select_is_over) {
    // A callback could run under a lock or with its select still queued. Its operations would then
    // block, or the value of a nested select would be lost.
    auto a = rota::make_chan<int>(1);
    auto b = rota::make_chan<int>(1);
    int sum = 0;
    a.send(1);
    rota::select(on_recv(a,
                         [&](std::optional<int> v) {
                             sum += *v;
                             a.send(2);
                             b.send(4);
                             rota::select(on_recv(a, [&](std::optional<int> w) { sum += *w; }),
                                          on_send(a, 9));
                             rota_test::give_way();
                         }),
                 on_recv(b));
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(b.recv(), 4);
    a.send(1);
    EXPECT_THROW(rota::select(on_recv(a, [](std::optional<int>) { throw std::logic_error("x"); }),
                              on_recv(b)),
                 std::logic_error);
    EXPECT_EQ(a.len(), 0u);
}

TEST_ANYWHERE(select, of_many_cases_finds_each_of_them) {
    // Beyond a handful of cases other code sorts and stores them: a case of twenty could be missed,
    // or be found twice.
    std::array<rota::chan<int>, 20> c;
    for (auto& ch : c) ch = rota::make_chan<int>();
    const auto any = [&] {
        int got = -1;
        const auto f = [&](std::optional<int> v) { got = *v; };
        const std::size_t i = rota::select(
            on_recv(c[0], f), on_recv(c[1], f), on_recv(c[2], f), on_recv(c[3], f),
            on_recv(c[4], f), on_recv(c[5], f), on_recv(c[6], f), on_recv(c[7], f),
            on_recv(c[8], f), on_recv(c[9], f), on_recv(c[10], f), on_recv(c[11], f),
            on_recv(c[12], f), on_recv(c[13], f), on_recv(c[14], f), on_recv(c[15], f),
            on_recv(c[16], f), on_recv(c[17], f), on_recv(c[18], f), on_recv(c[19], f));
        EXPECT_EQ(static_cast<int>(i), got);
        return got;
    };
    rota::wait_group wg;
    for (int i = 0; i < 20; ++i) {
        wg.go([&c, i] { c[static_cast<std::size_t>(i)].send(i); });
    }
    int sum = 0;
    for (int i = 0; i < 20; ++i) sum += any();
    wg.wait();
    EXPECT_EQ(sum, 190);
}

TEST_ANYWHERE(select, serves_those_who_wait_in_the_order_of_their_coming) {
    // A select could overtake receivers that came first: value i would not go to waiter i.
    auto ch = rota::make_chan<int>();
    auto other = rota::make_chan<int>();
    constexpr int many = 12;
    std::array<std::atomic<int>, many> got{};
    for (std::size_t i = 0; i < many; ++i) {
        ASSERT_TRUE(go_and_park([&got, ch, other, i] {
            const auto keep = [&](std::optional<int> v) { got[i] = *v; };
            if (i % 2 == 0) keep(ch.recv());
            else rota::select(on_recv(other), on_recv(ch, keep));
        }));
    }
    for (int i = 0; i < many; ++i) ch.send(100 + i);
    for (std::size_t i = 0; i < many; ++i) {
        EXPECT_TRUE(eventually([&] { return got[i] != 0; }));
        EXPECT_EQ(got[i], 100 + static_cast<int>(i));
    }
}
