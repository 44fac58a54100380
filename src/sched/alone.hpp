// Door: whether what the network brings is left to the one m that looks.
//
// Goroutines that wait for descriptors run for microseconds, most of them. An m that is woken to
// help takes a processor from somebody: where there is none to spare, from the very clients who
// wait for the answers, on the same machine, and the kernel then keeps one of the ms waiting for
// milliseconds, with what it has in hand. No thread can tell how many processors there are for it.
// So two ways are on trial, in turn:
//
//   * shared: as all other work;
//   * alone: who finds some that are ready wakes nobody for them, however many, if turns are short:
//     whether one gets through them is for the trial to say. No m goes to sleep in the poller while
//     another one has a p: that one looks between turns, and who gives up the last p sleeps there.
//
//     shared ◄────── a row is over, and the trial says so ──────► alone
//        ▲                                                          │
//        └── more and more wait; all have rested; sysmon is about ──┘
//            to block; there is one p; chaos
//
// As long as the network brings little all is shared. Under which way it brings more, because more
// has been answered, and takes less of the processors for it, gets more and more of the time
// (sched/trial): `alone`, where nothing tells them apart and no more wait.
//
// An m that has been called to help has soon done what it has taken, and finds more at once: there
// is always some where a thousand clients ask. The two would get into each other's way for ever. So
// under `alone` one that runs out of work, and has not been called, goes to sleep if another one
// has looked at the descriptors since. Who has looked last stays.
//
// Under `alone` an m may be asleep, and a p idle, while goroutines wait in the ring of another one,
// whose goroutine may compute, or be in a call, and look at no descriptor. So sysmon looks, every
// two milliseconds if it gets a processor (four, if all has been well for long): whether somebody
// waits at a p that does not get on, whether a timer is due, and whether nobody has looked at the
// descriptors. It wakes an m then; but not, for 10 ms in a row, beside one that lacks but a
// processor: the other would wait for one too, or take that of a client. Nor does it look at the
// descriptors itself as long as all who would are without a processor. It ends the way by taking
// the word back, then a heavy fence, then looking at the queues; who queues does so, then a light
// fence, then reads the word: one of them sees the other.
//
// An m that gives up a p decides under sched.mu whether to sleep in the poller: with the world
// running, the last one finds all others idle. Where ps become idle otherwise (a lent one, one for
// which there is no thread) sysmon finds within some milliseconds that nobody polls, and does
// not sleep deeply as long as that is so. A timer that has been set on a p that is idle now may be
// as late as the next look; one of a p that is at work, and gets on, 100 µs.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sched/calm.hpp"
#include "sched/crowd.hpp"
#include "sched/trial.hpp"

namespace rota::rt {

// Whether those whom the network has readied, in the ring of pp or in the global queue, are left to
// the owner of pp, who calls, and nobody is woken.
[[nodiscard]] bool is_left_to_owner(const p& pp);

// Whether another p is at work whose m has looked a moment ago, and later than that of pp.
[[nodiscard]] bool is_left_to_another(const p& pp);

// Whether self, which has run out of work, may give up its p, whatever that other one has in hand:
// nobody has called it, and no timer of its own is soon due.
[[nodiscard]] bool may_rest(const m& self);

// Whether an m without a p need not sleep in the poller: another one has a p, and looks.
[[nodiscard]] bool is_poller_elsewhere() ROTA_EXCLUDES(sched.mu);

enum class polling : int { shared = 0, alone = 1, on_trial = -1 };

// The trial. sysmon's own.
class alone_trial {
  public:
    // Boot: one way for good, or the trial.
    static void fix(polling way);

    // In each round: looks for those who are left waiting, and goes on with the trial.
    void round(std::int64_t now);
    // How long sysmon may nap after that, in µs.
    long nap_us_max(std::int64_t now) const;
    // Under `alone`: how old the last look at the descriptors may be before sysmon looks itself.
    std::int64_t stale_after() const;
    // sysmon has had to look at the descriptors itself, while one m was to do so.
    void note_neglect() { calm_.disturb(); }
    // Nobody is left to anybody any more: sysmon is about to do what may take long.
    void end(std::int64_t now);
    // All have been idle for long, and are not any more: rows must not last from burst to burst,
    // and what comes now may be something else.
    void note_rest(std::int64_t now);
    // Whether sysmon may be the only one that looks at the descriptors.
    bool is_on() const;

  private:
    void look_after_all(std::int64_t now);
    bool is_pace_usual(std::int64_t now);
    void begin_afresh(std::int64_t now);
    void proceed(std::int64_t now);
    void set(polling way);

    static const trial_rules rules;
    two_way_trial trial_{rules};  // first: shared
    // What the process had had of the processors, in ns, when the present row began to count.
    std::int64_t cost_then_ = 0;
    crowd_watch crowd_;
    int watchful_ = 0;              // looks that are closer
    bool lack_processors_ = false;  // all who are at work, at the last look, as far as was asked
    // Whether nobody had been left waiting of late, and the ps had made their usual turns.
    calm_watch calm_;
    // Those in a second; the last look, and how many they had made until then.
    std::int64_t usual_pace_ = 0, looked_at_ = 0;
    std::uint32_t ticks_then_ = 0;
};

}  // namespace rota::rt
