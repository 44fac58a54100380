// Finds the patterns of a table that may conflict with a new pattern, without a scan of the table:
// a table of n patterns is made in about n steps. Go: routing_index.go.
//
// Two patterns match a common path only if they agree at each position: the same literal, or a
// wildcard on one side, or a wildcard for the whole rest at this position or before it. So the
// index takes, of the new pattern's literals, the literal that the fewest patterns agree with.
// Differs from Go: the index finds patterns that end in a slash or in `{name...}` by position too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/handlers/pattern.hpp"

namespace rota::http::detail {

class pattern_index {
  public:
    // `p` stays where it is for as long as the index lives. Throws std::bad_alloc: then `p` may be
    // found or not.
    void add(const pattern& p);

    // Returns the first pattern for which `f` is true, of the patterns that may conflict with `p`;
    // null: none.
    template <class F>
    const pattern* find(const pattern& p, F f) const {
        for (const list* const each : candidates(p))
            for (const pattern* const other : *each)
                if (f(*other)) return other;
        return nullptr;
    }

  private:
    enum class kind : unsigned char { literal, wild, rest };
    using list = std::vector<const pattern*>;

    static std::string key(const pattern& p, std::size_t position, kind k, std::string_view text);
    std::vector<const list*> candidates(const pattern& p) const;
    std::vector<const list*> agreeing(const pattern& p, std::size_t position) const;

    std::unordered_map<std::string, list> at_;   // by host, position, kind and text
    std::unordered_map<std::string, list> all_;  // by host
};

}  // namespace rota::http::detail
