// Locks and notes: the ground that everything else stands on.
#include <gtest/gtest.h>

#include "netpoll/poller.hpp"
#include "rig.hpp"
#include "sys/thread/lock.hpp"
#include "sys/thread/note.hpp"

namespace {

using namespace rota::rt;
using model::options;
using model::plain;

constexpr lock_rank any_rank = lock_rank::sched;

TEST(model_lock, excludes_and_forgets_no_sleeper) {
    // A release that does not see the sleeper leaves it asleep beside a free lock: a deadlock here.
    // In the restartable mode that is a release under way while the contender writes "sleepers".
    model::expect_holds_in_both_modes({}, [] {
        lock l{any_rank};
        model::name(l, "lock");
        plain<int> inside(0);
        const auto work = [&] {
            l.acquire();
            inside.set(inside.get() + 1);
            l.release();
        };
        model::thread a("a", work), b("b", work);
        work();
        a.join();
        b.join();
        MODEL_CHECK(inside.get() == 3);
    });
}

TEST(model_lock, hands_on_again_and_again) {
    // A sleeper that is woken and beaten to it must sleep again without being forgotten.
    model::expect_holds_in_both_modes({}, [] {
        lock l{any_rank};
        model::name(l, "lock");
        plain<int> inside(0);
        const auto work = [&] {
            for (int i = 0; i < 2; ++i) {
                const lock_guard guard(l);
                inside.set(inside.get() + 1);
            }
        };
        model::thread a("a", work);
        work();
        a.join();
        MODEL_CHECK(inside.get() == 4);
    });
}

TEST(model_lock, try_acquire_never_enters_a_held_lock) {
    model::expect_holds_in_both_modes({}, [] {
        lock l{any_rank};
        plain<int> inside(0);
        const auto attempt = [&] {
            if (!l.try_acquire()) return;
            inside.set(inside.get() + 1);
            l.release();
        };
        model::thread a("a", attempt);
        model::thread b("b", [&] {
            const lock_guard guard(l);
            inside.set(inside.get() + 1);
        });
        attempt();
        a.join();
        b.join();
        MODEL_CHECK(inside.get() >= 1);
    });
}

TEST(kb03_note, keeps_a_wakeup_that_comes_before_the_sleep) {
    // The waker skips the system call when nobody sleeps: the token must be there for who is on the
    // way to sleep, with all that the waker did before.
    options o;
    o.preemptions = 4;
    model::expect_holds(o, [] {
        note n;
        model::name(n, "note");
        plain<int> data(0);
        model::thread sleeper("sleeper", [&] {
            n.sleep();
            MODEL_CHECK(data.get() == 1);
        });
        data.set(1);
        n.wakeup();
        sleeper.join();
    });
}

TEST(kb03_note, serves_round_after_round) {
    model::expect_holds({}, [] {
        note ping, pong;
        model::name(ping, "ping");
        model::name(pong, "pong");
        plain<int> data(0);
        model::thread other("other", [&] {
            for (int i = 0; i < 2; ++i) {
                ping.sleep();
                ping.clear();
                data.set(data.get() + 1);
                pong.wakeup();
            }
        });
        for (int i = 0; i < 2; ++i) {
            ping.wakeup();
            pong.sleep();
            pong.clear();
        }
        other.join();
        MODEL_CHECK(data.get() == 2);
    });
}

TEST(kb48_note, loses_no_wakeup_that_meets_the_time_out) {
    // Either the sleeper takes the token and says so, or it times out and the token is there for
    // the next sleep.
    options o;
    o.early_time_outs = true;
    o.preemptions = 4;
    model::expect_holds(o, [] {
        note n;
        model::name(n, "note");
        model::thread sleeper("sleeper", [&] {
            if (!n.sleep_until(5'000'000)) n.sleep();
        });
        n.wakeup();
        sleeper.join();
    });
}

TEST(kb05_poller, breaks_the_sleep_under_way_or_the_next_one) {
    // A break that is swallowed leaves the poller asleep beyond an earlier timer.
    options o;
    o.preemptions = 4;
    model::expect_holds(o, [] {
        poller poll;
        model::name(poll, "poller");
        atomic<std::uint32_t> earlier{0};
        std::int64_t until = 1'000'000'000;
        model::thread sleeper("sleeper", [&] {
            while (earlier.load(memory_order_seq_cst) == 0) poll.sleep_until(until);
            MODEL_CHECK(model::the_engine->clock() < until);
        });
        earlier.store(1, memory_order_seq_cst);
        poll.wake();
        sleeper.join();
    });
}

}  // namespace
