// Draws the cases of a run from its seed.
#include "made_case.hpp"

#include <algorithm>
#include <array>

namespace rota_differential {

namespace {

template <std::size_t N>
std::vector<mutation> together(const std::span<const mutation> (&parts)[N]) {
    std::vector<mutation> all;
    for (const auto part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

std::string filled_in(std::string_view text, std::string_view by) {
    std::string all;
    for (const char c : text) {
        if (c == '%') all += by;
        else all += c;
    }
    return all;
}

std::span<const mutation> mutations_of(framing needed) {
    static const std::vector<mutation> anywhere =
        together({line_mutations(), field_mutations(), text_mutations()});
    static const std::vector<mutation> lengths = together({length_mutations()});
    static const std::vector<mutation> chunks = together({chunk_mutations(), coding_mutations()});
    if (needed == framing::none) return anywhere;
    return needed == framing::length ? lengths : chunks;
}

std::string made_case::text() const {
    std::string all;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        dice d(requests[i].second);
        draft r = make_draft(requests[i].first, d);
        for (const change& c : changes) {
            if (c.request != i) continue;
            dice own(c.seed);
            c.what->apply(r, own, c.what->text);
        }
        all += r.text();
    }
    return all;
}

std::string made_case::names() const {
    std::vector<std::string_view> all;
    for (const change& c : changes) all.push_back(c.what->name);
    std::sort(all.begin(), all.end());
    std::string text;
    for (const std::string_view name : all) text.append(text.empty() ? "" : "+").append(name);
    return text.empty() ? "plain" : text;
}

made_case make_case(std::uint64_t seed) {
    constexpr std::array framings = {framing::none, framing::length, framing::chunks};
    dice d(seed);
    made_case made;
    const std::size_t count = 1 + d.below(4);
    for (std::size_t i = 0; i < count; ++i)
        made.requests.emplace_back(framings[d.below(framings.size())], d.next());
    const std::size_t wanted = d.one_in(16) ? 0 : d.one_in(3) ? 1 + d.below(3) : 1;
    std::vector<bool> is_framed(count);  // by what a mutation of the request needs
    for (std::size_t i = 0; i < wanted; ++i) {
        const framing needed = framings[d.below(framings.size())];
        const auto from = mutations_of(needed);
        const change c{&from[d.below(from.size())], d.below(count), d.next()};
        if (needed != framing::none) {
            if (is_framed[c.request]) continue;
            is_framed[c.request] = true;
            made.requests[c.request].first = needed;
        }
        made.changes.push_back(c);
    }
    return made;
}

}  // namespace rota_differential
