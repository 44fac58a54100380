// Measures parsers that the subjects call directly, without a server or a client.
#include <string>
#include <string_view>
#include <vector>

#include <cstdlib>

#include <rota/http.hpp>

#include "base/env.hpp"
#include "diag/text/json_text.hpp"
#include "http/client/proxy.hpp"
#include "http/handlers/error_pages.hpp"
#include "http/handlers/listing.hpp"
#include "http/message/date.hpp"
#include "http/message/grammar.hpp"
#include "http/message/url.hpp"
#include "os/environment.hpp"
#include "subjects.hpp"

namespace rota_hostile {

namespace {

namespace http = rota::http;

std::string no_proxy;  // value of the variable NO_PROXY

const char* variable(std::string_view name) {
    if (name == "NO_PROXY") return no_proxy.c_str();
    return name == "HTTP_PROXY" ? "http://proxy:1" : nullptr;
}

void choose_proxy(const std::string& list) {
    no_proxy = list;
    const http::detail::proxy_choice choice([](const char* name) { return variable(name); });
    http::url to;
    std::error_code error;
    require(!http::parse_url("http://host.example/", to), "a URL");
    for (int i = 0; i < 4; ++i) require(choice.find(to, error) != nullptr, "no exception fits");
}

void resolve(const std::string& reference) {
    http::url base, to;
    bool names_host = false;
    require(!http::parse_url("http://host/a/b?c", base), "a URL");
    require(!http::resolve_url(base, reference, to, names_host), "a reference");
}

// Adds many patterns, one a line, to a table.
void add_patterns(const std::string& lines) {
    const http::serve_mux mux;
    std::string_view rest = lines;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        mux.handle(line, [](http::response_writer&, http::request&) {});
        rest.remove_prefix(line.size() + 1);
    }
}

void read_godebug(const std::string& value) {
    ::setenv("GODEBUG", value.c_str(), 1);
    (void)rota::rt::read_environment();
    ::unsetenv("GODEBUG");
}

void read_variables(const std::string& lines) {
    std::vector<std::string> all;
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 1) {
        end = lines.find('\n', at);
        all.push_back(lines.substr(at, end - at));
    }
    (void)rota::os::without_duplicates(std::move(all));
}

void fill_map(const std::string& lines) {
    http::header_map fields;
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 1) {
        end = lines.find('\n', at);
        fields.add(std::string_view(lines).substr(at, end - at), "value");
    }
    const http::header_map copy(fields);
    fields.del("field-0");
}

// As fill_map, by set() and by lookups, as handlers do.
void set_in_map(const std::string& lines) {
    http::header_map fields;
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 1) {
        end = lines.find('\n', at);
        const std::string_view name = std::string_view(lines).substr(at, end - at);
        require(!fields.contains(name), "a new name");
        fields.set(name, "first");
        fields.set(name, "second");
        require(fields.get(name) == "second", "the last value");
    }
    require(fields.values("FIELD-0").size() == 1, "one of each name");
}

auto of(std::string_view piece) {
    return [piece](std::size_t bytes) { return repeated(piece, bytes); };
}
auto of(std::string_view begin, std::string_view piece, std::string_view end = {}) {
    return [=](std::size_t bytes) {
        return std::string(begin) + repeated(piece, bytes) + std::string(end);
    };
}

// Bytes of the smallest and of the largest input.
constexpr std::size_t least = 16 << 10, most = 8 << 20;

}  // namespace

void add_texts(subjects& all) {
    const auto add = [&](const char* name, auto input, auto work, std::size_t at_most = most) {
        all.push_back({name, least, at_most, input, work});
    };
    add("URL: ../ in a reference", of("../"), resolve);
    add("URL: a/.. in a reference", of("/", "a/../"), resolve);
    add("URL: escapes", of("http://h/", "%41"), [](const std::string& text) {
        http::url to;
        require(!http::parse_url(text, to), "a URL");
    });
    add("URL: name and password", of("http://", "a:", "@h/"), [](const std::string& text) {
        http::url to;
        require(!http::parse_url(text, to), "a URL");
        (void)http::basic_credentials(to.user_info);
    });
    add("path: /a/..", of("/a/.."), [](const std::string& t) { (void)http::clean_path(t); });
    add("path: /a//./", of("/a//./"), [](const std::string& t) { (void)http::clean_path(t); });
    add("NO_PROXY: names", of("n#.example,"), choose_proxy);
    add("NO_PROXY: networks", of("10.0.0.0/8,"), choose_proxy);
    add("mux: patterns", of("/a#/b\n"), add_patterns, 16 << 10);
    add("mux: patterns with wildcards", of("GET /{x}/a#/{y...}\n"), add_patterns, 32 << 10);
    add("mux: wildcards of a pattern", of("", "/{w#}", "\n"), add_patterns, 64 << 10);
    add("header_map: fields", of("field-#\n"), fill_map);
    add("header_map: fields that are set", of("field-#\n"), set_in_map);
    add("GODEBUG: settings", of("schedtrace=0,"), read_godebug, 1 << 20);
    add("environment: variables", of("NAME#=value\n"), read_variables, 256 << 10);
    add("page: names escaped", of("<a\xff&"), [](const std::string& text) {
        (void)http::html_escaped(text);
        (void)http::escaped(text);
    });
    add("page: JSON", of("\"\xff\xc3\xa4\n"), [](const std::string& text) {
        rota::rt::json_text page;
        page.open('{');
        page.text("name", text);
        page.close('}');
        (void)page.take();
    });
}

}  // namespace rota_hostile
