// Checks the state of a mutex.
//
// What could go wrong: a mutex that begins without knowing whether locks are watched keeps every
// lock and unlock slow, although no tool watches.
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>
#include <rota/runtime.hpp>
#include <rota/sync/mutex.hpp>

#include "sync/lock_owners.hpp"

namespace {

std::uint32_t state_of(const rota::mutex& m) {
    std::uint32_t state = 0;
    std::memcpy(&state, reinterpret_cast<const char*>(&m) + rota::rt::lock_view::state_offset(),
                sizeof state);
    return state;
}

constinit rota::mutex locked_at_first, tried_at_first;

TEST(mutex, of_static_storage_is_fast_from_its_first_lock_on) {
    ASSERT_GE(rota::runtime::gomaxprocs(), 1);  // the runtime has booted
    ASSERT_FALSE(rota::rt::are_locks_watched());
    EXPECT_EQ(state_of(locked_at_first), rota::rt::lock_view::untold());
    locked_at_first.lock();
    EXPECT_EQ(state_of(locked_at_first), rota::rt::lock_view::locked_bit());
    locked_at_first.unlock();
    EXPECT_EQ(state_of(locked_at_first), 0u);
    EXPECT_TRUE(tried_at_first.try_lock());
    EXPECT_EQ(state_of(tried_at_first), rota::rt::lock_view::locked_bit());
    tried_at_first.unlock();
    EXPECT_EQ(state_of(tried_at_first), 0u);
}

TEST(mutex, that_is_made_while_nobody_watches_is_fast_at_once) {
    ASSERT_GE(rota::runtime::gomaxprocs(), 1);  // the runtime has booted
    ASSERT_FALSE(rota::rt::are_locks_watched());
    const rota::mutex m;
    EXPECT_EQ(state_of(m), 0u);
}

}  // namespace
