// A writer to stderr for reports: buffered, without allocation, usable with malloc's lock held by
// somebody else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

class report {
  public:
    report() = default;
    ~report() { flush(); }
    report(const report&) = delete;
    report& operator=(const report&) = delete;

    // As printf; one call adds at most 1 KiB.
    __attribute__((format(printf, 2, 3))) void print(const char* format, ...);
    void flush();

  private:
    static constexpr std::size_t capacity = 8192;
    std::size_t size_ = 0;
    char text_[capacity];
};

}  // namespace rota::rt
