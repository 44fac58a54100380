// Explores timers that are stopped, moved and dropped at the moment at which they come due.
//
// One thread is the clock: it takes due timers out of the heap and delivers them, as an m does. The
// remaining threads use the timer. There is no time here: a timer is due when the clock looks.
#include <gtest/gtest.h>
#include <rota/detail/time_engine.hpp>

#include "rig.hpp"
#include "sched/queue/timers.hpp"

namespace {

using namespace rota::rt;
using model::departures;
using model::machine;
using model::options;
using model::stranger_thread;
using rota::detail::chan_result;
using rota::detail::chan_timer_new;
using rota::detail::timer_block;
using rota::detail::timer_channel;
using rota::detail::timer_release;
using rota::detail::timer_reset;
using rota::detail::timer_stop;

constexpr std::int64_t end_of_time = rota::detail::ns_max;

// Takes each due timer of p 0's heap, and runs it.
void clock_looks(machine& rig) {
    timer_errand due[2];
    const std::uint32_t n = rig.proc(0).timers.pop_due(end_of_time, due, 2);
    run_errands(due, n);
}

int receives(timer_block* b) {
    std::int64_t at = 0;
    return chan_recv(timer_channel(b), &at, false) == chan_result::ok ? 1 : 0;
}

TEST(kb29_timer, nothing_comes_after_a_stop_at_the_moment_itself) {
    // The value is in the heap, on its way or in the channel: stop takes it from each of these
    // places, and reports success.
    machine rig(1);
    model::expect_holds_in_both_modes(departures(1), [&] {
        rig.begin(0);
        timer_block* const b = chan_timer_new(10, false);
        stranger_thread clock("clock", [&] { clock_looks(rig); });
        MODEL_CHECK(timer_stop(b));
        MODEL_CHECK(receives(b) == 0);
        clock.join();
        clock_looks(rig);
        MODEL_CHECK(receives(b) == 0);
        MODEL_CHECK(!timer_stop(b));
        timer_release(b);
    });
}

TEST(kb29_timer, a_reset_at_the_moment_itself_gives_exactly_one_value) {
    // The old value must not come, and the new value must not be taken for it.
    machine rig(1);
    model::expect_holds_in_both_modes(departures(1), [&] {
        rig.begin(0);
        timer_block* const b = chan_timer_new(10, false);
        stranger_thread clock("clock", [&] {
            clock_looks(rig);
            clock_looks(rig);
        });
        MODEL_CHECK(timer_reset(b, 10));
        int values = receives(b);
        clock.join();
        clock_looks(rig);
        values += receives(b);
        MODEL_CHECK(values == 1);
        timer_release(b);
    });
}

TEST(kb29_timer, two_that_reset_and_stop_at_once_leave_it_whole) {
    // Both change the timer under its lock: the later call has started or stopped it, never in
    // between.
    machine rig(1);
    options o = departures(1);
    o.departures = 0;
    model::expect_holds(o, [&] {
        rig.begin(0);
        timer_block* const b = chan_timer_new(10, false);
        stranger_thread clock("clock", [&] { clock_looks(rig); });
        bool stopped = false;
        stranger_thread other("other", [&] { stopped = timer_stop(b); });
        const bool was = timer_reset(b, 10);
        other.join();
        clock.join();
        clock_looks(rig);
        const int values = receives(b);
        // Either the stop came first, and the reset started the timer again; or the stop ended that
        // start.
        MODEL_CHECK(stopped);
        MODEL_CHECK(was ? values == 0 : values == 1);
        timer_release(b);
    });
}

TEST(kb48_timer, a_wait_with_a_limit_ends_once) {
    // Served and timed out at the same moment: one event wins, and once stop_timer has returned no
    // thread touches the waiter's frame.
    machine rig(1);
    model::expect_holds_in_both_modes(departures(1), [&] {
        rig.begin(0);
        static atomic<int> ended{0};
        ended.store(0, memory_order_relaxed);
        struct limited : timer {
            atomic<std::uint32_t> decided{0};
        };
        stranger_thread clock("clock", [&] { clock_looks(rig); });
        {
            limited t;
            t.arg = &t;
            t.run = [](void*) { ended.fetch_add(1, memory_order_relaxed); };
            t.claim = [](timer& self) -> void* {
                return static_cast<limited&>(self).decided.cas(0, 1, memory_order_acq_rel)
                           ? &ended
                           : nullptr;
            };
            (void)start_timer(t, 10);
            const bool served = t.decided.cas(0, 2, memory_order_acq_rel);
            const bool stopped = stop_timer(t);
            MODEL_CHECK(!stopped || served);
            if (served) ended.fetch_add(1, memory_order_relaxed);
            MODEL_CHECK(served == (t.decided.load(memory_order_relaxed) == 2));
        }
        clock.join();
        MODEL_CHECK(ended.load(memory_order_relaxed) == 1);
    });
}

}  // namespace
