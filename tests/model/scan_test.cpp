// Explores how a scan holds still the goroutines that do not run: sched/preempt/scan.
//
// Invariant: from begin() to end() a held goroutine stays off its stack. The goroutine counts its
// turns in a word. The scan reads the word of a held goroutine again and again, and it must not
// change. (The word is an atomic: the barrier of begin() orders the two sides, and the explorer's
// race detector does not count that as an order.)
#include <gtest/gtest.h>

#include "rig.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/preempt/scan.hpp"

namespace {

using namespace rota::rt;
using model::expect_holds_on_one_p;
using model::machine;
using model::small;

using counter = atomic<std::uint32_t>;  // relaxed: see above

void count(counter& turns) { turns.fetch_add(1u, memory_order_relaxed); }

// Reports by observe() whether it has held the goroutine, and in which turn.
void scan_once(const g& gp, const counter& turns) {
    static stack_scan scan;  // too large for a stack; begin() forgets the scan before
    scan.begin();
    if (scan.holds(gp)) {
        const std::uint32_t first = turns.load(memory_order_relaxed);
        for (int i = 0; i < 3; ++i) MODEL_CHECK(turns.load(memory_order_relaxed) == first);
        model::observe(first);
    } else {
        model::observe(10);
    }
    scan.end();
}

TEST(model_scan, a_goroutine_that_is_held_does_not_begin_to_run) {
    // The m marks its goroutine as running and then looks for a scan under way. The scan announces
    // itself and then looks at the mark. Without the barrier in between each could miss the other.
    const model::result r = expect_holds_on_one_p(small(), [&](machine& rig) {
        counter turns{0};
        bool ended = false;
        g& gp = rig.goroutine("g", [&] {
            count(turns);
            ended = true;
        });
        rig.worker(gp);
        scan_once(gp, turns);
        model::wait_until_quiet();
        MODEL_CHECK(ended);
    });
    EXPECT_TRUE(r.has_seen(0)) << "no schedule has held it before it ran";
    EXPECT_TRUE(r.has_seen(10)) << "no schedule has found it running, or ended";
}

TEST(model_scan, a_goroutine_between_two_turns_is_held_with_what_it_did) {
    // Two goroutines that yield to each other switch directly, without the look that g0 takes: the
    // scan sends them to g0. A goroutine that is queued and still on its stack must not be held.
    const model::result r = expect_holds_on_one_p(small(0), [&](machine& rig) {
        counter turns{0};
        int ended = 0;
        g& gp = rig.goroutine("g", [&] {
            count(turns);
            {
                const runtime_entry inside;
                goyield();
            }
            count(turns);
            ++ended;
        });
        g& other = rig.goroutine("other", [&] {
            const runtime_entry inside;
            goyield();
            ++ended;
        });
        rig.worker(gp, &other);
        scan_once(gp, turns);
        model::wait_until_quiet();
        MODEL_CHECK(ended == 2);
    });
    EXPECT_TRUE(r.has_seen(0)) << "no schedule has held it before it ran";
    EXPECT_TRUE(r.has_seen(1)) << "no schedule has held it between its turns";
    EXPECT_TRUE(r.has_seen(10)) << "no schedule has found it running, or ended";
}

TEST(model_scan, of_two_at_once_each_holds_until_its_own_end) {
    // The end of a scan must not release the goroutines that another scan holds.
    expect_holds_on_one_p(small(0), [&](machine& rig) {
        counter turns{0};
        bool ended = false;
        g& gp = rig.goroutine("g", [&] {
            count(turns);
            ended = true;
        });
        rig.worker(gp);
        model::stranger_thread other("other", [] {
            static stack_scan second;
            second.begin();
            second.end();
        });
        scan_once(gp, turns);
        other.join();
        model::wait_until_quiet();
        MODEL_CHECK(ended);
    });
}

}  // namespace
