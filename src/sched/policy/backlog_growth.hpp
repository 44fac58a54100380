// Door: decides whether the backlog grows while network work is left to one m
// (sched/policy/poll_trial).
//
// With a thousand clients the backlog (how many goroutines wait) goes up and down between zero and
// a thousand from one look to the next. So the mean of 8 looks counts. It is compared with the mean
// of the sample's first looks, and with the largest such mean of late under `shared`. Four times as
// many and 256 more mean that it grows, as do more than 2048, which would wait too long in any
// case.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rota::rt {

class backlog_growth {
  public:
    static constexpr std::uint64_t recently = 8;  // looks
    static constexpr std::uint64_t times = 4, more = 256, too_many = 2048;

    void forget() { *this = {}; }
    // A sample begins to count, under `single` or `shared`. `waiting`: the backlog at that moment.
    void begin_sample(bool is_single, std::uint64_t waiting) {
        is_single_ = is_single;
        then_ = waiting;
        recent_ = is_single ? recently * waiting : 0;  // a backlog of `single` does not count
        if (!is_single && !follows_growth_) most_shared_ -= most_shared_ / 4;  // old figures fade
        sum_ = looks_ = 0;
    }
    // Counts one look. Caller: at each look, the first of the sample included.
    void look(std::uint64_t waiting) {
        sum_ += waiting;
        ++looks_;
        recent_ += waiting - recent_ / recently;
        if (looks_ != recently) return;
        then_ = std::max(then_, sum_ / looks_);  // the sample's first look alone may find none
        if (follows_growth_) recent_ = recently * waiting;  // the old backlog is served by now
        follows_growth_ = false;
    }
    // Whether the backlog grows. Caller: at each look, once the sample is long enough to tell.
    bool is_growing() {
        const std::uint64_t n = recent_ / recently;
        if (is_single_) return n > std::min(times * std::max(then_, most_shared_) + more, too_many);
        if (!follows_growth_) most_shared_ = std::max(most_shared_, n);
        return false;
    }
    // The sample is over. `was_growing`: it ended because the backlog grew, and the next sample
    // finds it waiting.
    void end_sample(bool was_growing) { follows_growth_ = was_growing; }
    // The mean backlog of the sample's looks, in eighths of a goroutine.
    std::int64_t mean_in_eighths() const { return static_cast<std::int64_t>(8 * sum_ / looks_); }

  private:
    std::uint64_t then_ = 0;         // backlog at the sample's beginning
    std::uint64_t most_shared_ = 0;  // largest mean of `recently` looks in shared samples of late
    std::uint64_t recent_ = 0;       // moving average of the last looks, times `recently`
    std::uint64_t sum_ = 0, looks_ = 0;
    bool is_single_ = false;
    // the sample follows such a sample, and has had fewer than 8 looks
    bool follows_growth_ = false;
};

}  // namespace rota::rt
