// Builds the graph of waits, its strong components, and a shortest cycle in each.
#include "diag/leak/wait_cycles.hpp"

#include <algorithm>

#include "base/annotations.hpp"
#include "sync/lock_owners.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

using raw_word [[gnu::may_alias]] = std::uintptr_t;

// Where there may be a way around: two goroutines, and two objects for which they wait.
struct component_size {
    std::uint32_t goroutines = 0, objects = 0, attempts = 0;
};

// Edges by where they come from, and strong components: Tarjan's, without recursion.
class components {
  public:
    components(const std::vector<std::uint32_t>& first, const std::vector<std::uint32_t>& to)
        : first_(first),
          to_(to),
          of_(first.size() - 1, none),
          at_(of_.size(), none),
          low_(of_.size(), 0),
          next_(of_.size(), 0) {
        for (std::uint32_t i = 0; i < of_.size(); ++i) {
            if (at_[i] == none) visit_from(i);
        }
    }
    std::uint32_t count() const { return count_; }
    std::uint32_t of(std::uint32_t node) const { return of_[node]; }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    void enter(std::uint32_t node) {
        at_[node] = low_[node] = clock_++;
        next_[node] = first_[node];
        open_.push_back(node);
        way_.push_back(node);
    }

    void visit_from(std::uint32_t root) {
        enter(root);
        while (!way_.empty()) {
            const std::uint32_t node = way_.back();
            if (next_[node] < first_[node + 1]) {
                const std::uint32_t other = to_[next_[node]++];
                if (at_[other] == none) enter(other);
                else if (of_[other] == none) low_[node] = std::min(low_[node], at_[other]);
                continue;
            }
            way_.pop_back();
            if (!way_.empty()) low_[way_.back()] = std::min(low_[way_.back()], low_[node]);
            if (low_[node] == at_[node]) close(node);
        }
    }

    void close(std::uint32_t root) {
        std::uint32_t node = 0;
        do {
            node = open_.back();
            open_.pop_back();
            of_[node] = count_;
        } while (node != root);
        ++count_;
    }

    const std::vector<std::uint32_t>& first_;
    const std::vector<std::uint32_t>& to_;
    std::vector<std::uint32_t> of_, at_, low_, next_, open_, way_;
    std::uint32_t clock_ = 0, count_ = 0;
};

struct graph {
    std::uint32_t goroutines;  // the nodes from here on are blocks
    std::vector<std::uint32_t> first, to;

    // The shortest way from `start` back to it by way of another goroutine and another object; its
    // nodes. Empty: there is none.
    std::vector<std::uint32_t> around(std::uint32_t start, const components& parts) const {
        constexpr std::uint32_t unseen = ~std::uint32_t{0};
        std::vector<std::uint32_t> from(first.size() - 1, unseen);
        std::vector<bool> by_another(from.size(), false);
        std::vector<std::uint32_t> seen{start};
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const std::uint32_t node = seen[i];
            for (std::uint32_t e = first[node]; e < first[node + 1]; ++e) {
                const std::uint32_t next = to[e];
                // An object for which start waits is also reached from start: that is no cycle.
                if (next == start && by_another[node]) return way_to(node, start, from);
                if (next == start || from[next] != unseen || parts.of(next) != parts.of(start))
                    continue;
                from[next] = node;
                by_another[next] = by_another[node] || next < goroutines;
                seen.push_back(next);
            }
        }
        return {};
    }

  private:
    static std::vector<std::uint32_t> way_to(std::uint32_t end, std::uint32_t start,
                                             const std::vector<std::uint32_t>& from) {
        std::vector<std::uint32_t> way;
        for (std::uint32_t node = end; node != start; node = from[node]) way.push_back(node);
        way.push_back(start);
        std::reverse(way.begin(), way.end());
        return way;
    }
};

}  // namespace

void wait_graph::add(std::uint32_t from, std::uint32_t to) {
    const std::size_t n = edges_.size();
    if (n != 0 && edges_[n - 1].from == from && edges_[n - 1].to == to) return;
    (void)edges_.push({from, to});
}

