// Decides whether processor ticks can time events, and measures their rate.
#include "trace/clock.hpp"

#include <utility>

#include "sys/call/ticks.hpp"

namespace rota::rt {

namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::int64_t watch_min = 10'000'000;  // ns; the rate is then known to a few millionths

// Reads both clocks. Keeps the pair that took the least time of three tries.
void look_at_both(trace_moment& m) {
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < 3; ++i) {
        const std::uint64_t before = processor_ticks();
        const std::int64_t mono = nanotime();
        const std::uint64_t took = processor_ticks() - before;
        if (took >= least) continue;
        least = took;
        m.stamp = (before + took / 2) >> tick_shift;
        m.mono = mono;
    }
}

}  // namespace

void trace_clock_t::choose() {
    if (is_chosen_) return;
    is_chosen_ = true;
    uses_ticks_ = !virtual_clock.on() && are_ticks_steady();
}

trace_moment trace_clock_t::look() const {
    trace_moment m;
    if (uses_ticks_) {
        look_at_both(m);
    } else {
        m.mono = nanotime();
        m.stamp = static_cast<std::uint64_t>(m.mono);
    }
    return m;
}

bool trace_clock_t::have_parted(const trace_moment& then, const trace_moment& now) const {
    if (frequency_ == 0) return now.stamp < then.stamp;
    const double passed = static_cast<double>(now.mono - then.mono);
    const double counted = static_cast<double>(static_cast<std::int64_t>(now.stamp - then.stamp)) *
                           static_cast<double>(second) / static_cast<double>(frequency_);
    const double apart = counted > passed ? counted - passed : passed - counted;
    // The kernel adjusts its clock by at most half a thousandth.
    return apart > passed / 1000 + 1'000'000;
}

trace_moment trace_clock_t::advance(const trace_moment& now) {
    if (!uses_ticks_) return now;
    if (!has_base_) {
        has_base_ = true;
        base_ = last_ = now;
        return now;
    }
    // Either the ticks jumped within one generation, or their rate was not known exactly.
    if (!have_parted(std::exchange(last_, now), now) && !have_parted(base_, now)) return now;
    uses_ticks_ = false;
    const trace_moment next = look();
    // A reader's time continues from where the ticks, possibly ahead, have brought it.
    const std::uint64_t reached = ns_of(now.stamp);
    if (frequency_ != 0 && reached > next.stamp) offset_ = reached - next.stamp;
    return next;
}

std::int64_t trace_clock_t::watch_ns() {
    if (frequency_ != 0 || !has_base_) return 0;
    trace_moment now;
    look_at_both(now);
    const std::int64_t passed = now.mono - base_.mono;
    if (passed < watch_min) return watch_min - passed;
    const double counted = static_cast<double>(static_cast<std::int64_t>(now.stamp - base_.stamp));
    const double rate = counted * static_cast<double>(second) / static_cast<double>(passed);
    // A rate below 1: the ticks stand still or go back, which the next comparison detects.
    frequency_ = rate >= 1 ? static_cast<std::uint64_t>(rate) : 1;
    return 0;
}

// The time that a reader computes from a stamp that counts ticks. Caller: the rate is known.
std::uint64_t trace_clock_t::ns_of(std::uint64_t stamp) const {
    if (frequency_ == 0) return 0;
    const double passed = static_cast<double>(static_cast<std::int64_t>(stamp - base_.stamp)) *
                          static_cast<double>(second) / static_cast<double>(frequency_);
    const double ns = static_cast<double>(base_.mono) + passed;
    constexpr double years = 1e18;  // in ns: thirty years
    return ns > 0 && ns < years ? static_cast<std::uint64_t>(ns) : 0;
}

// A reader's time is clock time, as it was when the ticks were first used.
trace_scale trace_clock_t::scale(bool of_ticks) const {
    if (!of_ticks) return {offset_, second};
    const auto mono = static_cast<std::uint64_t>(base_.mono);
    const std::uint64_t then = mono / second * frequency_ + mono % second * frequency_ / second;
    return {then - base_.stamp, frequency_};
}

}  // namespace rota::rt
