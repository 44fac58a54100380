// Explores the mode in which goroutines readied by the network stay with the m that polled, and
// that m sleeps elsewhere. sysmon, a thread of the schedule here, ends the mode. No sysmon retakes
// a p.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/getg.hpp"
#include "rig.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/policy/poll_trial.hpp"
#include "sched/queue/poll_mode.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"

namespace {

using namespace rota::rt;
using model::expect_holds_in_both_modes;
using model::machine;
using model::small;

constexpr std::int64_t due = 100'000'000, long_past = 500'000'000;

void leave_all_to_one() { sched.single_poller.store(true, memory_order_relaxed); }

class ending : public model::thread {
  public:
    ending() : thread("sysmon", [] { poll_mode_trial().end(0); }) {}
};

// A timer in the heap of `pp`; no wake-up has announced it.
class unannounced {
  public:
    explicit unannounced(p& pp) {
        fired_at = 0;
        timer_.run = [](void*) { fired_at = model::the_engine->clock(); };
        timer_.arg = this;
        (void)pp.timers.reset(timer_, due);
    }
    // Sleeps until the clock reaches long_past: the clock stops at `due` if an m waits for that
    // moment.
    static void expect_served() {
        model::sleep_until(long_past);
        MODEL_CHECK(fired_at != 0 && fired_at < 2 * due);
    }

  private:
    static inline std::int64_t fired_at;
    timer timer_;
};

TEST(kb12_single_poller, who_is_left_when_it_ends_is_run_by_another_m) {
    // The owner computes from here on. Either the owner sees that the mode has ended, and wakes an
    // m; or sysmon's wake-up comes after the owner has queued the goroutine.
    machine rig(2);
    for (const bool light_fences : {false, true}) {
        const model::asymmetric_mode mode(light_fences);
        const model::result seen = model::expect_holds(small(), [&] {
            rig.begin(0);
            unsigned ran = 0;
            g& gp = rig.goroutine("g", [&] { ran = 1; });
            rig.spare_ms();
            leave_all_to_one();
            rig.proc(0).computed_at = -1'000'000'000;  // its goroutines have short turns
            ending sysmon;
            runq_put(rig.proc(0), gp, false);
            const bool is_left = keeps_ready_local(rig.proc(0));
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

// A goroutine waits in the ring of p 0, whose m is busy with its own work; the second m has no
// work. The arguments say when each m has polled, in ns from now.
class beside_one_that_looks {
  public:
    beside_one_that_looks(machine& rig, std::int64_t one_looked, std::int64_t other_looked)
        : rig_(rig) {
        rig.begin(0);
        left_ = &rig.goroutine("left", [this] { ran_ = true; });
        rig.spare_ms();
        leave_all_to_one();
        const std::int64_t now = model::the_engine->clock();
        rig.proc(0).last_polled_at.store(now + one_looked, memory_order_relaxed);
        rig.proc(1).last_polled_at.store(now + other_looked, memory_order_relaxed);
        sched.last_poll.store(now + std::max(one_looked, other_looked), memory_order_relaxed);
        runq_put(rig.proc(0), *left_, false);
    }
    void begin_other(bool is_called) { rig_.busy_m("other", 1, is_called); }
    bool has_helped() const {
        model::wait_until_quiet();
        return ran_;
    }

  private:
    machine& rig_;
    g* left_;
    bool ran_ = false;
};

TEST(kb12_single_poller, who_has_nothing_to_do_rests_until_it_ends) {
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        beside_one_that_looks scene(rig, 2, 1);
        scene.begin_other(false);
        MODEL_CHECK(!scene.has_helped());
        ending sysmon;
        sysmon.join();
        MODEL_CHECK(scene.has_helped());
    });
}

TEST(kb12_single_poller, who_goes_to_rest_when_it_ends_is_called_back) {
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        beside_one_that_looks scene(rig, 2, 1);
        scene.begin_other(false);
        ending sysmon;
        sysmon.join();
        MODEL_CHECK(scene.has_helped());
    });
}

// The second m goes on at `begins`, in ns from now.
void expect_help(std::int64_t one_looked, std::int64_t other_looked, bool is_called,
                 std::int64_t begins = 0) {
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        beside_one_that_looks scene(rig, one_looked, other_looked);
        if (begins != 0) model::sleep_until(model::the_engine->clock() + begins);
        scene.begin_other(is_called);
        MODEL_CHECK(scene.has_helped());
    });
}

TEST(kb12_single_poller, who_has_looked_last_does_not_rest) { expect_help(1, 2, false); }

TEST(kb12_single_poller, who_is_called_does_not_rest) { expect_help(2, 1, true); }

TEST(kb12_single_poller, nobody_rests_beside_one_that_has_not_looked_for_long) {
    expect_help(2, 1, false, due);
}

TEST(kb15_alone, the_last_one_with_a_p_sleeps_in_the_poller) {
    // Each m leaves the poller to the other m as long as that m has a p.
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
    // The p of the other m is busy for ever, and that m never polls.
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
