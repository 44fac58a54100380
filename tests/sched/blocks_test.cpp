// Memory from the lists of ps: made and dropped anywhere, by goroutines that move and by threads.
#include "sched/blocks.hpp"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rota/rota.hpp>

#include "base/annotations.hpp"

namespace rota::rt {
namespace {

// Filled with a number of its own: who is given a block that somebody else has finds another one.
struct stamped {
    static constexpr std::size_t sizes[] = {1, cache_line, cache_line + 1, 512, 513, 5000};

    explicit stamped(std::uint64_t n) : bytes(sizes[n % std::size(sizes)]) {
        block = block_new(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % cache_line, 0u);
        std::memset(block, static_cast<int>(n % 251), bytes);
        stamp = static_cast<unsigned char>(n % 251);
    }
    void drop() const {
        const auto* const all = static_cast<const unsigned char*>(block);
        for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(all[i], stamp) << "somebody else has it";
        block_delete(block, bytes);
    }

    std::size_t bytes;
    void* block = nullptr;
    unsigned char stamp = 0;
};

constexpr std::uint64_t many = 20'000;

TEST(blocks, one_that_is_made_here_and_dropped_there_is_nobodys_else) {
    rota::run([] {
        constexpr int pairs = 4;
        wait_group all;
        for (int i = 0; i < pairs; ++i) {
            auto passed = make_chan<stamped>(100);
            all.go([passed] {
                for (std::uint64_t n = 0; n < many; ++n) passed.send(stamped(n));
                passed.close();
            });
            all.go([passed] {
                for (const stamped& s : passed) s.drop();
            });
        }
        all.wait();
    });
}

TEST(blocks, threads_and_goroutines_drop_each_others) {
    rota::run([] {
        auto to_threads = make_chan<stamped>(100), to_goroutines = make_chan<stamped>(100);
        std::thread foreign([=] {
            for (std::uint64_t n = 0; n < many; ++n) {
                to_goroutines.send(stamped(n));
                to_threads.recv()->drop();
            }
            to_goroutines.close();
        });
        std::uint64_t n = 0;
        for (const stamped& s : to_goroutines) {
            s.drop();
            to_threads.send(stamped(n++));
        }
        foreign.join();
        EXPECT_EQ(n, many);
    });
}

TEST(blocks, what_a_p_keeps_outlives_a_change_of_their_number) {
    rota::run([] {
        const int before = runtime::gomaxprocs(0);
        for (int round = 0; round < 20; ++round) {
            runtime::gomaxprocs(round % 2 == 0 ? 4 : 1);
            wait_group all;
            for (std::uint64_t i = 0; i < 8; ++i) {
                all.go([i] {
                    std::vector<stamped> mine;
                    for (std::uint64_t n = 0; n < 200; ++n) mine.emplace_back(n + i);
                    runtime::gosched();
                    for (const stamped& s : mine) s.drop();
                });
            }
            all.wait();
        }
        runtime::gomaxprocs(before);
    });
}

}  // namespace
}  // namespace rota::rt
