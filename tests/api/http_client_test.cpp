// Clients: the requests that they send, the answers that they return, redirects, proxies.
#include "http_client.hpp"
#include "scripted_server.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

std::string url_of(const http_server& s, std::string_view target = "/") {
    return "http://" + s.address + std::string(target);
}

// Answers with method, target, fields and body as the handler sees them.
void echo_request(http::response_writer& w, http::request& r) {
    w.header().set("X-Method", r.method());
    w.header().set("X-Target", r.target());
    w.header().set("X-Host", r.host());
    for (const auto& [name, value] : r.headers())
        w.header().add("X-Got-" + std::string(name), value);
    w.write(r.body());
}

const http::client_options straight{.proxy_from_environment = false};

std::error_code get_error(const http::client& c, const std::string& url) {
    std::error_code error;
    const http::response r = c.get(url, error);
    EXPECT_TRUE(!error || (r.status == 0 && r.body.empty())) << url;
    return error;
}

// The head that the client sends for a copy of this request without a body.
std::string sent_by(const http::client& c, const http::request& r) {
    shared_text all;
    const scripted_server s(answering([&](const std::string& request) {
        all = request;
        return ok_with("");
    }));
    http::request copy(r.method(), s.url(r.target()));
    for (const auto& [name, value] : r.headers()) copy.headers().add(name, value);
    (void)c.perform(copy);
    c.close_idle();  // the script waits for the next request
    std::string seen = all.get();
    const std::size_t at = seen.find(s.address);
    if (at != seen.npos) seen.replace(at, s.address.size(), "HOST");
    return seen;
}

}  // namespace

// --- requests ------------------------------------------------------------------------------------

TEST_ANYWHERE(http_client, gets_posts_and_performs) {
    const http_server s(echo_request);
    const http::client c(straight);
    http::response r = c.get(url_of(s, "/a%20b?c=d#fragment"));
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(r.headers.get("x-method"), "GET");
    EXPECT_EQ(r.headers.get("X-Target"), "/a%20b?c=d");
    EXPECT_EQ(r.headers.get("X-Host"), s.address);
    EXPECT_EQ(r.headers.get("X-Got-User-Agent"), "rota-http/1");
    EXPECT_FALSE(r.headers.contains("X-Got-Accept-Encoding"));
    EXPECT_EQ(r.url, url_of(s, "/a%20b?c=d"));
    EXPECT_EQ(r.body, "");
    r = c.post(url_of(s), "text/plain", "some text");
    EXPECT_EQ(r.headers.get("X-Method"), "POST");
    EXPECT_EQ(r.headers.get("X-Got-Content-Type"), "text/plain");
    EXPECT_EQ(r.headers.get("X-Got-Content-Length"), "9");
    EXPECT_EQ(r.body, "some text");
    r = c.head(url_of(s));
    EXPECT_EQ(r.headers.get("X-Method"), "HEAD");
    EXPECT_EQ(r.body, "");
    http::request own("PROPFIND", url_of(s, "/x"), "body");
    own.headers().set("X-Mine", "1");
    for (int i = 0; i < 2; ++i) {  // a request may be sent again
        r = c.perform(own);
        EXPECT_EQ(r.headers.get("X-Method"), "PROPFIND");
        EXPECT_EQ(r.headers.get("X-Got-X-Mine"), "1");
        EXPECT_EQ(r.body, "body");
    }
    EXPECT_EQ(c.perform(http::request("GET", url_of(s))).status, 200);
}

TEST(http_client, request_of_the_program_can_be_asked_what_it_says) {
    http::request r("POST", "http://u:p@Example.org:81/a%20b?q=1+2", "hello");
    EXPECT_EQ(r.method(), "POST");
    EXPECT_EQ(r.target(), "/a%20b?q=1+2");
    EXPECT_EQ(r.path(), "/a b");
    EXPECT_EQ(r.host(), "example.org:81");
    EXPECT_EQ(r.header("Host"), "example.org:81");
    EXPECT_EQ(r.query("q"), "1 2");
    EXPECT_EQ(r.path_value("x"), "");
    EXPECT_EQ(r.content_length(), 5);
    EXPECT_TRUE(r.is_http_1_1());
    EXPECT_FALSE(r.ctx().deadline());
    EXPECT_EQ(r.remote_addr().to_string(), "");
    std::array<std::byte, 2> two;
    EXPECT_EQ(r.read(two), 2U);
    EXPECT_EQ(r.body(), "llo");
    EXPECT_EQ(r.body(), "");
    http::request moved(std::move(r));
    EXPECT_EQ(moved.method(), "POST");
    moved = http::request("GET", "http://a/");
    EXPECT_EQ(moved.method(), "GET");
}

