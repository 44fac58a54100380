// Explores the delicate dance: submitting, waking, spinning, parking and going idle, with the real
// scheduler on two or three ps.
//
// Invariant (work conservation): when the schedule is quiet, no goroutine is runnable beside an
// idle p. The tests' own counters are plain memory: the threads of a schedule are fibers of one
// thread.
#include <gtest/gtest.h>
#include <rota/detail/time_engine.hpp>

#include "core/getg.hpp"
#include "rig.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/thread/syscall.hpp"

namespace {

using namespace rota::rt;
using model::expect_holds_in_both_modes;
using model::machine;
using model::options;
using model::small;

using flag = atomic<std::uint32_t>;

void submit(p& pp, g& gp, bool next) {
    runq_put(pp, gp, next);
    wakep();
}

// An m queues a goroutine while the only further m is about to have no work.
void expect_queued_work_is_run(bool spinning, bool next) {
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        rig.begin(0);
        unsigned ran = 0;
        g& gp = rig.goroutine("g", [&] { ran = 1; });
        rig.spare_ms();
        rig.busy_m(spinning ? "spinner" : "worker", 1, spinning);
        submit(rig.proc(0), gp, next);
        model::wait_until_quiet();
        MODEL_CHECK(ran == 1);
        rig.check_idle_lists();
    });
}

TEST(kb01_wake, work_queued_while_the_last_spinner_gives_up_is_run) {
    // The submitter sees the spinner and wakes no m; so the spinner must see the goroutine.
    expect_queued_work_is_run(true, true);
}

TEST(kb01_wake, work_queued_while_an_m_idles_its_p_is_run) {
    // The m has not spun, since another m spins or no p was busy. A submitter that sees no idle p
    // leaves a request in need_spinning.
    expect_queued_work_is_run(false, false);
}

// Two goroutines that wait for each other on their ms, so they need two ms at once.
struct meeting {
    explicit meeting(machine& rig)
        : g1(rig.goroutine("g1", [this] { meet(first, second); })),
          g2(rig.goroutine("g2", [this] { meet(second, first); })) {}
    void meet(flag& mine, flag& other) {
        model::set_and_unblock(mine, 1);
        model::block_thread_until(other, 1);
        ++ended;
    }

    flag first{0}, second{0};
    unsigned ended = 0;
    g &g1, &g2;
};

TEST(kb02_wake, the_last_spinner_that_finds_work_wakes_a_successor) {
    machine rig(3);
    expect_holds_in_both_modes(small(0), [&] {
        rig.begin(0);
        meeting both(rig);
        rig.spare_ms();
        rig.busy_m("spinner", 1, true);
        submit(rig.proc(0), both.g1, false);
        submit(rig.proc(0), both.g2, false);
        model::wait_until_quiet();
        MODEL_CHECK(both.ended == 2);
    });
}

TEST(kb02_wake, the_last_spinner_finds_all_work_while_an_m_idles_its_p) {
    // The worker m may not spin, so it goes without a last look. The spinner takes both goroutines;
    // its call for a successor meets no idle p yet and leaves a request in need_spinning.
    machine rig(2);
    expect_holds_in_both_modes(small(0), [&] {
        rig.begin(-1);
        meeting both(rig);
        rig.spare_ms();
        // A p takes a batch from the global queue in any round except every 61st.
        for (const int i : {0, 1}) rig.proc(i).sched_tick.store(1, memory_order_relaxed);
        rig.busy_m("spinner", 0, true);
        rig.busy_m("worker", 1, false);
        {
            const lock_guard guard(sched.mu);
            global_put(both.g1);
            global_put(both.g2);
        }
        wakep();
        model::wait_until_quiet();
        MODEL_CHECK(both.ended == 2);
    });
}

