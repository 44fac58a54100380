// Explores the m that is set aside for a p before that p is taken (sched/monitor/successor), the
// goroutines that may not begin meanwhile, and a p whose new m gets no thread
// (sched/m/template_thread).
//
// Invariant: an m is on one list, or set aside for one p; and when the schedule is quiet every
// goroutine has run. No schedule starts a thread: the kernel refuses each.
#include <cerrno>

#include <gtest/gtest.h>

#include "hog.hpp"
#include "rig.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/m/standby.hpp"
#include "sched/monitor/admission_control.hpp"
#include "sched/monitor/successor.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/queue/run_queue.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/fault.hpp"

namespace {

using namespace rota::rt;
using model::machine;
using model::options;
using model::small;

using flag = atomic<std::uint32_t>;

class model_spare : public testing::Test {
  protected:
    void SetUp() override {
        plant_fault([](sys_call call) { return call == sys_call::clone ? EPERM : 0; });
    }
    void TearDown() override { plant_fault(nullptr); }

  private:
    const model::asymmetric_mode mode_{true};
};
using model_refusal = model_spare;

// Acts as sysmon.
bool retake_for_successor(machine& rig, standby_for why, suspended_turn turn) {
    p& pp = rig.proc(0);
    sched.retaking.store(true, memory_order_relaxed);
    count_retaken_m(why);
    order_standby_m(why, standby_need::now, nanotime());
    const successor next = reserve_m(pp, turn, nanotime());
    const bool taken = next.mp != nullptr && retake_p(pp);
    if (taken) give_p_to(next, pp);
    else if (next.mp != nullptr) return_successor(next);
    {
        const lock_guard guard(sched.mu);
        if (!taken) --sched.retaken_count;
    }
    sched.retaking.store(false, memory_order_relaxed);
    return taken;
}

// No m is set aside, and none has been made.
void check_ms(machine& rig, std::int32_t idle) {
    rig.check_idle_lists();
    const lock_guard guard(sched.mu);
    MODEL_CHECK(sched.idle_m_count == idle);
    MODEL_CHECK(sched.m_count == machine::m_max);
    MODEL_CHECK(sched.standby_count == 0 && sched.standbys_coming == 0);
    MODEL_CHECK(sched.starting_ms == nullptr && sched.suspended_first == nullptr);
    MODEL_CHECK(sched.nmspinning.load(memory_order_relaxed) == 0);
}

// Adds the record that a caller in need of another m will find.
void give_record(m& mp) {
    const lock_guard guard(sched.mu);
    sched.free_m = &mp;
}

void submit(g& gp) {
    {
        const lock_guard guard(sched.mu);
        global_put(gp);
    }
    wakep();
}

TEST_F(model_spare, set_aside_serves_the_p_or_goes_back) {
    // The goroutine enters the runtime while its p is requested, or has come to its end, and its m
    // goes to sleep beside the m set aside.
    machine rig(1);
    model::expect_holds(small(0), [&] {
        rig.begin(-1);
        unsigned ended = 0;
        const auto polite = [&ended] {
            {
                const runtime_entry inside;
            }
            ++ended;
        };
        g& gp = rig.goroutine("g", polite);
        g& behind = rig.goroutine("behind", polite);
        rig.worker(gp, &behind);
        (void)retake_for_successor(rig, standby_for::computes, suspended_turn::last);
        model::wait_until_quiet();
        MODEL_CHECK(ended == 2);
        check_ms(rig, 5);
    });
}

TEST_F(model_spare, that_is_the_last_is_promised_once) {
    // A submitter looks for an m while the only idle m is set aside. It finds none, and its p goes
    // back. Its goroutine must run nevertheless.
    machine rig(2);
    model::expect_holds(small(0), [&] {
        rig.begin(-1);
        give_record(rig.thread_m(7));
        count_retaken_m(standby_for::blocked);  // a further hostage; so no refusal is fatal
        flag blocks{0}, pipe{0};
        unsigned ended = 0;
        g& blocked = rig.goroutine("blocked", [&] {
            model::set_and_unblock(blocks, 1);
            model::block_thread_until(pipe, 1);
            const runtime_entry inside;
            ++ended;
        });
        g& queued = rig.goroutine("queued", [&] { ++ended; });
        runq_put(rig.proc(0), blocked, true);
        rig.idle_m("spare");
        rig.busy_m("worker", 0, false);
        model::block_thread_until(blocks, 1);
        model::stranger_thread submitter("submitter", [&] {
            submit(queued);
            model::set_and_unblock(pipe, 1);
        });
        (void)retake_for_successor(rig, standby_for::blocked, suspended_turn::first);
        submitter.join();
        model::wait_until_quiet();
        // If the last m was promised, the queued goroutine has not begun.
        admission_control s;
        MODEL_CHECK(!s.round(false, nanotime()));
        model::wait_until_quiet();
        MODEL_CHECK(ended == 2);
        check_ms(rig, 2);
    });
}

// The successor is first in line, if the hog is there by then; meanwhile the end of stops may come.
void expect_stopped_heir_goes_on(bool all_end) {
    machine rig(1);
    model::expect_holds(small(0), [&] {
        rig.begin(-1);
        unsigned ended = 0;
        g& hog = model::hog(rig, ended);
        g& behind = rig.goroutine("behind", [&] {
            {
                const runtime_entry inside;
            }
            ++ended;
        });
        rig.worker(hog, &behind);
        (void)retake_for_successor(rig, standby_for::computes, suspended_turn::last);
        model::stranger_thread end("end", [all_end] {
            if (all_end) release_all_suspended();
        });
        (void)retake_for_successor(rig, standby_for::blocked, suspended_turn::first);
        end.join();
        model::wait_until_quiet();
        MODEL_CHECK(ended == 2);
        check_ms(rig, 5);
    });
}

TEST_F(model_spare, that_is_stopped_gets_the_p_or_its_place_in_line) {
    expect_stopped_heir_goes_on(false);
}
TEST_F(model_spare, that_is_stopped_is_let_go_when_all_are) { expect_stopped_heir_goes_on(true); }

TEST_F(model_spare, keeps_nobody_from_beginning_for_longer_than_there_is_need) {
    // The last m is set aside, so no goroutine begins; then that ends. An m that holds a new
    // goroutine just then must not put it off for ever.
    machine rig(1);
    model::expect_holds(small(0), [&] {
        rig.begin(-1);
        give_record(rig.thread_m(7));
        unsigned ended = 0;
        g& first = rig.goroutine("first", [&] { ++ended; });
        g& second = rig.goroutine("second", [&] { ++ended; });
        runq_put(rig.proc(0), second, false);
        runq_put(rig.proc(0), first, true);
        rig.idle_m("spare");
        rig.busy_m("worker", 0, false);
        (void)retake_for_successor(rig, standby_for::computes, suspended_turn::last);
        admission_control s;
        (void)s.round(true, nanotime());
        MODEL_CHECK(!s.round(false, nanotime()));
        model::wait_until_quiet();
        MODEL_CHECK(ended == 2);
        check_ms(rig, 2);
    });
}

TEST_F(model_refusal, of_a_thread_leaves_its_p_to_another_m_or_idle) {
    // A submitter has taken an idle p for a spinner that gets no thread. Other threads have relied
    // on that spinner, and the only m may go to sleep at any moment.
    machine rig(2);
    model::expect_holds(small(0), [&] {
        rig.begin(-1);
        give_record(rig.thread_m(7));
        count_retaken_m(standby_for::blocked);
        unsigned ended = 0;
        g& running = rig.goroutine("running", [&] { ++ended; });
        g& one = rig.goroutine("one", [&] { ++ended; });
        g& two = rig.goroutine("two", [&] { ++ended; });
        runq_put(rig.proc(0), running, true);
        rig.busy_m("worker", 0, false);
        model::stranger_thread other("other", [&] { submit(two); });
        submit(one);
        other.join();
        model::wait_until_quiet();
        // If the worker slept already, one or two goroutines are left to sysmon.
        if (sched.wake_owed.load(memory_order_relaxed)) wakep();
        model::wait_until_quiet();
        MODEL_CHECK(ended == 3);
        check_ms(rig, 1);
    });
}

}  // namespace
