// Door: decides whether the backlog grows while network work is left to one m
// (sched/policy/poll_trial).
//
// With a thousand clients the backlog (how many goroutines wait) goes up and down between zero and
// a thousand from one look to the next. So the mean of 8 looks counts. It is compared with the mean
// of the sample's first looks, and with the largest such mean of late under `shared`. Four times as
// many and 256 more are a crowd; so are more than 2048, which would wait too long in any case.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rota::rt {

class crowd_watch {
  public:
    static constexpr std::uint64_t recently = 8;  // looks
    static constexpr std::uint64_t times = 4, more = 256, too_many = 2048;

    void forget() { *this = {}; }
    // A sample begins to count, under `single` or `shared`. `waiting`: the backlog at that moment.
    void begin_sample(bool is_alone, std::uint64_t waiting) {
        is_alone_ = is_alone;
        then_ = waiting;
        recent_ = is_alone ? recently * waiting : 0;  // a backlog of `single` does not count
        if (!is_alone && !follows_crowd_) most_shared_ -= most_shared_ / 4;  // old figures fade
        sum_ = looks_ = 0;
    }
    // Counts one look. Caller: at each look, the first of the sample included.
    void look(std::uint64_t waiting) {
        sum_ += waiting;
        ++looks_;
        recent_ += waiting - recent_ / recently;
        if (looks_ != recently) return;
        then_ = std::max(then_, sum_ / looks_);  // the sample's first look alone may find none
        if (follows_crowd_) recent_ = recently * waiting;  // the old crowd is served by now
        follows_crowd_ = false;
    }
    // Whether the backlog is a crowd. Caller: at each look, once the sample is long enough to tell.
    bool is_crowd() {
        const std::uint64_t n = recent_ / recently;
        if (is_alone_) return n > std::min(times * std::max(then_, most_shared_) + more, too_many);
        if (!follows_crowd_) most_shared_ = std::max(most_shared_, n);
        return false;
    }
    // The sample is over. `was_crowd`: it ended for a crowd, which the next sample finds waiting.
    void end_sample(bool was_crowd) { follows_crowd_ = was_crowd; }
    // The mean backlog of the sample's looks, in eighths of a goroutine.
    std::int64_t mean_in_eighths() const { return static_cast<std::int64_t>(8 * sum_ / looks_); }

  private:
    std::uint64_t then_ = 0;         // backlog at the sample's beginning
    std::uint64_t most_shared_ = 0;  // largest mean of `recently` looks in shared samples of late
    std::uint64_t recent_ = 0;       // moving average of the last looks, times `recently`
    std::uint64_t sum_ = 0, looks_ = 0;
    bool is_alone_ = false;
    bool follows_crowd_ = false;  // the sample follows a crowd, and has had fewer than 8 looks
};

}  // namespace rota::rt
