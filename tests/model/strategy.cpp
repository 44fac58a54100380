// Depth first, random priorities, replay.
#include "strategy.hpp"

#include <charconv>
#include <cstdlib>

#include "base/check.hpp"

namespace model {

bool depth_first::begin() {
    preemptions_left_ = preemptions_;
    departures_left_ = departures_;
    depth_ = 0;
    if (!started_ || restart_) {
        started_ = true;
        restart_ = false;
        path_.clear();
        return true;
    }
    return !path_.empty();
}

unsigned depth_first::pick(const options_at& at) {
    unsigned& left = budget(at.kind);
    node here;
    for (unsigned i = 0; i < at.count; ++i) {
        if (at.list[i].cost > left) continue;
        here.costs[here.count] = at.list[i].cost;
        here.indexes[here.count++] = static_cast<std::uint8_t>(i);
    }
    ROTA_CHECK(here.count > 0);            // an option without cost is always there
    if (restart_) return here.indexes[0];  // this schedule counts for nothing any more
    // Only one: no node, as it is so in every schedule that comes by here.
    if (here.count > 1) {
        if (depth_ == path_.size()) path_.push_back(here);
        // Otherwise the program under test depends on something that the explorer does not rule.
        ROTA_CHECK(path_[depth_].count == here.count);
        here.at = path_[depth_++].at;
    }
    left -= here.costs[here.at];
    return here.indexes[here.at];
}

void depth_first::end(unsigned) {
    if (restart_) return;
    path_.resize(depth_);
    while (!path_.empty() && ++path_.back().at == path_.back().count) path_.pop_back();
}

std::uint64_t random_priorities::draw() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 11;
}

bool random_priorities::begin() {
    choices_ = 0;
    for (std::uint32_t& each : priority_)
        each = 1000 + static_cast<std::uint32_t>(draw() % 1'000'000);
    for (unsigned i = 0; i + 1 < depth_ && i < changes_max; ++i)
        change_at_[i] = longest_ == 0 ? 0 : static_cast<unsigned>(draw() % longest_);
    return true;
}

unsigned random_priorities::pick(const options_at& at) {
    if (at.kind != choice::thread) {
        const bool newest = draw() % 4 != 0;
        return newest ? 0 : static_cast<unsigned>(draw() % at.count);
    }
    const unsigned now = choices_++;
    unsigned best = 0;
    for (unsigned i = 1; i < at.count; ++i) {
        if (priority_[at.list[i].id % thread_slots] > priority_[at.list[best].id % thread_slots])
            best = i;
    }
    for (unsigned i = 0; i + 1 < depth_ && i < changes_max; ++i) {
        if (change_at_[i] != now) continue;
        priority_[at.list[best].id % thread_slots] = changes_max - i;
        best = 0;
        for (unsigned j = 1; j < at.count; ++j) {
            if (priority_[at.list[j].id % thread_slots] >
                priority_[at.list[best].id % thread_slots])
                best = j;
        }
    }
    return best;
}

void random_priorities::end(unsigned choices) {
    if (choices > longest_) longest_ = choices;
}

char letter_of(choice kind) {
    switch (kind) {
        case choice::thread: return 't';
        case choice::value: return 'v';
        case choice::late: return 'l';
    }
    return '?';
}

replay::replay(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        departure d{};
        const auto step = std::from_chars(at, end, d.step);
        bool good = step.ec == std::errc() && step.ptr != end;
        if (good) {
            for (const choice kind : {choice::thread, choice::value, choice::late}) {
                if (*step.ptr == letter_of(kind)) d.kind = kind;
            }
            const auto id = std::from_chars(step.ptr + 1, end, d.id);
            good = *step.ptr == letter_of(d.kind) && id.ec == std::errc() &&
                   (id.ptr == end || *id.ptr == ',');
            at = id.ptr == end ? end : id.ptr + 1;
        }
        ROTA_CHECK(good && "a replay string reads like 12t1,40v2");
        departures_.push_back(d);
    }
}

bool replay::begin() {
    if (begun_) return false;
    begun_ = true;
    return true;
}

unsigned replay::pick(const options_at& at) {
    if (next_ == departures_.size() || departures_[next_].step != at.step ||
        departures_[next_].kind != at.kind)
        return 0;
    const unsigned id = departures_[next_++].id;
    for (unsigned i = 0; i < at.count; ++i) {
        if (at.list[i].id == id) return i;
    }
    ROTA_CHECK(false && "the replay string is of another test, or of another state of the code");
    return 0;
}

}  // namespace model
