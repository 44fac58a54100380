// Builds a text of a few bytes from pieces; the compiler knows the sizes of most of them.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/check.hpp"

namespace rota::http {

template <std::size_t capacity>
class short_text {
  public:
    // Adds a literal without its terminating zero.
    template <std::size_t n>
    void add(const char (&literal)[n]) {
        add_bytes<n - 1>(literal);
    }
    template <std::size_t n>
    void add_bytes(const char* from) {
        ROTA_CHECK(size_ + n <= capacity);
        std::memcpy(at_ + size_, from, n);
        size_ += n;
    }
    void add_number(std::uint64_t n, int base = 10) {
        const auto [end, error] = std::to_chars(at_ + size_, at_ + capacity, n, base);
        ROTA_CHECK(error == std::errc());
        size_ = static_cast<std::size_t>(end - at_);
    }

    std::string_view view() const { return {at_, size_}; }
    operator std::string_view() const { return view(); }

  private:
    std::size_t size_ = 0;
    char at_[capacity];
};

}  // namespace rota::http
