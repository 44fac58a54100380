// A small fast random generator (wyrand's step), one per m, seeded from the clock or from GODEBUG.
#pragma once

#include <cstdint>

namespace rota::rt {

class rng {
  public:
    // The golden ratio: multiples of it, as seeds, fall far apart.
    static constexpr std::uint64_t spread = 0x9e3779b97f4a7c15u;

    constexpr rng() = default;
    constexpr explicit rng(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        state_ += 0xa0761d6478bd642full;
        const auto product =
            static_cast<unsigned __int128>(state_) * (state_ ^ 0xe7037ed1a0b428dbull);
        return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
    }

    // Uniform in [0, n), n > 0, by multiplication instead of division.
    constexpr std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

  private:
    std::uint64_t state_ = 1;
};

}  // namespace rota::rt
