// rota::synctest: testing concurrent code in virtual time. Go: testing/synctest.
#pragma once

#include <type_traits>
#include <utility>

#include <rota/detail/exceptions.hpp>

namespace rota::synctest {

namespace detail {

// Runs call(f) in a new goroutine of a new bubble, and the bubble until each of its goroutines has
// ended. Rethrows an exception of f.
void run_bubble(void (*call)(void*), void* f);

}  // namespace detail

/// Runs `f` in a bubble: a new goroutine, with the goroutines and objects that it and its
/// descendants create, and with a clock of their own. Inside, `rota::clock` stands still while any
/// goroutine can run. It leaps to the next timer when every goroutine is durably blocked. A
/// goroutine is durably blocked if only the bubble can end its wait:
/// * in a sleep;
/// * in a channel made in the bubble, or a select over such channels;
/// * in a condition variable, latch, barrier, semaphore or future made in the bubble;
/// * in a wait_group, if the first add from zero came from the bubble.
///
/// A goroutine that waits for the outside is not durably blocked: for a mutex, once_flag or
/// descriptor, in `blocking()`, in a channel or object made outside the bubble or at compile time,
/// in a sleep with a context of which any ancestor was made outside. The clock stands still until
/// the outside has ended that wait, even if it never does. An object belongs to the bubble until
/// the bubble ends, wherever the object lies. A goroutine outside that adds to the bubble's
/// wait_group, or calls its done(), ends the process: `fatal error: sync: WaitGroup.Add called from
/// inside and outside synctest bubble`. Deadlines of descriptors are in real time: they expire
/// after the duration that the bubble's clock gives when they are set.
///
/// Returns when every goroutine of the bubble has ended; rethrows an exception of `f` then. It
/// throws `panic_error` when every remaining goroutine is durably blocked and no timer can change
/// that ("deadlock: all goroutines in bubble are blocked"); or when f has returned and goroutines
/// remain so ("deadlock: main bubble goroutine has exited but blocked goroutines remain"). Those
/// goroutines never run again, even if the outside wakes them later, because objects that they
/// captured by reference may be destroyed. Values sent to them then are lost. Timers and tickers of
/// the bubble end with it.
///
/// Blocks. Callable from goroutines and threads; inside a bubble it throws `panic_error`. Go:
/// synctest.Test.
template <class F>
void test(F&& f) {
    using function = std::remove_reference_t<F>;
    detail::run_bubble([](void* p) { std::forward<F> (*static_cast<function*>(p))(); },
                       const_cast<void*>(static_cast<const volatile void*>(&f)));
}

/// Blocks until every other goroutine of the caller's bubble is durably blocked. Their effects
/// until then are visible afterwards. Throws `panic_error` outside a bubble, and if another
/// goroutine of the bubble is in wait() already. Go: synctest.Wait.
void wait();

}  // namespace rota::synctest
