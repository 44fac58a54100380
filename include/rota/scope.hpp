// rota::scope: goroutines that do not outlive a block. <rota/go.hpp> includes this header.
#pragma once

#include <type_traits>
#include <utility>

#include <rota/detail/future_state.hpp>
#include <rota/detail/local_slots.hpp>
#include <rota/detail/spawn.hpp>
#include <rota/detail/task_group.hpp>

namespace rota {

template <class R>
class future;
class scope;

namespace detail {
std::uint64_t number_of(const scope& s);  // see task_group
}

/// Goroutines that do not outlive a block: the destructor waits for every one of them.
///
/// The first exception that leaves a goroutine started by go() cancels the scope's context. wait()
/// rethrows it, or the destructor if no wait() has; so the destructor may throw. If an exception
/// (or goexit) leaves the block, the destructor cancels the context first, and that exception
/// propagates. Exceptions of the goroutines are then dropped, because mostly they are consequences
/// of the cancellation. A caller that needs them calls wait() before.
///
/// Cancelling is a request, it does not force: a goroutine ends when it checks the context, or
/// waits in an operation that obeys the context. For goroutines and threads. The scope's own
/// goroutines may call every member but wait().
///
///     {
///         rota::scope s;
///         s.go([&] { left = sum(a); });
///         s.go([&] { right = sum(b); });
///     }   // both have ended
class scope : private detail::task_group {
  public:
    /// A scope whose context is below `parent`. Throws std::bad_alloc.
    explicit scope(context parent = background()) : task_group(std::move(parent), "scope") {}

    /// Runs f in a goroutine of the scope. Throws as rota::go.
    template <class F>
    [[gnu::always_inline]] void go(F&& f) {
        spawn(enter_unbounded(), std::forward<F>(f));
    }

    /// Runs f in a goroutine of the scope and gives its result, or its exception, to the future.
    /// get() throws such an exception, which by itself does not cancel the scope. Throws as
    /// rota::go.
    template <class F>
    [[gnu::always_inline]] auto async(F&& f) -> future<std::invoke_result_t<std::decay_t<F>>> {
        using R = std::invoke_result_t<std::decay_t<F>>;
        future<R> result(new detail::future_state<R>);
        const membership label(*this);
        detail::spawn_any(
            0, {},
            [member = enter_unbounded(), producer = detail::future_producer<R>(result.state_),
             f = std::forward<F>(f)]() mutable {
                // Destroyed last: by then the result is published, and nothing of it is left here.
                const share until_end(std::move(member));
                const detail::locals_end before_it_is_told;
                detail::future_producer<R> own(std::move(producer));
                own.run(std::move(f));
            });
        return result;
    }

    /// The context of the scope: done when a goroutine has failed, cancel() is called, the scope
    /// has been left, or the parent is done.
    context ctx() const { return own_context(); }

    /// Cancels the context.
    void cancel() { canceller()(); }

    /// Waits until every goroutine has ended, and rethrows the first exception, each time it is
    /// called. If there was none, the scope may be used further. Blocks the goroutine, not the
    /// thread.
    void wait() { join(); }

  private:
    friend std::uint64_t detail::number_of(const scope& s);
};

inline std::uint64_t detail::number_of(const scope& s) { return s.number(); }

}  // namespace rota
