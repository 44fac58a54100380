// The part of sysmon that looks after goroutines which do not come into the runtime: they compute
// for long, or block their thread without having said so.
//
// An m that is outside the runtime with the same goroutine as at the last look is asked for its
// thread's clock. If that has not moved the thread is blocked: its p is taken, with no signal, as
// soon as there is work for it, or after 10 ms. So it is if the thread is asleep at two looks in a
// row, in different calls, though its clock has moved in between. If it has moved otherwise, the
// goroutine computes: after its time slice it is asked to yield, and if it has not by the next
// look, its p is taken and its thread is stopped (sched/suspend). A thread that waits for a
// processor lends its p in place of that (sched/lend), and may keep it for up to 100 ms. If a timer
// waits for this very p it is asked after 1 ms, and its p is lent (sched/lend). An m whose p was
// taken is followed: if it runs for longer than 1 ms without having got one again, 0.2 if it has
// lent it, it is stopped too.
#pragma once

#include <cstdint>

#include "core/sched.hpp"
#include "sched/spare.hpp"
#include "sched/take.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

inline constexpr std::int64_t time_slice = 10'000'000;  // ns: one goroutine's turn

struct hostage_settings {
    bool stops = false;  // threads may be stopped
    int signal = 0;      // by which
    // ns that a goroutine has before those come first whom a timer, the network or a thread has
    // readied
    std::int64_t interactive_after = 0;
};
inline constinit hostage_settings hostages;  // fixed at boot

// Boot: from now on threads may be stopped, by this signal.
void hostages_allow_stops(int signal, std::int64_t interactive_after);

// Whether the turn that is watched is one of waiting for a processor: what the thread has computed
// in it, all the time before the first look at its clock included, is little, and a small part.
// sysmon only.
bool has_hardly_begun(const p& pp, std::int64_t now);

// Of mp's thread, whose clock has just shown `cpu`. One that is awake but has no processor can't go
// to sleep before its clock has moved: the kernel, whose answer takes it a while, is not asked each
// time. But now and then: there are clocks that move in steps. sysmon only.
thread_state state_at(m& mp, int tid, std::int64_t cpu, std::int64_t now);

// Asks the goroutine that runs on mp to yield at its next runtime operation, for what it has done
// since that tick of its p. `early`: next to nothing.
inline void ask_to_yield(m& mp, std::uint32_t tick, bool early) {
    mp.asked_tick.store(tick, memory_order_relaxed);    // relaxed: advice
    mp.asked_early.store(early, memory_order_relaxed);  // relaxed: advice
    mp.preempt.store(true, memory_order_relaxed);       // relaxed: advice
}

// Names the turn that pp's holder makes now. relaxed: its holder's own; sysmon, a guess
inline std::uint64_t turn_of(const p& pp) {
    return std::uint64_t{static_cast<std::uint32_t>(pp.id) + 1} << 32 |
           pp.sched_tick.load(memory_order_relaxed);
}

class hostage_watch {
  public:
    // Looks at every p. True: one was taken from a blocked m.
    bool round(std::int64_t now);
    // How long sysmon may nap after that, in µs.
    long nap_us_max(std::int64_t now) const;
    // Whether an m whose p was taken is still out: nobody tells us if it begins to compute.
    bool follows_anyone() const { return followed_ != nullptr; }
    // Whether nothing is going on that the next round shall look at.
    bool is_quiet() const { return look_again_ == soon::no; }
    // Whether all ps have gone from goroutine to goroutine for a while, or had no processor:
    // whoever waits in their queues is about to be run.
    bool do_all_move() const { return moving_rounds_ == calm_after; }

  private:
    static constexpr int calm_after = 4;  // rounds

    bool look_at(p& pp, std::int64_t now);
    void look_at_running(p& pp, m& mp, bool waits, std::int64_t now);
    // What is known of the turn that a taking ends: its thread has waited for a processor, and got
    // next to nothing of it; or computed most of the time; or neither.
    enum class turn_was : unsigned char { hardly_begun, some, steady };
    static take_from what_of(turn_was was, bool was_blocked);
    struct ended_turn {
        turn_was was = turn_was::some;
        bool waits = false;  // awake, without a processor, at two looks between which nothing moved
        int vacated = p::anywhere;  // see p
    };
    bool take(p& pp, m& mp, spare_for why, ended_turn turn, std::int64_t now);
    void note_calm(std::int64_t now);
    void note_shortage(std::int64_t now);
    void find_longest();
    void stop(p& pp, m& mp, std::int64_t now);
    void adopt_taken();
    bool begin_stopping();
    void publish_followed();
    void follow();
    bool is_still_out(m& mp);
    bool is_to_be_stopped(m& mp, int tid, std::int64_t spent, std::int64_t time);
    void free_what_is_stuck(std::int64_t now);
    void wake_beside_idle_p(std::int64_t now);

    enum class soon : unsigned char { no, work_waits, question_open };
    soon look_again_ = soon::no;
    // Looks take time from whoever gets on, so there are fewer while all do who keep others
    // waiting: the rounds in a row in which that was so, those in which all moved, and when the
    // last was.
    int calm_rounds_ = 0;
    int moving_rounds_ = 0;
    std::int64_t calm_at_ = 0;
    bool is_served_early_ = false;
    bool was_stopped_ones_turn_ = false;
    const p* longest_ = nullptr;  // while somebody shall be served before the slice is over
    m* followed_ = nullptr;       // ms whose p was taken
    std::int32_t followed_count_ = 0;
    std::int32_t published_count_ = 0;
    shortage shortage_;
    std::int64_t stuck_since_ = 0;
    std::uint64_t stuck_ticks_ = 0;
    std::int64_t maker_refused_at_ = 0;
    std::int64_t idle_beside_since_ = 0;  // a p is, though it is wanted; 0: none
    std::int64_t attentive_until_ = 0;
    std::int64_t lent_until_ = 0;      // a p is, or was a moment ago
    std::int64_t stopped_until_ = 0;   // somebody is in line, or on his way there
    std::int64_t computed_until_ = 0;  // somebody computes without a p, or may
};

}  // namespace rota::rt
