// What has been read from a connection and not been used yet: a window in one piece of memory.
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

    // Where more can be read to, at least one byte. Moves nothing if there is room; else views of
    // what is unread are void. Throws std::bad_alloc.
    std::span<std::byte> room(std::size_t least = 1) {
        if (capacity_ - end_ < least) settle();
        if (capacity_ - end_ < least) grow(least);
        return {reinterpret_cast<std::byte*>(data_.get() + end_), capacity_ - end_};
    }
    void filled(std::size_t n) { end_ += n; }

    // Makes the memory hold the first `used` bytes of what is unread, and `least` bytes from there
    // on, which may be unread ones too. Else as room().
    void reach(std::size_t used, std::size_t least) {
        if (capacity_ - begin_ - used >= least) return;
        settle();
        if (capacity_ - begin_ - used < least) grow(least);
    }

    // Nobody has a view of it: what is unread may go to the front. It stays where it is while it is
    // more than what has been used, so that a byte is moved for each that has been used, and no
    // more, however many requests lie one behind the other.
    void settle() {
        const std::size_t left = end_ - begin_;
        if (begin_ < left) return;
        if (left != 0) std::memcpy(data_.get(), data_.get() + begin_, left);
        begin_ = 0;
        end_ = left;
    }
    // Nothing is unread, and what lies before `keep` bytes of it may be written over again.
    void rewind_to(std::size_t position) {
        if (is_empty()) begin_ = end_ = position;
    }
    std::size_t position() const { return begin_; }
    std::size_t capacity() const { return capacity_; }

    // Gives a large one's memory back.
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
