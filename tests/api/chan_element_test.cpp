// What may travel through a channel, and what its constructors may do on the way.
//
// No user code runs under a channel's lock: a move may throw, park, or use the same channel.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota::chan_status;
using rota_test::eventually;
using rota_test::go_and_park;

namespace {

// Sends `values` one by one through channels of several capacities and compares what comes out.
template <class T, class Make>
void travels(Make make) {
    for (const std::size_t capacity : {0u, 1u, 3u}) {
        auto ch = rota::make_chan<T>(capacity);
        rota::go([ch, make] {
            for (int i = 0; i < 10; ++i) ch.send(make(i));
            ch.close();
        });
        int i = 0;
        for (auto&& v : ch) EXPECT_TRUE(v == make(i++));
        EXPECT_EQ(i, 10);
    }
}

template <std::size_t N>
struct bytes {
    std::array<unsigned char, N> at{};
    friend bool operator==(const bytes&, const bytes&) = default;
};

template <std::size_t N>
bytes<N> filled(int i) {
    bytes<N> b;
    for (std::size_t k = 0; k < N; ++k)
        b.at[k] = static_cast<unsigned char>(static_cast<std::size_t>(i) + k);
    return b;
}

}  // namespace

TEST_ANYWHERE(chan_element, of_any_size_arrives_whole) {
    // Copies of the common sizes go by a short cut; another size could be cut off.
    // Then a byte would differ.
    travels<bool>([](int i) { return i % 2 == 1; });
    travels<bytes<1>>(filled<1>);
    travels<bytes<2>>(filled<2>);
    travels<bytes<3>>(filled<3>);
    travels<bytes<4>>(filled<4>);
    travels<bytes<5>>(filled<5>);
    travels<bytes<7>>(filled<7>);
    travels<bytes<8>>(filled<8>);
    travels<bytes<9>>(filled<9>);
    travels<bytes<16>>(filled<16>);
    travels<bytes<24>>(filled<24>);
    travels<bytes<63>>(filled<63>);
    travels<bytes<1000>>(filled<1000>);
    travels<bytes<10'000>>(filled<10'000>);
    travels<double>([](int i) { return i * 0.5; });
    travels<rota::unit>([](int) { return rota::unit{}; });
}

TEST_ANYWHERE(chan_element, of_class_type_arrives_whole) {
    // A type with an address of its own inside could be moved byte by byte.
    // Then a short string would point into a frame that is gone; asan would tell.
    travels<std::string>([](int i) { return std::string(static_cast<std::size_t>(i), 's'); });
    travels<std::string>([](int i) { return std::string(100, static_cast<char>('a' + i)); });
    travels<std::vector<int>>(
        [](int i) { return std::vector<int>(static_cast<std::size_t>(i), i); });
    travels<std::pair<int, std::string>>([](int i) { return std::pair(i, std::to_string(i)); });
    travels<std::shared_ptr<int>>([](int) { return std::shared_ptr<int>(); });
    travels<std::optional<int>>([](int i) { return i % 2 ? std::optional(i) : std::nullopt; });
}

TEST_ANYWHERE(chan_element, may_be_strictly_aligned) {
    // The buffer and the place of a waiting receiver are bytes; the value must come out aligned.
    // Then its address would be odd, or ubsan would report it.
    struct alignas(64) aligned {
        int value = 0;
    };
    for (const std::size_t capacity : {0u, 2u}) {
        auto ch = rota::make_chan<aligned>(capacity);
        rota::go([ch] {
            for (int i = 0; i < 5; ++i) ch.send({i});
            ch.close();
        });
        int i = 0;
        for (auto& v : ch) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&v) % 64, 0u);
            EXPECT_EQ(v.value, i++);
        }
    }
}

TEST_ANYWHERE(chan_element, need_only_be_movable) {
    // A copy or a default constructor could be asked for.
    // Then this would not compile.
    struct only_moves {
        explicit only_moves(int v) : p(std::make_unique<int>(v)) {}
        std::unique_ptr<int> p;
    };
    for (const std::size_t capacity : {0u, 2u}) {
        auto ch = rota::make_chan<only_moves>(capacity);
        auto pointers = rota::make_chan<std::unique_ptr<int>>(capacity);
        rota::go([=] {
            ch.send(only_moves(1));
            ch << only_moves(2);
            pointers.send(std::make_unique<int>(3));
        });
        EXPECT_EQ(*ch.recv()->p, 1);
        only_moves out(0);
        EXPECT_TRUE(eventually([&] { return ch.try_recv(out) == chan_status::ok; }));
        EXPECT_EQ(*out.p, 2);
        EXPECT_EQ(**pointers.recv(), 3);
        rota::go([pointers] {
            for (int i = 4; i < 7; ++i) pointers.send(std::make_unique<int>(i));
            pointers.close();
        });
        int sum = 0;
        for (auto p : pointers) sum += *p;
        EXPECT_EQ(sum, 15);
    }
}

