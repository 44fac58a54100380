// Patterns: the handler that a request gets, and the answers to requests without one. Go 1.22.
#include "http_client.hpp"

using namespace rota_test;

namespace {

// A mux whose handlers write their pattern and the matches of the given wildcards.
http::serve_mux saying(const std::vector<std::string>& patterns) {
    http::serve_mux mux;
    for (const std::string& each : patterns)
        mux.handle(each, [each](http::response_writer& w, http::request& r) {
            w.write(each);
            for (const char* name : {"a", "b", "rest"})
                if (const std::string value = r.path_value(name); !value.empty())
                    w.write(std::string(" ") + name + "=" + value);
        });
    return mux;
}

struct asked {
    const http_server s;
    explicit asked(const std::vector<std::string>& patterns) : s(saying(patterns)) {}
    answer full(const std::string& method, const std::string& target,
                const std::string& host = "h") const {
        std::string got = ask(s, method + " " + target + " HTTP/1.1\r\nHost: " + host +
                                     "\r\nConnection: close\r\n\r\n");
        return take_answer(got, method != "HEAD");
    }
    // The handler's text; else the status with the redirect's target or the allowed methods.
    std::string operator()(const std::string& method, const std::string& target,
                           const std::string& host = "h") const {
        const answer a = full(method, target, host);
        if (a.status == 200) return a.body;
        return std::to_string(a.status) + " " + a.field("Location") + a.field("Allow");
    }
};

std::string refusal(const std::vector<std::string>& patterns) {
    return panic_of([&] { saying(patterns); });
}

}  // namespace

TEST_ANYWHERE(http_mux, finds_the_most_specific_pattern) {
    const asked of({"/", "/items/", "/items/{a}", "GET /items/{a}", "GET /items/new", "/{$}",
                    "/x/{a}/y/{b}", "/files/{rest...}", "/files/{a}/raw", "h.example/items/{a}",
                    "POST /only", "/items/{a}/{$}"});
    EXPECT_EQ(of("GET", "/"), "/{$}");
    EXPECT_EQ(of("GET", "/none"), "/");
    EXPECT_EQ(of("GET", "/items/"), "/items/");
    EXPECT_EQ(of("GET", "/items/new"), "GET /items/new");
    EXPECT_EQ(of("GET", "/items/7"), "GET /items/{a} a=7");
    EXPECT_EQ(of("PUT", "/items/7"), "/items/{a} a=7");
    EXPECT_EQ(of("GET", "/items/7/"), "/items/{a}/{$} a=7");
    EXPECT_EQ(of("GET", "/items/7/8"), "/items/");
    EXPECT_EQ(of("GET", "/items/7", "h.example"), "h.example/items/{a} a=7");
    EXPECT_EQ(of("GET", "/items/7", "h.example:8080"), "h.example/items/{a} a=7");
    EXPECT_EQ(of("GET", "/none", "h.example"), "/");
    EXPECT_EQ(of("GET", "/x/1/y/2"), "/x/{a}/y/{b} a=1 b=2");
    EXPECT_EQ(of("GET", "/x/1/z/2"), "/");
    EXPECT_EQ(of("GET", "/files/a/b/c"), "/files/{rest...} rest=a/b/c");
    EXPECT_EQ(of("GET", "/files/a/raw"), "/files/{a}/raw a=a");
    EXPECT_EQ(of("GET", "/files/"), "/files/{rest...}");
    EXPECT_EQ(of("POST", "/only"), "POST /only");
    EXPECT_EQ(of("GET", "/only"), "/");
}

TEST(http_mux, undoes_escapes_by_segments) {
    rota::run([] {
        const asked of({"/p/{a}/q", "/p/{rest...}", "/with%20space/x", "/slash%2Fed"});
        EXPECT_EQ(of("GET", "/p/a%2Fb/q"), "/p/{a}/q a=a/b");
        EXPECT_EQ(of("GET", "/p/x%20y/z%2Fw"), "/p/{rest...} rest=x y/z/w");
        EXPECT_EQ(of("GET", "/with%20space/x"), "/with%20space/x");
        EXPECT_EQ(of("GET", "/slash%2Fed"), "/slash%2Fed");
        EXPECT_EQ(of("GET", "/slash/ed"), "404 ");
    });
}

