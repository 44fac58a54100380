// The values that go through a select: values that are sent, values that are not, and the actions
// of their constructors on the way.
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota::on_default;
using rota::on_recv;
using rota::on_send;
using rota_test::eventually;
using rota_test::go_and_park;

namespace {

// Records whether it has been moved from, and counts the moves. Its move does not throw.
struct moves_counted {
    int value = 0;
    bool gone = false;
    int* moves = nullptr;

    moves_counted(int v, int* m) : value(v), moves(m) {}
    moves_counted(moves_counted&& other) noexcept : value(other.value), moves(other.moves) {
        other.gone = true;
        ++*moves;
    }
};

// Throws while it is armed; can be neither copied nor assigned.
struct explosive {
    int value = 0;
    bool* armed = nullptr;

    explosive(int v, bool* a) : value(v), armed(a) {}
    explosive(explosive&& other) : value(other.value), armed(other.armed) {
        if (*armed) throw std::runtime_error("boom");
    }
};

// Yields whenever it is moved; at its first move it uses its own channel.
struct meddler {
    int value = 0;
    rota::chan<meddler>* through = nullptr;

    explicit meddler(int v) : value(v) {}
    meddler(int v, rota::chan<meddler>* c) : value(v), through(c) {}
    meddler(meddler&& other) : value(other.value) {
        rota_test::give_way();
        rota::chan<meddler>* const c = std::exchange(other.through, nullptr);
        if (c == nullptr) return;
        rota::select(on_recv(*c), on_default());
        (void)c->try_send(meddler(-1));
    }
};

const std::string long_text = "too long for the small buffer of a string, by far";

// May be moved byte by byte, but its own move leaves nothing behind.
struct carried {
    std::unique_ptr<std::string> text;

    explicit carried(const std::string& t) : text(std::make_unique<std::string>(t)) {}
};
bool operator==(const carried& c, const std::string& t) { return c.text && *c.text == t; }

}  // namespace

template <>
inline constexpr bool rota::is_trivially_relocatable<carried> = true;

namespace {

// A select offers one object to two channels, a and b. First a peer comes when the select waits;
// then no peer comes; then a channel is closed.
template <class T>
void offer_one_value_twice() {
    auto a = rota::make_chan<T>();
    auto b = rota::make_chan<T>();
    auto other = rota::make_chan<int>();
    for (const std::size_t taken : {0u, 1u, 2u, 3u}) {
        T v(long_text);
        std::atomic<std::size_t> ran{9};
        const auto offer = [&] {
            rota::select(on_send(a, std::move(v), [&] { ran = 0; }),
                         on_recv(other, [&] { ran = 2; }),
                         on_send(b, std::move(v), [&] { ran = 1; }));
        };
        ASSERT_TRUE(go_and_park([&] {
            try {
                offer();
            } catch (const rota::panic_error&) {
                ran = 3;
            }
        }));
        std::optional<T> got;
        if (taken == 2) other.send(1);
        else if (taken == 3) b.close();
        else got = (taken == 0 ? a : b).recv();
        ASSERT_TRUE(eventually([&] { return ran == taken; })) << taken;
        if (taken < 2) EXPECT_TRUE(*got == long_text) << "sent by case " << taken;
        else EXPECT_TRUE(v == long_text) << "not sent, " << taken;
    }
}

}  // namespace

