// Makes records of ms, keeps the records of ms that have ended for the next ones, and checks their
// number.
#include "sched/m/m_record.hpp"

#include "base/fatal.hpp"
#include "base/rand.hpp"
#include "mem/mapped.hpp"
#include "sched/base/modes.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

m& new_m_record() {
    m& mp = mapped_new<m>();
    mp.id = sched.m_next_id++;
    mp.rand = seeded.on  ? seeded_rng(mp.id)
              : chaos.on ? chaos_rng(mp.id)
                         : rng(static_cast<std::uint64_t>(nanotime()) ^ (mp.id << 32));
    mp.all_link = sched.allm.load(memory_order_relaxed);  // relaxed: changed under sched.mu
    sched.allm.store(&mp, memory_order_release);          // pairs(m.list)
    return mp;
}

m& any_m_record() {
    m* const mp = sched.free_m;
    if (mp == nullptr) return new_m_record();
    sched.free_m = mp->idle_next;
    mp->idle_next = nullptr;
    return *mp;
}

void count_m() {
    ++sched.m_count;
    check_m_count();
}

void discount_m(m& mp) {
    --sched.m_count;
    if (mp.is_standby) --sched.standby_count;
    if (mp.is_coming) --sched.standbys_coming;
    mp.is_standby = mp.is_coming = false;
    mp.idle_next = sched.free_m;
    sched.free_m = &mp;
}

namespace {

// The limit counts the ms that the program asks for, not the ms that sysmon adds: a thread for each
// goroutine that keeps its own.
bool exceeds_limit(std::int32_t count) ROTA_REQUIRES(sched.mu) {
    const std::int32_t ours =
        sched.standby_count > sched.retaken_count ? sched.standby_count : sched.retaken_count;
    return count - ours > sched.m_max;
}

}  // namespace

bool is_an_m_on_its_way() {
    constexpr std::int64_t patience = 500'000'000;  // ns
    constexpr std::int64_t lapse = 50'000'000;      // ns: sysmon asks more often than that
    if (!exceeds_limit(sched.m_count + 1)) return false;
    const std::int64_t now = nanotime();
    std::int64_t since =
        sched.m_missed_since.load(memory_order_relaxed);  // relaxed: under sched.mu
    if (since == 0 || now - sched.m_missed_last > lapse) since = now;
    sched.m_missed_since.store(since, memory_order_relaxed);  // relaxed: as above
    sched.m_missed_last = now;
    return now - since < patience;
}

void check_m_count() {
    if (!exceeds_limit(sched.m_count)) return;
    const std::int32_t limit = sched.m_max;
    sched.mu.release();
    report_exhaustion(limit);
}

void report_exhaustion(std::int32_t limit) {
    fatal("thread exhaustion", trace_scope::all, "runtime: program exceeds %zu-thread limit",
          static_cast<std::size_t>(limit));
}

void unlist_starting_m(m& mp) {
    for (m** link = &sched.starting_ms; *link != nullptr; link = &(*link)->starting_next) {
        if (*link != &mp) continue;
        *link = mp.starting_next;
        mp.starting_next = nullptr;
        return;
    }
}

void forget_missed_ms() {
    if (sched.m_missed_since.load(memory_order_relaxed) == 0) return;  // relaxed: a round late
    const lock_guard guard(sched.mu);
    sched.m_missed_since.store(0, memory_order_relaxed);  // relaxed: under sched.mu
}

}  // namespace rota::rt
