// Runs correct programs that are hard for a sanitizer: goroutines that park, migrate, throw, reuse
// stacks and are alive at the end. The sanitizer must print nothing.
#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "../slow_call.hpp"
#include "act.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr int crowd = many_goroutines / 4;

// Plain data that goroutines pass on in turn: each primitive must order the accesses.
struct relay {
    long by_chan = 0, by_mutex = 0, by_group = 0;
};

ROTA_ACT(hand_over) {
    rota::run([] {
        relay data;
        auto baton = rota::make_chan<relay*>();
        rota::mutex mu;
        rota::wait_group all;
        for (int i = 0; i < crowd; ++i) {
            all.go([&, baton] {
                relay* mine = *baton.recv();
                ++mine->by_chan;
                if (mine->by_chan < crowd) baton.send(mine);
            });
            all.go([&] {
                const std::lock_guard guard(mu);
                ++data.by_mutex;
            });
        }
        baton.send(&data);
        all.wait();
        rota::wait_group one;
        one.go([&data] { data.by_group = 1; });
        one.wait();
        auto future = rota::async([&data] { return data.by_group += 1; });
        if (future.get() != 2 || data.by_chan != crowd || data.by_mutex != crowd) ::_exit(98);
    });
}

ROTA_ACT(buffered) {
    rota::run([] {
        auto ch = rota::make_chan<std::unique_ptr<std::string>>(16);
        rota::wait_group producers;
        for (int p = 0; p < 50; ++p) {
            producers.go([ch, p] {
                for (int i = 0; i < 40; ++i)
                    ch.send(std::make_unique<std::string>(std::to_string(p * i)));
            });
        }
        rota::wait_group consumers;
        std::atomic<int> got{0};
        for (int c = 0; c < 50; ++c) {
            consumers.go([ch, &got] {
                for (auto text : ch) got += text->empty() ? 0 : 1;
            });
        }
        producers.wait();
        ch.close();
        consumers.wait();
        if (got != 2000) ::_exit(98);
    });
}

// Arrays in frames before, across and after parks; stacks are used again and again.
__attribute__((noinline)) int sum_of_frame(int depth) {
    std::array<int, 64> frame{};
    frame[static_cast<std::size_t>(depth) % frame.size()] = 1;
    if (depth % 8 == 0) rota::runtime::gosched();
    const int below = depth == 0 ? 0 : sum_of_frame(depth - 1);
    int sum = below;
    for (const int v : frame) sum += v;
    return sum;
}

ROTA_ACT(stack_reuse) {
    rota::run([] {
        for (int round = 0; round < 5; ++round) {
            rota::wait_group all;
            for (int i = 0; i < crowd / 5; ++i) {
                all.go([i] {
                    if (sum_of_frame(i % 40) != i % 40 + 1) ::_exit(98);
                });
            }
            all.wait();
        }
    });
}

ROTA_ACT(migrate) {
    rota::run([] {
        rota::wait_group all;
        for (int i = 0; i < crowd; ++i) {
            all.go([i] {
                std::array<char, 100> kept{};
                kept.fill(static_cast<char>(i));
                for (int k = 0; k < 5; ++k) {
                    rota::sleep_for(std::chrono::microseconds(i % 50));
                    if (k == 2 && i % 10 == 0) rota_test::sit_in_a_call(10);
                    rota::runtime::gosched();
                }
                for (const char c : kept) {
                    if (c != static_cast<char>(i)) ::_exit(98);
                }
            });
        }
        all.wait();
    });
}

// --- exceptions ----------------------------------------------------------------------------------

struct parks_when_left {
    ~parks_when_left() { rota::runtime::gosched(); }
};

__attribute__((noinline)) void throw_from(int depth) {
    std::array<char, 200> frame{};
    opaque(frame.data())[depth] = 1;
    const parks_when_left left;
    if (depth == 0) throw std::runtime_error("from the depth");
    throw_from(depth - 1);
    sink = frame[0];
}

int catch_across_parks(int i) {
    try {
        rota::sleep_for(std::chrono::microseconds(i % 30));
        throw_from(i % 20);
    } catch (const std::runtime_error&) {
        rota::runtime::gosched();  // another goroutine handles an exception on this thread now
        try {
            rota::sleep_for(10us);
            throw i;
        } catch (int caught) {
            rota::runtime::gosched();
            try {
                throw;
            } catch (int again) {
                return caught == i && again == i ? 1 : 0;
            }
        }
    }
    return 0;
}

