// rota::local: a variable with a separate value in each goroutine.
#pragma once

#include <cstdint>

#include <rota/detail/atomic.hpp>
#include <rota/detail/local_slots.hpp>

namespace rota {

/// A variable with a separate value in each goroutine, whatever thread the goroutine runs on, and
/// in each thread outside rota: the thread_local of goroutines. 8 bytes; usable before main.
///
/// A goroutine's T is made on its first use, by T(), and keeps its address. It is destroyed at the
/// goroutine's end, also by goexit, in reverse order of construction, as a thread's are. That is
/// before a wait_group, scope, error_group or future reports that the goroutine has ended. The
/// destructors may use rota and other locals; a local gets a new value if the old value has been
/// destroyed by then. On a thread the destructors run when the thread ends. Go has no such
/// variables; it passes a context.
///
/// When the local itself is destroyed, the goroutines' values stay until their goroutines end.
///
///     rota::local<std::vector<char>> buffer;
///     buffer->resize(1024);
template <class T>
class local {
  public:
    constexpr local() noexcept = default;
    ~local() {
        // relaxed: in a destructor no other thread uses it any more
        if (const detail::local_key key = key_.load(std::memory_order_relaxed))
            detail::local_key_put(key);
    }
    local(const local&) = delete;
    local& operator=(const local&) = delete;

    /// Returns the calling goroutine's T. The reference is valid until the goroutine's end; another
    /// goroutine may use it if this one permits that. Throws what T() throws, and std::bad_alloc.
    T& get() const {
        // relaxed: the key is a number; the value found by it belongs to the caller
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
        // relaxed, both accesses: as in get()
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
