// Checks the tables to which events refer: stacks and strings.
//
// What could go wrong: a number is given twice in a generation, or numbers run out over many
// generations. Refused memory ends the process instead of the trace.
#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include "../refusing.hpp"
#include "trace/clock.hpp"
#include "trace/stacks.hpp"
#include "trace/strings.hpp"
#include "trace/wire.hpp"

using namespace rota::rt;

namespace {

TEST(trace_wire, numbers_are_written_in_as_few_bytes_as_they_need) {
    // If a length is wrong at a power of 128, a reader takes the next number for a part of this
    // number.
    for (unsigned bits = 0; bits <= 64; ++bits) {
        const std::uint64_t least = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
        for (const std::uint64_t v : {least, least * 2 - 1, least + least / 3}) {
            std::uint8_t bytes[uvarint_max];
            const std::uint8_t* const end = put_uvarint(bytes, v);
            std::uint64_t read = 0;
            unsigned shift = 0;
            for (const std::uint8_t* at = bytes; at != end; ++at, shift += 7) {
                read |= std::uint64_t{*at & 0x7fu} << shift;
                EXPECT_EQ(*at >= 0x80, at + 1 != end) << v;
            }
            EXPECT_EQ(read, v);
            EXPECT_TRUE(shift == 7 || v >> (shift - 7) != 0) << v;
        }
    }
}

TEST(trace_strings, numbers_of_logs_begin_anew_in_each_generation) {
    constexpr std::uint32_t room = 3;
    static trace_string_table few(trace_string_often + 1 + room);
    for (int generation = 0; generation < 3; ++generation) {
        (void)trace_chunks.take();
        std::uint32_t last = 0;
        for (std::uint32_t i = 0; i < room; ++i) {
            const std::uint32_t id = few.once("text");
            EXPECT_GT(id, trace_string_often);
            EXPECT_GT(id, last);
            last = id;
        }
        EXPECT_EQ(few.once(""), 0u);
        few.flush();
    }
    (void)trace_chunks.take();
}

TEST(trace_strings, that_find_no_number_are_dropped_and_counted) {
    static trace_string_table none(trace_string_often + 1);
    (void)trace_chunks.take();
    EXPECT_EQ(none.once("text"), 0u);
    const trace_list lost = trace_chunks.take();
    EXPECT_EQ(lost.dropped, 1u);
    EXPECT_FALSE(lost.refused);
}

TEST(trace_strings, that_are_named_often_keep_their_number) {
    static trace_string_table table;
    const std::uint32_t a = table.often("a", 1), b = table.often("b", 1);
    EXPECT_NE(a, b);
    EXPECT_GT(a, trace_string_fixed);
    EXPECT_LE(b, trace_string_often);
    table.flush();
    EXPECT_EQ(table.often("a", 2), a);
    EXPECT_EQ(table.often("b", 2), b);
    (void)trace_chunks.take();
}

#if defined(ROTA_DEBUG_CHECKS)

using rota_test::refusing;

TEST(trace_strings, that_find_no_memory_are_dropped_and_counted) {
    static trace_string_table table;
    (void)trace_chunks.take();
    {
        const refusing all(sys_call::mmap, ENOMEM);
        EXPECT_EQ(table.often("text", 1), 0u);
    }
    EXPECT_TRUE(trace_chunks.take().refused);
    EXPECT_NE(table.often("text", 1), 0u);
    (void)trace_chunks.take();
}

TEST(trace_stacks, that_find_no_memory_are_dropped_and_counted) {
    static trace_stack_table table;
    const std::uintptr_t pcs[] = {1, 2};
    (void)trace_chunks.take();
    {
        const refusing all(sys_call::mmap, ENOMEM);
        EXPECT_EQ(table.add(pcs, 2), 0u);
    }
    EXPECT_TRUE(trace_chunks.take().refused);
    const std::uint32_t id = table.add(pcs, 2);
    EXPECT_NE(id, 0u);
    EXPECT_EQ(table.add(pcs, 2), id);
    EXPECT_NE(table.add(pcs, 1), id);
    EXPECT_FALSE(trace_chunks.take().refused);
}

#endif

// The clock and the ticks agree to within a hundredth.
TEST(trace_clock, ticks_measure_time) {
    trace_clock_t clock;
    clock.choose();
    if (!clock.uses_ticks()) GTEST_SKIP() << "the processor's ticks are no clock here";
    const trace_moment begin = clock.advance(clock.look());
    while (clock.watch_ns() > 0) {
    }
    const trace_scale scale = clock.scale(true);
    const trace_moment end = clock.look();
    const auto ns = [&](const trace_moment& m) {
        return static_cast<double>(m.stamp + scale.offset) * 1e9 /
               static_cast<double>(scale.frequency);
    };
    EXPECT_NEAR(ns(begin), static_cast<double>(begin.mono), 1e6);
    EXPECT_NEAR(ns(end) - ns(begin), static_cast<double>(end.mono - begin.mono),
                static_cast<double>(end.mono - begin.mono) / 100);
    EXPECT_TRUE(clock.advance(end).stamp == end.stamp && clock.uses_ticks());
}

TEST(trace_clock, ticks_that_part_from_the_clock_are_not_trusted_again) {
    trace_clock_t clock;
    clock.choose();
    if (!clock.uses_ticks()) GTEST_SKIP() << "the processor's ticks are no clock here";
    clock.advance(clock.look());
    while (clock.watch_ns() > 0) {
    }
    trace_moment wrong = clock.look();
    const trace_scale ticks = clock.scale(true);
    wrong.stamp += ticks.frequency;  // a second ahead
    const trace_moment begin = clock.advance(wrong);
    EXPECT_FALSE(clock.uses_ticks());
    EXPECT_EQ(begin.stamp, static_cast<std::uint64_t>(begin.mono));
    const trace_scale ns = clock.scale(false);
    EXPECT_EQ(ns.frequency, 1'000'000'000u);
    // For a reader the next generation must not begin before the end of the last generation.
    const double reached = static_cast<double>(wrong.stamp + ticks.offset) * 1e9 /
                           static_cast<double>(ticks.frequency);
    EXPECT_NEAR(static_cast<double>(begin.stamp + ns.offset), reached, 1e6);
}

}  // namespace
