// Maps memory for the runtime's own tables straight from the kernel: the scheduler never calls
// malloc.
//
// A thread that waits for malloc's lock while it holds a lock of ours could wait for a goroutine
// that cannot run. Fixed objects (m, p) are carved from pages and never freed. Growing arrays move
// to a mapping of twice the size.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.hpp"

namespace rota::rt {

// Zeroed memory of static life, aligned to a cache line. Ends the process if the kernel refuses.
[[nodiscard]] void* mapped_alloc(std::size_t bytes);
// The same; null if the kernel refuses.
[[nodiscard]] void* mapped_alloc_or_null(std::size_t bytes);

template <class T, class... A>
[[nodiscard]] T& mapped_new(A&&... args) {
    return *new (mapped_alloc(sizeof(T))) T(std::forward<A>(args)...);
}

// The purpose of a mapping, which figures tell apart; `traces` includes the samples of CPU
// profiles.
enum class mapped_for : unsigned char { tables, traces, count };

// A mapping of at least `bytes`; ends the process if the kernel refuses.
[[nodiscard]] void* mapped_pages(std::size_t bytes, mapped_for what = mapped_for::tables);
// The same; null if the kernel refuses.
[[nodiscard]] void* mapped_pages_or_null(std::size_t bytes, mapped_for what = mapped_for::tables);
// `what`: the value given to mapped_pages.
void mapped_free(void* start, std::size_t bytes, mapped_for what = mapped_for::tables);

// An array of plain values that grows. Not synchronised: its owner's lock guards it.
template <class T>
class mapped_array {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    constexpr mapped_array() = default;
    mapped_array(const mapped_array&) = delete;
    mapped_array& operator=(const mapped_array&) = delete;

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) {
        ROTA_DCHECK(i < size_);
        return data_[i];
    }
    const T& operator[](std::size_t i) const {
        ROTA_DCHECK(i < size_);
        return data_[i];
    }
    const T* data() const { return data_; }
    std::size_t mapped() const { return capacity_ * sizeof(T); }  // bytes of address space
    void push_back(const T& v) {
        if (size_ == capacity_) move_to(mapped_pages(next_capacity() * sizeof(T)));
        data_[size_++] = v;
    }
    // False: the array is full, and the kernel has no memory for a larger array.
    [[nodiscard]] bool try_push_back(const T& v) {
        if (size_ == capacity_) {
            void* const larger = mapped_pages_or_null(next_capacity() * sizeof(T));
            if (larger == nullptr) return false;
            move_to(larger);
        }
        data_[size_++] = v;
        return true;
    }
    void clear() { size_ = 0; }
    void pop_back() {
        ROTA_DCHECK(size_ > 0);
        --size_;
    }

  private:
    std::size_t next_capacity() const { return capacity_ == 0 ? 4096 / sizeof(T) : capacity_ * 2; }
    void move_to(void* larger);

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// Bytes of address space that are mapped for `what`; and for every purpose.
std::size_t mapped_bytes(mapped_for what);
std::size_t mapped_bytes();

template <class T>
void mapped_array<T>::move_to(void* larger) {
    if (size_ > 0) std::memcpy(larger, data_, size_ * sizeof(T));
    capacity_ = next_capacity();
    if (data_ != nullptr) mapped_free(data_, size_ * sizeof(T));  // it was full
    data_ = static_cast<T*>(larger);
}

}  // namespace rota::rt