TEST_ANYWHERE(select_value, of_a_case_that_does_not_run_is_not_moved_from) {
    // The value could be moved before it is known whether the case runs. It would then be empty
    // although it has not been sent.
    auto full = rota::make_chan<std::unique_ptr<int>>(1);
    auto texts = rota::make_chan<std::string>();
    auto others = rota::make_chan<moves_counted>();
    auto ready = rota::make_chan<int>(1);
    full.send(nullptr);
    auto p = std::make_unique<int>(5);
    std::string text = long_text;
    int moves = 0;
    moves_counted w(6, &moves);
    const auto all_there = [&] {
        EXPECT_TRUE(p != nullptr && *p == 5);
        EXPECT_EQ(text, long_text);
        EXPECT_TRUE(w.value == 6 && !w.gone);
    };
    EXPECT_EQ(rota::select(on_send(full, std::move(p)), on_default()), 1u);
    EXPECT_EQ(rota::select(on_send(texts, std::move(text)), on_default()), 1u);
    EXPECT_EQ(rota::select(on_send(others, std::move(w)), on_default()), 1u);
    all_there();
    const auto all = [&] {
        return rota::select(on_send(full, std::move(p)), on_send(texts, std::move(text)),
                            on_send(others, std::move(w)), on_recv(ready));
    };
    EXPECT_EQ(rota::select(on_send(full, std::move(p)), on_send(texts, std::move(text)),
                           on_send(others, std::move(w)), on_default()),
              3u);
    all_there();
    ready.send(1);
    EXPECT_EQ(all(), 3u);
    all_there();
    EXPECT_EQ(moves, 0) << "nothing had to be prepared";

    rota::go([ready] {
        for (int i = 0; i < 20; ++i) rota::runtime::gosched();
        ready.send(2);
    });
    EXPECT_EQ(all(), 3u);
    all_there();
}

TEST_ANYWHERE(select_value, offered_to_two_channels_is_sent_by_whichever_runs) {
    // Each case could take the value for itself, and leave none for the next case. A peer would
    // then receive an empty value, or the caller would keep a value although it was sent.
    offer_one_value_twice<std::string>();
    offer_one_value_twice<carried>();
}

TEST_ANYWHERE(select_value, offered_several_times_is_sent_once_in_a_race) {
    // As above, with peers that come at any moment, and beside a value that is offered once. An
    // empty value would arrive, or the sums would differ.
    auto a = rota::make_chan<std::string>(1);
    auto b = rota::make_chan<std::string>();
    auto c = rota::make_chan<std::string>();
    rota::wait_group wg;
    std::atomic<int> whole{0};
    std::atomic<int> broken{0};
    for (const auto& ch : {a, b, c}) {
        wg.go([&, ch] {
            for (const auto& v : ch) v.size() == long_text.size() ? ++whole : ++broken;
        });
    }
    constexpr int many = 300;
    for (int i = 0; i < many; ++i) {
        std::string v = long_text;
        std::string w = long_text;
        const std::size_t ran = rota::select(on_send(a, std::move(v)), on_send(b, std::move(v)),
                                             on_send(c, std::move(w)), on_send(b, std::move(v)));
        EXPECT_EQ((ran == 2 ? v : w), long_text);
    }
    for (const auto& ch : {a, b, c}) ch.close();
    wg.wait();
    EXPECT_EQ(whole, many);
    EXPECT_EQ(broken, 0);
}

TEST_ANYWHERE(select_value, arrives_whole_by_every_way) {
    // A value travels as bytes or in a box, at once or to a waiting peer. If one of these ways lost
    // or doubled it, asan would report it.
    for (const std::size_t capacity : {0u, 1u}) {
        auto never = rota::make_chan<int>();
        auto pointers = rota::make_chan<std::unique_ptr<int>>(capacity);
        auto texts = rota::make_chan<std::string>(capacity);
        auto shared = rota::make_chan<std::shared_ptr<int>>(capacity);
        rota::wait_group wg;
        constexpr int many = 50;
        wg.go([=] {
            for (int i = 0; i < many; ++i) {
                auto p = std::make_unique<int>(i);
                EXPECT_EQ(rota::select(on_recv(never), on_send(pointers, std::move(p))), 1u);
                EXPECT_EQ(p, nullptr);
                EXPECT_EQ(rota::select(on_recv(never), on_send(texts, long_text)), 1u);
                rota::select(on_send(shared, std::make_shared<int>(i)), on_recv(never));
            }
        });
        for (int i = 0; i < many; ++i) {
            rota::select(on_recv(never),
                         on_recv(pointers, [&](std::optional<std::unique_ptr<int>> v) {
                             EXPECT_EQ(**v, i);
                         }));
            rota::select(on_recv(never), on_recv(texts, [&](std::optional<std::string> v) {
                             EXPECT_EQ(*v, long_text);
                         }));
            rota::select(on_recv(never),
                         on_recv(shared, [&](std::optional<std::shared_ptr<int>> v) {
                             EXPECT_EQ(**v, i);
                             EXPECT_EQ(v->use_count(), 1);
                         }));
        }
        wg.wait();
    }
}

