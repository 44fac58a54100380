// What the network brings is left to the m that looked, and the m that looks sleeps elsewhere:
// until sysmon, which is a thread of the schedule here, ends that. No sysmon looks after anybody.
#include <gtest/gtest.h>

#include "core/getg.hpp"
#include "rig.hpp"
#include "sched/alone.hpp"
#include "sched/run_queue.hpp"
#include "sched/timers.hpp"
#include "sched/wakeup.hpp"

namespace {

using namespace rota::rt;
using model::expect_holds_in_both_modes;
using model::machine;
using model::small;

constexpr std::int64_t due = 100'000'000, long_past = 500'000'000;

void leave_all_to_one() { sched.polls_alone.store(true, memory_order_relaxed); }

class ending : public model::thread {
  public:
    ending() : thread("sysmon", [] { alone_trial().end(0); }) {}
};

// A timer in the heap of that p, which nobody's wake-up told of.
class unannounced {
  public:
    explicit unannounced(p& pp) {
        fired_at = 0;
        timer_.run = [](void*) { fired_at = model::the_engine->clock(); };
        timer_.arg = this;
        (void)pp.timers.reset(timer_, due);
    }
    // When all is quiet the clock moves, to that moment if an m waits for it.
    static void expect_served() {
        model::sleep_until(long_past);
        MODEL_CHECK(fired_at != 0 && fired_at < 2 * due);
    }

  private:
    static inline std::int64_t fired_at;
    timer timer_;
};

TEST(kb12_alone, who_is_left_when_it_ends_is_run_by_another_m) {
    // The owner computes from here on. Either it sees that nobody is left to anybody any more, and
    // wakes an m; or sysmon's wake-up comes behind what it has queued.
    machine rig(2);
    for (const bool light_fences : {false, true}) {
        const model::asymmetric_mode mode(light_fences);
        const model::result seen = model::expect_holds(small(), [&] {
            rig.begin(0);
            unsigned ran = 0;
            g& gp = rig.goroutine("g", [&] { ran = 1; });
            rig.spare_ms();
            leave_all_to_one();
            rig.proc(0).computed_at = -1'000'000'000;  // its turns are short
            ending sysmon;
            runq_put(rig.proc(0), gp, false);
            const bool is_left = is_left_to_owner(rig.proc(0));
            model::observe(is_left ? 1 : 0);
            if (!is_left) wakep();
            sysmon.join();
            model::wait_until_quiet();
            MODEL_CHECK(ran == 1);
            rig.check_idle_lists();
        });
        EXPECT_TRUE(seen.has_seen(0) && seen.has_seen(1));
    }
}

TEST(kb15_alone, the_last_one_with_a_p_sleeps_in_the_poller) {
    // Each of the two leaves that to the other as long as it has a p.
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        rig.begin(-1);
        const unannounced timer(rig.proc(0));
        rig.spare_ms();
        leave_all_to_one();
        rig.busy_m("first", 0, false);
        rig.busy_m("second", 1, false);
        timer.expect_served();
    });
}

TEST(kb15_alone, who_sleeps_elsewhere_when_it_ends_is_woken_for_the_poller) {
    // The p of the other one is busy for good, and he looks at nothing.
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        rig.begin(0);
        const unannounced timer(rig.proc(1));
        rig.spare_ms();
        leave_all_to_one();
        rig.busy_m("worker", 1, false);
        ending sysmon;
        sysmon.join();
        timer.expect_served();
    });
}

}  // namespace