void wait_graph::note_waits(marking& marks, const candidate& c, std::uint32_t number) {
    const auto behind = static_cast<std::uint32_t>(marks.candidates.size());
    if (c.what != candidate::kind::channels) {
        if (c.waits_for != nobody) add(number, c.waits_for);
        return;
    }
    const awaited_channels w = channels_awaited_by(*c.gp);
    for (std::uint32_t i = 0; i < w.count; ++i) {
        const awaited_block* const b = marks.find_block_at(reinterpret_cast<std::uintptr_t>(&w[i]));
        if (b != nullptr)
            add(number, behind + static_cast<std::uint32_t>(b - marks.blocks.begin()));
    }
}

void wait_graph::note_holder(marking& marks, const void* words, std::size_t count,
                             std::uint32_t number) {
    const auto behind = static_cast<std::uint32_t>(marks.candidates.size());
    const auto* const from = static_cast<const raw_word*>(words);
    for (std::size_t i = 0; i < count; ++i) {
        const awaited_block* const b = marks.find_block_at(from[i]);
        if (b == nullptr || b->marked) continue;
        const auto block = behind + static_cast<std::uint32_t>(b - marks.blocks.begin());
        if (block != number) add(block, number);
    }
}

void wait_graph::note(marking& marks, std::int64_t until_ns) {
    const auto behind = static_cast<std::uint32_t>(marks.candidates.size());
    for (std::uint32_t i = 0; i < behind; ++i) {
        const candidate& c = marks.candidates[i];
        if (c.marked || c.what == candidate::kind::for_ever) continue;
        if (nanotime() > until_ns) return;
        note_waits(marks, c, i);
        const stack_words s = saved_stack(*c.gp);
        note_holder(marks, s.words, s.count, i);
    }
    for (std::uint32_t i = 0; i < marks.blocks.size(); ++i) {
        const awaited_block& b = marks.blocks[i];
        if (b.marked) continue;
        note_holder(marks, reinterpret_cast<const void*>(b.at.lo),
                    (b.at.hi - b.at.lo) / sizeof(std::uintptr_t), behind + i);
    }
}

std::vector<wait_cycle> wait_graph::cycles(marking& marks) {
    graph g{static_cast<std::uint32_t>(marks.candidates.size()), {}, {}};
    std::sort(edges_.begin(), edges_.end(), [](const edge& a, const edge& b) {
        return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    g.first.assign(g.goroutines + marks.blocks.size() + 1, 0);
    for (const edge& e : edges_) {
        ++g.first[e.from + 1];
        g.to.push_back(e.to);
    }
    for (std::size_t i = 1; i < g.first.size(); ++i) g.first[i] += g.first[i - 1];
    const components parts(g.first, g.to);
    // A lock is an object of its own, without a node.
    std::vector<component_size> sizes(parts.count());
    for (std::uint32_t i = 0; i + 1 < g.first.size(); ++i) {
        component_size& x = sizes[parts.of(i)];
        const bool waits_for_lock =
            i < g.goroutines && g.first[i] != g.first[i + 1] && g.to[g.first[i]] < g.goroutines;
        if (i < g.goroutines) ++x.goroutines;
        if (i >= g.goroutines || waits_for_lock) ++x.objects;
    }
    std::vector<wait_cycle> found;
    for (std::uint32_t i = 0; i < g.goroutines; ++i) {
        constexpr std::uint32_t attempts_max = 64;
        component_size& x = sizes[parts.of(i)];
        if (x.goroutines < 2 || x.objects < 2 || x.attempts++ >= attempts_max) continue;
        const std::vector<std::uint32_t> way = g.around(i, parts);
        if (way.empty()) continue;
        x.attempts = attempts_max;
        wait_cycle cycle;
        cycle.reserve(way.size());  // a growing vector leaves copies behind
        for (std::size_t k = 0; k < way.size(); ++k) {
            if (way[k] >= g.goroutines) continue;
            const candidate& c = marks.candidates[way[k]];
            const std::uint32_t next = way[(k + 1) % way.size()];
            const bool is_channel = next >= g.goroutines;
            const void* object = nullptr;
            if (is_channel) object = marks.blocks[next - g.goroutines].chan;
            else object = lock_view::wanted(c.object, c.gp->why);
            cycle.push_back({c.gp->goid, object != nullptr ? object : c.object, is_channel});
        }
        found.push_back(std::move(cycle));
    }
    return found;
}

}  // namespace rota::rt
