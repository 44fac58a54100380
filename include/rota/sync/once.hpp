// rota::call_once: runs a function once for any number of callers.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <rota/detail/atomic.hpp>

namespace rota {

/// Remembers whether call_once has run. 8 bytes. Go: sync.Once.
class once_flag {
  public:
    constexpr once_flag() noexcept = default;
    /// If a goroutine waits for the end of the function: ends the process with `fatal error:
    /// once_flag destroyed while goroutine N waits in it` and traces of every goroutine.
    constexpr ~once_flag() {
        if (std::is_constant_evaluated()) return;
        // relaxed: a value of some moment. Neither fresh, running nor done: a pointer to a waiter.
        const std::uintptr_t seen = word_.load(std::memory_order_relaxed);
        if (seen > 2 && seen != done) [[unlikely]]
            report_waiters();
    }
    once_flag(const once_flag&) = delete;
    once_flag& operator=(const once_flag&) = delete;

  private:
    template <class F, class... A>
    friend void call_once(once_flag& flag, F&& f, A&&... args);

    static constexpr std::uintptr_t done = ~std::uintptr_t{0};

    void report_waiters() const;
    bool is_done() const {
        return word_.load(std::memory_order_acquire) == done;  // pairs(once.done)
    }
    // True: the caller runs the function, then calls end. False: the function has been run
    // meanwhile.
    bool begin();
    void end(bool has_run);

    // 0 fresh | 2 or pointer: running, and the last goroutine that waits for it | done
    atomic<std::uintptr_t> word_{0};
};

/// Calls f(args...) unless an earlier call with this flag has returned from its function.
///
/// Of several concurrent callers, one runs its function. The other callers block until that
/// function has returned, and see its effects. If it throws, or ends the goroutine, the flag is as
/// before and another caller runs its own function. A call from inside f with the same flag waits
/// for itself, for ever. The flag may be destroyed when the function has run and the caller's
/// call_once has returned. Throws the exceptions of f. Go: Once.Do, but there a panic counts as
/// having run.
template <class F, class... A>
void call_once(once_flag& flag, F&& f, A&&... args) {
    if (flag.is_done() || !flag.begin()) return;
    struct ending {
        once_flag& flag;
        bool has_run = false;
        ~ending() { flag.end(has_run); }
    } at_end{flag};
    std::apply(std::forward<F>(f), std::forward_as_tuple(std::forward<A>(args)...));
    at_end.has_run = true;
}

}  // namespace rota
