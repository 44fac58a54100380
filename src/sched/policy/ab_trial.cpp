// Weighs the samples of the two ways, and decides how long the next samples are.
#include "sched/policy/ab_trial.hpp"

#include <algorithm>

namespace rota::rt {

namespace {

// The second way is no better, whatever it costs, if it is slower by more than one part in this
// many.
constexpr std::int64_t slower_at_most = 10;

// More than twice as many wait, and this many more (in eighths): a request that is served at once
// does not count as waiting.
constexpr std::int64_t few_more = 8 * 8;

constexpr ab_way other_of(ab_way w) { return w == ab_way::first ? ab_way::second : ab_way::first; }

}  // namespace

void ab_trial::begin(ab_way w, std::int64_t now) {
    // relaxed: advice
    __atomic_store_n(&now_is_, static_cast<std::uint8_t>(w), __ATOMIC_RELAXED);
    begun_at_ = now;
    is_counting_ = false;
}

void ab_trial::begin_afresh(std::int64_t now) {
    for (const int i : {0, 1}) per_s_[i] = score_[i] = waiting_[i] = -1;
    slots_[0] = 1;
    slots_[1] = is_first_better_ ? 1 : rules_.slots_at_first;
    has_gain_ = false;
    begin(ab_way::first, now);
}

void ab_trial::begin_first(std::int64_t now) {
    if (now_is() == ab_way::second) slots_[static_cast<int>(ab_way::second)] = 1;
    per_s_[static_cast<int>(ab_way::second)] = -1;
    begin(ab_way::first, now);
}

void ab_trial::note_better(ab_way w, bool is_sure) {
    std::int32_t& better = slots_[static_cast<int>(w)];
    better = is_sure ? std::min(rules_.growth * better, rules_.slots_max)
                     : std::max(better / rules_.growth, 1);
    slots_[static_cast<int>(other_of(w))] = 1;
    is_first_better_ = w == ab_way::first;
}

std::int64_t ab_trial::mean(std::int64_t so_far, std::int64_t now) const {
    return so_far + (now - so_far) / rules_.memory;
}

void ab_trial::compare() {
    constexpr std::int64_t million = 1'000'000;
    const auto gain_of_second = [](const std::int64_t(&of)[2]) {
        const std::int64_t sum = std::max<std::int64_t>(of[0] + of[1], 1);
        return 2 * (of[1] - of[0]) * million / sum;
    };
    const bool has_cost = score_[0] >= 0 && score_[1] >= 0;
    const std::int64_t pace = gain_of_second(per_s_);
    const std::int64_t gain = has_cost ? gain_of_second(score_) : pace;
    const std::int64_t margin = do_more_wait() ? rules_.margin : rules_.margin_equal;
    gain_ = has_gain_ ? mean(gain_, gain) : gain;
    pace_ = has_gain_ ? mean(pace_, pace) : pace;
    has_gain_ = true;
    const auto better = [margin](std::int64_t gain, std::int64_t pace) {
        const bool is_second = gain * 1000 > margin * million && pace * slower_at_most > -million;
        return is_second ? ab_way::second : ab_way::first;
    };
    const ab_way w = better(gain_, pace_);
    note_better(w, better(gain, pace) == w);
}

bool ab_trial::do_more_wait() const { return waiting_[1] > 2 * waiting_[0] + few_more; }

std::int64_t ab_trial::score(std::int64_t cost_ns) const {
    if (cost_ns <= 0) return -1;
    constexpr std::int64_t most = 1'000'000'000'000;  // from where a comparison would overflow
    return std::min(per_s() * std::int64_t{steps_} / (cost_ns / 1000 + 1), most);
}

void ab_trial::end_sample(std::int64_t now, std::int64_t cost_ns, std::int64_t waiting) {
    const ab_way w = now_is();
    const auto i = static_cast<int>(w);
    per_s_[i] = per_s();
    score_[i] = score(cost_ns);
    waiting_[i] = waiting_[i] < 0 ? waiting : mean(waiting_[i], waiting);
    if (per_s_[0] >= 0 && per_s_[1] >= 0) compare();
    begin(other_of(w), now);
}

void ab_trial::abort_sample(std::int64_t now) {
    if (!has_gain_) gain_ = pace_ = 0;
    has_gain_ = true;
    gain_ = std::min(gain_, rules_.gain_of_harm * std::int64_t{1000});
    note_better(ab_way::first, true);
    begin_first(now);
}

}  // namespace rota::rt
