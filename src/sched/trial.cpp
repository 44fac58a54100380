// The rows, and what decides how long they are.
#include "sched/trial.hpp"

#include <algorithm>

namespace rota::rt {

namespace {

constexpr trial_way other_of(trial_way w) {
    return w == trial_way::first ? trial_way::second : trial_way::first;
}

}  // namespace

void two_way_trial::begin(trial_way w, std::int64_t now) {
    // relaxed: advice
    __atomic_store_n(&now_is_, static_cast<std::uint8_t>(w), __ATOMIC_RELAXED);
    begun_at_ = now;
    is_counting_ = false;
}

void two_way_trial::begin_afresh(std::int64_t now) {
    per_s_[0] = per_s_[1] = -1;
    spans_[0] = spans_[1] = 1;
    begin(trial_way::first, now);
}

void two_way_trial::begin_first(std::int64_t now) {
    if (now_is() == trial_way::second) per_s_[static_cast<int>(trial_way::second)] = -1;
    begin(trial_way::first, now);
}

void two_way_trial::note_better(trial_way w) {
    std::int32_t& better = spans_[static_cast<int>(w)];
    better = std::min(rules_.growth * better, rules_.spans_max);
    spans_[static_cast<int>(other_of(w))] = 1;
}

void two_way_trial::turn(std::int64_t now) {
    const trial_way w = now_is();
    per_s_[static_cast<int>(w)] = per_s();
    const auto [first, second] = per_s_;
    if (first >= 0 && second >= 0) {
        const bool is_second_better = second > first && (second - first) * rules_.margin > first;
        note_better(is_second_better ? trial_way::second : trial_way::first);
    }
    begin(other_of(w), now);
}

void two_way_trial::turn_back(std::int64_t now) {
    note_better(trial_way::first);
    begin_first(now);
}

}  // namespace rota::rt
