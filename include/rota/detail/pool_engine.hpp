// The untyped half of rota::pool: keeps values in boxes, in a cache of each processor.
#pragma once

#include <cstddef>

#include <rota/detail/atomic.hpp>
#include <rota/detail/exceptions.hpp>

namespace rota::detail {

struct pool_box {
    pool_box* next = nullptr;
    void (*destroy)(pool_box* b) noexcept = nullptr;  // destroys the box, and its value if it holds
                                                      // one
};

struct pool_state;

class pool_core {
  public:
    constexpr pool_core() noexcept = default;
    ~pool_core();
    pool_core(const pool_core&) = delete;
    pool_core& operator=(const pool_core&) = delete;

    // Returns a box with a value, or null.
    [[nodiscard]] pool_box* take();
    // Takes ownership of a box with a value.
    void put(pool_box* b);
    // take_empty returns a box without a value, or null; put_empty takes ownership of such a box.
    [[nodiscard]] pool_box* take_empty();
    void put_empty(pool_box* b);

  private:
    pool_state& state() {
        pool_state* const s = state_.load(std::memory_order_acquire);  // pairs(pool.state)
        return s != nullptr ? *s : make_state();
    }
    pool_state& make_state();

    atomic<pool_state*> state_{nullptr};
};

// A collection: destroys the values that were put before the last collection and not taken since,
// in user code. The values put later stay until the next collection. Caller: no runtime_entry.
void pools_collect();

}  // namespace rota::detail
