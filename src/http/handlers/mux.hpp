// Declares the tree in which a serve_mux finds the pattern for a request. It has a level for the
// host, a level for the method, and a level for each segment of the path. Go: routing_tree.go.
//
// Of the children that fit, a literal is tried before a wildcard, and a wildcard before a multi
// wildcard, which takes the rest. serve_mux::handle refuses conflicting patterns, so the first
// match is the most specific. A pattern may have any number of segments: no function recurses for
// each.
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

#include "http/handlers/pattern.hpp"
#include "http/handlers/pattern_index.hpp"

namespace rota::http::detail {

// A pattern and its handler. It lives as long as the table.
struct route {
    pattern matched;
    handler answer;
};

using matches = std::vector<std::string>;  // texts that the wildcards have matched, in order

class route_node {
  public:
    // Appends the nodes that it makes to `all`.
    void add(const route& r, std::deque<route_node>& all);
    // Null: no pattern matches.
    const route* match(std::string_view host, std::string_view method, std::string_view path,
                       matches& found) const;
    // The methods of the patterns that match host and path, sorted and each once.
    std::vector<std::string> methods(std::string_view host, std::string_view path) const;

  private:
    route_node& child(const std::string& key, std::deque<route_node>& all);
    const route_node* find(std::string_view key) const;
    const route* match_method(std::string_view method, std::string_view path, matches& found) const;
    const route* match_path(std::string_view path, matches& found) const;
    void add_methods(std::string_view path, std::vector<std::string>& all) const;

    const route* route_ = nullptr;  // the pattern that ends at this node
    // By host, method or segment; "": any host, any method, a wildcard.
    std::map<std::string, route_node*, std::less<>> children_;
    route_node* empty_ = nullptr;  // for an empty segment, between two slashes
    const route* rest_ = nullptr;  // the pattern with a multi wildcard at this segment
};

// The tree owns its nodes in one list. If each node owned its children, the destructor would
// recurse once for each segment of a path.
class route_tree {
  public:
    route_tree() = default;
    route_tree(const route_tree&) = delete;
    route_tree& operator=(const route_tree&) = delete;

    void add(const route& r) { root_.add(r, nodes_); }
    // See route_node.
    const route* match(std::string_view host, std::string_view method, std::string_view path,
                       matches& found) const {
        return root_.match(host, method, path, found);
    }
    std::vector<std::string> methods(std::string_view host, std::string_view path) const {
        return root_.methods(host, path);
    }

  private:
    std::deque<route_node> nodes_;  // without the root; the addresses stay
    route_node root_;
};

struct mux_state {
    shared_mutex mu;
    // --- guarded by mu -----------------------------------------------------------------------
    std::vector<std::unique_ptr<const route>> routes;
    pattern_index patterns;  // the patterns of `routes`
    route_tree root;
};

}  // namespace rota::http::detail
