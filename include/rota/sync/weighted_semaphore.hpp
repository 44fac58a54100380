// rota::weighted_semaphore: a number of tokens; each caller takes as many as it needs.
#pragma once

#include <cstdint>
#include <system_error>

#include <rota/context.hpp>
#include <rota/detail/bubble_gate.hpp>
#include <rota/sync/mutex.hpp>

namespace rota {

namespace detail {
struct semaphore_waiter;
}

/// A number of tokens. Each caller takes as many as it needs, and waits for them no longer than a
/// context lives. Waiters are served in order of arrival: a large request at the head holds up the
/// small requests behind it, so that it is served at all.
///
/// For goroutines and threads. It may be destroyed when no call is in progress. Go:
/// golang.org/x/sync/semaphore.
class weighted_semaphore {
  public:
    /// A semaphore with `size` tokens, at least 0.
    constexpr explicit weighted_semaphore(std::int64_t size) noexcept : size_(size) {
        detail::note_made(this);
    }
    /// Ends the process with `fatal error: weighted_semaphore destroyed while goroutine N waits in
    /// it` and traces of every goroutine if one waits for tokens.
    constexpr ~weighted_semaphore() {
        if (!std::is_constant_evaluated() && first_ != nullptr) [[unlikely]]
            report_waiters();
    }
    weighted_semaphore(const weighted_semaphore&) = delete;
    weighted_semaphore& operator=(const weighted_semaphore&) = delete;

    /// Takes n tokens, waiting for them. Returns an empty code, or ctx.err() if the context is done
    /// first; it has taken no token then. With n above the size it waits for the context's end.
    /// Blocks the goroutine, not the thread. Throws panic_error "semaphore: negative weight". Go:
    /// Acquire.
    [[nodiscard]] std::error_code acquire(context ctx, std::int64_t n = 1);

    /// Takes n tokens if they are free and no waiter is queued. Throws as acquire. Go: TryAcquire.
    [[nodiscard]] bool try_acquire(std::int64_t n = 1);

    /// Gives back n tokens. Throws panic_error "semaphore: released more than held", and gives back
    /// no token then; or "semaphore: negative weight". Go: Release.
    void release(std::int64_t n = 1);

  private:
    void report_waiters() const;
    detail::semaphore_waiter* grant();

    mutex mu_;  // guards the fields below
    const std::int64_t size_;
    std::int64_t held_ = 0;
    detail::semaphore_waiter* first_ = nullptr;
    detail::semaphore_waiter* last_ = nullptr;
};

}  // namespace rota
