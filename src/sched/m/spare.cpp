// Decides how many ms stand by, sets aside the next m of a taken p, and keeps goroutines from
// beginning while ms are short.
#include "sched/m/spare.hpp"

#include <algorithm>

#include "arch/context.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/m/maker.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/run_queue.hpp"

namespace rota::rt {

namespace {

// The most stopped threads while goroutines may begin: each costs memory.
constexpr std::uint32_t suspended_max = 1024;
// The first m takes the next p. The second is left if the kernel then grants no further m. With the
// third, no goroutine is kept from beginning while the next m is made.
constexpr std::int32_t stand_by = 3;
// A beginning goroutine may take the first m, and the last m serves the goroutines that have begun.
constexpr std::int32_t to_begin_at = 2;
constexpr std::int64_t refusal_period = 1'000'000'000;  // ns until the kernel is asked again
// ns: an order that takes longer waits for a processor, or for a lock that a stopped thread may
// hold, malloc's for example.
constexpr std::int64_t order_patience = 10'000'000;
// ns: a round orders a missing standby m only when it has been missing for this time. Ms that come
// out of calls may have had no processor yet on which to become idle.
constexpr std::int64_t soon_ns = 5'000'000;
// ns: the program ends if its calls hold more ms than it may have for longer than this.
constexpr std::int64_t kept_patience = 500'000'000;
// ns: a round that comes later knows nothing of the round before.
constexpr std::int64_t round_lapse = 100'000'000;
// ns: while ms are short, a single goroutine begins in each such period.
constexpr std::int64_t begin_period = 100'000'000;

// ordered_at: ns, the time when the first of the coming ms was ordered. short_since: ns, the time
// since when too few ms have been there; 0: there are enough; sysmon only.
constinit std::int64_t ordered_at ROTA_GUARDED_BY(sched.mu) = 0;
constinit std::int64_t short_since = 0;

bool are_stopped_too_many() ROTA_REQUIRES(sched.mu) {
    return sched.suspended_count >= suspended_max;
}

// Whether an m that would otherwise be idle sleeps in the poller.
bool is_poller_asleep() ROTA_REQUIRES(sched.mu) {
    return sched.last_poll.load(memory_order_seq_cst) == 0;  // pairs(timer.poller)
}

std::int32_t idle_ps() ROTA_REQUIRES(sched.mu) {
    return sched.idle_p_count.load(memory_order_relaxed);  // relaxed: under sched.mu
}

// Where a p is idle, the poller belongs to that p.
bool is_poller_free() ROTA_REQUIRES(sched.mu) { return is_poller_asleep() && idle_ps() == 0; }

// Ms that have nothing to do: the idle ms, and the m in the poller if no p is idle.
std::int32_t free_ms() ROTA_REQUIRES(sched.mu) {
    return sched.idle_m_count + (is_poller_free() ? 1 : 0);
}

bool is_kernel_mute() ROTA_REQUIRES(sched.mu) { return sched.m_refused_at != 0; }

// Number of ms whose ps were taken because their goroutines did not yield or return.
std::uint32_t astray() ROTA_REQUIRES(sched.mu) {
    return std::max(sched.suspended_count, static_cast<std::uint32_t>(sched.hostage_count));
}

// Number of ms that goroutines keep, in blocking calls and by lock_os_thread; a lower bound.
std::int32_t kept_ms() ROTA_REQUIRES(sched.mu) {
    return sched.m_count - static_cast<std::int32_t>(astray()) - free_ms() - sched.spares_coming -
           proc_count() - sched.run_count;
}

bool may_order(spare_for why, std::int64_t now) ROTA_REQUIRES(sched.mu) {
    if (is_kernel_mute() && now - sched.m_refused_at < refusal_period) return false;
    if (why == spare_for::blocked)
        return sched.m_count < sched.m_max || sched.spare_count < proc_count();
    return astray() < suspended_max || sched.m_count < sched.m_max;
}

// Whether no goroutine may begin: it may compute for long and so take an m, and the last m serves
// the goroutines that have begun. That m is idle now; once it is taken, note_last_m holds back
// goroutines that have not begun.
bool is_short_of_ms() ROTA_REQUIRES(sched.mu) {
    return are_stopped_too_many() || free_ms() < to_begin_at;
}

// How many ms must be idle, or on their way, where blocking calls use up m after m. A thread that
// is made only when a p waits for it takes long to get a processor.
std::int32_t reserve_wanted() ROTA_REQUIRES(sched.mu) {
    constexpr std::int32_t most = 16;
    // The ms that the ps need are made on demand; and the program's limit is not for idle ms.
    const bool few = sched.m_count < 2 * proc_count() + 4;
    if (few || sched.m_count >= sched.m_max / 2 || sched.stopping) return 0;
    return std::min(sched.m_count / 4, most);
}

void set_shortage(bool is_short) ROTA_REQUIRES(sched.mu) {
    if (is_short == ms_are_short()) return;
    __atomic_store_n(&sched.ms_short, is_short, __ATOMIC_RELAXED);
    if (is_short) sched.through_g0.fetch_add(1, memory_order_relaxed);  // relaxed: at switches
    else sched.through_g0.fetch_sub(1, memory_order_relaxed);           // relaxed: as above
}

}  // namespace

void note_hostage(spare_for why) {
    const lock_guard guard(sched.mu);
    ++sched.hostage_count;
    if (why == spare_for::computes) sched.is_anyone_computing = true;
}

void note_last_m() {
    if (sched.is_anyone_computing) set_shortage(true);
}

void order_spare(spare_for why, spare_need need, std::int64_t now) {
    m* mp = nullptr;
    bool more = false;
    {
        const lock_guard guard(sched.mu);
        std::int32_t wanted = are_stopped_too_many() ? to_begin_at : stand_by;
        // A single call that blocks needs no more than a single m.
        if (why == spare_for::blocked && sched.hostage_count <= 1) wanted = 1;
        else if (why == spare_for::blocked) wanted = std::max(wanted, reserve_wanted());
        if (why == spare_for::computes && idle_ps() > 0)  // each idle p needs its m too
            wanted += idle_ps() - (is_poller_asleep() ? 1 : 0);
        const std::int32_t there = free_ms() + sched.spares_coming;
        if (there >= wanted) {
            short_since = 0;
            return;
        }
        if (short_since == 0) short_since = now;
        const bool can_wait =
            need == spare_need::soon && wanted > to_begin_at && there == wanted - 1;
        more = why == spare_for::blocked && there + 1 < wanted;
        if (can_wait && now - short_since < soon_ns) return;
        if (!may_order(why, now)) return;
        if (sched.spares_coming == 0) ordered_at = now;
        mp = &any_m_record();
        mp->is_spare = mp->is_coming = true;
        ++sched.m_count;
        ++sched.spare_count;
        ++sched.spares_coming;
        note_limit();
    }
    make_thread_of(*mp);
    if (more) order_ahead();
}

namespace {

m* order_one_ahead() ROTA_EXCLUDES(sched.mu) {
    const lock_guard guard(sched.mu);
    if (sched.idle_m_count + sched.spares_coming >= reserve_wanted() || is_kernel_mute() ||
        sched.world_stops)
        return nullptr;
    if (sched.spares_coming == 0) ordered_at = nanotime();
    m& mp = any_m_record();
    mp.is_coming = true;
    ++sched.m_count;
    ++sched.spares_coming;
    note_limit();
    return &mp;
}

}  // namespace

void order_ahead() {
    while (m* const mp = order_one_ahead()) make_thread_of(*mp);
}

namespace {

heir find_heir(const p& pp, line_turn turn, std::int64_t now) ROTA_REQUIRES(sched.mu) {
    if ((turn == line_turn::first && !sched.world_stops) || is_for_suspended(pp)) {
        if (m* const mp = pop_suspended()) return {mp, true};
    }
    if (m* const mp = midle_get()) return {mp, false};
    const bool one_comes = sched.spares_coming > 0 && now - ordered_at < order_patience;
    if (one_comes || is_poller_free() || turn == line_turn::none) return {};
    return {pop_suspended(), true};
}

}  // namespace

heir set_aside(const p& pp, line_turn turn, std::int64_t now) {
    heir h;
    bool call_poller = false;
    {
        const lock_guard guard(sched.mu);
        h = find_heir(pp, turn, now);
        call_poller = h.mp == nullptr && is_poller_free();
    }
    if (call_poller) net_poller.wake();  // the m in the poller will be idle in a moment
    return h;
}

void give_to(heir to, p& pp) {
    if (to.is_stopped) resume_suspended(*to.mp, pp);
    else handoffp(pp, to.mp);
}

void put_back(heir to) {
    bool goes_on = false;
    {
        const lock_guard guard(sched.mu);
        if (!to.is_stopped) midle_put(*to.mp);
        else goes_on = !unpop_suspended(*to.mp);
    }
    if (goes_on) to.mp->park.wakeup();
    else if (to.is_stopped) wakep();  // a p may have become idle that did not see the m in line
}

// Put-off goroutines have waited for longer than the goroutines in the queue, so they go in front.
// If goroutines compute, they come back in batches: the next to compute may be among the first.
std::uint32_t shortage::take_back(bool is_short, bool is_anyone_stopped) {
    constexpr std::uint32_t batch = 256;
    const std::uint32_t popped = sched.runq.popped();
    const bool are_gone = static_cast<std::int32_t>(popped - last_back_) >= 0;
    if (is_short || sched.put_off.empty()) {
        if (are_gone || sched.put_off.empty()) last_back_ = popped;
        return 0;
    }
    // Before the next batch, the last batch must be gone, and then a stopped m must be served.
    const bool is_their_turn =
        sched.suspended_first != nullptr && sched.suspended_served == served_then_;
    if (is_anyone_stopped && (!are_gone || is_their_turn)) return 0;
    served_then_ = sched.suspended_served;
    const std::uint32_t all = sched.put_off.size();
    const std::uint32_t n = is_anyone_stopped ? std::min(all, batch) : all;
    sched.runq.put_in_front(sched.put_off, n);
    not_only_spilled();
    last_back_ = popped;  // the queue's position when these are gone
    return n;
}

bool shortage::round(bool is_anyone_stopped, std::int64_t now) {
    std::uint32_t n = 0;
    bool is_short = false, anyone = false;
    std::int32_t exceeded = 0;
    {
        const lock_guard guard(sched.mu);
        anyone = is_anyone_stopped || sched.suspended_first != nullptr;
        sched.is_anyone_computing = anyone;
        is_short = anyone && is_short_of_ms();
        set_shortage(is_short);
        if (!is_short) sched.let_begin = nullptr;
        if (!is_short || sched.put_off.empty()) {
            last_begun_ = now;
        } else if (now - last_begun_ > begin_period && free_ms() >= to_begin_at &&
                   sched.let_begin == nullptr) {
            last_begun_ = now;
            sched.let_begin = sched.put_off.pop();
            global_put_urgent(*sched.let_begin);  // not behind the stopped goroutines
            ++n;
        }
        n += take_back(is_short, anyone);
        any_left_ = !sched.put_off.empty();
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
    if (anyone) order_spare(spare_for::computes, spare_need::soon, now);
    return is_short || any_left_ || too_many_kept_;
}

bool is_put_off(g& gp) {
    if (gp.sched.pc != reinterpret_cast<void*>(&rota_gostart) || gp.main_of != nullptr)
        return false;
    const lock_guard guard(sched.mu);
    if (!ms_are_short()) return false;
    if (sched.let_begin == &gp) {
        sched.let_begin = nullptr;
        return false;
    }
    sched.put_off.push(gp);
    return true;
}

}  // namespace rota::rt
