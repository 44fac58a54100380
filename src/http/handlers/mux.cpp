// Implements serve_mux: finds the handler for a request, and answers a request without one.
#include "http/handlers/mux.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include <rota/panic.hpp>

#include "http/exchange/exchange.hpp"
#include "http/handlers/error_pages.hpp"
#include "http/handlers/listing.hpp"
#include "http/message/grammar.hpp"

namespace rota::http {
namespace detail {

// --- the tree ------------------------------------------------------------------------------------

route_node& route_node::child(const std::string& key, std::deque<route_node>& all) {
    route_node*& made = children_[key];
    if (made == nullptr) made = &all.emplace_back();
    return *made;
}

const route_node* route_node::find(std::string_view key) const {
    const auto found = children_.find(key);
    return found == children_.end() ? nullptr : found->second;
}

void route_node::add(const route& r, std::deque<route_node>& all) {
    route_node* n = &child(r.matched.host, all).child(r.matched.method, all);
    for (const segment& s : r.matched.segments) {
        if (s.multi) {
            n->rest_ = &r;
            return;
        }
        if (s.wild || !s.text.empty()) {
            n = &n->child(s.wild ? std::string() : s.text, all);
        } else {
            if (n->empty_ == nullptr) n->empty_ = &all.emplace_back();
            n = n->empty_;
        }
    }
    n->route_ = &r;
}

namespace {

// The end of the segment that begins at `at`. "/" at the end of the path is a segment.
std::size_t end_of_segment(std::string_view path, std::size_t at) {
    return std::min(path.find('/', at + 1), path.size());
}

std::string text_of_segment(std::string_view path, std::size_t at) {
    if (at + 1 == path.size()) return "/";
    return unescaped(path.substr(at + 1, end_of_segment(path, at) - at - 1));
}

}  // namespace

// Goes down the tree, one segment a step, and notes the children that it passes by. At a dead end
// it goes on at the child noted last. A multi wildcard always matches, so a child that was noted
// above it is never needed.
const route* route_node::match_path(std::string_view path, matches& found) const {
    struct place {
        const route_node* node = nullptr;
        std::size_t at = 0;      // offset of the segment in the path
        std::size_t before = 0;  // number of texts found until then
    };
    const std::size_t before = found.size();
    place rest;                // the last node with a multi wildcard
    std::vector<place> wilds;  // below `rest`: wildcards passed by for a literal
    const route_node* n = this;
    for (std::size_t at = 0;;) {
        const route_node* literal = nullptr;
        const route_node* wild = nullptr;
        std::string text;
        if (at < path.size()) {
            text = text_of_segment(path, at);
            literal = text.empty() ? n->empty_ : n->find(text);
            wild = text == "/" ? nullptr : n->find("");
            if (n->rest_ != nullptr) {
                rest = {n, at, found.size()};
                wilds.clear();
            }
        } else if (n->route_ != nullptr) {
            return n->route_;
        }
        if (literal != nullptr) {
            if (wild != nullptr) wilds.push_back({wild, at, found.size()});
            n = literal;
        } else if (wild != nullptr) {
            found.push_back(std::move(text));
            n = wild;
        } else if (!wilds.empty()) {
            const place next = wilds.back();
            wilds.pop_back();
            found.resize(next.before);
            found.push_back(text_of_segment(path, next.at));
            n = next.node;
            at = next.at;
        } else {
            break;
        }
        at = end_of_segment(path, at);
    }
    found.resize(rest.node != nullptr ? rest.before : before);
    if (rest.node == nullptr) return nullptr;
    const route* const r = rest.node->rest_;
    if (!r->matched.last().text.empty()) found.push_back(unescaped(path.substr(rest.at + 1)));
    return r;
}

const route* route_node::match_method(std::string_view method, std::string_view path,
                                      matches& found) const {
    const auto in = [&](std::string_view key) {
        const route_node* const n = find(key);
        return n == nullptr ? nullptr : n->match_path(path, found);
    };
    const route* r = method.empty() ? nullptr : in(method);
    if (r == nullptr && method == "HEAD") r = in("GET");
    return r != nullptr ? r : in("");
}

const route* route_node::match(std::string_view host, std::string_view method,
                               std::string_view path, matches& found) const {
    const route_node* const own = host.empty() ? nullptr : find(host);
    if (own != nullptr) {
        if (const route* const r = own->match_method(method, path, found)) return r;
    }
    const route_node* const any = find("");
    return any == nullptr ? nullptr : any->match_method(method, path, found);
}

void route_node::add_methods(std::string_view path, std::vector<std::string>& all) const {
    matches ignored;
    for (const auto& [method, n] : children_)
        if (!method.empty() && n->match_path(path, ignored) != nullptr) all.push_back(method);
}

std::vector<std::string> route_node::methods(std::string_view host, std::string_view path) const {
    std::vector<std::string> all;
    const std::string with_slash = std::string(path) + "/";
    for (const std::string_view each : {path, std::string_view(with_slash)}) {
        const route_node* const own = host.empty() ? nullptr : find(host);
        if (own != nullptr) own->add_methods(each, all);
        if (const route_node* const any = find("")) any->add_methods(each, all);
    }
    if (std::find(all.begin(), all.end(), "GET") != all.end()) all.emplace_back("HEAD");
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

// --- the answer ----------------------------------------------------------------------------------

namespace {

// The result of a search, made under the lock and used without it.
struct finding {
    const route* r = nullptr;
    matches found;
    std::string redirect;              // the path to redirect to; "": none
    std::vector<std::string> methods;  // without a route: the methods that have one
};

// True: the pattern's last segment, if a multi wildcard, has matched no text. Go: exactMatch.
bool is_exact(const route* r, std::string_view path) {
    if (r == nullptr) return false;
    if (!path.ends_with('/')) return !r->matched.last().multi;
    return r->matched.segments.size() ==
           static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

// True: only the path with a slash added matches exactly, so the answer redirects to that path.
bool lacks_slash(const route_tree& root, const finding& f, std::string_view host,
                 std::string_view method, std::string_view path) {
    if (is_exact(f.r, path) || path.empty() || path.ends_with('/')) return false;
    const std::string longer = std::string(path) + "/";
    matches ignored;
    return is_exact(root.match(host, method, longer, ignored), longer);
}

std::string_view without_port(std::string_view host) {
    if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
    return host.substr(0, host.find(':'));
}

// True: a segment of the path is "." or "..".
bool has_dots(std::string_view path) {
    while (!path.empty()) {
        const std::string_view segment = path.substr(0, path.find('/'));
        if (segment == "." || segment == "..") return true;
        path.remove_prefix(std::min(segment.size() + 1, path.size()));
    }
    return false;
}

std::string escaped_path(std::string_view path) {
    std::string text;
    for (std::size_t at = 1; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        text.append("/").append(escaped(path.substr(at, end - at)));
        at = end + 1;
    }
    return text;
}

// Cleans a path with segments that are dots only without their escapes ("%2e%2e", "..%2f"), since
// handlers read the path without escapes. Empty: there is nothing to clean.
std::string without_escaped_dots(std::string_view path) {
    if (path.find('%') == path.npos) return {};
    const std::string meant = unescaped(path);
    return has_dots(meant) ? escaped_path(clean_path(meant)) : std::string();
}

bool is_clean(std::string_view path) {
    return path.starts_with('/') && path.find("//") == path.npos && path.find("/.") == path.npos;
}

finding find(const route_tree& root, std::string_view host, std::string_view method,
             std::string_view path) {
    finding f;
    std::string cleaned;
    const bool is_connect = method == "CONNECT";
    if (!is_connect) host = without_port(host);
    const std::string_view asked = path;
    if (!is_connect) {
        if (!is_clean(path)) path = cleaned = clean_path(path);
        std::string without = without_escaped_dots(path);
        if (!without.empty()) path = cleaned = std::move(without);
    }
    f.r = root.match(host, method, path, f.found);
    if (lacks_slash(root, f, host, method, path)) {
        f.redirect = std::string(path) + "/";
    } else if (path != asked) {
        f.redirect = path;
    } else if (f.r == nullptr) {
        f.methods = root.methods(host, path);
    }
    return f;
}

std::string without_backslashes(std::string_view path) {
    std::string text;
    for (const char c : path) {
        if (c == '\\') text += "%5C";
        else text += c;
    }
    return text;
}

// Go: Redirect. Browsers take a backslash for a slash: `/\host/` would lead to another host.
void redirect(response_writer& w, const request& r, std::string to) {
    constexpr int temporary_redirect = 307, target_too_long = 414;
    constexpr std::size_t location_max = 8 * 1024, shown_max = 1024;
    // Clients bound the length of a field, and an answer should not be a multiple of its request.
    if (to.size() > location_max) return answer_text(w, target_too_long, "414 URI Too Long\n");
    to = without_backslashes(to);
    w.header().set("Location", to);
    const bool with_text = r.method() == "GET" || r.method() == "HEAD";
    if (with_text) w.header().set("Content-Type", "text/html; charset=utf-8");
    w.write_header(temporary_redirect);
    if (r.method() != "GET" || to.size() > shown_max) return;
    w.write("<a href=\"" + html_escaped(to) + "\">" + std::string(status_text(temporary_redirect)) +
            "</a>.\n\n");
}

void answer_without_route(response_writer& w, const std::vector<std::string>& methods) {
    if (methods.empty()) return answer_text(w, 404, "404 page not found\n");
    std::string allowed;
    for (const std::string& each : methods) allowed += (allowed.empty() ? "" : ", ") + each;
    w.header().set("Allow", allowed);
    answer_text(w, 405, "Method Not Allowed\n");
}

}  // namespace
}  // namespace detail

serve_mux::serve_mux() : s_(std::make_shared<detail::mux_state>()) {}

void serve_mux::handle(std::string_view pattern, handler h) const {
    if (!h) throw panic_error("http: nil handler");
    auto added = std::make_unique<const detail::route>(
        detail::route{detail::parse_pattern(pattern), std::move(h)});
    const std::lock_guard guard(s_->mu);
    std::string why;
    const detail::pattern* const other = s_->patterns.find(
        added->matched,
        [&](const detail::pattern& each) { return detail::conflicts(added->matched, each, why); });
    if (other != nullptr)
        throw panic_error("pattern \"" + added->matched.source + "\" conflicts with pattern \"" +
                          other->source + "\": they " + why);
    s_->routes.push_back(std::move(added));
    s_->patterns.add(s_->routes.back()->matched);
    s_->root.add(*s_->routes.back());
}

void serve_mux::operator()(response_writer& w, request& r) const {
    constexpr int bad_request = 400;
    detail::exchange& x = detail::exchange::of(r);
    if (r.target() == "*") {
        w.header().set("Connection", "close");
        return w.write_header(bad_request);
    }
    detail::finding f;
    {
        const std::shared_lock guard(s_->mu);
        f = detail::find(s_->root, r.host(), r.method(), x.reader.head.raw_path);
    }
    if (!f.redirect.empty()) {
        const std::string_view query = x.reader.head.raw_query;
        if (!query.empty()) f.redirect.append("?").append(query);
        return detail::redirect(w, r, f.redirect);
    }
    if (f.r == nullptr) return detail::answer_without_route(w, f.methods);
    std::size_t next = 0;
    for (const detail::segment& s : f.r->matched.segments)
        if (s.wild && !s.text.empty())
            x.reader.path_values.emplace_back(s.text, std::move(f.found[next++]));
    f.r->answer(w, r);
}

}  // namespace rota::http
