// Checks memory from the lists of ps: allocated and dropped anywhere, by goroutines that move and
// by threads.
#include "sched/base/blocks.hpp"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rota/rota.hpp>

#include "../../gomaxprocs_restored.hpp"
#include "core/getg.hpp"
#include "core/p.hpp"
#include "sched/base/runtime_entry.hpp"

namespace rota::rt {
namespace {

// A block filled with a number of its own: a goroutine that gets a block in use finds another
// number.
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

#if !ROTA_ASAN  // under asan, blocks go back to malloc, which it watches
TEST(blocks, one_that_is_dropped_is_in_the_lists_of_the_p) {
    rota::run([] {
        const rota_test::gomaxprocs_restored at_end;
        runtime::gomaxprocs(1);
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{300}, block_lists::size_max}) {
            void* const b = block_new(bytes);
            block_delete(b, bytes);
            {
                const runtime_entry inside;
                EXPECT_EQ(getm().pp->blocks.take(bytes), b);
            }
            block_delete(b, bytes);
            void* const again = block_new(bytes);
            EXPECT_EQ(again, b);
            block_delete(again, bytes);
        }
    });
}
#endif

TEST(blocks, inside_the_runtime_malloc_serves) {
    // Sysmon drops a timer's closure inside the runtime when the process exits.
    rota::run([] {
        const runtime_entry inside;
        void* const b = block_new(100);
        EXPECT_NE(b, nullptr);
        block_delete(b, 100);
        EXPECT_TRUE(getm().in_runtime.load(memory_order_relaxed)) << "left too early";
    });
}

TEST(blocks, goroutines_survive_changes_of_the_number_of_ps) {
    rota::run([] {
        const rota_test::gomaxprocs_restored at_end;
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
    });
}

}  // namespace
}  // namespace rota::rt