TEST_ANYWHERE(chan_element, may_be_a_channel) {
    // The reference inside the buffer could be counted wrongly.
    // Then asan would report a use after free, or a leak.
    auto requests = rota::make_chan<rota::chan<int>>(2);
    rota::go([requests] {
        for (const auto& reply : requests) reply.send(11);
    });
    for (int i = 0; i < 10; ++i) {
        auto reply = rota::make_chan<int>();
        requests.send(reply);
        EXPECT_EQ(reply.recv(), 11);
    }
    requests.send(rota::make_chan<int>(1));
    requests.close();
}

namespace {

struct counted {
    static inline std::atomic<int> alive{0};
    explicit counted(int v) : value(v) { ++alive; }
    counted(counted&& other) noexcept : value(other.value) { ++alive; }
    counted& operator=(counted&&) noexcept = default;
    ~counted() { --alive; }
    int value;
};

}  // namespace

TEST_ANYWHERE(chan_element, is_destroyed_exactly_once_wherever_it_ends) {
    // Values could leak in the buffer, in a refused send, or with a sender that panics.
    // Then instances would be left, or less than none.
    counted::alive = 0;
    {
        auto ch = rota::make_chan<counted>(3);
        ch.send(counted(1));
        ch.send(counted(2));
        ch.send(counted(3));
        EXPECT_EQ(ch.recv()->value, 1);
        ch.send(counted(4));
        EXPECT_EQ(ch.try_send(counted(5)), chan_status::would_block);
        EXPECT_EQ(counted::alive, 3);
        std::atomic<bool> panicked{false};
        ASSERT_TRUE(go_and_park([&, ch] {
            try {
                ch.send(counted(6));
            } catch (const rota::panic_error&) {
                panicked = true;
            }
        }));
        ch.close();
        EXPECT_TRUE(eventually([&] { return panicked.load(); }));
        EXPECT_THROW(ch.send(counted(7)), rota::panic_error);
        counted out(0);
        EXPECT_EQ(ch.try_recv(out), chan_status::ok);
        EXPECT_EQ(out.value, 2);
    }
    EXPECT_TRUE(eventually([] { return counted::alive == 0; })) << counted::alive << " alive";
    auto shared = std::make_shared<int>(1);
    {
        auto ch = rota::make_chan<std::shared_ptr<int>>(2);
        ch << shared << shared;
        EXPECT_EQ(shared.use_count(), 3);
        ch.recv();
        EXPECT_EQ(ch.try_send(shared), chan_status::ok);
        EXPECT_EQ(ch.try_send(shared), chan_status::would_block);
    }
    EXPECT_EQ(shared.use_count(), 1);
}

namespace {

// The value `cursed` throws at the move that a test asks for.
struct thrower {
    static constexpr int cursed = 1;
    static inline std::atomic<int> fuse{-1};  // moves until the throw; negative: never
    explicit thrower(int v) : value(v) {}
    thrower(thrower&& other) : value(other.value) { burn(); }
    thrower& operator=(thrower&& other) {
        value = other.value;
        burn();
        return *this;
    }
    void burn() const {
        if (value != cursed || fuse < 0) return;
        if (fuse-- == 0) throw std::domain_error("moved once too often");
    }
    int value;
};

}  // namespace

TEST_ANYWHERE(kb23_chan_element, whose_move_throws_counts_as_not_sent) {
    // The channel could keep a slot for a value that never came, or stay locked.
    // Then its length would be wrong or the next operation would hang.
    for (const std::size_t capacity : {0u, 2u}) {
        auto ch = rota::make_chan<thrower>(capacity);
        thrower value(thrower::cursed);
        for (int fuse = 0; fuse < 2; ++fuse) {
            thrower::fuse = fuse;
            EXPECT_THROW(ch.send(std::move(value)), std::domain_error) << fuse;
            thrower::fuse = fuse;
            EXPECT_THROW((void)ch.try_send(std::move(value)), std::domain_error) << fuse;
            thrower::fuse = -1;
            EXPECT_EQ(ch.len(), 0u);
        }
        rota::go([ch] { ch.send(thrower(5)); });
        EXPECT_EQ(ch.recv()->value, 5);
    }
}

