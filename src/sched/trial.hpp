// Two ways to do the same, on trial in turn.
//
// Which of them is faster depends on the program and on the machine, and changes. So each has a row
// of spans in which what all have done is counted, but for the beginning, when what the other way
// has left behind is put in order. The rows of the better one grow, up to a limit, and the other
// one is only looked at now and then.
//
//     begin_afresh ──► first ──── its row is over: turn ────► second
//                        ▲                                      │
//                        └──── its row is over: turn; ──────────┘
//                              it does harm: turn_back; it cannot go on: begin_first
//
// The first is the way that is known to do no harm: the second is the better one only by a margin;
// or, where nobody waits longer for it, by default: that margin is negative.
// Each row is compared with the one before it, so that it does not matter if there is more to do
// than long ago; where rows are short beside what comes and goes, the mean of some comparisons says
// more than the last one. If that one contradicts the mean, rows become shorter, and the next one
// comes sooner.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

enum class trial_way : std::uint8_t { first, second };

struct trial_rules {
    std::int64_t span_ns;         // a row's first length
    std::int64_t settling_ns;     // the beginning of each row, which does not count
    std::int64_t counted_ns_min;  // nothing is known of a row before that much has counted
    std::uint32_t steps_min;      // a row with fewer steps than that is chance:
    std::int64_t overtime_ns;     // it may last so much longer
    std::int32_t spans_max;       // a row has one span at first, and at most so many;
    std::int32_t growth;          // that of the better way has so many times as many each time
    // Those of the second way's first row, unless the first has just been better: more than one
    // where its harm would be seen at once.
    std::int32_t spans_at_first = 1;
    std::int32_t margin;        // thousandths: the second way must do more by so much,
    std::int32_t margin_equal;  // or by so much where no more wait for it than for the first,
    std::int32_t memory;        // in the mean of so many comparisons, the older the less
    std::int32_t gain_of_harm;  // thousandths: that mean at most where the second way does harm
};

class two_way_trial {
  public:
    enum class row : std::uint8_t { settles, begins_to_count, counts, is_over };

    constexpr explicit two_way_trial(const trial_rules& rules) : rules_(rules) {}

    // Which way is on trial now. Any thread; advice.
    trial_way now_is() const {
        return static_cast<trial_way>(__atomic_load_n(&now_is_, __ATOMIC_RELAXED));
    }

    // --- one thread at a time, in the order of time ----------------------------------------------

    // When the present row has begun; 0: there is none.
    std::int64_t begun_at() const { return begun_at_; }
    // Whether it has come to what counts.
    bool is_counting() const { return is_counting_; }
    // Forgets everything but which way was the better one, and begins with the first.
    void begin_afresh(std::int64_t now);
    // A row of the first way begins, and is compared with none before it. If one of the second way
    // is cut short its next one is short, so that something will be known of it.
    void begin_first(std::int64_t now);
    // What the present row has come to. steps(): what all have done so far. It wraps, and no row
    // sees 2^32 of them; it is called twice in a row, and in overtime.
    // `counts` only where counted_ns_min has passed.
    template <class F>
    row look(std::int64_t now, F steps) {
        const std::int64_t took = now - begun_at_;
        if (!is_counting_) {
            if (took < rules_.settling_ns) return row::settles;
            is_counting_ = true;
            counted_since_ = now;
            steps_then_ = steps();
            return row::begins_to_count;
        }
        if (now - counted_since_ < rules_.counted_ns_min) return row::settles;
        const std::int64_t overtime = took - spans(now_is()) * rules_.span_ns;
        if (overtime < 0) return row::counts;
        steps_ = steps() - steps_then_;
        counted_ns_ = now - counted_since_;
        return steps_ < rules_.steps_min && overtime < rules_.overtime_ns ? row::counts
                                                                          : row::is_over;
    }
    // How many steps a second the row has had. Caller of this and of turn: it is over.
    std::int64_t per_s() const {
        constexpr std::int64_t second = 1'000'000'000;
        return std::int64_t{steps_} * second / counted_ns_;
    }
    // The row is weighed, and the other way begins: by its steps a second; where `cost_ns` says, of
    // both rows, what time of processors what has counted has taken, by those times its steps for
    // that time. So a way that does as much by less is the better one, and so is one that does more
    // with more processors at the same price; but not one that lets a tenth of what there is to do
    // wait. `waiting`: how many have waited at a time on the average, in eighths. At one rate they
    // wait as much longer as there are more of them.
    void turn(std::int64_t now, std::int64_t cost_ns = 0, std::int64_t waiting = 0);
    // The second way has been found to do harm, whatever has counted.
    void turn_back(std::int64_t now);

    // How long the next row of a way is.
    std::int32_t spans(trial_way w) const { return spans_[static_cast<int>(w)]; }

  private:
    void begin(trial_way w, std::int64_t now);
    std::int64_t worth(std::int64_t cost_ns) const;
    std::int64_t mean(std::int64_t so_far, std::int64_t now) const;
    void note_better(trial_way w, bool is_sure);
    void compare();
    bool do_more_wait() const;

    const trial_rules rules_;
    // Not an atomic of ours, which would be a choice to the explorer of schedules.
    std::uint8_t now_is_ = static_cast<std::uint8_t>(trial_way::first);
    bool is_counting_ = false;
    std::uint32_t steps_then_ = 0, steps_ = 0;  // when it began to count, and since
    std::int64_t begun_at_ = 0, counted_since_ = 0, counted_ns_ = 1;
    // The last row of each way; -1: not known.
    std::int64_t per_s_[2] = {-1, -1}, worth_[2] = {-1, -1};
    std::int64_t waiting_[2] = {-1, -1};  // the mean, as that of the comparisons
    // Of the second way, in millionths of what both do on the average: as a part of the first way's
    // it would weigh more where that one has had bad luck than where the second one has. The mean.
    std::int64_t gain_ = 0;
    std::int64_t pace_ = 0;  // likewise, of steps a second alone
    bool has_gain_ = false;
    bool is_first_better_ = false;  // in the last comparison; not forgotten
    std::int32_t spans_[2] = {1, rules_.spans_at_first};
};

}  // namespace rota::rt
