// Checks the queue of a channel's waiters: the cost of entering it and of leaving it.
#include "chan/waitq.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace rota::rt {
namespace {

// Waiters on a page each. A test can protect their pages, so that an access to them kills the
// process.
class pages_of_waiters {
  public:
    explicit pages_of_waiters(std::size_t n) : n_(n) {
        void* const at =
            ::mmap(nullptr, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw std::bad_alloc();
        base_ = static_cast<std::byte*>(at);
        for (std::size_t i = 0; i < n; ++i) new (base_ + i * page) chan_sudog{};
    }
    ~pages_of_waiters() { ::munmap(base_, n_ * page); }
    pages_of_waiters(const pages_of_waiters&) = delete;
    pages_of_waiters& operator=(const pages_of_waiters&) = delete;

    chan_sudog& operator[](std::size_t i) {
        return *std::launder(reinterpret_cast<chan_sudog*>(base_ + i * page));
    }

    // From here on the caller may touch only these waiters.
    void allow(const std::vector<std::size_t>& some) {
        ASSERT_EQ(::mprotect(base_, n_ * page, PROT_NONE), 0);
        for (const std::size_t i : some)
            ASSERT_EQ(::mprotect(base_ + i * page, page, PROT_READ | PROT_WRITE), 0);
    }
    void allow_all() { ASSERT_EQ(::mprotect(base_, n_ * page, PROT_READ | PROT_WRITE), 0); }

  private:
    static constexpr std::size_t page = 4096;
    std::size_t n_;
    std::byte* base_ = nullptr;
};

TEST(kb25_waitq, entering_and_leaving_touch_the_neighbours_only) {
    // If a select that lost searched for its entry, a select among n waiters would cost n. Code
    // that reads a waiter other than a neighbour dies here of SIGSEGV: the cost is the same for any
    // number.
    constexpr std::size_t n = 200;
    pages_of_waiters waiters(n);
    waitq queue;
    atomic<std::uint32_t> claim{claim_open};
    for (std::size_t i = 0; i < n; ++i) {
        waiters.allow(i == 0 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{i - 1, i});
        waiters[i].claim = i % 2 == 0 ? nullptr : &claim;
        waiters[i].number = static_cast<std::uint32_t>(i);
        queue.enqueue(waiters[i]);
    }
    const std::size_t middle = n / 2;
    waiters.allow({middle - 1, middle, middle + 1});
    EXPECT_TRUE(queue.remove(waiters[middle]));
    EXPECT_FALSE(queue.remove(waiters[middle])) << "it has left already";
    waiters.allow({n - 2, n - 1});
    EXPECT_TRUE(queue.remove(waiters[n - 1]));
    waiters.allow({0, 1});
    EXPECT_TRUE(queue.remove(waiters[0]));
    waiters.allow({1, 2});
    EXPECT_EQ(queue.dequeue(), &waiters[1]);
    EXPECT_EQ(claim.load(memory_order_relaxed), 1u);

    // The chain is whole: the waiters behind come out in order, and losers of the claim are
    // dropped.
    waiters.allow_all();
    for (std::size_t i = 2; i < n - 1; i += 2) {
        if (i == middle) continue;
        EXPECT_EQ(queue.dequeue(), &waiters[i]);
    }
    EXPECT_EQ(queue.dequeue(), nullptr);
    EXPECT_FALSE(queue.has_any());
}

}  // namespace
}  // namespace rota::rt
