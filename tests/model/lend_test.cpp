// Explores a p that is lent for a moment, and goes back: sched/preempt/lend.
//
// Invariant: when the schedule is quiet every goroutine has run, and no p is idle beside work. This
// holds whether the lender took the idle p, entered the runtime by itself, or was stopped
// meanwhile.
#include <gtest/gtest.h>

#include "hog.hpp"
#include "rig.hpp"
#include "sched/base/park.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/monitor/successor.hpp"
#include "sched/preempt/lend.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/queue/run_queue.hpp"
#include "sys/call/clock.hpp"

namespace {

using namespace rota::rt;
using model::machine;
using model::small;

using flag = atomic<std::uint32_t>;

// Acts as sysmon for a goroutine that waits in the urgent queue. True: p 0 is lent.
bool lend_p0(machine& rig) {
    p& pp = rig.proc(0);
    sched.retaking.store(true, memory_order_relaxed);
    const successor next = reserve_m(pp, suspended_turn::none, nanotime());
    m* const lender = pp.mp.load(memory_order_acquire);
    const bool taken = next.mp != nullptr && !next.is_stopped && retake_p(pp);
    if (taken) {
        lend(pp, *lender, -1);
        startm(pp, false, next.mp);
    } else if (next.mp != nullptr) return_successor(next);
    sched.retaking.store(false, memory_order_relaxed);
    return taken;
}

void submit_urgent(g& gp) {
    {
        const lock_guard guard(sched.mu);
        global_put_urgent(gp);
    }
    wakep();
}

void check_quiet(machine& rig) {
    model::wait_until_quiet();
    rig.check_idle_lists();
    const lock_guard guard(sched.mu);
    MODEL_CHECK(sched.suspended_first == nullptr && sched.suspended_count == 0);
    MODEL_CHECK(sched.nmspinning.load(memory_order_relaxed) == 0);
    for (int i = 0; i < proc_count(); ++i) MODEL_CHECK(rig.proc(i).lender == nullptr);
}

// A goroutine that computes: the signal may come at any moment, for either reason.
g& lender(machine& rig, unsigned& ended) {
    return rig.goroutine("lender", [&ended] {
        model::stop_signal();
        model::stop_signal();
        ++ended;
        const runtime_entry inside;
    });
}

// The signal cannot come before the p is idle. `play` calls its argument `lend` to lend the p, and
// adds concurrent events; `count` goroutines in total must end.
template <class Play>
void expect_p_comes_back(const model::options& how, unsigned count, Play play) {
    const model::asymmetric_mode mode(true);
    machine rig(1);
    model::expect_holds(how, [&] {
        rig.begin(-1);
        unsigned ended = 0;
        flag begun{0}, signal{0};
        g& computes = rig.goroutine("lender", [&] {
            model::set_and_unblock(begun, 1);
            model::block_thread_until(signal, 1);
            model::stop_signal();
            MODEL_CHECK(getm().pp == &rig.proc(0));
            ++ended;
            const runtime_entry inside;
        });
        g& urgent = rig.goroutine("urgent", [&] { ++ended; });
        rig.proc(0).sched_tick.store(1, memory_order_relaxed);  // prevents the global queue's turn
        runq_put(rig.proc(0), computes, true);
        rig.idle_m("spare");
        rig.busy_m("worker", 0, false);
        model::block_thread_until(begun, 1);  // this thread knows which m holds the p
        submit_urgent(urgent);
        play(rig, ended, [&] { MODEL_CHECK(lend_p0(rig)); });
        model::wait_until_quiet();
        {
            const lock_guard guard(sched.mu);
            MODEL_CHECK(sched.idle_p_count.load(memory_order_relaxed) == 1);
            // the lender was signalled
            MODEL_CHECK(computes.mp->stop_sent.load(memory_order_relaxed));
        }
        model::set_and_unblock(signal, 1);
        check_quiet(rig);
        MODEL_CHECK(ended == count);
    });
}

TEST(model_lend, the_p_comes_back_to_a_host_that_was_never_stopped) {
    // Readying the urgent goroutine calls for a spinner in vain, since no p is idle. A p that were
    // kept for that call would never come back.
    expect_p_comes_back(small(0), 2, [](machine&, unsigned&, const auto& lend) { lend(); });
}

TEST(model_lend, the_p_comes_back_when_another_in_a_hurry_has_held_it_up) {
    // The second urgent goroutine may come when the p is about to go back. The p then goes back
    // later, and its lender must not be forgotten meanwhile.
    expect_p_comes_back(small(1), 3, [](machine& rig, unsigned& ended, const auto& lend) {
        g& second = rig.goroutine("second", [&ended] { ++ended; });
        rig.idle_m("another");
        model::stranger_thread submitter("submitter", [&second] { submit_urgent(second); });
        lend();
        submitter.join();
    });
}

// Runs a lender that computes, and an urgent goroutine. `play` adds concurrent events, and calls
// its argument `lend` to lend the p. `count` goroutines in total must end.
template <class Play>
void expect_all_end(int procs, const model::options& how, unsigned count, Play play) {
    const model::asymmetric_mode mode(true);
    machine rig(procs);
    model::expect_holds(how, [&] {
        rig.begin(-1);
        unsigned ended = 0;
        g& computes = lender(rig, ended);
        g& urgent = rig.goroutine("urgent", [&] {
            ++ended;
            const runtime_entry inside;
        });
        rig.worker(computes);
        play(rig, ended, [&] {
            submit_urgent(urgent);
            (void)lend_p0(rig);
        });
        check_quiet(rig);
        MODEL_CHECK(ended == count);
    });
}

TEST(model_lend, a_host_is_stopped_or_comes_of_itself_meanwhile) {
    expect_all_end(1, small(), 2, [](machine&, unsigned&, const auto& lend) { lend(); });
}

TEST(model_lend, what_is_queued_while_the_p_goes_back_is_run) {
    // The m that has the p then must run it; there is no other m.
    expect_all_end(1, small(), 3, [](machine& rig, unsigned& ended, const auto& lend) {
        g& late = rig.goroutine("late", [&ended] { ++ended; });
        model::stranger_thread submitter("submitter", [&late] {
            {
                const lock_guard guard(sched.mu);
                global_put(late);
            }
            wakep();
        });
        lend();
        submitter.join();
    });
}

TEST(model_lend, a_second_p_that_runs_dry_meanwhile_leaves_nobody_behind) {
    // A spinner that sees the lender in its runnext looks again and again until the worker, which
    // holds that p, has its first turn. That turn comes late: one step of another thread in 60.
    model::options patient = small(0);
    patient.steps = 10'000;
    expect_all_end(2, patient, 3, [](machine& rig, unsigned& ended, const auto& lend) {
        flag begun{0};
        g& other = rig.goroutine("other", [&] {
            model::set_and_unblock(begun, 1);
            const runtime_entry inside;
            ++ended;
        });
        runq_put(rig.proc(1), other, true);
        rig.busy_m("other m", 1, false);
        model::block_thread_until(begun, 1);
        lend();
        model::wait_until_quiet();  // `begun` belongs to this frame
    });
}

}  // namespace
