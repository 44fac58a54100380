// rota::pool: keeps values for reuse.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include <rota/detail/pool_engine.hpp>

namespace rota {

/// Keeps values that are expensive to make and not in use: buffers, parsers, arenas. Each processor
/// has its own part, so get and put do not contend. A get that finds its own part empty takes a
/// value from the part of another processor.
///
/// A value may be destroyed at any time: a collection destroys each value that no get() has taken
/// since the collection before. Without a collector's help a pool collects by itself every two
/// minutes while it is in use. It is unspecified which value get() returns. T must be movable. For
/// goroutines and threads. Go: sync.Pool.
///
///     rota::pool<std::vector<char>> buffers;
///     std::vector<char> buffer = buffers.get();
///     ...
///     buffers.put(std::move(buffer));
template <class T>
class pool {
  public:
    /// A pool that makes values by T() when it is empty.
    constexpr pool() noexcept
        requires std::is_default_constructible_v<T>
    = default;
    /// A pool that makes values by make(), from several goroutines at once. Go: Pool.New.
    template <class F>
        requires(!std::is_same_v<std::decay_t<F>, pool>) && std::is_invocable_r_v<T, F&>
    explicit pool(F&& make) : maker_(new maker_of<std::decay_t<F>>(std::forward<F>(make))) {}
    ~pool() { delete maker_; }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    /// Returns a value from an earlier put(), or a new one. Does not block. Throws what T's move
    /// and the making throw. Go: Get.
    T get() {
        if (detail::pool_box* const b = core_.take()) {
            const emptying at_end{*this, static_cast<box*>(b)};
            return std::move(at_end.b->value());
        }
        if (maker_ != nullptr) return maker_->make();
        if constexpr (std::is_default_constructible_v<T>) return T();
        else __builtin_unreachable();  // without a maker, T is default-constructible
    }

    /// Keeps a value for a later get(). Does not block. Throws what T's move throws, and
    /// std::bad_alloc. Go: Put.
    void put(T value) {
        detail::pool_box* empty = core_.take_empty();
        struct keeper {
            pool& owner;
            box* b;
            ~keeper() {
                if (b != nullptr) owner.core_.put_empty(b);
            }
        } guard{*this, empty != nullptr ? static_cast<box*>(empty) : new box};
        new (static_cast<void*>(guard.b->room)) T(std::move(value));
        guard.b->destroy = &box::destroy_full;
        core_.put(std::exchange(guard.b, nullptr));
    }

  private:
    struct maker {
        virtual ~maker() = default;
        virtual T make() = 0;
    };
    template <class F>
    struct maker_of final : maker {
        template <class G>
        explicit maker_of(G&& g) : f(std::forward<G>(g)) {}
        T make() override { return f(); }
        F f;
    };

    struct box : detail::pool_box {
        alignas(T) unsigned char room[sizeof(T)];
        box() { destroy = &destroy_empty; }
        T& value() { return *std::launder(reinterpret_cast<T*>(room)); }
        static void destroy_empty(detail::pool_box* b) noexcept { delete static_cast<box*>(b); }
        static void destroy_full(detail::pool_box* b) noexcept {
            static_cast<box*>(b)->value().~T();
            destroy_empty(b);
        }
    };
    // Empties a box after the move out of it.
    struct emptying {
        pool& owner;
        box* b;
        ~emptying() {
            b->value().~T();
            b->destroy = &box::destroy_empty;
            owner.core_.put_empty(b);
        }
    };

    maker* maker_ = nullptr;
    detail::pool_core core_;
};

}  // namespace rota