// The last spinner has found both goroutines, with p 0, and is about to call for a successor. No
// further call will come: the submitter has called before, and that call started this spinner.
//
// Meanwhile p 1 becomes idle, by an m that may not spin beside the spinner, or by a hand-off. The
// call may come after that m has seen the spinner and before p 1 is idle. It then wakes no m, but
// leaves a request in need_spinning. An m that does not look for the request once p 1 is idle
// leaves a goroutine beside an idle p for ever.
void expect_the_last_call_is_heard(bool is_handed_on) {
    machine rig(2);
    options o = small(0);
    o.preemptions = 1;  // enough to show it, and few enough to be complete on a busy machine
    o.seconds = 0.5;
    expect_holds_in_both_modes(o, [&] {
        rig.begin(is_handed_on ? 1 : -1);
        meeting both(rig);
        runq_put(rig.proc(0), both.g1, false);
        runq_put(rig.proc(0), both.g2, false);
        rig.spare_ms();
        // Both ps are taken before any m begins.
        model::the_engine->offer_choices(false);
        rig.busy_m("spinner", 0, true);
        if (!is_handed_on) rig.busy_m("worker", 1, false);
        model::the_engine->offer_choices(true);
        if (is_handed_on) handoffp(releasep(getm()));
        model::wait_until_quiet();
        MODEL_CHECK(both.ended == 2);
        rig.check_idle_lists();
    });
}

TEST(kb02_wake, the_last_spinners_call_is_heard_by_an_m_that_idles_its_p) {
    expect_the_last_call_is_heard(false);
}

TEST(kb07_wake, the_last_spinners_call_is_heard_by_who_hands_a_p_on) {
    expect_the_last_call_is_heard(true);
}

// Every p is idle or about to be; the work comes by way of the global queue.
void expect_work_from_outside_is_run(int procs) {
    machine rig(procs);
    expect_holds_in_both_modes(small(), [&] {
        rig.begin(-1);
        unsigned ran = 0;
        g& gp = rig.goroutine("g", [&] { ran = 1; });
        rig.spare_ms();
        rig.busy_m("worker", 0, false);
        {
            const lock_guard guard(sched.mu);
            global_put(gp);
        }
        wakep();
        model::wait_until_quiet();
        MODEL_CHECK(ran == 1);
        rig.check_idle_lists();
    });
}

TEST(kb03_wake, a_foreign_thread_wakes_an_idle_runtime) { expect_work_from_outside_is_run(1); }

TEST(kb03_wake, a_foreign_thread_is_heard_by_the_last_m_with_a_p_or_wakes_another) {
    // The worker is the only m with a p, so it does not spin before it gives the p up.
    expect_work_from_outside_is_run(2);
}

TEST(kb03_wake, two_foreign_threads_wake_sleeping_ms) {
    machine rig(2);
    expect_holds_in_both_modes(small(0), [&] {
        rig.begin(-1);
        unsigned ran = 0;
        g& g1 = rig.goroutine("g1", [&] { ++ran; });
        g& g2 = rig.goroutine("g2", [&] { ++ran; });
        rig.spare_ms();
        const auto post = [](g& gp) {
            {
                const lock_guard guard(sched.mu);
                global_put(gp);
            }
            wakep();
        };
        model::stranger_thread other("poster", [&] { post(g1); });
        post(g2);
        other.join();
        model::wait_until_quiet();
        MODEL_CHECK(ran == 2);
        rig.check_idle_lists();
    });
}

TEST(kb27_timer, of_an_idle_p_is_seen_by_the_last_m_with_a_p_or_wakes_another) {
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        rig.begin(-1);
        static std::int64_t fired_at;
        fired_at = 0;
        timer t;
        t.run = [](void*) { fired_at = model::the_engine->clock(); };
        t.arg = &fired_at;
        rig.spare_ms();
        rig.busy_m("worker", 0, false);
        if (rig.proc(1).timers.reset(t, 100'000'000).earlier) wake_poller(t.when);
        model::sleep_until(500'000'000);
        MODEL_CHECK(fired_at != 0 && fired_at < 200'000'000);
    });
}

