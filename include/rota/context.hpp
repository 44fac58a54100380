// Contexts: cancellation, deadlines and values that travel down a tree of calls. Go: package
// context.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>
#include <version>
#if __has_include(<bits/std_function.h>)
#include <bits/std_function.h>  // std::function without the rest of <functional>: a tenth of its
                                // cost
#else
#include <functional>
#endif

#include <rota/chan.hpp>
#include <rota/detail/context_engine.hpp>
#include <rota/detail/spawn.hpp>
#include <rota/time.hpp>

namespace rota {

/// Why a context is done. Converts to std::error_code of the category "context".
enum class context_errc {
    canceled = 1,           ///< "context canceled"; equals std::errc::operation_canceled
    deadline_exceeded = 2,  ///< "context deadline exceeded"; equals std::errc::timed_out
};
const std::error_category& context_category() noexcept;
inline std::error_code make_error_code(context_errc e) noexcept {
    return {static_cast<int>(e), context_category()};
}

/// The context of a request: whether its caller still wants the result, until when, and values that
/// belong to the request.
///
/// A reference: copies share one context. A default-constructed context is background(). Every
/// operation may be called from any goroutine and any thread; it blocks only where its comment says
/// so. Go: context.Context.
class context {
  public:
    context() noexcept = default;
    context(const context& other) noexcept : n_(other.n_) { detail::context_retain(n_); }
    context(context&& other) noexcept : n_(std::exchange(other.n_, nullptr)) {}
    context& operator=(const context& other) noexcept {
        context(other).swap(*this);
        return *this;
    }
    context& operator=(context&& other) noexcept {
        context(std::move(other)).swap(*this);
        return *this;
    }
    ~context() { detail::context_release(n_); }

    /// A channel that is closed when the context is done: to be received from, mostly in a select.
    /// The nil channel if the context can never be done. err() is set before the channel is closed.
    /// Go: Done.
    recv_chan<unit> done() const;

    /// An empty code while the context is not done, then context_errc::canceled or
    /// context_errc::deadline_exceeded, for good; done() is closed then. Go: Err.
    std::error_code err() const { return detail::context_err(n_); }

    /// The cause that the cancelling call gave, or err() if it gave none. Go: Cause.
    std::error_code cause() const { return detail::context_cause(n_); }

    /// The latest moment at which the context will be done: the earliest deadline of its ancestors
    /// and itself. Go: Deadline.
    std::optional<clock::time_point> deadline() const {
        if (n_ == nullptr || !n_->bounded) return std::nullopt;
        return clock::time_point(clock::duration(n_->deadline));
    }

    /// A token by which a stop is requested when the context is cancelled, for code that uses
    /// std::stop_token. Callbacks run before the cancelling call returns. If a thread made that
    /// call, they run on that thread. If a goroutine or a timer made it, they run on a thread of
    /// the runtime's own, one for each such call; there goid() is 0, and an operation of rota that
    /// waits blocks the thread. Callbacks must not wait for other goroutines: ~std::stop_callback
    /// waits for a running callback, and blocks a thread with its right to run goroutines. If the
    /// context can never be done: a token without a stop state. Throws std::bad_alloc.
    ///
    /// Absent if the C++ library has no std::stop_token (__cpp_lib_jthread): libc++ before version
    /// 20 has it only with -fexperimental-library.
#if defined(__cpp_lib_jthread)
    std::stop_token stop_token() const;
#endif

    /// The value that the nearest with_value<K> above gave, or null. Valid as long as this
    /// context. Go: Value.
    template <class K>
    const typename K::value_type* value() const noexcept {
        return static_cast<const typename K::value_type*>(
            detail::context_find(n_, &detail::context_key<K>::id));
    }

    friend bool operator==(const context& a, const context& b) noexcept { return a.n_ == b.n_; }

    /// For the libraries of rota: the node, and a context that takes over a reference.
    detail::context_node* node() const noexcept { return n_; }
    static context adopt(detail::context_node* n) noexcept {
        context c;
        c.n_ = n;
        return c;
    }

  private:
    void swap(context& other) noexcept { std::swap(n_, other.n_); }

    detail::context_node* n_ = nullptr;
};

/// Cancels the context that it was made with, and every context below; further calls have no
/// effect. A reference: copies cancel the same context. A default-constructed one has no effect.
/// Call it as soon as the work is done, whatever its outcome: until then the parent refers to the
/// context.
///
/// Every context below is cancelled when the call returns, also if a concurrent call began the
/// cancellation. It may block briefly, while a concurrent call works on the same context. Go:
/// CancelFunc, CancelCauseFunc.
class cancel_func {
  public:
    cancel_func() noexcept = default;
    /// err() becomes context_errc::canceled.
    void operator()() const { (*this)(std::error_code()); }
    /// As above, and cause() becomes `cause`; an error_code of no error counts as no cause.
    void operator()(std::error_code cause) const {
        const context held = target_;  // the call may destroy *this
        if (held.node() != nullptr)
            detail::context_cancel(held.node(), detail::context_end::canceled, cause);
    }

    explicit cancel_func(context target) noexcept : target_(std::move(target)) {}

