// Goroutines: run, go, async, scope, defer, blocking.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <rota/detail/future_state.hpp>
#include <rota/detail/spawn.hpp>
#include <rota/local.hpp>
#include <rota/panic.hpp>
#include <rota/scope.hpp>

namespace rota {

/// Options of a new goroutine.
struct go_options {
    std::string_view name{};  ///< shown in dumps; copied, at most 128 characters
    std::size_t stack_size =
        0;  ///< bytes, rounded up to a power of two from 16 KiB to 64 MiB; 0: the default
};

/// Runs f(args...) in a new goroutine. Copies or moves f and the arguments into it, as std::thread
/// does.
///
/// Does not block; the goroutine runs when a processor is free. From any goroutine and any thread;
/// the runtime boots itself on first use. An exception that leaves f ends the process with Go's
/// panic report, exit status 2. An empty std::function is `fatal error: go of nil func value`.
/// Throws std::system_error (not_enough_memory) if there is no address space for a stack, and what
/// the copies throw. Go: go f(args...).
template <class F, class... A>
    requires(!std::same_as<std::decay_t<F>, go_options>)
[[gnu::always_inline]] inline void go(F&& f, A&&... args) {
    detail::spawn_any(0, {}, std::forward<F>(f), std::forward<A>(args)...);
}

/// As above, with a name or a stack size.
template <class F, class... A>
[[gnu::always_inline]] inline void go(go_options options, F&& f, A&&... args) {
    detail::spawn_any(options.stack_size, options.name, std::forward<F>(f),
                      std::forward<A>(args)...);
}

/// The result of a goroutine started by async. Move-only.
///
/// Dropping it does not wait. An exception of the goroutine that no get() can receive any more is a
/// panic: it ends the process, it is never lost.
template <class R>
class future {
  public:
    future() noexcept = default;
    future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    future& operator=(future&& other) noexcept {
        future(std::move(other)).swap(*this);
        return *this;
    }
    ~future() {
        if (state_ != nullptr) detail::future_abandon(state_);
    }

    /// Waits for the result and returns it, or rethrows the exception; the future is empty then.
    /// Blocks the goroutine, not the thread; the goroutine may continue on another thread. Memory
    /// effects of the finished goroutine are visible afterwards. Throws panic_error "rota: get of
    /// an empty future", and "rota: get of a future whose goroutine ended by goexit".
    R get() {
        if (state_ == nullptr) panic("rota: get of an empty future");
        const detail::future_claim<R> claim(std::exchange(state_, nullptr));
        return claim.get();
    }

    /// Waits for the result. Throws panic_error "rota: wait on an empty future".
    void wait() {
        if (state_ == nullptr) panic("rota: wait on an empty future");
        detail::future_wait(state_);
    }

    /// Waits for the result for at most d. Returns whether the result is there. Throws as wait().
    template <class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> d) {
        if (state_ == nullptr) panic("rota: wait on an empty future");
        return detail::future_ready(state_) ||
               detail::future_await_until(*state_, detail::deadline_after(d));
    }

    /// Whether the result is there.
    bool ready() const { return state_ != nullptr && detail::future_ready(state_); }
    /// Whether the future has a state, so that get() may be called.
    bool valid() const { return state_ != nullptr; }

  private:
    explicit future(detail::future_state<R>* state) noexcept : state_(state) {}
    void swap(future& other) noexcept { std::swap(state_, other.state_); }
    template <class F, class... A>
    friend auto async(F&& f, A&&... args)
        -> future<std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>>;
    friend class scope;

    detail::future_state<R>* state_ = nullptr;
};

namespace detail {

// The function that async runs. Not a lambda: not every demangler knows the name of a lambda that
// takes any arguments.
template <class R, class F>
struct async_call {
    F f;
    future_producer<R> producer;

    template <class... A>
    void operator()(A&&... args) && {
        producer.run(std::move(f), std::forward<A>(args)...);
    }
};

}  // namespace detail

/// Runs f(args...) in a new goroutine and gives its result, or its exception, to the future. Throws
/// as go.
template <class F, class... A>
[[gnu::always_inline]] inline auto async(F&& f, A&&... args)
    -> future<std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>> {
    using R = std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>;
    future<R> result(new detail::future_state<R>);
    using call = detail::async_call<R, std::decay_t<F>>;
    detail::spawn_as<detail::is_address<std::decay_t<F>>>(
        0, {}, call{std::forward<F>(f), detail::future_producer<R>(result.state_)},
        std::forward<A>(args)...);
    return result;
}