TEST(kb04_park, a_goroutine_is_readied_once_it_is_off_its_stack) {
    // The waker finds the goroutine as soon as it is in the list; its registers are saved later.
    // Readied too early, the goroutine would run on two threads, or from an old context.
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        rig.begin(-1);
        lock list{lock_rank::chan};
        model::name(list, "list");
        g* waiter = nullptr;
        unsigned ran = 0;
        g& gp = rig.goroutine("g", [&] {
            const runtime_entry inside;
            list.acquire();
            waiter = getm().curg;
            gopark_unlock(list, wait_reason::chan_receive);
            ran = 1;
        });
        {
            const lock_guard guard(sched.mu);
            global_put(gp);
        }
        rig.spare_ms();
        rig.busy_m("worker", 0, false);
        g* found = nullptr;
        for (int tries = 0; tries < 2 && found == nullptr; ++tries) {
            const lock_guard guard(list);
            found = waiter;
        }
        if (found == nullptr) {
            model::wait_until_quiet();
            const lock_guard guard(list);
            found = waiter;
        }
        MODEL_CHECK(found == &gp);
        goready(gp);
        model::wait_until_quiet();
        MODEL_CHECK(ran == 1);
        rig.check_idle_lists();
    });
}

TEST(kb07_syscall, a_p_in_a_system_call_is_taken_once) {
    // sysmon takes the p while its m comes back: one of them has it, and no goroutine is left
    // behind.
    machine rig(2);
    expect_holds_in_both_modes(small(0), [&] {
        rig.begin(-1);
        unsigned ran = 0;
        g& caller = rig.goroutine("caller", [&] {
            entersyscall();
            exitsyscall();
            ++ran;
        });
        g& left = rig.goroutine("left", [&] { ++ran; });
        rig.worker(caller, &left);
        p& pp = rig.proc(0);
        if (pp.status.load(memory_order_relaxed) == p_status::syscall && retake_syscall_p(pp))
            handoffp(pp);
        model::wait_until_quiet();
        MODEL_CHECK(ran == 2);
        rig.check_idle_lists();
    });
}

TEST(kb27_timer, an_earlier_timer_breaks_the_pollers_sleep) {
    // One thread adds a timer while an m goes to sleep until the old earliest timer: at least one
    // must see the other's step.
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        rig.begin(0);
        static std::int64_t fired_at[2];
        fired_at[0] = fired_at[1] = 0;
        timer far, near;
        far.run = near.run = [](void* at) {
            *static_cast<std::int64_t*>(at) = model::the_engine->clock();
        };
        far.arg = &fired_at[0];
        near.arg = &fired_at[1];
        (void)rig.proc(0).timers.reset(far, 1'000'000'000);
        rig.spare_ms();
        rig.busy_m("worker", 1, false);
        if (rig.proc(0).timers.reset(near, 100'000'000).earlier) wake_poller(near.when);
        // The worker sleeps in the poller until time passes, which it does when the schedule is
        // quiet.
        model::sleep_until(500'000'000);
        MODEL_CHECK(fired_at[1] != 0 && fired_at[1] < 200'000'000);
        MODEL_CHECK(fired_at[0] == 0);
    });
}

TEST(kb27_timer, moved_to_an_earlier_moment_breaks_the_pollers_sleep) {
    // The same by reset of a timer for which the poller already sleeps: its old moment must not
    // count. (In a whole process sysmon would repair it after a while.)
    machine rig(2);
    expect_holds_in_both_modes(small(), [&] {
        rig.begin(0);
        rig.spare_ms();
        rig.busy_m("worker", 1, false);
        rota::detail::timer_block* const b = rota::detail::chan_timer_new(1'000'000'000, false);
        (void)rota::detail::timer_reset(b, 100'000'000);
        model::sleep_until(500'000'000);
        std::int64_t at = 0;
        MODEL_CHECK(chan_recv(rota::detail::timer_channel(b), &at, false) ==
                    rota::detail::chan_result::ok);
        MODEL_CHECK(at < 200'000'000);
        rota::detail::timer_release(b);
    });
}

TEST(kb05_idle, lists_and_counts_agree) {
    // Two threads take ps and ms and give them back at the same time.
    machine rig(2);
    options o;
    o.leaks = false;
    model::expect_holds(o, [&] {
        rig.begin(-1);
        const auto work = [&] {
            p* pp = nullptr;
            {
                const lock_guard guard(sched.mu);
                pp = pidle_get();
            }
            if (pp == nullptr) return;
            const lock_guard guard(sched.mu);
            pidle_put(*pp);
        };
        model::thread a("a", work), b("b", work);
        work();
        a.join();
        b.join();
        rig.check_idle_lists();
        MODEL_CHECK(sched.idle_p_count.load(memory_order_relaxed) == 2);
    });
}

}  // namespace
