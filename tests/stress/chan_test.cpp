// Channels under load: many goroutines on both sides, different capacities, closing at any moment.
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "load.hpp"

using rota::chan_status;
using rota_test::choices;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::time_box;

namespace {

struct message {
    unsigned producer = 0;
    std::uint64_t number = 0;
};

// Counts and sums of the values that producers have put in and consumers have taken out.
struct books {
    std::atomic<std::uint64_t> count_in{0}, sum_in{0};
    std::atomic<std::uint64_t> count_out{0}, sum_out{0};

    void in(std::uint64_t v) {
        count_in += 1;
        sum_in += v;
    }
    void out(std::uint64_t v) {
        count_out += 1;
        sum_out += v;
    }
};

// Receives in a random way; nullopt: closed.
std::optional<message> receive(const rota::chan<message>& ch, choices& choose) {
    if (choose.once_in(2)) return ch.recv();
    message m;
    for (;;) {
        switch (ch.try_recv(m)) {
            case chan_status::ok: return m;
            case chan_status::closed: return std::nullopt;
            default: break;
        }
        if (choose.once_in(4)) return ch.recv();
        rota_test::give_way();
    }
}

void send(const rota::chan<message>& ch, message m, choices& choose) {
    if (choose.once_in(2)) return ch.send(m);
    while (ch.try_send(m) != chan_status::ok) {
        if (choose.once_in(4)) return ch.send(m);
        rota_test::give_way();
    }
}

}  // namespace

TEST(chan_stress, sixteen_by_sixteen_loses_and_doubles_nothing) {
    // A value could be lost or doubled between hand-over, buffer and waiters, or a wake-up be lost.
    // The sums would then differ, a producer's order would break, or a worker would stand still.
    constexpr std::size_t sides = 16;
    const std::size_t capacities[] = {0, 1, 2, 5, 16, 100};
    choices pick(1);
    for (int round = 0; round < 4; ++round) {
        const std::size_t capacity = capacities[pick.below(6)];
        const time_box box(std::chrono::milliseconds(400));
        auto ch = rota::make_chan<message>(capacity);
        books b;
        progress watch(2 * sides);
        std::atomic<std::size_t> producing{sides};
        const auto produce = [&, ch](std::size_t id) {
            choices choose(id * 2 + 100);
            for (std::uint64_t n = 1; box.open(); ++n) {
                send(ch, {static_cast<unsigned>(id), n}, choose);
                b.in(n);
                watch.step(id);
                if (choose.once_in(200)) rota_test::give_way();
            }
            watch.finish(id);
            if (--producing == 0) ch.close();
        };
        const auto consume = [&, ch](std::size_t id) {
            choices choose(id * 2 + 101);
            std::uint64_t last[sides] = {};
            while (const auto m = receive(ch, choose)) {
                EXPECT_GT(m->number, last[m->producer]) << "overtaken";
                last[m->producer] = m->number;
                b.out(m->number);
                watch.step(sides + id);
                if (choose.once_in(300))
                    rota::sleep_for(std::chrono::microseconds(choose.below(50)));
            }
            watch.finish(sides + id);
        };
        rota::wait_group wg;
        std::vector<std::thread> threads;
        for (std::size_t id = 0; id < sides; ++id) {
            // One of four is a thread of the program's own.
            if (pick.once_in(4)) threads.emplace_back([&, id] { produce(id); });
            else wg.go([&, id] { produce(id); });
            if (pick.once_in(4)) threads.emplace_back([&, id] { consume(id); });
            else wg.go([&, id] { consume(id); });
        }
        wg.wait();
        for (auto& t : threads) t.join();
        EXPECT_EQ(b.count_in, b.count_out) << "capacity " << capacity << "; " << scheduler_state();
        EXPECT_EQ(b.sum_in, b.sum_out);
        EXPECT_EQ(ch.len(), 0u);
    }
}

