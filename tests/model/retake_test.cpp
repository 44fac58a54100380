// Explores the taking of a p from an m that does not take part: sched/preempt/retake.
//
// Invariant: one m at a time touches the data of a p. Each p has a word of plain memory here, which
// its holders change, and the explorer reports two unordered changes.
#include <gtest/gtest.h>

#include "hog.hpp"
#include "rig.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/thread/syscall.hpp"

namespace {

using namespace rota::rt;
using model::expect_holds_on_one_p;
using model::machine;
using model::plain;
using model::small;

using flag = atomic<std::uint32_t>;

struct account {
    plain<int> of_p0{0};
    void touch() { of_p0.set(of_p0.get() + 1); }
    // As every operation of the runtime: runs on the m that holds p 0.
    void operate() {
        const runtime_entry inside;
        ROTA_CHECK(getm().pp != nullptr);
        touch();
    }
};

// Acts as sysmon; returns whether it has got p 0.
bool take_and_hand_off(machine& rig, account& a) {
    p& pp = rig.proc(0);
    sched.retaking.store(true, memory_order_relaxed);
    const bool taken = retake_p(pp);
    if (taken) {
        a.touch();
        handoffp(pp);
    }
    sched.retaking.store(false, memory_order_relaxed);
    return taken;
}

// A goroutine does `work` while the caller does `meanwhile`; a second goroutine waits for its p.
// Both must end.
template <class Work, class Meanwhile>
void expect_both_end(machine& rig, account& a, Work work, Meanwhile meanwhile) {
    unsigned ended = 0;
    g& gp = rig.goroutine("g", [&] {
        work();
        a.operate();
        ++ended;
    });
    g& behind = rig.goroutine("behind", [&] {
        a.operate();
        ++ended;
    });
    rig.worker(gp, &behind);
    meanwhile();
    model::wait_until_quiet();
    MODEL_CHECK(ended == 2);
    rig.check_idle_lists();
}

TEST(model_take, a_p_has_one_holder_at_a_time) {
    // The goroutine enters and leaves the runtime while its p is requested. Without the barrier, or
    // if the mark were cleared too early, both sides would hold the p.
    expect_holds_on_one_p(small(), [&](machine& rig) {
        account a;
        expect_both_end(rig, a, [&] { a.operate(); }, [&] { (void)take_and_hand_off(rig, a); });
    });
}

TEST(kb07_take, a_goroutine_behind_one_that_blocks_its_thread_is_run) {
    // A raw read on an empty pipe: the m never comes back by itself. The goroutine queued behind it
    // must run, and then fills the pipe; the reader then needs a p again.
    expect_holds_on_one_p(small(), [&](machine& rig) {
        account a;
        flag reads{0}, pipe{0};
        unsigned ended = 0;
        g& reader = rig.goroutine("reader", [&] {
            model::set_and_unblock(reads, 1);
            model::block_thread_until(pipe, 1);
            a.operate();
            ++ended;
        });
        g& writer = rig.goroutine("writer", [&] {
            a.operate();
            model::set_and_unblock(pipe, 1);
            ++ended;
        });
        rig.worker(reader, &writer);
        model::block_thread_until(reads, 1);  // this thread knows which m holds the p
        MODEL_CHECK(take_and_hand_off(rig, a));
        model::wait_until_quiet();
        MODEL_CHECK(ended == 2);
        rig.check_idle_lists();
    });
}

void expect_stopped_one_goes_on(int procs) {
    const model::asymmetric_mode mode(true);
    machine rig(procs);
    model::expect_holds(small(0), [&] {
        rig.begin(-1);
        account a;
        unsigned ended = 0;
        g& hog = model::hog(rig, ended);
        g& behind = rig.goroutine("behind", [&] {
            const runtime_entry inside;
            ++ended;
        });
        rig.worker(hog, &behind);
        (void)take_and_hand_off(rig, a);
        model::wait_until_quiet();
        MODEL_CHECK(ended == 2);
        {
            const lock_guard guard(sched.mu);
            MODEL_CHECK(sched.suspended_first == nullptr && sched.suspended_count == 0);
        }
        rig.check_idle_lists();
    });
}

TEST(model_suspend, a_stopped_goroutine_gets_the_only_p_again) { expect_stopped_one_goes_on(1); }
TEST(model_suspend, a_stopped_goroutine_finds_an_idle_p) { expect_stopped_one_goes_on(2); }

TEST(model_suspend, who_is_released_goes_on_without_a_p) {
    // The only p is held by a goroutine that waits, as if inside the runtime, for the lock that the
    // stopped goroutine holds.
    expect_holds_on_one_p(small(0), [&](machine& rig) {
        account a;
        flag held{1};
        unsigned ended = 0;
        g& holder = rig.goroutine("holder", [&] {
            model::stop_signal();
            model::set_and_unblock(held, 0);
            ++ended;
        });
        g& waiter = rig.goroutine("waiter", [&] {
            const runtime_entry inside;
            model::block_thread_until(held, 0);
            ++ended;
        });
        rig.worker(holder, &waiter);
        (void)take_and_hand_off(rig, a);
        model::wait_until_quiet();
        if (ended != 2) {
            MODEL_CHECK(release_suspended() != nullptr);
            model::wait_until_quiet();
        }
        MODEL_CHECK(ended == 2);
        rig.check_idle_lists();
    });
}

TEST(model_take, does_not_disturb_a_system_call) {
    // The request may come while the m is on its way into blocking(), which overwrites the request,
    // or on its way out. In blocking() only retake_syscall_p takes the p.
    expect_holds_on_one_p(small(0), [&](machine& rig) {
        account a;
        const auto call = [] {
            entersyscall();
            exitsyscall();
        };
        expect_both_end(rig, a, call, [&] {
            p& pp = rig.proc(0);
            if (!take_and_hand_off(rig, a) &&
                pp.status.load(memory_order_relaxed) == p_status::syscall && retake_syscall_p(pp))
                handoffp(pp);
        });
    });
}

// While the object lives, a goroutine that leaves a system call need not wait for a p.
class stops_allowed {
  public:
    stops_allowed() { stop_settings.stops = true; }
    ~stops_allowed() { stop_settings.stops = false; }
    stops_allowed(const stops_allowed&) = delete;
    stops_allowed& operator=(const stops_allowed&) = delete;
};

// A goroutine in a system call loses its p to another m. It goes on to the next call without a p,
// perhaps stopped in between. Its work in the runtime happens with a p.
void expect_goes_on_without_p(bool is_stopped) {
    const stops_allowed here;
    expect_holds_on_one_p(small(0), [&](machine& rig) {
        (void)ms_just_retaken();  // drops the list of the schedule before
        account a;
        const auto calls = [&] {
            entersyscall();
            exitsyscall();
            if (is_stopped) model::stop_signal();
            entersyscall();
            exitsyscall();
        };
        expect_both_end(rig, a, calls, [&] {
            p& pp = rig.proc(0);
            if (pp.status.load(memory_order_relaxed) == p_status::syscall && retake_syscall_p(pp)) {
                a.touch();
                handoffp(pp);
            }
            for (m* mp = ms_just_retaken(); mp != nullptr;) {
                m* const next = mp->retaken_next;
                (void)is_back(*mp);
                mp = next;
            }
        });
        MODEL_CHECK(sched.ms_without_p.fetch_add(0, memory_order_relaxed) == 0);
    });
}

TEST(model_take, out_of_a_system_call_a_goroutine_goes_on_until_it_needs_a_p) {
    // What could go wrong: two ms hold the p, a goroutine waits for ever, or is counted without a p
    // for ever.
    expect_goes_on_without_p(false);
}

TEST(model_take, out_of_a_system_call_a_goroutine_may_be_stopped_without_a_p) {
    expect_goes_on_without_p(true);
}

TEST(model_take, a_goroutine_leaves_its_p_and_comes_back_for_one) {
    // The goroutine gives its p away inside the runtime and goes on outside, while a taker asks for
    // the same p. What could go wrong: two ms hold the p, or a goroutine waits for ever.
    const stops_allowed here;
    expect_holds_on_one_p(small(0), [&](machine& rig) {
        (void)ms_just_retaken();  // drops the list of the schedule before
        account a;
        const auto leaves = [&] {
            m& self = enter_runtime();
            a.touch();
            if (!leave_p(self)) leave_runtime();
        };
        expect_both_end(rig, a, leaves, [&] {
            (void)take_and_hand_off(rig, a);
            for (m* mp = ms_just_retaken(); mp != nullptr;) {
                m* const next = mp->retaken_next;
                (void)is_back(*mp);
                mp = next;
            }
        });
    });
}

TEST(model_take, of_two_takers_one_gets_the_p) {
    expect_holds_on_one_p(small(0), [&](machine& rig) {
        account a;
        unsigned ended = 0;
        g& gp = rig.goroutine("g", [&] {
            a.operate();
            ++ended;
        });
        rig.worker(gp);
        model::stranger_thread other("other", [&] {
            if (!retake_p(rig.proc(0))) return;
            a.touch();
            handoffp(rig.proc(0));
        });
        (void)take_and_hand_off(rig, a);
        other.join();
        model::wait_until_quiet();
        MODEL_CHECK(ended == 1);
        rig.check_idle_lists();
    });
}

}  // namespace
