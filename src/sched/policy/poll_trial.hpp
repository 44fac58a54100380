// Door: decides whether goroutines that the network readies are left to the one m that polls.
//
// Most goroutines that wait for descriptors run for microseconds. An m that is woken to help takes
// a processor from another thread. Where the machine has none to spare, it takes the processor of a
// client on the same machine that waits for the answers. The kernel then keeps one of the ms off
// its processor for milliseconds, together with the goroutines that it has in hand. A thread cannot
// tell how many processors the machine has for it. So two ways are on trial, in turn (an A/B
// trial):
//
//   * shared: network work is shared like other work;
//   * single: if turns are short, an m that finds ready goroutines wakes no m for them, however
//     many there are; the trial says whether one m gets through them. No m sleeps in the poller
//     while another m has a p: that m polls between turns. The m that gives up the last p sleeps
//     there.
//
//     shared ◄────── a sample is over, and the trial says so ──────► single
//        ▲                                                             │
//        └── the backlog grows; the process has rested; sysmon is ─────┘
//            about to block; there is one p; chaos mode
//
// As long as the network brings little, network work is shared. The way under which the network
// brings more work (more has been answered) for less processor time gets a growing part of the time
// (sched/policy/ab_trial). Where no figure tells the two ways apart and the backlog is no longer,
// that is `single`.
//
// An m that was woken to help has soon run what it took, and finds more work at once: with a
// thousand clients there always is more. Two such ms would disturb each other for ever. So under
// `single` an m without work that no waker has called goes to sleep if another m has polled since.
// The m that polled last stays awake.
//
// Under `single` an m may sleep, and a p be idle, while goroutines wait in the ring of another p.
// The goroutine of that p may compute, or be in a call, and polls no descriptor. So sysmon looks
// every 2 ms if it gets a processor, or every 4 ms after a long time with few incidents. It looks
// for a goroutine that waits at a p without progress, for a due timer, and for descriptors that no
// m has polled. Then it wakes an m; but for 10 ms in a row it wakes none beside an m that only
// lacks a processor: a woken m would wait for a processor too, or take that of a client. While
// every m at work lacks a processor, sysmon polls by itself only when the last poll is 10 ms old,
// instead of 1 ms. sysmon ends `single` in this order: clear the word `single_poller`, heavy fence,
// read the queues. A submitter queues, runs a light fence, then reads the word: one of the two sees
// the other.
//
// An m that gives up a p decides under sched.mu whether to sleep in the poller: while the world
// runs, the m that gives up the last p finds every other p idle. Where ps become idle in another
// way (a lent p, or a p for which the kernel makes no thread), sysmon finds within some
// milliseconds that no m polls, and does not sleep deeply until an m does. A timer of a p that has
// become idle since it was set may be late until the next look of sysmon. A timer of a p that is at
// work and makes progress may be 100 µs late.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sched/policy/ab_trial.hpp"
#include "sched/policy/backlog_growth.hpp"
#include "sched/policy/incident_rate.hpp"

namespace rota::rt {

enum class poll_mode : int { shared = 0, single = 1, on_trial = -1 };

// The A/B trial of the two ways. Caller: sysmon only.
class poll_mode_trial {
  public:
    // Boot: sets one way for good, or the trial.
    static void fix(poll_mode way);

    // In each round of sysmon: looks for goroutines that are left waiting, and advances the trial.
    void round(std::int64_t now);
    // How long sysmon may nap after that, in µs.
    long nap_us_max(std::int64_t now) const;
    // Under `single`: how old the last poll may be before sysmon polls by itself, in ns.
    std::int64_t stale_after() const;
    // sysmon had to poll by itself although one m was to do so.
    void note_neglect() { incidents_.set_high(); }
    // Ends `single`: sysmon is about to do something that may take long.
    void end(std::int64_t now);
    // The process was idle for long, and has work again. Rows must not last from burst to burst,
    // and the new work may be of another kind.
    void note_rest(std::int64_t now);
    // Whether sysmon may be the only thread that polls.
    bool is_on() const;

  private:
    void look_after_all(std::int64_t now);
    bool is_pace_usual(std::int64_t now);
    void begin_afresh(std::int64_t now);
    void proceed(std::int64_t now);
    void set(poll_mode way);

    static const ab_trial_rules rules;
    ab_trial trial_{rules};  // first way: shared
    // ns: CPU time of the process when the present sample began to count
    std::int64_t cost_then_ = 0;
    backlog_growth backlog_;
    int watchful_ = 0;              // looks at a shorter distance that remain
    bool lack_processors_ = false;  // at the last look: every p at work lacks a processor
    incident_rate incidents_;       // no goroutine left waiting of late, and the usual pace
    // turns a second, moving average; ns: the last look; turns of every p until that look
    std::int64_t usual_pace_ = 0, looked_at_ = 0;
    std::uint32_t ticks_then_ = 0;
};

}  // namespace rota::rt
