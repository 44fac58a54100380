// Holds the bytes that a connection has read and not used yet: a window in one block of memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace rota::http {

class input_buffer {
  public:
    std::string_view unread() const { return {data_.get() + begin_, end_ - begin_}; }
    bool is_empty() const { return begin_ == end_; }
    void consume(std::size_t n) { begin_ += n; }

    // Memory to read into, at least `least` bytes. Moves nothing if there is room; otherwise views
    // of the unread bytes become invalid. Throws std::bad_alloc.
    std::span<std::byte> room(std::size_t least = 1) {
        if (capacity_ - end_ < least) settle();
        if (capacity_ - end_ < least) grow(least);
        return {reinterpret_cast<std::byte*>(data_.get() + end_), capacity_ - end_};
    }
    void filled(std::size_t n) { end_ += n; }

    // Makes the memory hold the first `used` unread bytes, and `least` bytes behind them, unread or
    // free. Moves and throws as room().
    void reach(std::size_t used, std::size_t least) {
        if (capacity_ - begin_ - used >= least) return;
        settle();
        if (capacity_ - begin_ - used < least) grow(least);
    }

    // Moves the unread bytes to the front. Caller: no view of them exists. The bytes stay in place
    // while they outnumber the used bytes. So each used byte pays for at most one moved byte,
    // however many requests lie in the buffer.
    void settle() {
        const std::size_t left = end_ - begin_;
        if (begin_ < left) return;
        if (left != 0) std::memcpy(data_.get(), data_.get() + begin_, left);
        begin_ = 0;
        end_ = left;
    }
    // If no byte is unread, the next bytes go to `position`, over the bytes that lay there.
    void rewind_to(std::size_t position) {
        if (is_empty()) begin_ = end_ = position;
    }
    std::size_t position() const { return begin_; }
    std::size_t capacity() const { return capacity_; }

    // Empties the buffer, and frees its memory if that is large.
    void shrink() {
        begin_ = end_ = 0;
        if (capacity_ <= kept_max) return;
        data_.reset();
        capacity_ = 0;
    }

    static constexpr std::size_t first_size = 4096, kept_max = 16 * 1024;

  private:
    void grow(std::size_t least) {
        const std::size_t used = end_ - begin_;
        std::size_t size = capacity_ == 0 ? first_size : capacity_ * 2;
        while (size - used < least) size *= 2;
        std::unique_ptr<char[]> larger(new char[size]);
        if (used != 0) std::memcpy(larger.get(), data_.get() + begin_, used);
        data_ = std::move(larger);
        capacity_ = size;
        begin_ = 0;
        end_ = used;
    }

    std::unique_ptr<char[]> data_;
    std::size_t capacity_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace rota::http
