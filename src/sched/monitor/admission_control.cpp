// Looks at the ms in each round of sysmon, and brings deferred goroutines back in batches.
#include "sched/monitor/admission_control.hpp"

#include <algorithm>

#include "sched/base/wakeup.hpp"
#include "sched/m/m_record.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/queue/global_size.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/start_admission.hpp"

namespace rota::rt {

namespace {

// ns: the program ends if its calls hold more ms than it may have for longer than this.
constexpr std::int64_t kept_patience = 500'000'000;
// ns: a round that comes later knows nothing of the round before.
constexpr std::int64_t round_lapse = 100'000'000;
// ns: while ms are short, a single goroutine begins in each such period.
constexpr std::int64_t begin_period = 100'000'000;

}  // namespace

// Deferred goroutines have waited for longer than the goroutines in the queue, so they go in front.
// If goroutines compute, they come back in batches: the next to compute may be among the first.
std::uint32_t admission_control::take_back(bool is_short, bool is_anyone_stopped) {
    constexpr std::uint32_t batch = 256;
    const std::uint32_t popped = sched.runq.popped();
    const bool are_gone = static_cast<std::int32_t>(popped - last_back_) >= 0;
    if (is_short || sched.deferred_starts.empty()) {
        if (are_gone || sched.deferred_starts.empty()) last_back_ = popped;
        return 0;
    }
    // Before the next batch, the last batch must be gone, and then a stopped m must be served.
    const bool is_their_turn =
        sched.suspended_first != nullptr && sched.suspended_served == served_then_;
    if (is_anyone_stopped && (!are_gone || is_their_turn)) return 0;
    served_then_ = sched.suspended_served;
    const std::uint32_t all = sched.deferred_starts.size();
    const std::uint32_t n = is_anyone_stopped ? std::min(all, batch) : all;
    sched.runq.put_in_front(sched.deferred_starts, n);
    not_only_spilled();
    last_back_ = popped;  // the queue's position when these are gone
    return n;
}

bool admission_control::round(bool is_anyone_stopped, std::int64_t now) {
    std::uint32_t n = 0;
    bool is_short = false, anyone = false;
    std::int32_t exceeded = 0;
    {
        const lock_guard guard(sched.mu);
        anyone = is_anyone_stopped || sched.suspended_first != nullptr;
        sched.is_anyone_computing = anyone;
        is_short = anyone && is_short_of_ms();
        set_ms_short(is_short);
        if (!is_short) sched.admitted_start = nullptr;
        if (!is_short || sched.deferred_starts.empty()) {
            last_begun_ = now;
        } else if (now - last_begun_ > begin_period && free_ms() >= to_begin_at &&
                   sched.admitted_start == nullptr) {
            last_begun_ = now;
            sched.admitted_start = sched.deferred_starts.pop();
            global_put_urgent(*sched.admitted_start);  // not behind the stopped goroutines
            ++n;
        }
        n += take_back(is_short, anyone);
        any_left_ = !sched.deferred_starts.empty();
        note_limit();
        too_many_kept_ = kept_ms() > sched.m_max;
        // A call that ends shows that calls do not last for ever. Nothing is known of the time
        // between two distant rounds.
        if (!too_many_kept_ || sched.calls_ended != calls_seen_ || now - last_round_ > round_lapse)
            kept_since_ = now;
        last_round_ = now;
        calls_seen_ = sched.calls_ended;
        if (now - kept_since_ > kept_patience) exceeded = sched.m_max;
        if (n > 0) publish_global_size();
    }
    if (exceeded != 0) {
        release_all_suspended();  // the report may need a lock that a stopped thread holds
        report_exhaustion(exceeded);
    }
    if (n > 0) wakep();
    if (anyone) order_standby_m(standby_for::computes, standby_need::soon, now);
    return is_short || any_left_ || too_many_kept_;
}

}  // namespace rota::rt
