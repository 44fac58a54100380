// Implements the slow paths of task_group: its start, a failure, and its end.
#include <rota/detail/task_group.hpp>

#include <string>
#include <system_error>

#include <rota/panic.hpp>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/record/labels.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

// goexit leaves scopes as an exception does, but the C++ runtime does not count it.
int reasons_to_leave() {
    const g* const gp = current_goroutine();
    return std::uncaught_exceptions() + (gp != nullptr && gp->exits ? 1 : 0);
}

// A system_error's code serves as the cause, for code that sees only the context.
std::error_code cause_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::system_error& e) {
        return e.code();
    } catch (...) {
        return {};
    }
}

}  // namespace

task_group::task_group(context parent, const char* what)
    : what_(what),
      leaving_(reasons_to_leave()),
      number_(are_scopes_told_apart() ? next_scope_number() : 0) {
    std::tie(ctx_, cancel_) = with_cancel(std::move(parent));
}

void task_group::membership::begin(std::uint64_t number) {
    // Each scope has its own label name: a goroutine of an outer scope may have started this one.
    const scope_label name(number);
    label_.emplace(label_list{{name.text(), scope_label::value}});
}

task_group::~task_group() noexcept(false) {
    const bool thrown = reasons_to_leave() > leaving_;
    // A static task_group, at the end of the process: no goroutine runs any more.
    if (sched.exiting.load(memory_order_relaxed) &&  // relaxed: set by this thread, or before it
        running_.count() != 0) {
        return;
    }
    if (running_.has_waiters()) running_.report_waiters(what_);
    if (thrown) cancel_();
    running_.wait();
    cancel_();  // the parent forgets the context
    if (!thrown && !told_ && error_ != nullptr) std::rethrow_exception(error_);
}

void task_group::fail(const std::exception_ptr& error) {
    // relaxed: the first caller wins
    if (failed_.exchange(true, std::memory_order_relaxed)) return;
    error_ = error;
    cancel_(cause_of(error));
}

void task_group::join() {
    running_.wait();
    if (error_ == nullptr) return;
    told_ = true;
    std::rethrow_exception(error_);
}

void task_group::bound(int n) {
    // Counts goroutines, not slots: a goroutine that began without a limit has no slot.
    if (const std::int32_t active = running_.count(); active != 0) {
        panic("errgroup: modify limit while " + std::to_string(active) +
              " goroutines in the group are still active");
    }
    slots_ = n < 0 ? chan<unit>() : make_chan<unit>(static_cast<std::size_t>(n));
}

}  // namespace rota::detail
