// Explores waits with a time limit: the timer against the waker. The body holds the only p and runs
// the due timers; the waiters are threads of the program's own.
#include <mutex>

#include <gtest/gtest.h>
#include <rota/detail/future_state.hpp>
#include <rota/sync.hpp>

#include "rig.hpp"

namespace {

using namespace rota::rt;
using model::machine;
using model::options;
using model::plain;
using model::stranger_thread;

options without_leaks(unsigned departures) {
    options o = model::departures(departures);
    o.leaks = false;
    return o;
}

TEST(kb48_semaphore, permit_and_time_limit_at_the_same_moment) {
    machine rig(1);
    model::expect_holds(without_leaks(1), [&] {
        rig.begin(0);
        rota::counting_semaphore<> s(0);
        model::name(s, "semaphore");
        plain<bool> got(false);
        stranger_thread waiter("waiter", [&] {
            if (s.try_acquire_for(std::chrono::hours(1))) got.set(true);
        });
        stranger_thread giver("giver", [&] { s.release(); });
        rig.time_passes();
        waiter.join();
        giver.join();
        MODEL_CHECK(got.get() != s.try_acquire());
    });
}

TEST(kb48_semaphore, waiter_behind_one_that_gives_up_gets_the_permit) {
    machine rig(1);
    model::expect_holds(without_leaks(0), [&] {
        rig.begin(0);
        rota::counting_semaphore<> s(0);
        model::name(s, "semaphore");
        plain<bool> got(false);
        stranger_thread hasty("hasty", [&] {
            if (s.try_acquire_for(std::chrono::hours(1))) s.release();
        });
        stranger_thread patient("patient", [&] {
            s.acquire();
            got.set(true);
            s.release();  // if the patient thread came first, the hasty thread still waits
        });
        rig.time_passes();
        s.release();
        hasty.join();
        patient.join();
        MODEL_CHECK(got.get());
    });
}

TEST(kb48_condition_variable, notification_and_time_limit_at_the_same_moment) {
    // A waiter whose time is up must not swallow the notification of the next waiter.
    machine rig(1);
    model::expect_holds(without_leaks(0), [&] {
        rig.begin(0);
        rota::mutex mu;
        rota::condition_variable changed;
        model::name(changed, "condition");
        plain<bool> ready(false);
        stranger_thread hasty("hasty", [&] {
            std::unique_lock lock(mu);
            if (ready.get()) return;
            if (changed.wait_for(lock, std::chrono::hours(1)) == std::cv_status::no_timeout)
                changed.notify_one();
        });
        stranger_thread patient("patient", [&] {
            std::unique_lock lock(mu);
            changed.wait(lock, [&] { return ready.get(); });
            changed.notify_one();  // if the patient thread came first, the hasty thread still waits
        });
        stranger_thread notifier("notifier", [&] {
            {
                const std::lock_guard guard(mu);
                ready.set(true);
            }
            changed.notify_one();
        });
        rig.time_passes();
        hasty.join();
        patient.join();
        notifier.join();
    });
}

TEST(kb48_future, result_and_time_limit_at_the_same_moment) {
    machine rig(1);
    model::expect_holds(without_leaks(1), [&] {
        rig.begin(0);
        auto* const state = new rota::detail::future_state<int>;
        model::name(*state, "future");
        stranger_thread producer("producer", [&] {
            rota::detail::future_producer<int> share(state);
            share.run([] { return 7; });
        });
        stranger_thread waiter("waiter", [&] {
            const rota::detail::future_claim<int> claim(state);
            (void)rota::detail::future_await_until(
                *state, rota::detail::deadline_after(std::chrono::hours(1)));
            MODEL_CHECK(claim.get() == 7);
        });
        rig.time_passes();
        producer.join();
        waiter.join();
    });
}

}  // namespace
