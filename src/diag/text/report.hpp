// Writes reports to stderr or to a given sink: buffered (flush it at the end), without allocation,
// usable while another thread holds malloc's lock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

class report {
  public:
    using sink = void (*)(void* to, const char* text, std::size_t size);

    constexpr report() = default;  // to stderr
    report(sink write, void* to) : write_(write), to_(to) {}
    report(const report&) = delete;
    report& operator=(const report&) = delete;

    // As printf; one call adds at most 1 KiB.
    __attribute__((format(printf, 2, 3))) void print(const char* format, ...);
    void flush();

    // Whether nothing has been printed yet.
    bool is_empty() const { return !begun_; }

  private:
    static constexpr std::size_t capacity = 8192;
    sink write_ = nullptr;
    void* to_ = nullptr;
    bool begun_ = false;
    std::size_t size_ = 0;
    char text_[capacity] = {};
};

}  // namespace rota::rt
