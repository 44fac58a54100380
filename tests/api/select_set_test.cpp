// select_set: the select whose cases are added at run time.
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;

TEST_ANYWHERE(select_set, returns_indices_in_order_of_addition) {
    // The index could count channels, or only one kind of case: the indices would not be 0, 1, 2
    // and 3.
    auto a = rota::make_chan<int>(1);
    auto b = rota::make_chan<std::string>(1);
    std::optional<int> number;
    std::optional<std::string> text;
    rota::select_set set;
    EXPECT_EQ(set.recv(a, number), 0u);
    EXPECT_EQ(set.otherwise(), 1u);
    EXPECT_EQ(set.recv(b, text), 2u);
    EXPECT_EQ(set.wait(), 1u);
    b.send("two");
    EXPECT_EQ(set.wait(), 2u);
    EXPECT_EQ(text, "two");
    a.send(7);
    EXPECT_EQ(set.wait(), 0u);
    EXPECT_EQ(number, 7);
    EXPECT_EQ(set.send(a, 8), 3u);
    EXPECT_EQ(set.wait(), 3u);
    EXPECT_EQ(set.wait(), 0u) << "its own value came back";
    EXPECT_EQ(number, 8);
}

TEST_ANYWHERE(select_set, a_send_that_has_run_is_spent) {
    // It could run again, and send an empty value: the channel would hold a second value.
    auto ch = rota::make_chan<std::string>(3);
    rota::select_set set;
    set.send(ch, "once, and long enough to lie on the heap");
    set.otherwise();
    EXPECT_EQ(set.wait(), 0u);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(set.wait(), 1u);
    EXPECT_EQ(ch.len(), 1u);
    EXPECT_EQ(ch.recv(), "once, and long enough to lie on the heap");
}

TEST_ANYWHERE(select_set, clear_begins_anew) {
    // An old case could stay, or the index count on. The first index would then not be 0, or the
    // unsent value would be sent.
    auto ch = rota::make_chan<std::string>(3);
    rota::select_set set;
    std::optional<std::string> got;
    set.send(ch, "never sent, and long enough to lie on the heap");
    set.recv(ch, got);
    set.otherwise();
    set.clear();
    EXPECT_EQ(set.send(ch, "again"), 0u);
    EXPECT_EQ(set.wait(), 0u);
    EXPECT_EQ(ch.len(), 1u);
    EXPECT_EQ(ch.recv(), "again");
    EXPECT_EQ(set.otherwise(), 1u);
    EXPECT_EQ(set.wait(), 1u);
    EXPECT_EQ(got, std::nullopt);
}

TEST_ANYWHERE(select_set, a_closed_channel_empties_out) {
    // The previous value could stay in `got`.
    auto ch = rota::make_chan<int>(1);
    std::optional<int> got;
    rota::select_set set;
    set.recv(ch, got);
    ch.send(1);
    EXPECT_EQ(set.wait(), 0u);
    EXPECT_EQ(got, 1);
    ch.close();
    EXPECT_EQ(set.wait(), 0u);
    EXPECT_EQ(got, std::nullopt);
    set.clear();
    set.send(ch, 1);
    EXPECT_THROW(set.wait(), rota::panic_error);
}

TEST_ANYWHERE(select_set, takes_any_number_of_cases) {
    // The arrays grow while cases are added, and are sorted when the set waits: a channel of many
    // could be missed.
    constexpr std::size_t many = 300;
    std::vector<rota::chan<std::size_t>> chans(many);
    std::optional<std::size_t> got;
    rota::select_set set;
    for (auto& ch : chans) {
        ch = rota::make_chan<std::size_t>();
        set.recv(ch, got);
    }
    rota::wait_group wg;
    for (std::size_t i = 0; i < many; ++i) {
        wg.go([&chans, i] { chans[i].send(i); });
    }
    std::vector<int> seen(many, 0);
    for (std::size_t i = 0; i < many; ++i) {
        const std::size_t from = set.wait();
        EXPECT_EQ(got, from);
        ++seen[from];
    }
    wg.wait();
    EXPECT_EQ(seen, std::vector<int>(many, 1));
}

TEST_ANYWHERE(select_set, keeps_its_channels_and_drops_its_values) {
    // The set could hold a channel only by its handle, or forget the values of unsent cases. asan
    // would report the first fault, and the count show the second.
    auto life = std::make_shared<int>(0);
    {
        rota::select_set set;
        std::optional<int> none;
        set.recv(rota::make_chan<int>(), none);
        set.send(rota::make_chan<std::shared_ptr<int>>(), life);
        set.send(rota::make_chan<std::vector<std::shared_ptr<int>>>(), {life, life});
        set.otherwise();
        rota::select_set moved = std::move(set);
        EXPECT_EQ(moved.wait(), 3u);
        EXPECT_EQ(life.use_count(), 4);
    }
    EXPECT_EQ(life.use_count(), 1);
}

TEST_ANYWHERE(select_set, waits_with_nil_and_spent_cases_for_the_others) {
    // A nil channel could be locked. The test would then crash, or wait would return too early.
    auto ch = rota::make_chan<int>();
    std::atomic<int> got{-1};
    ASSERT_TRUE(go_and_park([&, ch] {
        std::optional<int> v;
        rota::select_set set;
        set.recv(rota::chan<int>(), v);
        set.send(rota::send_chan<int>(), 1);
        set.recv(rota::recv_chan<int>(ch), v);
        if (set.wait() == 2) got = *v;
    }));
    EXPECT_EQ(got, -1);
    ch.send(4);
    EXPECT_TRUE(eventually([&] { return got == 4; })) << got;
    rota::select_set twice;
    twice.otherwise();
    EXPECT_THROW(twice.otherwise(), rota::panic_error);
}
