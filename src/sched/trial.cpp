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
    has_gain_ = false;
    begin(trial_way::first, now);
}

void two_way_trial::begin_first(std::int64_t now) {
    if (now_is() == trial_way::second) {
        per_s_[static_cast<int>(trial_way::second)] = -1;
        spans_[static_cast<int>(trial_way::second)] = 1;
        has_gain_ = false;
    }
    begin(trial_way::first, now);
}

void two_way_trial::note_better(trial_way w) {
    std::int32_t& better = spans_[static_cast<int>(w)];
    better = std::min(rules_.growth * better, rules_.spans_max);
    spans_[static_cast<int>(other_of(w))] = 1;
}

void two_way_trial::note_gain() {
    constexpr std::int64_t million = 1'000'000;
    const auto [first, second] = per_s_;
    const std::int64_t gain = std::clamp(
        (second - first) * million / std::max<std::int64_t>(first, 1), -million, million);
    gain_ = has_gain_ ? gain_ + (gain - gain_) / rules_.memory : gain;
    has_gain_ = true;
    note_better(gain_ * rules_.margin > million ? trial_way::second : trial_way::first);
}

void two_way_trial::turn(std::int64_t now) {
    const trial_way w = now_is();
    per_s_[static_cast<int>(w)] = per_s();
    if (per_s_[0] >= 0 && per_s_[1] >= 0) note_gain();
    begin(other_of(w), now);
}

void two_way_trial::turn_back(std::int64_t now) {
    note_better(trial_way::first);
    begin_first(now);
}

}  // namespace rota::rt
