// task_group: goroutines that belong together. The common base of rota::scope and
// rota::error_group.
//
// The group keeps the first exception of a goroutine and cancels its context. wait() rethrows the
// exception, or the destructor does if wait() has not been called. It is lost only if an exception
// leaves the block that owns the group; then that exception propagates.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include <rota/chan.hpp>
#include <rota/context.hpp>
#include <rota/detail/labels.hpp>
#include <rota/detail/local_slots.hpp>
#include <rota/detail/spawn.hpp>
#include <rota/sync/wait_group.hpp>

namespace rota::detail {

class task_group {
  public:
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

  protected:
    // `what` names the kind of group in reports.
    task_group(context parent, const char* what);
    // Waits for all goroutines. Throws as wait(), unless an exception or goexit leaves the block.
    ~task_group() noexcept(false);

    // A goroutine's membership of the group.
    class share {
      public:
        explicit share(task_group* group, bool has_slot = false) noexcept
            : group_(group), has_slot_(has_slot) {}
        share(share&& other) noexcept
            : group_(std::exchange(other.group_, nullptr)), has_slot_(other.has_slot_) {}
        ~share() {
            if (group_ != nullptr) group_->leave(has_slot_);
        }
        share& operator=(const share&) = delete;
        task_group* group() const noexcept { return group_; }

      private:
        task_group* group_;
        bool has_slot_;
    };

    // Waits for a free slot first.
    share enter() {
        const bool bounded(slots_);
        if (bounded) slots_.send({});
        running_.add(1);
        return share(this, bounded);
    }
    share enter_unbounded() {
        running_.add(1);
        return share(this);
    }
    // Returns a share without a group if there is no free slot.
    share try_enter() {
        const bool bounded(slots_);
        if (bounded && slots_.try_send({}) != chan_status::ok) return share(nullptr);
        running_.add(1);
        return share(this, bounded);
    }

    // During its lifetime a goroutine that the caller starts gets the group's label, if the group
    // has a number.
    class membership {
      public:
        explicit membership(const task_group& of) {
            if (of.number_ != 0) [[unlikely]]
                begin(of.number_);
        }

      private:
        void begin(std::uint64_t number);
        std::optional<label_scope> label_;
    };

    // The meaning of a std::error_code that f returns: ignored by the group, or a failure like an
    // exception.
    enum class returned_code : bool { is_dropped, is_failure };

    template <returned_code Code, class F>
    static void call(F&& f) {
        using result = std::remove_cvref_t<std::invoke_result_t<F>>;
        if constexpr (Code == returned_code::is_failure &&
                      std::is_same_v<result, std::error_code>) {
            if (const std::error_code failed = std::forward<F>(f)())
                throw std::system_error(failed);
        } else {
            std::forward<F>(f)();
        }
    }

    // Runs f in a goroutine that belongs to the group until f and its captures are destroyed.
    template <returned_code Code = returned_code::is_dropped, class F>
    [[gnu::always_inline]] static void spawn(share member, F&& f) {
        if (is_nil(f)) fatal_nil_func();
        const membership label(*member.group());
        spawn_any(0, {}, [member = std::move(member), f = std::forward<F>(f)]() mutable {
            const share until_end(std::move(member));
            const locals_end before_it_is_told;
            try {
                std::decay_t<F> own(std::move(f));
                call<Code>(std::move(own));
            } catch (...) {
                const std::exception_ptr error = std::current_exception();
                if (error == nullptr) throw;  // goexit, which must propagate
                until_end.group()->fail(error);
            }
        });
    }

    const context& own_context() const noexcept { return ctx_; }
    const cancel_func& canceller() const noexcept { return cancel_; }
    // Waits for all goroutines, and rethrows the first exception.
    void join();
    // Sets how many goroutines may run at once; below 0: any number.
    void bound(int n);
    // For leak::find: identifies the group's goroutines, and the goroutines that they start. 0: the
    // group has no number, because none was requested when the group began.
    std::uint64_t number() const noexcept { return number_; }

  private:
    void leave(bool has_slot) {
        if (has_slot) slots_.recv();
        running_.done();  // the group may be gone afterwards
    }
    void fail(const std::exception_ptr& error);

    // --- fixed ---------------------------------------------------------------------
    context ctx_;
    cancel_func cancel_;
    const char* const what_;
    const int leaving_;           // the count of reasons to leave the scope at the group's
                                  // beginning
    const std::uint64_t number_;  // see number()
    chan<unit> slots_;  // holds one unit for each goroutine; nil: any number. Changed while empty

    // --- anyone ----------------------------------------------------------------------
    wait_group running_;
    atomic<bool> failed_{false};
    std::exception_ptr error_;  // written by the goroutine that set failed_; read after the last
                                // goroutine has left

    // --- the waiter --------------------------------------------------------------------
    bool told_ = false;  // join() has thrown error_
};

}  // namespace rota::detail
