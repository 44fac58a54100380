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
    worth_[0] = worth_[1] = -1;
    spans_[0] = spans_[1] = 1;
    has_gain_ = false;
    begin(trial_way::first, now);
}

void two_way_trial::begin_first(std::int64_t now) {
    if (now_is() == trial_way::second) spans_[static_cast<int>(trial_way::second)] = 1;
    worth_[static_cast<int>(trial_way::second)] = -1;
    begin(trial_way::first, now);
}

void two_way_trial::note_better(trial_way w, bool is_sure) {
    std::int32_t& better = spans_[static_cast<int>(w)];
    better = is_sure ? std::min(rules_.growth * better, rules_.spans_max)
                     : std::max(better / rules_.growth, 1);
    spans_[static_cast<int>(other_of(w))] = 1;
}

void two_way_trial::compare() {
    constexpr std::int64_t million = 1'000'000;
    const auto [first, second] = worth_;
    const std::int64_t sum = std::max<std::int64_t>(first + second, 1);
    const std::int64_t gain = 2 * (second - first) * million / sum;
    gain_ = has_gain_ ? gain_ + (gain - gain_) / rules_.memory : gain;
    has_gain_ = true;
    const auto better = [this](std::int64_t by) {
        return by * rules_.margin > million ? trial_way::second : trial_way::first;
    };
    const trial_way w = better(gain_);
    note_better(w, better(gain) == w);
}

std::int64_t two_way_trial::worth(std::int64_t cost_ns) const {
    if (cost_ns <= 0) return per_s();
    return per_s() * std::int64_t{steps_} / (cost_ns / 1000 + 1);
}

void two_way_trial::turn(std::int64_t now, std::int64_t cost_ns) {
    const trial_way w = now_is();
    worth_[static_cast<int>(w)] = worth(cost_ns);
    if (worth_[0] >= 0 && worth_[1] >= 0) compare();
    begin(other_of(w), now);
}

void two_way_trial::turn_back(std::int64_t now) {
    gain_ = std::min<std::int64_t>(gain_, 0);
    note_better(trial_way::first, true);
    begin_first(now);
}

}  // namespace rota::rt