TEST_ANYWHERE(http_client, sends_what_is_asked_for_and_no_more) {
    const http::client c(straight);
    EXPECT_EQ(sent_by(c, http::request("GET", "http://a/x?y")),
              "GET /x?y HTTP/1.1\r\nHost: HOST\r\nUser-Agent: rota-http/1\r\n\r\n");
    EXPECT_EQ(sent_by(c, http::request("POST", "http://a/")),
              "POST / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: rota-http/1\r\n"
              "Content-Length: 0\r\n\r\n");
    http::request own("GET", "http://a/");
    own.headers().set("Host", "other");
    own.headers().set("User-Agent", "");
    own.headers().set("Content-Length", "77");
    own.headers().set("Transfer-Encoding", "chunked");
    own.headers().add("A", "1");
    own.headers().add("A", "2");
    EXPECT_EQ(sent_by(c, own), "GET / HTTP/1.1\r\nHost: other\r\nA: 1\r\nA: 2\r\n\r\n");
    const http::client once({.keep_alive = false, .proxy_from_environment = false});
    EXPECT_EQ(sent_by(once, http::request("GET", "http://a/")),
              "GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: rota-http/1\r\n"
              "Connection: close\r\n\r\n");
}

TEST_ANYWHERE(http_client, sends_the_name_and_password_of_the_url) {
    const http_server s(echo_request);
    const http::client c(straight);
    const http::response r = c.get("http://Aladdin:open%20sesame@" + s.address + "/");
    EXPECT_EQ(r.headers.get("X-Got-Authorization"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    EXPECT_EQ(r.url, url_of(s));  // without name and password
}

TEST(http_client, refuses_urls_methods_and_fields_that_would_split_a_message) {
    // A line break in a target or a method would let an attacker add a request.
    const http::client c(straight);
    using http::http_errc;
    for (const std::string url : {"",
                                  "/",
                                  "example.org",
                                  "//example.org/",
                                  "http:",
                                  "http:///",
                                  "http://",
                                  "http://a b/",
                                  "http://a/ b",
                                  "http://a/\r\nX: y",
                                  "http://a\r\n/",
                                  "http://a/\t",
                                  "http://a/\x7f",
                                  "http://a:x/",
                                  "http://a:65536/",
                                  "http://a:-1/",
                                  "http://[::1/",
                                  "http://[::g]/",
                                  "http://[]/",
                                  "http://[::1]x/",
                                  "http://ex\xc3\xa4mple/",
                                  "http://a/%zz",
                                  "http://a/%1",
                                  "http://a%20b/",
                                  "http://u%zz@a/",
                                  "http://b\\@a/",
                                  "http://b@c@a/",
                                  "http://[b]@a/"})
        EXPECT_EQ(get_error(c, url), http_errc::malformed_url) << url;
    EXPECT_EQ(get_error(c, std::string("http://a/\0b", 11)), http_errc::malformed_url);
    for (const std::string url : {"ftp://a/", "mailto:a@b", "file:///etc/passwd", "httpx://a/"})
        EXPECT_EQ(get_error(c, url), http_errc::unsupported_scheme) << url;
    for (const std::string method : {"", "GE T", "GET\r\nX: y", "G\tT", "CONNECT"}) {
        try {
            const http::request r(method, "http://a/");
            ADD_FAILURE() << method;
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), http_errc::malformed_method) << method;
        }
    }
    http::request r("GET", "http://a/");
    EXPECT_THROW(r.headers().set("A", "b\r\nC: d"), std::invalid_argument);
    EXPECT_THROW(c.post("http://127.0.0.1:1/", "a\nb", ""), std::invalid_argument);
    try {
        (void)c.get("http://user:secret@a b/");
        ADD_FAILURE();
    } catch (const std::system_error& e) {
        EXPECT_EQ(std::string(e.what()).find("secret"), std::string::npos) << e.what();
    }
}

