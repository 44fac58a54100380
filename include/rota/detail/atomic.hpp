// rota::atomic<T>: std::atomic with the memory order always spelled out and a schedule point before
// what others see.
//
// It is the only way in which the runtime touches memory that two threads use at once, so that a
// test can stand between any two such accesses. It inlines to the bare operation.
#pragma once

#include <atomic>

#include <rota/detail/sched_point.hpp>

namespace rota {

template <class T>
class atomic {
  public:
    constexpr atomic() noexcept = default;
    constexpr explicit atomic(T v) noexcept : v_(v) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order) const noexcept { return v_.load(order); }

    void store(T v, std::memory_order order) noexcept {
        if (order != std::memory_order_relaxed) detail::sched_point(detail::point::atomic_store);
        v_.store(v, order);
    }

    T exchange(T v, std::memory_order order) noexcept {
        detail::sched_point(detail::point::atomic_rmw);
        return v_.exchange(v, order);
    }

    // The order of a failed exchange is never stronger than that of a successful one.
    bool compare_exchange(T& expected, T desired, std::memory_order success,
                          std::memory_order failure) noexcept {
        detail::sched_point(detail::point::atomic_rmw);
        return v_.compare_exchange_strong(expected, desired, success, failure);
    }

    // Changes `expected` to `desired`, or does nothing and returns false.
    bool cas(T expected, T desired, std::memory_order order) noexcept {
        detail::sched_point(detail::point::atomic_rmw);
        return v_.compare_exchange_strong(expected, desired, order, std::memory_order_relaxed);
    }

    template <class D>
    T fetch_add(D d, std::memory_order order) noexcept {
        detail::sched_point(detail::point::atomic_rmw);
        return v_.fetch_add(d, order);
    }

    template <class D>
    T fetch_sub(D d, std::memory_order order) noexcept {
        detail::sched_point(detail::point::atomic_rmw);
        return v_.fetch_sub(d, order);
    }

    T fetch_or(T bits, std::memory_order order) noexcept {
        detail::sched_point(detail::point::atomic_rmw);
        return v_.fetch_or(bits, order);
    }

    T fetch_and(T bits, std::memory_order order) noexcept {
        detail::sched_point(detail::point::atomic_rmw);
        return v_.fetch_and(bits, order);
    }

  private:
    std::atomic<T> v_{};
};

}  // namespace rota
