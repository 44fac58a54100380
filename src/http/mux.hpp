// The tree in which a serve_mux finds the pattern for a request: a level for the host, one for the
// method, and one for each segment of the path. Go: routing_tree.go.
//
// Of the children that fit, a literal is tried before a wildcard, and a wildcard before a multi
// wildcard, which takes the rest. Conflicting patterns have been refused, so the first match is the
// most specific. A pattern may have any number of segments: no function calls itself for each.
#pragma once

#include <cstddef>
#include <deque>
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
    // `all` gets the nodes that are made for it.
    void add(const route& r, std::deque<route_node>& all);
    // Null: nothing fits.
    const route* match(std::string_view host, std::string_view method, std::string_view path,
                       matches& found) const;
    // The methods of the patterns that fit except for the method, in order, each once.
    std::vector<std::string> methods(std::string_view host, std::string_view path) const;

  private:
    route_node& child(const std::string& key, std::deque<route_node>& all);
    const route_node* find(std::string_view key) const;
    const route* match_method(std::string_view method, std::string_view path, matches& found) const;
    const route* match_path(std::string_view path, matches& found) const;
    void add_methods(std::string_view path, std::vector<std::string>& all) const;

    const route* route_ = nullptr;  // of the path that ends here
    // By host, method or text; "": any of them.
    std::map<std::string, route_node*, std::less<>> children_;
    route_node* empty_ = nullptr;  // of the text between two slashes
    const route* rest_ = nullptr;  // of a wildcard for all that is left
};

// The tree owns its nodes in one list: a chain of owners would be destroyed by calls within calls,
// as many as a path has segments.
class route_tree {
  public:
    route_tree() = default;
    route_tree(const route_tree&) = delete;
    route_tree& operator=(const route_tree&) = delete;

    void add(const route& r) { root_.add(r, nodes_); }
    // As those of route_node.
    const route* match(std::string_view host, std::string_view method, std::string_view path,
                       matches& found) const {
        return root_.match(host, method, path, found);
    }
    std::vector<std::string> methods(std::string_view host, std::string_view path) const {
        return root_.methods(host, path);
    }

  private:
    std::deque<route_node> nodes_;  // all but the root; the addresses stay
    route_node root_;
};

struct mux_state {
    shared_mutex mu;
    // --- guarded by mu -----------------------------------------------------------------------
    std::vector<std::unique_ptr<const route>> routes;
    pattern_index patterns;  // those of `routes`
    route_tree root;
};

}  // namespace rota::http::detail
