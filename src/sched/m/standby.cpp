// Decides how many ms stand by, and orders those that are missing.
#include "sched/m/standby.hpp"

#include <algorithm>

#include "arch/context.hpp"
#include "netpoll/poller.hpp"
#include "sched/m/m_record.hpp"
#include "sched/m/template_thread.hpp"

namespace rota::rt {

namespace {

// The most stopped threads while goroutines may begin: each costs memory.
constexpr std::uint32_t suspended_max = 1024;
// The first m takes the next p. The second is left if the kernel then grants no further m. With the
// third, no goroutine is kept from beginning while the next m is made.
constexpr std::int32_t stand_by = 3;
constexpr std::int64_t refusal_period = 1'000'000'000;  // ns until the kernel is asked again
// ns: an order that takes longer waits for a processor, or for a lock that a stopped thread may
// hold, malloc's for example.
constexpr std::int64_t order_patience = 10'000'000;
// ns: a round orders a missing standby m only when it has been missing for this time. Ms that come
// out of calls may have had no processor yet on which to become idle.
constexpr std::int64_t soon_ns = 5'000'000;
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

bool has_kernel_refused() ROTA_REQUIRES(sched.mu) { return sched.m_refused_at != 0; }

// Number of ms whose ps were taken because their goroutines did not yield or return.
std::uint32_t ms_off_their_p() ROTA_REQUIRES(sched.mu) {
    return std::max(sched.suspended_count, static_cast<std::uint32_t>(sched.retaken_count));
}

bool may_order(standby_for why, std::int64_t now) ROTA_REQUIRES(sched.mu) {
    if (has_kernel_refused() && now - sched.m_refused_at < refusal_period) return false;
    if (why == standby_for::blocked)
        return sched.m_count < sched.m_max || sched.standby_count < proc_count();
    return ms_off_their_p() < suspended_max || sched.m_count < sched.m_max;
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

}  // namespace

bool is_poller_free() { return is_poller_asleep() && idle_ps() == 0; }

std::int32_t free_ms() { return sched.idle_m_count + (is_poller_free() ? 1 : 0); }

std::int32_t kept_ms() {
    return sched.m_count - static_cast<std::int32_t>(ms_off_their_p()) - free_ms() -
           sched.standbys_coming - proc_count() - sched.run_count;
}

bool is_short_of_ms() { return are_stopped_too_many() || free_ms() < to_begin_at; }

bool does_an_order_come(std::int64_t now) {
    return sched.standbys_coming > 0 && now - ordered_at < order_patience;
}

void count_retaken_m(standby_for why) {
    const lock_guard guard(sched.mu);
    ++sched.retaken_count;
    if (why == standby_for::computes) sched.is_anyone_computing = true;
}

void order_standby_m(standby_for why, standby_need need, std::int64_t now) {
    m* mp = nullptr;
    bool more = false;
    {
        const lock_guard guard(sched.mu);
        std::int32_t wanted = are_stopped_too_many() ? to_begin_at : stand_by;
        // A single call that blocks needs no more than a single m.
        if (why == standby_for::blocked && sched.retaken_count <= 1) wanted = 1;
        else if (why == standby_for::blocked) wanted = std::max(wanted, reserve_wanted());
        if (why == standby_for::computes && idle_ps() > 0)  // each idle p needs its m too
            wanted += idle_ps() - (is_poller_asleep() ? 1 : 0);
        const std::int32_t there = free_ms() + sched.standbys_coming;
        if (there >= wanted) {
            short_since = 0;
            return;
        }
        if (short_since == 0) short_since = now;
        const bool can_wait =
            need == standby_need::soon && wanted > to_begin_at && there == wanted - 1;
        more = why == standby_for::blocked && there + 1 < wanted;
        if (can_wait && now - short_since < soon_ns) return;
        if (!may_order(why, now)) return;
        if (sched.standbys_coming == 0) ordered_at = now;
        mp = &any_m_record();
        mp->is_standby = mp->is_coming = true;
        ++sched.m_count;
        ++sched.standby_count;
        ++sched.standbys_coming;
        note_limit();
    }
    make_thread_of(*mp);
    if (more) order_standbys_ahead();
}

namespace {

m* order_one_ahead() ROTA_EXCLUDES(sched.mu) {
    const lock_guard guard(sched.mu);
    if (sched.idle_m_count + sched.standbys_coming >= reserve_wanted() || has_kernel_refused() ||
        sched.world_stops)
        return nullptr;
    if (sched.standbys_coming == 0) ordered_at = nanotime();
    m& mp = any_m_record();
    mp.is_coming = true;
    ++sched.m_count;
    ++sched.standbys_coming;
    note_limit();
    return &mp;
}

}  // namespace

void order_standbys_ahead() {
    while (m* const mp = order_one_ahead()) make_thread_of(*mp);
}

}  // namespace rota::rt
