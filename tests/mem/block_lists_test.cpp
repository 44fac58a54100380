// Checks the lists of spare blocks: each block has one user at a time, hot blocks come first,
// chains move between lists, and malloc gets the rest.
#include "mem/block_lists.hpp"

#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace rota::rt {
namespace {

// hardly any other code here uses blocks of this size
constexpr std::size_t size = block_lists::size_max;

class spare_blocks : public testing::Test {
  protected:
    // The pool belongs to the process, so the fixture empties it first.
    spare_blocks() { take_all(); }
    ~spare_blocks() override {
        take_all();
        EXPECT_EQ(mine_.size(), made_.size()) << "some are lost, or given out twice";
    }

    void* fresh() {
        made_.push_back(std::make_unique<block>());
        return made_.back().get();
    }
    void take_all() {
        for (block_lists* const from : {&lists_, &others_}) {
            // Blocks of other code are not given back: they are few, and this process ends soon.
            while (void* const b = from->take(size)) {
                const bool is_new = !is_made_here(b) || mine_.insert(b).second;
                EXPECT_TRUE(is_new) << "given out twice";
            }
        }
    }
    // Puts a free block into `lists`; blocks for which there is no room come back.
    std::size_t keep(block_lists& lists, void* b) {
        std::size_t too_many = 0;
        for (spare_block* next = lists.keep(b, size); next != nullptr; ++too_many) {
            spare_block* const now = next;
            next = now->next;
            EXPECT_TRUE(mine_.insert(now).second);
        }
        return too_many;
    }
    bool is_made_here(void* b) const {
        for (const auto& m : made_) {
            if (m.get() == b) return true;
        }
        return false;
    }

    struct alignas(cache_line) block {
        std::byte bytes[size];
    };
    std::vector<std::unique_ptr<block>> made_;
    std::set<void*> mine_;  // blocks that are in no list
    block_lists lists_, others_;
};

TEST_F(spare_blocks, the_last_one_kept_is_given_first) {
    // That block is still in the cache.
    std::vector<void*> kept;
    for (std::uint32_t i = 0; i < 2 * block_lists::chain_length; ++i) {
        kept.push_back(fresh());
        EXPECT_EQ(keep(lists_, kept.back()), 0u);
    }
    for (; !kept.empty(); kept.pop_back()) {
        void* const b = lists_.take(size);
        EXPECT_EQ(b, kept.back());
        mine_.insert(b);
    }
    EXPECT_EQ(lists_.take(size), nullptr);
}

TEST_F(spare_blocks, sizes_are_kept_apart) {
    block_lists lists;
    alignas(cache_line) std::byte small[cache_line], large[2 * cache_line];
    EXPECT_EQ(lists.keep(small, 1), nullptr);
    EXPECT_EQ(lists.keep(large, cache_line + 1), nullptr);
    EXPECT_EQ(lists.take(2 * cache_line), large);
    EXPECT_EQ(lists.take(cache_line), small);
    EXPECT_EQ(block_lists::rounded(1), cache_line);
    EXPECT_EQ(block_lists::rounded(cache_line), cache_line);
    EXPECT_EQ(block_lists::rounded(cache_line + 1), 2 * cache_line);
}

TEST_F(spare_blocks, what_one_drops_another_gets) {
    // Otherwise a p would hoard the blocks that its neighbour allocates.
    for (std::uint32_t i = 0; i < 4 * block_lists::chain_length; ++i)
        EXPECT_EQ(keep(lists_, fresh()), 0u);
    std::uint32_t got = 0;
    while (void* const b = others_.take(size)) {
        EXPECT_TRUE(is_made_here(b));
        mine_.insert(b);
        ++got;
    }
    EXPECT_EQ(got, 2 * block_lists::chain_length) << "all but the chains that lists_ keeps itself";
}

TEST_F(spare_blocks, what_the_pool_has_no_room_for_comes_back) {
    // A p only drops blocks: the lists must keep a bounded number, and lose none.
    constexpr std::uint32_t many = 100 * block_lists::chain_length;
    std::size_t back = 0;
    for (std::uint32_t i = 0; i < many; ++i) back += keep(lists_, fresh());
    EXPECT_GE(back, many / 2);
    EXPECT_EQ(back % block_lists::chain_length, 0u);
    EXPECT_EQ(back, mine_.size());
}

}  // namespace
}  // namespace rota::rt