TEST(http_mux, redirects_to_clean_paths_and_to_the_slash) {
    rota::run([] {
        const asked of({"/tree/", "/leaf", "GET /g/", "/w/{a}/"});
        EXPECT_EQ(of("GET", "/tree"), "307 /tree/");
        EXPECT_EQ(of("GET", "/tree?q=1"), "307 /tree/?q=1");
        EXPECT_EQ(of("GET", "//tree//x"), "307 /tree/x");
        EXPECT_EQ(of("GET", "/a/../leaf"), "307 /leaf");
        EXPECT_EQ(of("GET", "/./leaf?q"), "307 /leaf?q");
        EXPECT_EQ(of("GET", "/../../leaf"), "307 /leaf");
        EXPECT_EQ(of("GET", "/w/1"), "307 /w/1/");
        EXPECT_EQ(of("GET", "/g"), "307 /g/");
        EXPECT_EQ(of("POST", "/g"), "405 GET, HEAD");
        EXPECT_EQ(of("CONNECT", "/a/../leaf"), "404 ");  // not cleaned
        EXPECT_EQ(of.full("GET", "/tree").body, "<a href=\"/tree/\">Temporary Redirect</a>.\n\n");
    });
}

TEST(http_mux, takes_patterns_of_thousands_of_segments) {
    // A recursive call for each segment would overflow the goroutine's stack, when a request is
    // matched and when the table is destroyed.
    rota::run([] {
        std::string wild, literal, text;
        for (int i = 0; i < 4000; ++i) {
            wild.append("/{w").append(std::to_string(i)).append("}");
            literal += "/l";
            text += "/x";
        }
        const std::string of_wilds = wild + "/{a}", of_literals = literal + "/{b}";
        const asked of({of_wilds, of_literals, "/{rest...}"});
        EXPECT_EQ(of("GET", text + "/1"), of_wilds + " a=1");
        EXPECT_EQ(of("GET", literal + "/2"), of_literals + " b=2");
        // Dead ends, far from the place where another way begins.
        literal.back() = 'x';
        EXPECT_EQ(of("GET", literal + "/3"), of_wilds + " a=3");
        EXPECT_EQ(of("GET", literal + "/4/5"), "/{rest...} rest=" + literal.substr(1) + "/4/5");
    });
}

TEST(http_mux, lets_no_dots_through_to_handlers) {
    // Escaped dots could reach a handler that opens the requested file, and a backslash could lead
    // a browser to another host.
    rota::run([] {
        const asked of({"/f/{rest...}", "/w/{a}/", "/{b}/"});
        EXPECT_EQ(of("GET", "/f/%2e%2e/x"), "307 /x/");
        EXPECT_EQ(of("GET", "/f/a/%2E./%2e/b"), "307 /f/b");
        EXPECT_EQ(of("GET", "/f/..%2fx"), "307 /x/");
        EXPECT_EQ(of("GET", "/f/a%2f..%2f..%2F..%2fx%20y?q=%2e%2e"), "307 /x%20y/?q=%2e%2e");
        EXPECT_EQ(of("GET", "/f/%2e%2e%2f%2e%2e%2f"), "307 /");
        EXPECT_EQ(of("GET", "/f/..a/%2e%2e%2e/b..c"), "/f/{rest...} rest=..a/.../b..c");
        EXPECT_EQ(of("CONNECT", "/f/%2e%2e/x"), "/f/{rest...} rest=../x");  // not cleaned
        EXPECT_EQ(of("GET", "/\\evil.example"), "307 /%5Cevil.example/");
        EXPECT_EQ(of("GET", "/w/a\\b?c\\d"), "307 /w/a%5Cb/?c%5Cd");
    });
}

