// Time: the runtime's clock, sleeping, and timers that send a value or call a function.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <rota/chan.hpp>
#include <rota/detail/spawn.hpp>
#include <rota/detail/time_engine.hpp>

namespace rota {

/// The runtime's clock: steady, in nanoseconds.
struct clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<clock>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept { return time_point(duration(detail::clock_now())); }
};

/// Sleeps until `when` or a little later; returns at once if that has passed. Blocks the goroutine,
/// not the thread; the goroutine may continue on another thread.
inline void sleep_until(clock::time_point when) {
    detail::sleep_until_ns(when.time_since_epoch().count());
}

/// Sleeps for at least d. Zero, negative and NaN durations return at once; a d beyond the clock's
/// range (292 years) sleeps for ever. Blocks the goroutine, not the thread; the goroutine may
/// continue on another thread. Go: time.Sleep.
template <class Rep, class Period>
void sleep_for(std::chrono::duration<Rep, Period> d) {
    detail::sleep_for_ns(detail::saturated_ns(d));
}

namespace detail {

// The common base of the handles of timers: the reference.
class timer_handle {
  public:
    /// The channel into which the timer sends the time: it holds at most one value. The nil channel
    /// for a timer of after_func. Go: t.C.
    recv_chan<clock::time_point> c() const {
        struct with_reference : recv_chan<clock::time_point> {
            explicit with_reference(hchan* c) {
                c_ = c;
                if (c != nullptr) chan_retain(c);
            }
        };
        return with_reference(b_ == nullptr ? nullptr : timer_channel(b_));
    }

    /// Whether two handles share one timer.
    friend bool operator==(const timer_handle& a, const timer_handle& b) { return a.b_ == b.b_; }

  protected:
    timer_handle() noexcept = default;
    explicit timer_handle(timer_block* b) noexcept : b_(b) {}
    timer_handle(const timer_handle& other) noexcept : b_(other.b_) {
        if (b_ != nullptr) timer_retain(b_);
    }
    timer_handle(timer_handle&& other) noexcept : b_(std::exchange(other.b_, nullptr)) {}
    timer_handle& operator=(const timer_handle& other) noexcept {
        if (other.b_ != nullptr) timer_retain(other.b_);
        if (timer_block* const old = std::exchange(b_, other.b_)) timer_release(old);
        return *this;
    }
    timer_handle& operator=(timer_handle&& other) noexcept {
        timer_block* const taken = std::exchange(other.b_, nullptr);
        if (timer_block* const old = std::exchange(b_, taken)) timer_release(old);
        return *this;
    }
    ~timer_handle() {
        if (b_ != nullptr) timer_release(b_);
    }

    timer_block* b_ = nullptr;
};

// Takes over the reference of a timer that sends. Afterwards only its channel refers to the timer.
struct owned_timer_channel : recv_chan<clock::time_point> {
    explicit owned_timer_channel(timer_block* b) { c_ = timer_channel(b); }
};

}  // namespace detail

/// A timer that fires once: it sends the time into c(), or calls the function of after_func. A
/// handle: copies share one timer. Every member may be called from any goroutine and any thread,
/// also at the moment at which the timer fires.
///
/// As in Go since 1.23, the channel is always up to date: once stop or reset has returned, no
/// earlier value can be received from it. Its len() and cap() are 0, whether a value waits or not;
/// try_recv tells. The timer is released when neither a handle of it nor a handle of its channel is
/// left. Go: time.Timer.
///
///     rota::timer patience(5s);
///     rota::select(rota::on_recv(answers, use),
///                  rota::on_recv(patience.c(), [](auto) { give_up(); }));
///     patience.stop();
class timer : public detail::timer_handle {
  public:
    /// No timer: c() is the nil channel, stop and reset throw panic_error.
    timer() noexcept = default;

    /// A timer that sends the time into c() once d has passed; at once for d <= 0. Does not block.
    /// Throws std::bad_alloc. Go: time.NewTimer.
    template <class Rep, class Period>
    explicit timer(std::chrono::duration<Rep, Period> d)
        : timer_handle(detail::chan_timer_new(detail::saturated_ns(d), false)) {}

    /// Stops the timer. True if it was running, or its value had not been received; then the value
    /// is never received. False if the value has been received or the timer was stopped before. For
    /// after_func, false if the call has started, whether it has ended or not. Does not block. Go:
    /// t.Stop.
    bool stop() const { return detail::timer_stop(b_); }