TEST(chan_stress, close_amid_traffic_settles_every_send) {
    // A send that races close could report success although its value is lost, or panic although it
    // arrived. The number of sends that returned would then differ from the number received.
    const time_box box;
    choices pick(2);
    progress watch(1);
    while (box.open()) {
        auto ch = rota::make_chan<std::uint64_t>(pick.below(4));
        std::atomic<int> sent{0}, refused{0}, received{0};
        constexpr int senders = 6, receivers = 3;
        rota::wait_group wg;
        for (int s = 0; s < senders; ++s) {
            wg.go([&, ch] {
                try {
                    for (;;) {
                        ch.send(1);
                        ++sent;
                    }
                } catch (const rota::panic_error&) {
                    ++refused;
                }
            });
        }
        for (int r = 0; r < receivers; ++r) {
            wg.go([&, ch] {
                for (const std::uint64_t v : ch) received += static_cast<int>(v);
            });
        }
        const int wanted = static_cast<int>(pick.below(200));
        wg.go([&, ch] {
            while (received < wanted) rota::runtime::gosched();
            ch.close();
        });
        wg.wait();
        ASSERT_EQ(refused, senders);
        ASSERT_EQ(sent, received) << "capacity " << ch.cap() << "; " << scheduler_state();
        watch.step(0);
    }
}

TEST(chan_stress, pipelines_of_random_shape_deliver_in_order) {
    // A chain of channels passes every value through many parks and hand-overs. A value out of
    // order or missing would show at the end of the chain.
    const time_box box;
    choices pick(3);
    progress watch(1);
    while (box.open()) {
        const unsigned stages = 1 + pick.below(20);
        const int many = static_cast<int>(1 + pick.below(300));
        auto first = rota::make_chan<int>(pick.below(5));
        auto last = first;
        for (unsigned i = 0; i < stages; ++i) {
            auto next = rota::make_chan<int>(pick.below(5));
            rota::go([last, next] {
                for (const int v : last) next.send(v + 1);
                next.close();
            });
            last = next;
        }
        rota::go([first, many] {
            for (int i = 0; i < many; ++i) first.send(i);
            first.close();
        });
        int expected = static_cast<int>(stages);
        for (const int v : last) ASSERT_EQ(v, expected++);
        ASSERT_EQ(expected, many + static_cast<int>(stages));
        watch.step(0);
    }
}

TEST(kb24_waiters, two_producers_one_slow_consumer_and_every_try_form) {
    // A waiter prepared too early, or a try form that forgets to wake its peer, loses a wake-up: a
    // worker would stand still.
    const time_box box;
    auto ch = rota::make_chan<int>();
    progress watch(3);
    std::atomic<long> in{0}, out{0};
    std::atomic<int> producing{2};
    rota::wait_group wg;
    for (std::size_t id = 0; id < 2; ++id) {
        wg.go([&, ch, id] {
            choices choose(id + 40);
            while (box.open()) {
                if (choose.once_in(2)) {
                    ch.send(1);
                    ++in;
                } else if (ch.try_send(1) == chan_status::ok) {
                    ++in;
                } else {
                    rota::runtime::gosched();
                }
                watch.step(id);
            }
            watch.finish(id);
            if (--producing == 0) ch.close();
        });
    }
    wg.go([&, ch] {
        choices choose(42);
        for (;;) {
            int v = 0;
            const chan_status s = choose.once_in(2) ? ch.try_recv(v) : [&] {
                const auto got = ch.recv();
                v = got.value_or(0);
                return got ? chan_status::ok : chan_status::closed;
            }();
            watch.step(2);
            if (s == chan_status::closed) break;
            if (s == chan_status::ok) out += v;
            if (choose.once_in(50)) rota::sleep_for(std::chrono::microseconds(30));
            else if (s == chan_status::would_block) rota::runtime::gosched();
        }
        watch.finish(2);
    });
    wg.wait();
    EXPECT_EQ(in, out);
}

TEST(chan_stress, owned_values_are_neither_lost_nor_freed_twice) {
    // A pointer could be left in a slot, taken twice, or dropped with a refused send. The count of
    // living values would then not return to zero; asan would report more.
    static std::atomic<long> alive{0};
    struct owned {
        explicit owned(int v) : value(v) { ++alive; }
        ~owned() { --alive; }
        int value;
    };
    const time_box box;
    choices pick(5);
    progress watch(1);
    while (box.open()) {
        {
            auto ch = rota::make_chan<std::unique_ptr<owned>>(pick.below(6));
            rota::wait_group wg;
            for (int i = 0; i < 4; ++i) {
                wg.go([&, ch] {
                    try {
                        for (int k = 0; k < 50; ++k) ch.send(std::make_unique<owned>(k));
                    } catch (const rota::panic_error&) {
                    }
                });
            }
            const int wanted = static_cast<int>(pick.below(150));
            for (int i = 0; i < wanted; ++i) ASSERT_GE((*ch.recv())->value, 0);
            ch.close();
            wg.wait();
        }
        ASSERT_TRUE(rota_test::eventually([] { return alive == 0; })) << alive << " alive";
        watch.step(0);
    }
}
