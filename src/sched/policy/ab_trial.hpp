// An A/B trial of two ways to do the same work.
//
// Which way is faster depends on the program and on the machine, and changes. So each way has a
// sample of slots in which the steps of all ps are counted. The beginning of a sample does not
// count: there the state that the other way has left is put in order. The samples of the better way
// grow, up to a limit, and the other way is tried only now and then.
//
//     begin_afresh ──► first ──── its sample is over: end_sample ────► second
//                        ▲                                               │
//                        └──── its sample is over: end_sample; ──────────┘
//                              it does harm: abort_sample; it cannot go on: begin_first
//
// The first way is known to do no harm: the second is better only by a margin. Where no goroutine
// waits longer for it, the second wins by default: that margin is negative.
//
// Each sample is compared with the sample before it, so that a change of load in the long run does
// not matter. Where samples are short beside the fluctuations, the moving average of several
// comparisons says more than the last one. If the last one contradicts the average, samples become
// shorter, and the next comparison comes sooner.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

enum class ab_way : std::uint8_t { first, second };

struct ab_trial_rules {
    std::int64_t slot_ns;         // ns, a sample's first length
    std::int64_t settling_ns;     // ns, the beginning of each sample, which does not count
    std::int64_t counted_ns_min;  // ns that must have counted before a sample says anything
    std::uint32_t steps_min;      // a sample with fewer steps is chance:
    std::int64_t overtime_ns;     // ns that it may last longer
    std::int32_t slots_max;       // a sample has one slot at first, and at most this many;
    std::int32_t growth;          // factor by which the better way's sample grows each time
    // Slots of the second way's first sample, unless the first has just been better: more than one
    // where its harm would be seen at once.
    std::int32_t slots_at_first = 1;
    std::int32_t margin;        // thousandths: by this much the second way must do more,
    std::int32_t margin_equal;  // or by this much if no more wait for it than for the first,
    std::int32_t memory;        // weight of the moving average: in comparisons
    std::int32_t gain_of_harm;  // thousandths: the average at most where the second way does harm
};

class ab_trial {
  public:
    enum class sample_state : std::uint8_t { settles, begins_to_count, counts, is_over };

    constexpr explicit ab_trial(const ab_trial_rules& rules) : rules_(rules) {}

    // The way that is on trial. Any thread; advice.
    ab_way now_is() const {
        return static_cast<ab_way>(__atomic_load_n(&now_is_, __ATOMIC_RELAXED));
    }

    // --- one thread at a time, in the order of time ----------------------------------------------

    // When the present sample has begun, ns; 0: there is none.
    std::int64_t begun_at() const { return begun_at_; }
    // Whether the sample has come to the part that counts.
    bool is_counting() const { return is_counting_; }
    // Begins with the first way; forgets everything but which way was the better one.
    void begin_afresh(std::int64_t now);
    // Begins a sample of the first way, which is compared with none before it. If that cuts a
    // sample of the second way short, the second way's next sample is short, so that it is measured
    // soon.
    void begin_first(std::int64_t now);
    // Returns the state of the present sample. steps(): the steps of all ps so far. The count
    // wraps, and no sample sees 2^32 steps; it is called twice in a row, and in overtime.
    // `counts` only where counted_ns_min has passed.
    template <class F>
    sample_state look(std::int64_t now, F steps) {
        const std::int64_t took = now - begun_at_;
        if (!is_counting_) {
            if (took < rules_.settling_ns) return sample_state::settles;
            is_counting_ = true;
            counted_since_ = now;
            steps_then_ = steps();
            return sample_state::begins_to_count;
        }
        if (now - counted_since_ < rules_.counted_ns_min) return sample_state::settles;
        const std::int64_t overtime = took - slots(now_is()) * rules_.slot_ns;
        if (overtime < 0) return sample_state::counts;
        steps_ = steps() - steps_then_;
        counted_ns_ = now - counted_since_;
        return steps_ < rules_.steps_min && overtime < rules_.overtime_ns ? sample_state::counts
                                                                          : sample_state::is_over;
    }
    // Steps a second of the sample. Caller of this and of end_sample: the sample is over.
    std::int64_t per_s() const {
        constexpr std::int64_t second = 1'000'000'000;
        return std::int64_t{steps_} * second / counted_ns_;
    }
    // Weighs the sample, and begins the other way. The measure is steps a second. Where `cost_ns`,
    // the processor time of the counted part, is known of both samples, it is that rate times the
    // steps for each unit of that time. So a way that does as much at less cost is better, and so
    // is a way that does more with more processors at the same price. A way that lets a tenth of
    // the work wait is not. `waiting`: how many goroutines have waited at a time on the average, in
    // eighths. At the same rate, each waits longer in proportion to their number.
    void end_sample(std::int64_t now, std::int64_t cost_ns = 0, std::int64_t waiting = 0);
    // Ends the second way's sample: it has been found to do harm, whatever has counted.
    void abort_sample(std::int64_t now);

    // Length of the next sample of a way, in slots.
    std::int32_t slots(ab_way w) const { return slots_[static_cast<int>(w)]; }

  private:
    void begin(ab_way w, std::int64_t now);
    std::int64_t score(std::int64_t cost_ns) const;
    std::int64_t mean(std::int64_t so_far, std::int64_t now) const;
    void note_better(ab_way w, bool is_sure);
    void compare();
    bool do_more_wait() const;

    const ab_trial_rules rules_;
    // Not an atomic of ours, which would be a choice to the explorer of schedules.
    std::uint8_t now_is_ = static_cast<std::uint8_t>(ab_way::first);
    bool is_counting_ = false;
    std::uint32_t steps_then_ = 0, steps_ = 0;  // when it began to count, and since
    std::int64_t begun_at_ = 0, counted_since_ = 0, counted_ns_ = 1;
    // The last sample of each way; -1: not known.
    std::int64_t per_s_[2] = {-1, -1}, score_[2] = {-1, -1};
    std::int64_t waiting_[2] = {-1, -1};  // moving average, as of the comparisons
    // Moving average of the second way's gain, in millionths of the mean of both ways. As a part of
    // the first way's figure, bad luck of the first way would weigh more than bad luck of the
    // second.
    std::int64_t gain_ = 0;
    std::int64_t pace_ = 0;  // the same, of steps a second alone
    bool has_gain_ = false;
    bool is_first_better_ = false;  // in the last comparison; not forgotten
    std::int32_t slots_[2] = {1, rules_.slots_at_first};
};

}  // namespace rota::rt
