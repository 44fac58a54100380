// Door: whether more and more wait while all is left to one m (sched/alone).
//
// Where a thousand clients ask at a time the number of those who wait goes up and down between none
// and all of them, from one look to the next. So it is the mean of some looks that counts, beside
// that of the first looks of the row, and beside the most there were of late while all was shared:
// four times as many, and some more, are a crowd, or so many that they would wait too long anyway.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rota::rt {

class crowd_watch {
  public:
    static constexpr std::uint64_t recently = 8;  // looks
    static constexpr std::uint64_t times = 4, more = 256, too_many = 2048;

    void forget() { *this = {}; }
    // A row begins to count, in which all is left to one or shared.
    void begin_row(bool is_alone, std::uint64_t waiting) {
        is_alone_ = is_alone;
        then_ = waiting;
        recent_ = is_alone ? recently * waiting : 0;  // what alone has left is not its own crowd
        if (!is_alone && !follows_crowd_) most_shared_ -= most_shared_ / 4;  // older ones fade
        sum_ = looks_ = 0;
    }
    // At each look, the first one of the row included.
    void look(std::uint64_t waiting) {
        sum_ += waiting;
        ++looks_;
        recent_ += waiting - recent_ / recently;
        if (looks_ != recently) return;
        then_ = std::max(then_, sum_ / looks_);  // one look, the row's first, may find none
        if (follows_crowd_) recent_ = recently * waiting;  // it is served by now
        follows_crowd_ = false;
    }
    // Caller: from where the row is long enough to tell, at each look.
    bool is_crowd() {
        const std::uint64_t n = recent_ / recently;
        if (is_alone_) return n > std::min(times * std::max(then_, most_shared_) + more, too_many);
        if (!follows_crowd_) most_shared_ = std::max(most_shared_, n);
        return false;
    }
    // The row is over; whether for a crowd, which the next one will find there.
    void end_row(bool was_crowd) { follows_crowd_ = was_crowd; }
    // How many have waited at each look of the row, on the average, in eighths.
    std::int64_t mean_in_eighths() const { return static_cast<std::int64_t>(8 * sum_ / looks_); }

  private:
    std::uint64_t then_ = 0;         // at the row's beginning
    std::uint64_t most_shared_ = 0;  // in the mean of `recently` looks, in shared rows of late
    std::uint64_t recent_ = 0;       // the mean of the last looks, times `recently`
    std::uint64_t sum_ = 0, looks_ = 0;
    bool is_alone_ = false;
    bool follows_crowd_ = false;  // the present row does, and has had but a few looks
};

}  // namespace rota::rt
