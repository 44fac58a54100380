// A histogram of times in Go's buckets: four to each power of two, from 64 ns to 39 hours.
//
//     [0]        below 0
//     [1 .. 4]   steps of 64 ns up to 256 ns
//     then       four equal steps from each power of two to the next
//     [161]      2^47 ns and more
// Go: timeHistogram.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace rota::rt {

class time_histogram {
  public:
    static constexpr int sub_bits = 2, min_bits = 9, max_bits = 48;
    static constexpr std::size_t sub_count = std::size_t{1} << sub_bits;
    static constexpr std::size_t bucket_count = (max_bits - min_bits + 1) * sub_count + 2;

    constexpr time_histogram() = default;

    // Any thread. relaxed, both: each figure stands for itself.
    void record(std::int64_t ns) {
        counts_[bucket_of(ns)].fetch_add(1, memory_order_relaxed);
        if (ns > 0) sum_.fetch_add(static_cast<std::uint64_t>(ns), memory_order_relaxed);
    }
    std::uint64_t count(std::size_t bucket) const {
        return counts_[bucket].load(memory_order_relaxed);
    }
    std::uint64_t sum_ns() const { return sum_.load(memory_order_relaxed); }

    static constexpr std::size_t bucket_of(std::int64_t ns) {
        if (ns < 0) return 0;
        const auto t = static_cast<std::uint64_t>(ns);
        const int width = static_cast<int>(std::bit_width(t));
        const int bits = width < min_bits ? min_bits : width;
        const std::size_t row =
            width < min_bits ? 0 : static_cast<std::size_t>(bits - min_bits + 1);
        if (bits >= max_bits) return bucket_count - 1;
        return 1 + row * sub_count + ((t >> (bits - 1 - sub_bits)) & (sub_count - 1));
    }

    // The lower bound of a bucket in ns; bucket 0 begins at minus infinity.
    static constexpr std::uint64_t begin_of(std::size_t bucket) {
        const std::size_t row = (bucket - 1) / sub_count, column = (bucket - 1) % sub_count;
        if (row == 0) return column << (min_bits - 1 - sub_bits);
        const int top = min_bits - 1 + static_cast<int>(row) - 1;
        return (std::uint64_t{1} << top) + (std::uint64_t{column} << (top - sub_bits));
    }

  private:
    atomic<std::uint64_t> counts_[bucket_count] = {};
    atomic<std::uint64_t> sum_{0};
};
static_assert(time_histogram::bucket_count == 162);
static_assert(time_histogram::begin_of(2) == 64 && time_histogram::begin_of(5) == 256);
static_assert(time_histogram::begin_of(161) == std::uint64_t{1} << 47);
static_assert(time_histogram::bucket_of(100) == 2 && time_histogram::bucket_of(256) == 5);

}  // namespace rota::rt
