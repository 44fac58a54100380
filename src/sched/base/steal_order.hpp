// Walks over all ps from a random start by a step coprime to their number: random order, each p
// once, no memory. Go: randomOrder.
#pragma once

#include <cstdint>

#include "base/rand.hpp"
#include "core/sched.hpp"

namespace rota::rt {

class steal_order {
  public:
    explicit steal_order(rng& rand) : count_(static_cast<std::uint32_t>(proc_count())) {
        at_ = rand.below(count_);
        do step_ = rand.below(count_) + 1;
        while (gcd(step_, count_) != 1);  // ends: 1 is among the candidates
    }

    class iterator {
      public:
        iterator(const steal_order& order, std::uint32_t left)
            : order_(order), at_(order.at_), left_(left) {}
        std::int32_t operator*() const { return static_cast<std::int32_t>(at_); }
        iterator& operator++() {
            at_ = (at_ + order_.step_) % order_.count_;
            --left_;
            return *this;
        }
        bool operator!=(const iterator& other) const { return left_ != other.left_; }

      private:
        const steal_order& order_;
        std::uint32_t at_;
        std::uint32_t left_;
    };
    iterator begin() const { return {*this, count_}; }
    iterator end() const { return {*this, 0}; }

  private:
    static constexpr std::uint32_t gcd(std::uint32_t a, std::uint32_t b) {
        while (b != 0) {
            const std::uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    std::uint32_t count_;
    std::uint32_t at_ = 0;
    std::uint32_t step_ = 1;
};

}  // namespace rota::rt