TEST_ANYWHERE(kb23_chan_element, whose_move_throws_in_the_receiver_is_received_and_lost) {
    // The value could stay in the channel, or the sender be left waiting.
    // Then the next receive would see it again, or the sender would not end.
    for (const std::size_t capacity : {0u, 2u}) {
        thrower::fuse = -1;
        auto ch = rota::make_chan<thrower>(capacity);
        std::atomic<int> sent{0};
        // Parked: it has moved all that it will move before a value is taken.
        ASSERT_TRUE(go_and_park([&sent, ch] {
            for (int v = 1; v <= 3; ++v) {
                ch.send(thrower(v));
                ++sent;
            }
        }));
        thrower::fuse = 0;
        EXPECT_THROW(ch.recv(), std::domain_error);
        thrower::fuse = -1;
        EXPECT_EQ(ch.recv()->value, 2);
        thrower out(0);
        EXPECT_TRUE(eventually([&] { return ch.try_recv(out) == chan_status::ok; }));
        EXPECT_EQ(out.value, 3);
        EXPECT_TRUE(eventually([&] { return sent == 3; })) << sent;
        EXPECT_EQ(ch.len(), 0u);
    }
}

namespace {

// Its moves and its destructor yield, sleep and use the channel that it travels through.
struct restless {
    static inline std::atomic<int> alive{0};
    restless(int v, rota::chan<restless>* c) : value(v), through(c) { ++alive; }
    restless(restless&& other) noexcept : value(other.value), through(other.through) {
        ++alive;
        act();
    }
    restless& operator=(restless&& other) noexcept {
        value = other.value;
        through = other.through;
        act();
        return *this;
    }
    ~restless() {
        --alive;
        act();
    }
    void act() const {
        if (through != nullptr) {
            (void)through->len();
            try {
                if (!through->closed()) (void)through->try_send(restless(-1, nullptr));
            } catch (const rota::panic_error&) {  // closed meanwhile
            }
        }
        rota::runtime::gosched();
        rota::sleep_for(std::chrono::nanoseconds(100));
    }
    int value;
    rota::chan<restless>* through;
};

}  // namespace

TEST_ANYWHERE(kb23_chan_element, may_park_and_use_the_channel_while_it_is_moved) {
    // User code could run under the channel's lock.
    // Then the first move would lock it twice, a check would fail, or the watchdog would end this.
    for (const std::size_t capacity : {0u, 4u}) {
        restless::alive = 0;
        {
            auto ch = rota::make_chan<restless>(capacity);
            constexpr int many = 20;
            std::atomic<int> got{0};
            std::atomic<int> senders{2};
            rota::wait_group wg;
            wg.go([&] {
                for (const auto& v : ch) got += v.value > 0;
            });
            for (int i = 0; i < 2; ++i) {
                wg.go([&] {
                    for (int k = 1; k <= many; ++k) ch.send(restless(k, &ch));
                    --senders;
                });
            }
            EXPECT_TRUE(eventually([&] { return got == 2 * many; })) << got;
            EXPECT_TRUE(eventually([&] { return senders == 0; }));
            ch.close();
            wg.wait();
        }
        EXPECT_TRUE(eventually([] { return restless::alive == 0; })) << restless::alive << " alive";
    }
}

TEST_ANYWHERE(kb23_chan_element, destructor_may_use_rota_when_the_channel_goes) {
    // Values left in the buffer are destroyed by the last handle, wherever that is dropped.
    // If that held a lock, the destructor's own operation would hang or fail a check.
    struct parting {
        rota::chan<int> farewell;
        ~parting() {
            if (farewell) farewell.send(1);
        }
        explicit parting(rota::chan<int> ch) : farewell(std::move(ch)) {}
        parting(parting&&) noexcept = default;
        parting& operator=(parting&&) noexcept = default;
    };
    auto farewell = rota::make_chan<int>(8);
    {
        auto ch = rota::make_chan<parting>(3);
        ch.send(parting(farewell));
        ch.send(parting(farewell));
    }
    EXPECT_EQ(farewell.len(), 2u);
}