TEST(http_client, escapes_what_a_target_may_not_have) {
    EXPECT_EQ(http::request("GET", "http://a/\xc3\xa4|\"x\"?q=\xc3\xa4").target(),
              "/%C3%A4%7C%22x%22?q=%C3%A4");
    EXPECT_EQ(http::request("GET", "http://a?x").target(), "/?x");
    EXPECT_EQ(http::request("GET", "HTTP://A:0080").host(), "a:80");
}

TEST_ANYWHERE(http_client, does_not_perform_a_request_of_the_server) {
    const http_server s([](http::response_writer& w, http::request& r) {
        const http::client c(straight);
        w.write(panic_of([&] { (void)c.perform(r); }));
    });
    EXPECT_EQ(http::client(straight).get(url_of(s)).body, "http: request of a server");
}

TEST_ANYWHERE(http_client, tells_what_the_network_says) {
    const http::client c(straight);
    std::string nobody;
    {
        const scripted_server s([](const net::conn& k, int) { (void)read_request(k); });
        nobody = s.url();
        EXPECT_EQ(get_error(c, nobody), http::http_errc::server_closed);
    }
    EXPECT_EQ(get_error(c, nobody), std::errc::connection_refused);
    EXPECT_THROW((void)c.get(nobody), std::system_error);
}

// --- answers -------------------------------------------------------------------------------------

