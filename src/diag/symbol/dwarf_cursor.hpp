// Reading DWARF: bytes that come from a file and are not to be trusted.
#pragma once

#include <cstdint>
#include <cstring>

#include "diag/symbol/elf_image.hpp"

namespace rota::rt {

// Reads forward and never past the end: what is missing reads as zero, and `bad` is set.
class dwarf_cursor {
  public:
    explicit dwarf_cursor(byte_range r) : at_(r.data), end_(r.data + r.size) {}
    // From an offset into a section on.
    dwarf_cursor(byte_range r, std::uint64_t from) : dwarf_cursor(r) { take(from); }

    bool bad() const { return bad_; }
    bool done() const { return bad_ || at_ == end_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    byte_range rest() const { return {at_, left()}; }

    byte_range take(std::uint64_t n) {
        if (n > left()) {
            bad_ = true;
            at_ = end_;
            return {};
        }
        const byte_range r{at_, static_cast<std::size_t>(n)};
        at_ += n;
        return r;
    }

    template <class T>
    T fixed() {
        T v{};
        const byte_range r = take(sizeof v);
        if (r.data != nullptr) std::memcpy(&v, r.data, sizeof v);
        return v;
    }
    std::uint8_t u8() { return fixed<std::uint8_t>(); }
    std::uint64_t offset(bool wide) {
        return wide ? fixed<std::uint64_t>() : fixed<std::uint32_t>();
    }

    std::uint64_t unsigned_leb() {
        std::uint64_t v = 0;
        for (unsigned shift = 0;; shift += 7) {
            const std::uint8_t b = u8();
            if (shift < 64) v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
            if ((b & 0x80) == 0 || bad_) return v;
        }
    }
    std::int64_t signed_leb() {
        std::uint64_t v = 0;
        for (unsigned shift = 0;;) {
            const std::uint8_t b = u8();
            if (shift < 64) v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
            shift += 7;
            if ((b & 0x80) != 0 && !bad_) continue;
            if ((b & 0x40) != 0 && shift < 64) v |= ~std::uint64_t{0} << shift;
            return static_cast<std::int64_t>(v);
        }
    }
    const char* string() {
        const void* const end = left() == 0 ? nullptr : std::memchr(at_, 0, left());
        if (end == nullptr) {
            bad_ = true;
            at_ = end_;
            return "";
        }
        const char* const s = reinterpret_cast<const char*>(at_);
        at_ = static_cast<const unsigned char*>(end) + 1;
        return s;
    }

  private:
    const unsigned char* at_;
    const unsigned char* end_;
    bool bad_ = false;
};

// A string of a table; null: it lies outside.
inline const char* dwarf_string_at(byte_range table, std::uint64_t offset) {
    if (offset >= table.size) return nullptr;
    return dwarf_cursor(table, offset).string();
}

}  // namespace rota::rt
