// rota::error_group: goroutines that work on parts of one task; the first failure cancels the task.
#pragma once

#include <utility>

#include <rota/detail/task_group.hpp>

namespace rota {

/// Goroutines that work on parts of one task. The first exception that leaves a goroutine cancels
/// the group's context, and wait() rethrows it. If it is a std::system_error, its code is the
/// context's cause. A std::error_code that a goroutine returns is a failure as well, unless it is
/// 0: wait() throws it as a std::system_error. Results of any other type are dropped.
///
/// For goroutines and threads. Several callers may use go, try_go and ctx at once, the group's own
/// goroutines included. The destructor waits for every goroutine. If it runs because of an
/// exception (or goexit), it cancels the context first. Otherwise it rethrows the first exception,
/// if no wait() has. Go: golang.org/x/sync/errgroup.
///
///     rota::error_group group;
///     for (auto& url : urls) group.go([&, ctx = group.ctx()] { fetch(ctx, url); });
///     group.wait();
class error_group : private detail::task_group {
  public:
    /// A group whose context is below `parent`. Throws std::bad_alloc. Go: WithContext.
    explicit error_group(context parent = background())
        : task_group(std::move(parent), "error_group") {}

    /// Runs f in a goroutine of the group. With a limit, blocks until fewer goroutines than that
    /// run. Throws as rota::go. Go: Go.
    template <class F>
    [[gnu::always_inline]] void go(F&& f) {
        spawn<returned_code::is_failure>(enter(), std::forward<F>(f));
    }

    /// Runs f if the limit permits it without waiting; otherwise returns false. Throws as rota::go.
    /// Go: TryGo.
    template <class F>
    [[gnu::always_inline]] bool try_go(F&& f) {
        share member = try_enter();
        if (member.group() == nullptr) return false;
        spawn<returned_code::is_failure>(std::move(member), std::forward<F>(f));
        return true;
    }

    /// Limits the group to n goroutines at once; below 0: any number; 0: none. Throws panic_error
    /// "errgroup: modify limit while N goroutines in the group are still active". Must not run
    /// concurrently with go or try_go. Go: SetLimit.
    void set_limit(int n) { bound(n); }

    /// Waits until every goroutine has ended, cancels the context, and rethrows the first
    /// exception, each time it is called. Blocks the goroutine, not the thread. Go: Wait.
    void wait() {
        struct keeper {
            const cancel_func& cancel;
            ~keeper() { cancel(); }
        } at_end{canceller()};
        join();
    }

    /// The context of the group: done when a goroutine has failed, wait() has returned, or the
    /// parent is done.
    context ctx() const { return own_context(); }
};

}  // namespace rota