TEST_ANYWHERE(http_client, reads_bodies_with_a_length_in_chunks_and_to_the_end) {
    const std::string large(300'000, 'x');
    const http_server s([&](http::response_writer& w, http::request& r) {
        if (r.path() == "/length") w.header().set("Content-Length", std::to_string(large.size()));
        if (r.path() == "/empty") return w.write_header(204);
        if (r.path() == "/same") return w.write_header(304);
        if (r.path() == "/early") {
            w.write_header(103);
            w.write_header(100);
        }
        w.write(large);
    });
    const http::client c(straight);
    for (const std::string path : {"/length", "/chunks", "/early"}) {
        const http::response r = c.get(url_of(s, path));
        EXPECT_EQ(r.status, 200) << path;
        EXPECT_TRUE(r.body == large) << path << " " << r.body.size();
    }
    EXPECT_EQ(c.head(url_of(s, "/length")).headers.get("Content-Length"), "300000");
    EXPECT_EQ(c.head(url_of(s, "/chunks")).body, "");
    EXPECT_EQ(c.get(url_of(s, "/empty")).status, 204);
    EXPECT_EQ(c.get(url_of(s, "/same")).status, 304);
    const scripted_server old([&](const net::conn& k, int) {
        (void)read_request(k);
        k.write("HTTP/1.0 200 OK\r\n\r\n" + large);
    });
    EXPECT_TRUE(c.get(old.url()).body == large);
}

TEST_ANYWHERE(http_client, large_bodies_meet_their_answers_on_the_way) {
    // A client that writes the whole body before it reads would wait for ever for a server that
    // waits for the client.
    const http_server s([](http::response_writer& w, http::request& r) {
        std::array<std::byte, 4096> part;
        while (const std::size_t n = r.read(part))
            w.write({reinterpret_cast<const char*>(part.data()), n});
    });
    const http::client c(straight);
    const std::string large(16 << 20, 'y');
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(c.post(url_of(s), "", large).body == large);
}

TEST_ANYWHERE(http_client, takes_the_answer_of_a_server_that_does_not_read_the_body) {
    const std::string large(32 << 20, 'y');
    const http_server refuses(
        [](http::response_writer& w, http::request&) { w.write_header(413); });
    const http::client c(straight);
    std::error_code error;
    // The server closes after its answer: the client gets the answer, or finds the connection
    // reset.
    const http::response r = c.post("http://" + refuses.address, "", large, error);
    EXPECT_TRUE(r.status == 413 || error == std::errc::connection_reset ||
                error == std::errc::broken_pipe)
        << r.status << " " << error.message();
    const auto over = rota::make_chan<rota::unit>();
    {
        const scripted_server stays([&](const net::conn& k, int) {
            (void)read_text(k, 100);
            k.write(ok_with("enough"));
            (void)over.recv();
        });
        EXPECT_EQ(c.post(stays.url(), "", large).body, "enough");
        over.close();
    }
}

TEST_ANYWHERE(http_client, sends_no_host_that_is_none) {
    // A server behind a proxy could be led to another host than the proxy has checked.
    const http_server s(echo_request);
    const http::client c(straight);
    for (const std::string bad : {"a b", "a/b", "user@a", "a:b", "[::1", "a\\b"}) {
        http::request r("GET", url_of(s, "/"));
        r.headers().set("Host", bad);
        std::error_code error;
        (void)c.perform(r, error);
        EXPECT_EQ(error, http::http_errc::malformed_host) << bad;
    }
    http::request r("GET", url_of(s, "/"));
    r.headers().set("Host", "other.example:81");
    EXPECT_EQ(c.perform(r).headers.get("X-Got-Host"), "other.example:81");
}

// --- redirects -----------------------------------------------------------------------------------

TEST_ANYWHERE(http_redirect, is_followed_as_go_does) {
    http::serve_mux mux;
    mux.handle("/echo", echo_request);
    mux.handle("/to/{status}", [](http::response_writer& w, http::request& r) {
        w.header().set("Location", "../echo?from=" + r.path_value("status"));
        w.write_header(std::stoi(r.path_value("status")));
    });
    const http_server s(mux);
    const http::client c(straight);
    for (const auto& [status, method, then, body] : {std::tuple("301", "POST", "GET", ""),
                                                     {"302", "PUT", "GET", ""},
                                                     {"303", "POST", "GET", ""},
                                                     {"301", "HEAD", "HEAD", ""},
                                                     {"303", "GET", "GET", ""},
                                                     {"307", "POST", "POST", "data"},
                                                     {"308", "PUT", "PUT", "data"},
                                                     {"307", "HEAD", "HEAD", ""}}) {
        const std::string from = url_of(s, "/to/" + std::string(status));
        http::request r(method, from, method == std::string("HEAD") ? "" : "data");
        r.headers().set("Content-Type", "text/x");
        r.headers().set("Cookie", "a=b");
        const http::response a = c.perform(r);
        EXPECT_EQ(a.status, 200) << status;
        EXPECT_EQ(a.headers.get("X-Method"), then) << status << " " << method;
        EXPECT_EQ(a.headers.get("X-Target"), "/echo?from=" + std::string(status));
        EXPECT_EQ(a.body, body) << status;
        EXPECT_EQ(a.headers.get("X-Got-Cookie"), "a=b");
        EXPECT_EQ(a.headers.get("X-Got-Referer"), from);
        EXPECT_EQ(a.headers.contains("X-Got-Content-Type"), status[2] > '6') << status;
        EXPECT_EQ(a.url, url_of(s, "/echo?from=" + std::string(status)));
    }
}

TEST_ANYWHERE(http_redirect, the_referer_is_the_page_before) {
    // The first page of a chain could be sent to each page after the second.
    const http_server s([&](http::response_writer& w, http::request& r) {
        if (r.path() == "/end") return w.write(std::string(r.headers().get("Referer")));
        w.header().set("Location", r.path() == "/first" ? "/second" : "/end");
        w.write_header(302);
    });
    const http::client c(straight);
    EXPECT_EQ(c.get(url_of(s, "/first")).body, url_of(s, "/second"));
    http::request own("GET", url_of(s, "/first"));
    own.headers().set("Referer", "http://mine/");
    EXPECT_EQ(c.perform(own).body, "http://mine/");
}

TEST_ANYWHERE(http_redirect, takes_secrets_to_no_other_host_or_port) {
    const http_server other(echo_request);
    const std::string at = other.address.substr(other.address.find(':'));
    const http_server s([&](http::response_writer& w, http::request& r) {
        if (r.path() == "/end") return echo_request(w, r);
        if (r.path() == "/host") w.header().set("Location", "http://localhost" + at + "/");
        else if (r.path() == "/port") w.header().set("Location", "http://127.0.0.1" + at + "/");
        else w.header().set("Location", "/end");
        w.write_header(302);
    });
    const http::client c(straight);
    for (const std::string path : {"/host", "/port", "/same"}) {
        http::request r("GET", url_of(s, path));
        for (const std::string name : {"Authorization", "Cookie", "WWW-Authenticate", "X-Other"})
            r.headers().set(name, "secret");
        const http::response a = c.perform(r);
        EXPECT_EQ(a.status, 200);
        EXPECT_EQ(a.headers.get("X-Got-X-Other"), "secret");
        for (const std::string name : {"Authorization", "Cookie", "WWW-Authenticate"})
            EXPECT_EQ(a.headers.contains("X-Got-" + name), path == "/same") << name << path;
    }
}

TEST_ANYWHERE(http_redirect, does_not_depend_on_the_body_that_comes_with_it) {
    // The client does not want that body. A body that is cut off, malformed, or without an end must
    // not fail the call, nor be read for long. After a short body the connection stays usable.
    const std::string moved = "HTTP/1.1 302 Found\r\nLocation: /there\r\n";
    std::string large = moved + "Content-Length: 3000\r\n\r\n" + std::string(3000, 'x');
    const std::pair<std::string, int> cases[] = {
        {moved + "Content-Length: 5\r\n\r\nshort", 1},
        {moved + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 1},
        {moved + "Content-Length: 5\r\n\r\ncut", 2},
        {moved + "Transfer-Encoding: chunked\r\n\r\nnone", 2},
        {moved + "Transfer-Encoding: chunked\r\n\r\n3;" + std::string(100'000, 'e'), 2},
        {moved + "Content-Length: 1000000\r\n\r\nstill to come", 2},
        {std::move(large), 2},
    };
    for (const auto& [redirect, connections] : cases) {
        const bool is_cut = redirect.ends_with("cut");
        const scripted_server s([&, text = redirect](const net::conn& conn, int) {
            std::string behind;
            for (;;) {
                const std::string r = read_request(conn, behind);
                std::error_code gone;
                if (r.starts_with("GET /there ")) conn.write(ok_with("there"), gone);
                else if (r.starts_with("GET / ")) conn.write(text, gone);
                if (!r.starts_with("GET") || (is_cut && r.starts_with("GET / "))) return;
            }
        });
        const http::client c({.max_body_bytes = 2'000'000, .proxy_from_environment = false});
        std::error_code error;
        const http::response a = c.get(s.url(), error);
        EXPECT_FALSE(error) << error.message() << " " << redirect.substr(0, 100);
        EXPECT_EQ(a.body, "there");
        EXPECT_EQ(s.connections, connections) << redirect.substr(0, 100);
        c.close_idle();
    }
}

TEST_ANYWHERE(http_redirect, ends_somewhere) {
    shared_text at;
    std::atomic<int> asked{0};
    const scripted_server s(answering([&](const std::string&) {
        ++asked;
        const std::string location = at.get();
        return "HTTP/1.1 302 Found\r\n" +
               (location.empty() ? "" : "Location: " + location + "\r\n") +
               "Content-Length: 2\r\n\r\nhi";
    }));
    const http::client c(straight);
    EXPECT_EQ(c.get(s.url()).body, "hi");  // without a Location: a normal answer
    at = "/again";
    asked = 0;
    EXPECT_EQ(get_error(c, s.url()), http::http_errc::too_many_redirects);
    EXPECT_EQ(asked, 11);
    for (const std::string bad : {"http://a b/", "http://[::1", "/%zz", "http:x"}) {
        at = bad;
        EXPECT_EQ(get_error(c, s.url()), http::http_errc::malformed_location) << bad;
    }
    at = "ftp://a/";
    EXPECT_EQ(get_error(c, s.url()), http::http_errc::unsupported_scheme);
    const http::client stays({.max_redirects = 0, .proxy_from_environment = false});
    EXPECT_EQ(stays.get(s.url()).status, 302);
}

// --- proxies -------------------------------------------------------------------------------------

TEST_ANYWHERE(http_proxy, is_asked_in_absolute_form) {
    shared_text seen;
    const scripted_server proxy(answering([&](const std::string& request) {
        seen = request;
        return ok_with("by proxy");
    }));
    const http::client c({.proxy = "http://me:pw@" + proxy.address});
    EXPECT_EQ(c.get("http://nowhere.invalid/x?y").body, "by proxy");
    EXPECT_EQ(seen.get(), "GET http://nowhere.invalid/x?y HTTP/1.1\r\nHost: nowhere.invalid\r\n"
                          "User-Agent: rota-http/1\r\nProxy-Authorization: Basic bWU6cHc=\r\n\r\n");
    EXPECT_EQ(c.get("http://nowhere.invalid/again").body, "by proxy");
    EXPECT_EQ(proxy.connections, 1);
    EXPECT_EQ(c.get("http://elsewhere.invalid/").body, "by proxy");
    EXPECT_EQ(proxy.connections, 2);
    EXPECT_THROW(http::client({.proxy = "http://a b"}), std::system_error);
    EXPECT_THROW(http::client({.proxy = "socks5://a"}), std::system_error);
}