ROTA_ACT(exceptions) {
    rota::run([] {
        std::atomic<int> right{0};
        rota::wait_group all;
        for (int i = 0; i < crowd; ++i) {
            all.go([&right, i] { right += catch_across_parks(i); });
        }
        all.wait();
        int through_futures = 0;
        for (int i = 0; i < 200; ++i) {
            auto failing = rota::async([i] { throw_from(i % 20); });
            try {
                failing.get();
            } catch (const std::runtime_error&) {
                ++through_futures;
            }
        }
        if (right != crowd || through_futures != 200) ::_exit(98);
    });
}

// --- the end -------------------------------------------------------------------------------------

// Memory that each goroutine holds on its stack and on the heap is reachable, hence no leak.
void leave_many_behind() {
    static std::atomic<int> parked{0};
    for (int i = 0; i < crowd; ++i) {
        rota::go([i] {
            auto ch = rota::make_chan<std::string>(4);
            const auto boxed = std::make_unique<std::string>(1000, 'x');
            ch.send(std::string(200, 'y'));
            ch.send(*boxed);
            ++parked;
            if (i % 3 == 0) rota::make_chan<int>().recv();
            else if (i % 3 == 1) rota::sleep_for(1h);
            else rota::chan<int>().recv();
            sink = static_cast<int>(boxed->size());
        });
    }
    meet([] {
        rota::runtime::gosched();
        return parked == crowd && rota::runtime::read_sched_stats().parks >= crowd;
    });
}

ROTA_ACT(alive_at_return) { rota::run(leave_many_behind); }

ROTA_ACT(alive_at_exit) {
    rota::run([] {
        leave_many_behind();
        rota::go([] { std::exit(0); });
        rota::make_chan<int>().recv();
    });
}

ROTA_ACT(busy_at_exit) {
    rota::run([] {
        for (int i = 0; i < 20; ++i) {
            rota::go([] {
                for (;;) {
                    auto ch = rota::make_chan<std::string>(1);
                    ch.send(std::string(100, 'z'));
                    rota::go([ch] { ch.recv(); });
                    rota::runtime::gosched();
                    if (rota::runtime::num_goroutine() > crowd) rota::sleep_for(100us);
                }
            });
        }
        rota::sleep_for(50ms);
    });
}

ROTA_ACT(threads_come_and_go) {
    auto ch = rota::make_chan<int>();
    rota::go([ch] {
        for (int v : ch) sink = v;
    });
    for (int i = 0; i < 50; ++i) {
        std::thread([ch, i] {
            ch.send(i);
            rota::mutex mu;
            const std::lock_guard guard(mu);
            rota::sleep_for(10us);
        }).join();
    }
    ch.close();
}

class kb60_correct_program : public testing::TestWithParam<const char*> {
  protected:
    void expect_silence(std::initializer_list<const char*> names) {
        for (const char* name : names) EXPECT_TRUE(went_well(play(name, GetParam()))) << name;
    }
};

}  // namespace

TEST_P(kb60_correct_program, that_hands_data_over_is_silent) {
    // What could go wrong: a primitive does not order memory for tsan, or an element outlives its
    // channel.
    expect_silence({"hand_over", "buffered"});
}

TEST_P(kb60_correct_program, that_parks_and_migrates_is_silent) {
    // What could go wrong: asan takes a goroutine's stack for the thread's, or finds red zones of
    // the stack's last user.
    expect_silence({"migrate", "stack_reuse"});
}

TEST_P(kb60_correct_program, that_throws_across_parks_is_silent) {
    // What could go wrong: unwinding unpoisons the wrong stack; the handled exception belongs to
    // another goroutine.
    expect_silence({"exceptions"});
}

TEST_P(kb60_correct_program, with_goroutines_alive_at_the_end_is_silent) {
    // What could go wrong: memory of parked goroutines is taken for a leak, or is freed under them.
    expect_silence({"alive_at_return", "alive_at_exit", "busy_at_exit"});
}

TEST_P(kb60_correct_program, with_passing_threads_is_silent) {
    // What could go wrong: memory that rota keeps for a thread is lost when the thread ends.
    expect_silence({"threads_come_and_go"});
}

INSTANTIATE_TEST_SUITE_P(procs, kb60_correct_program, testing::Values("1", "2", "4"),
                         [](const auto& info) { return "at_" + std::string(info.param); });