  private:
    context target_;
};

/// The context that is never done and holds nothing: the root of every other context. Go:
/// Background.
inline context background() noexcept { return {}; }

/// A context below `parent` that is done when the function is called or the parent is done. Throws
/// std::bad_alloc. Go: WithCancel, WithCancelCause.
///
///     auto [ctx, cancel] = rota::with_cancel(parent);
///     const rota::defer at_end([&] { cancel(); });
inline std::pair<context, cancel_func> with_cancel(context parent) {
    detail::context_node* const n = detail::context_make(parent.node());
    return {context::adopt(n), cancel_func(context::adopt(n))};
}

/// As with_cancel. The context is done at `when` at the latest, with the error
/// context_errc::deadline_exceeded and, if one is given, that cause. An earlier deadline of the
/// parent applies. If `when` has passed, the context is done at once. Until the context is done or
/// cancelled a timer refers to it: call the function as soon as the work is done. Throws
/// std::bad_alloc. Go: WithDeadline, WithDeadlineCause.
inline std::pair<context, cancel_func> with_deadline(context parent, clock::time_point when,
                                                     std::error_code cause = {}) {
    detail::context_node* const n =
        detail::context_make_until(parent.node(), when.time_since_epoch().count(), cause);
    return {context::adopt(n), cancel_func(context::adopt(n))};
}

/// As with_deadline, d from now; for d <= 0 it is done at once. Go: WithTimeout,
/// WithTimeoutCause.
template <class Rep, class Period>
std::pair<context, cancel_func> with_timeout(context parent, std::chrono::duration<Rep, Period> d,
                                             std::error_code cause = {}) {
    const auto when = detail::saturated_add(detail::clock_now(), detail::saturated_ns(d));
    return with_deadline(std::move(parent), clock::time_point(clock::duration(when)), cause);
}

/// A context below `parent` that carries a value for the key type K, which names the value's type:
///
///     struct user_id { using value_type = int; };
///     auto ctx = rota::with_value<user_id>(parent, 7);
///     if (const int* id = ctx.value<user_id>()) ...
///
/// The value is destroyed with the last context that can see it. Throws std::bad_alloc and what
/// its move throws. Go: WithValue.
template <class K>
context with_value(context parent, typename K::value_type value) {
    using node = detail::context_value_node<typename K::value_type>;
    return context::adopt(new node(parent.node(), &detail::context_key<K>::id, std::move(value)));
}

/// A context with the values of `parent` that is not done when the parent is, and has no deadline.
/// Throws std::bad_alloc. Go: WithoutCancel.
inline context without_cancel(context parent) {
    return context::adopt(detail::context_make_shielded(parent.node()));
}

/// A context below `parent` that is also done when a stop is requested by the token: for code that
/// was called with a std::stop_token. Its error is context_errc::canceled then. Every context below
/// is cancelled when request_stop() returns. The goroutine that calls request_stop() may continue
/// on another thread, as after every operation of rota. If callbacks destroy their own
/// std::stop_callback, or a running callback's, let a thread request the stop; or cancel a context
/// and pass on its stop_token(). Throws std::bad_alloc. Absent if context::stop_token is.
#if defined(__cpp_lib_jthread)
std::pair<context, cancel_func> with_stop_token(context parent, std::stop_token token);
#endif

/// Runs f in a new goroutine when ctx is done; at once if ctx is done already.
///
/// The returned function stops that. It returns true if this call prevents f from running, and
/// false if f has been started, or stopped before. It does not wait for f. Dropping it does not
/// stop f. f is moved or copied; an empty std::function is `fatal error: go of nil func value`.
/// Throws std::bad_alloc. Go: AfterFunc.
template <class F>
    requires std::invocable<std::decay_t<F>&&>
std::function<bool()> after_func(context ctx, F&& f) {
    if (detail::is_nil(f)) detail::fatal_nil_func();
    struct stopper {
        context ctx;
        detail::context_func_ref func;
        bool operator()() const { return detail::context_forget(ctx.node(), func.get()); }
    };
    auto* const made = new detail::context_func_of<std::decay_t<F>>(std::forward<F>(f));
    detail::context_func_ref for_list(made);
    detail::context_node* const n = ctx.node();
    std::function<bool()> stop = stopper{std::move(ctx), detail::context_func_ref(made)};
    detail::context_when_cancelled(n, for_list.release());
    return stop;
}

/// Sleeps for at least d, or until ctx is done. Returns an empty code in the first case and
/// ctx.err() in the second, at once if ctx is done already. Zero and negative durations do not
/// sleep; a d beyond the clock's range (292 years) sleeps for ever. Blocks the goroutine, not the
/// thread. Go: a select of ctx.Done() and time.After.
template <class Rep, class Period>
std::error_code sleep_for(context ctx, std::chrono::duration<Rep, Period> d) {
    const std::int64_t ns = detail::saturated_ns(d);
    return detail::context_sleep_until(ctx.node(),
                                       ns > 0 ? detail::saturated_add(detail::clock_now(), ns)
                                              : std::numeric_limits<std::int64_t>::min());
}

namespace detail {
template <class F>
void context_func_of<F>::start_goroutine(context_func* self) {
    spawn_any(0, {}, [ref = context_func_ref(self)] {
        // Destroys f's captures when f has run, though the function that stops it may live on.
        F own(std::move(static_cast<context_func_of*>(ref.get())->f));
        std::move(own)();
    });
}
}  // namespace detail

}  // namespace rota

template <>
struct std::is_error_code_enum<rota::context_errc> : std::true_type {};
