// The tree in which a serve_mux finds the pattern for a request: a level for the host, one for the
// method, and one for each segment of the path. Go: routing_tree.go.
//
// Of the children that fit, a literal is tried before a wildcard, and a wildcard before a multi
// wildcard, which takes the rest. Conflicting patterns have been refused, so the first match is the
// most specific.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rota/http.hpp>
#include <rota/sync/shared_mutex.hpp>

#include "http/pattern.hpp"
#include "http/pattern_index.hpp"

namespace rota::http::detail {

// A pattern and its handler. It never goes while the table is there.
struct route {
    pattern matched;
    handler answer;
};

using matches = std::vector<std::string>;  // texts that the wildcards have matched, in order

class route_node {
  public:
    void add(const route& r);
    // Null: nothing fits.
    const route* match(std::string_view host, std::string_view method, std::string_view path,
                       matches& found) const;
    // The methods of the patterns that fit except for the method, in order, each once.
    std::vector<std::string> methods(std::string_view host, std::string_view path) const;

  private:
    route_node& child(const std::string& key);
    const route_node* find(std::string_view key) const;
    const route* match_method(std::string_view method, std::string_view path, matches& found) const;
    const route* match_path(std::string_view path, matches& found) const;
    void add_methods(std::string_view path, std::vector<std::string>& all) const;

    const route* route_ = nullptr;  // of the path that ends here
    // By host, method or text; "": any of them.
    std::map<std::string, std::unique_ptr<route_node>, std::less<>> children_;
    std::unique_ptr<route_node> empty_;  // of the text between two slashes
    const route* rest_ = nullptr;        // of a wildcard for all that is left
};

struct mux_state {
    shared_mutex mu;
    // --- guarded by mu -----------------------------------------------------------------------
    std::vector<std::unique_ptr<const route>> routes;
    pattern_index patterns;  // those of `routes`
    route_node root;
};

}  // namespace rota::http::detail