    /// Makes the timer fire once d has passed from now, instead of at the moment set before.
    /// Returns what stop would have returned. On a timer of after_func that has fired, the function
    /// is called again, maybe while the first call is still running. Does not block. Go: t.Reset.
    template <class Rep, class Period>
    bool reset(std::chrono::duration<Rep, Period> d) const {
        return detail::timer_reset(b_, detail::saturated_ns(d));
    }

  private:
    explicit timer(detail::timer_block* b) noexcept : timer_handle(b) {}
    template <class Rep, class Period, class F>
    friend timer after_func(std::chrono::duration<Rep, Period> d, F f);
};

/// A timer that fires repeatedly: it sends the time into c() every d. Without a receiver, ticks are
/// dropped; the buffered tick is received first. A handle: copies share one ticker. Released as a
/// timer is. Go: time.Ticker.
class ticker : public detail::timer_handle {
  public:
    /// No ticker: c() is the nil channel, stop does nothing, reset throws panic_error.
    ticker() noexcept = default;

    /// A ticker with the interval d. Does not block. Throws panic_error "non-positive interval for
    /// NewTicker" for d <= 0, std::bad_alloc. Go: time.NewTicker.
    template <class Rep, class Period>
    explicit ticker(std::chrono::duration<Rep, Period> d)
        : timer_handle(make(detail::saturated_ns(d))) {}

    /// Stops the ticker: no value can be received any more. The channel is not closed. Does not
    /// block. Go: t.Stop.
    void stop() const { detail::ticker_stop(b_); }

    /// Stops the ticker and starts it with the interval d from now. Does not block. Throws
    /// panic_error "non-positive interval for NewTicker" for d <= 0. Go: t.Reset.
    template <class Rep, class Period>
    void reset(std::chrono::duration<Rep, Period> d) const {
        detail::ticker_reset(b_, detail::saturated_ns(d));
    }

  private:
    static detail::timer_block* make(std::int64_t ns) {
        if (ns <= 0) detail::panic_ticker_interval();
        return detail::chan_timer_new(ns, true);
    }
};

/// A channel that gets the time once d has passed; at once for d <= 0. Released when no handle of
/// it is left, also before. Does not block. Throws std::bad_alloc. Go: time.After.
template <class Rep, class Period>
recv_chan<clock::time_point> after(std::chrono::duration<Rep, Period> d) {
    return detail::owned_timer_channel(detail::chan_timer_new(detail::saturated_ns(d), false));
}

/// A channel that gets the time every d, as that of a ticker; the nil channel for d <= 0. Released
/// when no handle of it is left. Does not block. Throws std::bad_alloc. Go: time.Tick.
template <class Rep, class Period>
recv_chan<clock::time_point> tick(std::chrono::duration<Rep, Period> d) {
    const std::int64_t ns = detail::saturated_ns(d);
    if (ns <= 0) return {};
    return detail::owned_timer_channel(detail::chan_timer_new(ns, true));
}

/// Calls f in a new goroutine once d has passed. F need only be movable; an exception of f is a
/// panic of that goroutine. The returned timer can stop the call or move it; dropping the handle
/// does neither. f is destroyed when it cannot be called any more. Does not block. Throws
/// std::bad_alloc, and what moving f throws. Go: time.AfterFunc.
///
///     rota::timer warning = rota::after_func(1min, [log] { log.send("still at work"); });
///     work();
///     warning.stop();
template <class Rep, class Period, class F>
timer after_func(std::chrono::duration<Rep, Period> d, F f) {
    if (detail::is_nil(f)) detail::fatal_nil_func();
    if constexpr (alignof(F) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
        struct boxed {
            std::unique_ptr<F> f;
            void operator()() { (*f)(); }
        };
        return rota::after_func(d, boxed{std::make_unique<F>(std::move(f))});
    } else {
        static constexpr detail::closure_ops ops = {
            [](void* closure) { (*static_cast<F*>(closure))(); },
            [](void* closure) noexcept { static_cast<F*>(closure)->~F(); }};
        const detail::func_timer_place place = detail::func_timer_begin(sizeof(F), ops);
        if constexpr (std::is_nothrow_move_constructible_v<F>) {
            new (place.closure) F(std::move(f));
        } else {
            struct undo {
                detail::timer_block* b;
                ~undo() {
                    if (b != nullptr) detail::func_timer_abort(b);
                }
            } guard{place.block};
            new (place.closure) F(std::move(f));
            guard.b = nullptr;
        }
        detail::func_timer_start(place.block, detail::saturated_ns(d));
        return timer(place.block);
    }
}

}  // namespace rota
