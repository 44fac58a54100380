// Checks the counters of the stops of the world.
#include "sched/world/stw.hpp"

#include <cstdint>

#include <gtest/gtest.h>
#include <rota/runtime.hpp>

#include "../../gomaxprocs_restored.hpp"

namespace rota::rt {
namespace {

// relaxed: this thread has made the stops
std::uint64_t figure(const atomic<std::uint64_t>& counter) {
    return counter.load(memory_order_relaxed);
}

TEST(stop_counters, count_each_stop_once_with_its_pause) {
    // A stop could be counted twice, without need, or with the wrong length.
    const rota_test::gomaxprocs_restored at_end;
    const int one = at_end.before(), other = one == 1 ? 2 : 1;
    runtime::gomaxprocs(one);  // from here on only this test changes it
    const stop_counters& c = stops_for(stop_reason::gomaxprocs);
    const std::uint64_t before = figure(c.stops);
    const std::uint64_t paused_before = figure(c.paused_ns);
    for (const int n : {other, other, one}) runtime::gomaxprocs(n);
    EXPECT_EQ(figure(c.stops), before + 2);
    EXPECT_GT(figure(c.paused_ns), paused_before);
    EXPECT_LE(figure(c.paused_max_ns), figure(c.paused_ns));
    EXPECT_GT(figure(c.waited_ns), 0u);
    std::uint64_t pauses = 0;
    for (std::size_t i = 0; i < time_histogram::bucket_count; ++i) pauses += c.total.count(i);
    EXPECT_EQ(pauses, figure(c.stops));
}

}  // namespace
}  // namespace rota::rt
