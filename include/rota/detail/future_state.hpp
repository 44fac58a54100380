// What a future and its goroutine share.
//
// Two owners: the future and the goroutine. The first who drops its share while the other still
// holds one leaves the state to it. A result that is an exception must be got by somebody: a future
// that is dropped with it panics, and so does the goroutine whose future is gone already.
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
        2};  // the last one out sees what the other did: pairs(future.owners)
    atomic<std::uintptr_t> waiting{0};  // who waits for the result; open_for_good: it is there
    wait_list limited;                // who waits with a time limit; guarded by our address's lock
    atomic<bool> has_limited{false};  // somebody has been there
    std::exception_ptr error;         // written before the result is there, taken by get
    bool exited = false;              // as above: there is no result, the goroutine called goexit
};

// The future goes without get(): ends the process with a report if somebody waits for the result.
void future_report_waiters(const future_base& state);
// Blocks until the result is there.
void future_await(future_base& state);
// As above, until `deadline` at the longest; whether the result is there.
bool future_await_until(future_base& state, std::int64_t deadline);
// The result is there: wakes those who wait. Its caller has a share still.
void future_complete(future_base& state);
// get() of a future whose goroutine has called goexit.
[[noreturn]] void future_exited();
// Ends the process with Go's panic report for an exception that nobody can get any more.
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

// The future's share, dropped without get(). The goroutine may still have its own, and the process
// may end before that one runs on.
template <class R>
void future_abandon(future_state<R>* s) {
    if (!future_ready(s)) future_report_waiters(*s);
    if (future_ready(s) && s->error) future_panic(s->error);
    future_drop(s);
}

// The future's share while get() runs.
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

// The goroutine's share.
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

    // f and its arguments are gone before the result is there, as with a joined thread.
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
