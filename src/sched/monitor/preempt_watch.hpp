// The part of sysmon that looks after goroutines that do not enter the runtime: they compute for
// long, or block their thread without telling rota.
//
// If an m is outside the runtime with the same goroutine as at the last look, sysmon reads the CPU
// clock of its thread:
//
//   * The clock has not moved: the thread is blocked. sysmon takes its p, without a signal, as soon
//     as there is work for the p, or after 10 ms. So it does if the thread is asleep at two looks
//     in a row, in different calls, though the clock has moved in between.
//   * The clock has moved otherwise: the goroutine computes. After its time slice it is asked to
//     yield. If it has not yielded by the next look, sysmon takes its p and stops its thread
//     (sched/preempt/suspend).
//   * The thread waits for a processor: it lends its p instead (sched/preempt/lend), and may keep
//     it for up to 100 ms.
//   * A timer waits for this very p: the goroutine is asked after 1 ms, and its p is lent.
//
// sysmon follows an m after it has taken its p: if the thread then runs for longer than 1 ms
// without a p (0.2 ms if it has lent its p), it is stopped too.
#pragma once

#include <cstdint>

#include "core/sched.hpp"
#include "sched/m/standby.hpp"
#include "sched/monitor/admission_control.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

inline constexpr std::int64_t time_slice = 10'000'000;  // ns: one goroutine's turn

// From now on sysmon may stop threads, by this signal. Caller: boot.
void allow_thread_stops(int signal, std::int64_t interactive_after);

// Whether the watched turn is mainly one of waiting for a processor: the thread has computed little
// in it, which is a small part of its time. The time before the first look at its clock counts as
// computed. Caller: sysmon.
bool has_hardly_begun(const p& pp, std::int64_t now);

// Asks the goroutine that runs on mp to yield at its next runtime operation, because of its time
// since that tick of its p. `early`: it has had next to nothing of its turn.
inline void ask_to_yield(m& mp, std::uint32_t tick, bool early) {
    mp.asked_tick.store(tick, memory_order_relaxed);    // relaxed: advice
    mp.asked_early.store(early, memory_order_relaxed);  // relaxed: advice
    mp.preempt.store(true, memory_order_relaxed);       // relaxed: advice
}

class preempt_watch {
  public:
    // Looks at every p. True: a p was taken from a blocked m.
    bool round(std::int64_t now);
    // How long sysmon may nap after a round, in µs.
    long nap_us_max(std::int64_t now) const;
    // Whether an m that has lost its p is still out: no event tells sysmon when it begins to
    // compute.
    bool follows_anyone() const { return retaken_ms_ != nullptr; }
    // Whether the next round need not look at anything that goes on now.
    bool is_quiet() const { return look_again_ == soon::no; }
    // Whether each p has gone from goroutine to goroutine for a while, or had no processor: the
    // goroutines in its queue are about to run.
    bool do_all_move() const { return moving_rounds_ == enough_rounds; }

  private:
    static constexpr int enough_rounds = 4;  // rounds

    bool look_at(p& pp, std::int64_t now);
    void look_at_running(p& pp, m& mp, bool waits, std::int64_t now);
    // The turn that a taking ends: its thread has waited for a processor, and got next to nothing
    // of it; or has computed most of the time; or neither.
    enum class turn_was : unsigned char { hardly_begun, some, steady };
    static retake_from what_of(turn_was was, bool was_blocked);
    struct ended_turn {
        turn_was was = turn_was::some;
        bool waits = false;  // awake, without a processor, at two looks between which nothing moved
        int vacated = p::anywhere;  // see p
    };
    bool retake(p& pp, m& mp, standby_for why, ended_turn turn, std::int64_t now);
    void note_progress(std::int64_t now);
    void control_admission(std::int64_t now);
    void find_longest_turn();
    void stop(p& pp, m& mp, std::int64_t now);
    void adopt_retaken();
    bool begin_stopping();
    void publish_retaken_count();
    void follow();
    bool still_runs_without_p(m& mp);
    bool is_to_be_stopped(m& mp, int tid, std::int64_t spent, std::int64_t time);
    void release_stuck_ms(std::int64_t now);
    void wake_for_idle_p(std::int64_t now);

    enum class soon : unsigned char { no, work_waits, question_open };
    soon look_again_ = soon::no;
    // Looks take time from threads that make progress. So they are fewer while each p with waiting
    // goroutines makes progress. Rounds in a row in which that was so; rounds in a row in which
    // each p went from goroutine to goroutine; and the time of the last such count, ns.
    int progress_rounds_ = 0;
    int moving_rounds_ = 0;
    std::int64_t progress_at_ = 0;
    // the kernel runs sysmon's thread soon, with a short slice
    bool is_served_early_ = false;
    bool was_stopped_ones_turn_ = false;  // the last p of a blocked m went to a stopped m
    // the p with the longest turn, while an urgent goroutine waits; else null
    const p* longest_turn_ = nullptr;
    m* retaken_ms_ = nullptr;  // ms that have lost their p
    std::int32_t retaken_count_ = 0;
    std::int32_t published_count_ = 0;  // retaken_count_ in sched.retaken_count; -1: unknown
    admission_control admission_;
    // ns, since when no p has begun a turn, while an m is in line
    std::int64_t stuck_since_ = 0;
    std::uint64_t stuck_ticks_ = 0;         // sum of the ps' ticks then
    std::int64_t template_refused_at_ = 0;  // ns; 0: not refused
    // ns, since when a p is idle although it is wanted; 0: none
    std::int64_t idle_beside_since_ = 0;
    std::int64_t attentive_until_ = 0;  // ns; a thread was stopped a short time ago
    std::int64_t lent_until_ = 0;       // ns; a p is lent, or was until a moment ago
    std::int64_t stopped_until_ = 0;    // ns; an m is in line, or on its way there
    std::int64_t computed_until_ = 0;   // ns; a thread computes without a p, or may
};

}  // namespace rota::rt