TEST_ANYWHERE(select_value, an_lvalue_is_copied) {
    // It could be moved from, since the case must give a value away: it would be empty afterwards.
    auto ch = rota::make_chan<std::string>(2);
    const std::string fixed = long_text;
    std::string text = long_text;
    EXPECT_EQ(rota::select(on_send(ch, text)), 0u);
    EXPECT_EQ(rota::select(on_send(ch, fixed), on_default()), 0u);
    EXPECT_EQ(rota::select(on_send(ch, text), on_default()), 1u);
    EXPECT_EQ(text, long_text);
    EXPECT_EQ(ch.recv(), long_text);
    EXPECT_EQ(ch.recv(), long_text);
}

TEST_ANYWHERE(kb23_select, a_move_that_throws_leaves_the_channels_consistent) {
    // The exception could leave a lock held, a case queued or a value in two places. Later
    // operations would then hang, or the numbers would differ.
    bool armed = false;
    auto a = rota::make_chan<explosive>(1);
    auto b = rota::make_chan<int>(1);
    explosive e(3, &armed);
    armed = true;
    EXPECT_THROW(rota::select(on_send(a, std::move(e))), std::runtime_error);
    EXPECT_THROW(rota::select(on_send(a, std::move(e)), on_default()), std::runtime_error);
    EXPECT_THROW(rota::select(on_send(a, std::move(e)), on_recv(b)), std::runtime_error);
    EXPECT_EQ(a.len(), 0u) << "the value counts as not sent";
    armed = false;
    EXPECT_EQ(rota::select(on_send(a, std::move(e)), on_recv(b)), 0u);
    armed = true;
    EXPECT_THROW(rota::select(on_recv(a, [](std::optional<explosive>) {}), on_recv(b)),
                 std::runtime_error);
    EXPECT_EQ(a.len(), 0u) << "the value counts as received and lost";
    armed = false;
    b.send(1);
    EXPECT_EQ(rota::select(on_recv(a, [](std::optional<explosive>) {}), on_recv(b)), 1u);
}

TEST_ANYWHERE(kb23_select, a_move_may_yield_and_use_the_same_channel) {
    // User code could run under a channel's lock. It would then wait for itself, and the watchdog
    // would end the test.
    auto never = rota::make_chan<int>();
    for (const std::size_t capacity : {0u, 2u}) {
        auto ch = rota::make_chan<meddler>(capacity);
        rota::wait_group wg;
        std::atomic<int> sum{0};
        wg.go([&, ch] {
            for (const auto& v : ch)
                if (v.value > 0) sum += v.value;
        });
        for (int i = 1; i <= 10; ++i) {
            EXPECT_EQ(rota::select(on_recv(never), on_send(ch, meddler(i, &ch))), 1u);
        }
        // The moves have taken out only values that moves have put in.
        ch.close();
        wg.wait();
        EXPECT_LE(sum, 55);
    }
}

TEST_ANYWHERE(kb23_select, what_cannot_be_received_any_more_is_destroyed) {
    // A select could forget a value that it holds: the shared count would stay above one.
    auto life = std::make_shared<int>(1);
    {
        auto ch = rota::make_chan<std::vector<std::shared_ptr<int>>>(2);
        auto never = rota::make_chan<int>();
        for (int i = 0; i < 2; ++i) {
            rota::select(on_send(ch, std::vector<std::shared_ptr<int>>(3, life)), on_recv(never));
        }
        EXPECT_EQ(rota::select(on_send(ch, std::vector<std::shared_ptr<int>>(3, life)),
                               on_recv(never), on_default()),
                  2u);
        EXPECT_EQ(life.use_count(), 7);
    }
    EXPECT_EQ(life.use_count(), 1);
}
