// rota::synctest: testing concurrent code in virtual time. Go: testing/synctest.
#pragma once

#include <type_traits>
#include <utility>

#include <rota/detail/exceptions.hpp>

namespace rota::synctest {

namespace detail {

// Runs call(f) in a new goroutine of a new bubble, and the bubble until all its goroutines have
// ended. Rethrows what f has thrown.
void run_bubble(void (*call)(void*), void* f);

}  // namespace detail

/// Runs `f` in a bubble: a goroutine of its own, and all that it and its descendants create, with a
/// clock of their own. Inside, `rota::clock` stands still while anybody can run, and leaps to the
/// next timer when every goroutine is durably blocked: waits in a sleep, in a channel made in the
/// bubble or a select over such, in a condition variable, latch, barrier, semaphore or future made
/// in the bubble, or in a wait_group whose first add from zero came from the bubble. What ends such
/// a wait is the bubble's alone.
///
/// A goroutine that waits for the outside is not durably blocked: for a mutex, once_flag or
/// descriptor, in `blocking()`, in a channel or object made outside the bubble or at compile time,
/// in a sleep with a context of which any ancestor was made outside. The clock stands still until
/// the outside has ended that wait, also if it never does. An object belongs to the bubble until
/// that ends, wherever it lies. A goroutine outside that adds to the bubble's wait_group, or calls
/// its done(), ends the process: `fatal error: sync: WaitGroup.Add called from inside and outside
/// synctest bubble`. Deadlines of descriptors are real time, as long from now as the bubble's clock
/// says when they are set.
///
/// Returns when every goroutine of the bubble has ended, or rethrows what `f` has thrown once they
/// have. When all that are left are durably blocked and no timer can change that, or f has returned
/// and others have not, it throws `panic_error` ("deadlock: all goroutines in bubble are blocked",
/// "deadlock: main bubble goroutine has exited but blocked goroutines remain"). Those goroutines
/// never run again, also if the outside wakes them later: what they captured by reference may be
/// gone. What is sent to them then is lost. Timers and tickers of the bubble end with it.
///
/// Blocks. Callable from goroutines and threads; inside a bubble it throws `panic_error`. Go:
/// synctest.Test.
template <class F>
void test(F&& f) {
    using function = std::remove_reference_t<F>;
    detail::run_bubble([](void* p) { std::forward<F> (*static_cast<function*>(p))(); },
                       const_cast<void*>(static_cast<const volatile void*>(&f)));
}

/// Blocks until every other goroutine of the caller's bubble is durably blocked. What they did
/// until then is visible afterwards. Throws `panic_error` outside a bubble, and if another
/// goroutine of the bubble is in wait() already. Go: synctest.Wait.
void wait();

}  // namespace rota::synctest