TEST(http_mux, tells_which_methods_there_are) {
    rota::run([] {
        const asked of({"GET /a", "POST /a", "DELETE /b/{a}", "HEAD /c"});
        EXPECT_EQ(of("PUT", "/a"), "405 GET, HEAD, POST");
        EXPECT_EQ(of("GET", "/b/1"), "405 DELETE");
        EXPECT_EQ(of("GET", "/c"), "405 HEAD");
        EXPECT_EQ(of("GET", "/nothing"), "404 ");
        EXPECT_EQ(of.full("GET", "/nothing").body, "404 page not found\n");
        EXPECT_EQ(of.full("HEAD", "/a").status, 200);  // GET serves HEAD too
        EXPECT_EQ(of.full("OPTIONS", "*").status, 200);
    });
}

TEST(http_mux, refuses_patterns_that_make_no_sense) {
    for (const char* each :
         {"", "GET", "GET ", "/{", "/{}", "/a{b}", "/{b}a", "/{a}/{a}", "/{$}/x", "/{a...}/x",
          "/{a b}", "/{1}", "/{...}", "G<T /", "GET //a", "GET /a/../b", "{h}/x", "noslash"})
        EXPECT_NE(refusal({each}), "no panic") << each;
    EXPECT_EQ(refusal({"POST  example.com/a/{b_1}/{rest...}", "/x/{$}", "GET\t/y"}), "no panic");
    http::serve_mux mux;
    EXPECT_NE(panic_of([&] { mux.handle("/", nullptr); }), "no panic");
}

TEST(http_mux, refuses_patterns_that_conflict) {
    const auto conflict = [](const char* a, const char* b) {
        const bool one = refusal({a, b}) != "no panic", other = refusal({b, a}) != "no panic";
        EXPECT_EQ(one, other) << a << " and " << b;
        return one;
    };
    EXPECT_TRUE(conflict("/a", "/a"));
    EXPECT_TRUE(conflict("/{a}", "/{b}"));
    EXPECT_TRUE(conflict("/a/{x}", "/{y}/b"));
    EXPECT_TRUE(conflict("GET /a/{x}", "/a/b"));
    EXPECT_TRUE(conflict("/a/", "/a/{rest...}"));
    EXPECT_TRUE(conflict("/b/", "/{a}/c"));
    EXPECT_TRUE(conflict("h/x/{a}", "h/{b}/y"));
    EXPECT_TRUE(conflict("GET /", "/a"));
    EXPECT_FALSE(conflict("/a", "/{a}"));
    EXPECT_FALSE(conflict("GET /a", "/a"));
    EXPECT_FALSE(conflict("GET /a", "HEAD /a"));
    EXPECT_FALSE(conflict("GET /a", "POST /a"));
    EXPECT_FALSE(conflict("h/a", "/a"));
    EXPECT_FALSE(conflict("h/x/{a}", "g/{b}/y"));
    EXPECT_FALSE(conflict("/a/{x}", "/a/{x}/c"));
    EXPECT_FALSE(conflict("/a/{$}", "/a/{x}"));
    EXPECT_FALSE(conflict("/a/", "/a/{$}"));
}

TEST_ANYWHERE(http_mux, takes_patterns_while_it_serves_and_copies_share_them) {
    const http::serve_mux mux;
    const http::serve_mux copy = mux;
    const http_server s(mux);
    rota::wait_group adders;
    constexpr int many = 50;
    for (int k = 0; k < 2; ++k)
        adders.go([&, k] {
            for (int i = 0; i < many; ++i)
                copy.handle("/" + std::to_string(k) + "/" + std::to_string(i),
                            [](auto& w, auto& r) { w.write(r.path()); });
        });
    for (int i = 0; i < many; ++i) {
        const std::string path = "/0/" + std::to_string(i);
        std::string got;
        ASSERT_TRUE(eventually([&] {
            got = ask(s, "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            return statuses(got) == "200";
        }));
        EXPECT_EQ(only_answer(got).body, path);
    }
    adders.wait();
}
