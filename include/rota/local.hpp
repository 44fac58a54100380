// rota::local: a variable of which every goroutine has its own.
#pragma once

#include <cstdint>

#include <rota/detail/atomic.hpp>
#include <rota/detail/local_slots.hpp>

namespace rota {

/// A variable of which each goroutine has its own, whatever thread it runs on; each thread outside
/// rota as well. What thread_local is to threads. 8 bytes; usable before main.
///
/// A goroutine's T is made on its first use, by T(), and stays where it is. It is destroyed at the
/// goroutine's end, also by goexit: those made last go first, as a thread's are. That is before a
/// wait_group, scope, error_group or future says that the goroutine has ended. The destructors may
/// use rota and other locals; one that is gone already is made anew. On a thread they run when the
/// thread ends. Go has none; there one hands a context on.
///
/// When the local itself is destroyed, the values that goroutines have stay until these end.
///
///     rota::local<std::vector<char>> buffer;
///     buffer->resize(1024);
template <class T>
class local {
  public:
    constexpr local() noexcept = default;
    ~local() {
        // relaxed: nobody else uses it any more
        if (const detail::local_key key = key_.load(std::memory_order_relaxed))
            detail::local_key_put(key);
    }
    local(const local&) = delete;
    local& operator=(const local&) = delete;

    /// The calling goroutine's T. The reference holds until the goroutine's end; others may use it
    /// with its leave. Throws what T() throws, and std::bad_alloc.
    T& get() const {
        // relaxed: the key is a number; what is found by it belongs to the caller
        const detail::local_key key = key_.load(std::memory_order_relaxed);
        if (detail::local_value* const v = detail::local_find(key))
            return static_cast<box*>(v)->value;
        return make();
    }
    T* operator->() const { return &get(); }
    T& operator*() const { return get(); }

  private:
    struct box : detail::local_value {
        T value{};
        static void destroy_box(detail::local_value* v) noexcept { delete static_cast<box*>(v); }
    };

    T& make() const {
        struct keeper {
            box* b;
            ~keeper() { delete b; }
        } made{new box};
        made.b->destroy = &box::destroy_box;
        made.b->key = own_key();
        T& value = made.b->value;
        detail::local_keep(made.b);
        made.b = nullptr;
        return value;
    }

    detail::local_key own_key() const {
        // relaxed, all: as in get()
        detail::local_key key = key_.load(std::memory_order_relaxed);
        if (key != 0) return key;
        const detail::local_key fresh = detail::local_key_get();
        if (key_.compare_exchange(key, fresh, std::memory_order_relaxed, std::memory_order_relaxed))
            return fresh;
        detail::local_key_put(fresh);
        return key;
    }

    mutable atomic<detail::local_key> key_{0};
};

}  // namespace rota