/// Runs f when its block is left, also by an exception or goexit. An exception of f propagates from
/// there. If another exception is in flight it ends the process, as in every destructor. The
/// captures of f lie inside the object, or on the heap above 64 bytes: std::bad_alloc then, and f
/// does not run. Go: defer, which runs at the end of the function.
class defer {
  public:
    template <class F>
        requires(!std::same_as<F, defer> && std::invocable<F&>)
    explicit defer(F f) {
        if constexpr (sizeof(F) <= sizeof room_ && alignof(F) <= alignof(std::max_align_t)) {
            ::new (static_cast<void*>(room_)) F(std::move(f));
            run_ = [](void* at) {
                struct owner {
                    F* f;
                    ~owner() { f->~F(); }
                } const mine{std::launder(static_cast<F*>(at))};
                (*mine.f)();
            };
        } else {
            ::new (static_cast<void*>(room_)) F*(new F(std::move(f)));
            run_ = [](void* at) {
                struct owner {
                    F* f;
                    ~owner() { delete f; }
                } const mine{*std::launder(static_cast<F**>(at))};
                (*mine.f)();
            };
        }
    }
    ~defer() noexcept(false) { run_(room_); }
    defer(const defer&) = delete;
    defer& operator=(const defer&) = delete;

  private:
    alignas(std::max_align_t) std::byte room_[64];
    void (*run_)(void* at);
};

namespace detail {
void entersyscall();
void exitsyscall();
// Runs the main goroutine of a run() to its end on the calling thread. Throws panic_error inside a
// goroutine.
void run_main(void (*entry)(void*), void* closure);
// Throws the exception that has left the main goroutine of a run() to the caller of run().
[[noreturn]] void rethrow_from_run(std::exception_ptr error);

template <class R>
struct run_outcome {
    std::optional<R> value;
    template <class F>
    void set(F&& f) {
        value.emplace(std::forward<F>(f)());
    }
    R take() { return std::move(*value); }
};
template <class R>
struct run_outcome<R&> {
    R* value = nullptr;
    template <class F>
    void set(F&& f) {
        value = &std::forward<F>(f)();
    }
    R& take() { return *value; }
};
template <>
struct run_outcome<void> {
    template <class F>
    void set(F&& f) {
        std::forward<F>(f)();
    }
    void take() {}
};
}  // namespace detail

/// Runs f, which may block its thread. f's processor is free meanwhile, so that other goroutines
/// run.
///
/// For calls that rota does not know: third-party libraries, file systems, locks of other runtimes.
/// Code that needs errno after a call in f must read it inside f. Returns f's result, rethrows its
/// exception; the goroutine may continue on another thread. In a thread outside rota it just calls
/// f. Go: entersyscall, exitsyscall around every system call.
template <class F>
decltype(auto) blocking(F&& f) {
    detail::entersyscall();
    struct leave {
        ~leave() { detail::exitsyscall(); }
    } at_end;
    return std::forward<F>(f)();
}

/// Boots the runtime and runs f as the main goroutine. The calling thread runs only that goroutine.
/// It sleeps as soon as the goroutine has moved to a thread of the runtime's own, which may happen
/// whenever it blocks.
///
/// Returns f's result, or rethrows its exception, when f ends; it does not wait for other
/// goroutines, which continue. An exception that no handler catches behind run ends the process as
/// a panic does: with its text, traces, and exit status 2, unless the program has a terminate
/// handler of its own. May be called again, and from several threads at once. If every goroutine
/// sleeps and nothing can wake any of them: `fatal error: all goroutines are asleep - deadlock!`,
/// exit status 2. Throws panic_error inside a goroutine. Go: main.main.
template <class F>
auto run(F&& f) -> std::invoke_result_t<F> {
    using R = std::invoke_result_t<F>;
    struct main_closure {
        F&& f;
        detail::run_outcome<R> outcome{};
        std::exception_ptr error{};
        static void entry(void* self) {
            auto& c = *static_cast<main_closure*>(self);
            try {
                c.outcome.set(std::forward<F>(c.f));
            } catch (...) {
                c.error = std::current_exception();
                if (c.error == nullptr) throw;  // goexit, which must propagate
            }
        }
    } closure{std::forward<F>(f)};
    detail::run_main(&main_closure::entry, &closure);
    if (closure.error) detail::rethrow_from_run(std::move(closure.error));
    return closure.outcome.take();
}

}  // namespace rota
