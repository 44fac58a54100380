// The untyped half of rota::pool: values in boxes, cached by processors.
#pragma once

#include <cstddef>

#include <rota/detail/atomic.hpp>
#include <rota/detail/exceptions.hpp>

namespace rota::detail {

struct pool_box {
    pool_box* next = nullptr;
    void (*destroy)(pool_box* b) noexcept = nullptr;  // with the value, if it holds one
};

struct pool_state;

class pool_core {
  public:
    constexpr pool_core() noexcept = default;
    ~pool_core();
    pool_core(const pool_core&) = delete;
    pool_core& operator=(const pool_core&) = delete;

    // A box with a value, or null.
    [[nodiscard]] pool_box* take();
    // Takes over a box with a value.
    void put(pool_box* b);
    // A box without one, or null; takes one over.
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

// What a collection does: values that were put before the last one and not taken since are
// destroyed, in user code; the others have until the next one. Caller: no runtime_entry.
void pools_collect();

}  // namespace rota::detail
