// The state that a future and its goroutine share.
//
// It has two owners, the future and the goroutine. The owner that drops its share last deletes the
// state. An exception as the result must be received by get(). So a future that is dropped while it
// holds an exception panics, and so does the goroutine if its future is gone already.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <rota/detail/atomic.hpp>
#include <rota/detail/bubble_gate.hpp>
#include <rota/detail/deadline.hpp>
#include <rota/detail/local_slots.hpp>
#include <rota/detail/wait_list.hpp>

namespace rota::detail {

struct future_base {
    future_base() noexcept { note_made(this); }

    atomic<std::uint32_t> owners{
        2};  // the last drop sees the writes of the first: pairs(future.owners)
    atomic<std::uintptr_t> waiting{0};  // the waiters for the result; open_for_good: the result is
                                        // there
    wait_list limited;                  // the waiters with a time limit; guarded by the lock of the
                                        // state's address
    atomic<bool> has_limited{false};    // a waiter with a time limit has been in `limited`
    std::exception_ptr error;           // written before the result is published, taken by get
    bool exited = false;                // written before the result is published: no result, the
                                        // goroutine called goexit
};

// Called when the future is dropped without get(). Ends the process with a report if a goroutine
// waits for the result.
void future_report_waiters(const future_base& state);
// Blocks until the result is there.
void future_await(future_base& state);
// As future_await, until `deadline` at the latest. Returns whether the result is there.
bool future_await_until(future_base& state, std::int64_t deadline);
// Publishes the result and wakes the waiters. The caller still holds a share.
void future_complete(future_base& state);
// Ends get() of a future when its goroutine has called goexit.
[[noreturn]] void future_exited();
// Ends the process with Go's panic report for an exception that no get() can receive any more.
[[noreturn]] void future_panic(const std::exception_ptr& error);

template <class R>
struct future_state : future_base {
    std::optional<R> value;
};
template <class R>
struct future_state<R&> : future_base {
    R* value = nullptr;
};
template <>
struct future_state<void> : future_base {};

template <class R>
bool future_ready(const future_state<R>* s) {
    constexpr std::uintptr_t open_for_good = ~std::uintptr_t{0};
    return s->waiting.load(std::memory_order_acquire) == open_for_good;  // pairs(waiters.open)
}

template <class R>
void future_wait(future_state<R>* s) {
    if (!future_ready(s)) future_await(*s);
}

// Gives up one share.
template <class R>
void future_drop(future_state<R>* s) {
    if (s->owners.fetch_sub(1u, std::memory_order_acq_rel) != 1) return;  // pairs(future.owners)
    if (s->error) future_panic(s->error);
    delete s;
}

// Drops the future's share without get(). The goroutine may still hold its own share, and the
// process may end before that goroutine runs again.
template <class R>
void future_abandon(future_state<R>* s) {
    if (!future_ready(s)) future_report_waiters(*s);
    if (future_ready(s) && s->error) future_panic(s->error);
    future_drop(s);
}

// Holds the future's share while get() runs.
template <class R>
class future_claim {
  public:
    explicit future_claim(future_state<R>* s) : s_(s) {}
    ~future_claim() { future_drop(s_); }
    future_claim(const future_claim&) = delete;
    future_claim& operator=(const future_claim&) = delete;

    R get() const {
        future_wait(s_);
        if (s_->error) std::rethrow_exception(std::exchange(s_->error, nullptr));
        if (s_->exited) future_exited();
        if constexpr (std::is_void_v<R>) return;
        else if constexpr (std::is_reference_v<R>) return *s_->value;
        else return std::move(*s_->value);
    }

  private:
    future_state<R>* s_;
};

// Holds the goroutine's share.
template <class R>
class future_producer {
  public:
    explicit future_producer(future_state<R>* s) : s_(s) {}
    future_producer(future_producer&& other) noexcept : s_(std::exchange(other.s_, nullptr)) {}
    ~future_producer() {
        if (s_ != nullptr) future_drop(s_);
    }

    template <class F, class... A>
    void run(F&& f, A&&... args) {
        try {
            call(std::forward<F>(f), std::forward<A>(args)...);
        } catch (...) {
            s_->error = std::current_exception();
            if (s_->error == nullptr) {  // goexit, which goes on
                s_->exited = true;
                complete();
                throw;
            }
        }
        complete();
    }

  private:
    void complete() {
        end_own_locals();
        future_complete(*s_);
    }

    // Destroys f and its arguments before the result is published, as a joined thread does.
    template <class F, class... A>
    void call(F&& f, A&&... args) {
        std::decay_t<F> own(std::forward<F>(f));
        std::tuple<std::decay_t<A>...> own_args(std::forward<A>(args)...);
        if constexpr (std::is_void_v<R>) {
            std::apply(std::move(own), std::move(own_args));
        } else if constexpr (std::is_reference_v<R>) {
            s_->value = &std::apply(std::move(own), std::move(own_args));
        } else {
            s_->value.emplace(std::apply(std::move(own), std::move(own_args)));
        }
    }

    future_state<R>* s_;
};

}  // namespace rota::detail
