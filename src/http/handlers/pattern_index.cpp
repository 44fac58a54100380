// Fills the index of patterns, and chooses the position to search by.
#include "http/handlers/pattern_index.hpp"

namespace rota::http::detail {

// A host has no slash in it, so no two keys are the same.
std::string pattern_index::key(const pattern& p, std::size_t position, kind k,
                               std::string_view text) {
    std::string all = p.host;
    all.append("/").append(std::to_string(position)).append("/");
    return all.append(std::to_string(static_cast<int>(k))).append(text);
}

void pattern_index::add(const pattern& p) {
    for (std::size_t i = 0; i < p.segments.size(); ++i) {
        const segment& s = p.segments[i];
        const kind k = s.multi ? kind::rest : s.wild ? kind::wild : kind::literal;
        at_[key(p, i, k, k == kind::literal ? std::string_view(s.text) : "")].push_back(&p);
    }
    all_[p.host].push_back(&p);
}

// The patterns that agree with the literal of `p` at this position.
std::vector<const pattern_index::list*> pattern_index::agreeing(const pattern& p,
                                                                std::size_t position) const {
    std::vector<const list*> lists;
    const auto add = [&](std::size_t at, kind k, std::string_view text) {
        const auto found = at_.find(key(p, at, k, text));
        if (found != at_.end()) lists.push_back(&found->second);
    };
    add(position, kind::literal, p.segments[position].text);
    add(position, kind::wild, {});
    for (std::size_t i = 0; i <= position; ++i) add(i, kind::rest, {});
    return lists;
}

std::vector<const pattern_index::list*> pattern_index::candidates(const pattern& p) const {
    constexpr std::size_t looked_at = 16;  // positions: what stands behind them tells little more
    std::vector<const list*> best;
    if (const auto all = all_.find(p.host); all != all_.end()) best.push_back(&all->second);
    const auto count = [](const std::vector<const list*>& lists) {
        std::size_t sum = 0;
        for (const list* const each : lists) sum += each->size();
        return sum;
    };
    std::size_t least = count(best);
    for (std::size_t i = 0; i < p.segments.size() && i < looked_at; ++i) {
        const segment& s = p.segments[i];
        if (s.multi) break;
        if (s.wild) continue;
        std::vector<const list*> these = agreeing(p, i);
        const std::size_t now = count(these);
        if (now >= least) continue;
        least = now;
        best = std::move(these);
    }
    return best;
}

}  // namespace rota::http::detail
