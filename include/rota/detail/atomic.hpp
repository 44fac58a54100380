// rota::atomic<T> is std::atomic with an explicit memory order in each call, and with a schedule
// point before each access that other threads can see.
// Invariant: the runtime touches memory that two threads use at once only through this class. So a
// test can stop a thread between any two such accesses.
// In ordinary presets each member inlines to the bare operation. In the model preset, the second
// half of this file, a test may execute the accesses itself.
#pragma once

#include <atomic>
#include <type_traits>

#include <rota/detail/exceptions.hpp>
#include <rota/detail/explorer.hpp>
#include <rota/detail/sched_point.hpp>

namespace rota {

#if !defined(ROTA_MODEL)

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

#else

template <class T>
class atomic {
    using change = detail::explorer::change;

  public:
    constexpr atomic() noexcept { begin(); }
    constexpr explicit atomic(T v) noexcept : v_(v) { begin(); }
    constexpr ~atomic() {
        if (!std::is_constant_evaluated() && detail::explored != nullptr)
            detail::explored->destroyed(&v_);
    }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order) const noexcept {
        if (detail::explored == nullptr) return v_.load(order);
        return detail::from_bits<T>(detail::explored->load(&v_, sizeof(T), order));
    }

    void store(T v, std::memory_order order) noexcept {
        if (detail::explored != nullptr)
            return detail::explored->store(&v_, sizeof(T), detail::to_bits(v), order);
        if (order != std::memory_order_relaxed) detail::sched_point(detail::point::atomic_store);
        v_.store(v, order);
    }

    T exchange(T v, std::memory_order order) noexcept {
        if (detail::explored != nullptr) return modify(change::exchange, v, order);
        detail::sched_point(detail::point::atomic_rmw);
        return v_.exchange(v, order);
    }

    bool compare_exchange(T& expected, T desired, std::memory_order success,
                          std::memory_order failure) noexcept {
        if (detail::explored == nullptr) {
            detail::sched_point(detail::point::atomic_rmw);
            return v_.compare_exchange_strong(expected, desired, success, failure);
        }
        std::uint64_t bits = detail::to_bits(expected);
        const bool done = detail::explored->compare_exchange(
            &v_, sizeof(T), bits, detail::to_bits(desired), success, failure);
        expected = detail::from_bits<T>(bits);
        return done;
    }

    bool cas(T expected, T desired, std::memory_order order) noexcept {
        return compare_exchange(expected, desired, order, std::memory_order_relaxed);
    }

    template <class D>
    T fetch_add(D d, std::memory_order order) noexcept {
        if (detail::explored != nullptr) return modify(change::add, static_cast<T>(d), order);
        detail::sched_point(detail::point::atomic_rmw);
        return v_.fetch_add(d, order);
    }

    template <class D>
    T fetch_sub(D d, std::memory_order order) noexcept {
        if (detail::explored != nullptr) return modify(change::sub, static_cast<T>(d), order);
        detail::sched_point(detail::point::atomic_rmw);
        return v_.fetch_sub(d, order);
    }

    T fetch_or(T bits, std::memory_order order) noexcept {
        if (detail::explored != nullptr) return modify(change::bit_or, bits, order);
        detail::sched_point(detail::point::atomic_rmw);
        return v_.fetch_or(bits, order);
    }

    T fetch_and(T bits, std::memory_order order) noexcept {
        if (detail::explored != nullptr) return modify(change::bit_and, bits, order);
        detail::sched_point(detail::point::atomic_rmw);
        return v_.fetch_and(bits, order);
    }

  private:
    constexpr void begin() const noexcept {
        if (!std::is_constant_evaluated() && detail::explored != nullptr)
            detail::explored->created(&v_);
    }

    T modify(change what, T by, std::memory_order order) noexcept {
        return detail::from_bits<T>(
            detail::explored->modify(&v_, sizeof(T), what, detail::to_bits(by), order));
    }

    std::atomic<T> v_{};
};

#endif

}  // namespace rota
