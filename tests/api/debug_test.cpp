// rota::debug: tests the pages with requests like those of browsers and tools.
#include <rota/debug.hpp>
#include <rota/metrics.hpp>
#include <rota/pprof.hpp>
#include <rota/trace.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include <unistd.h>

#include "anywhere.hpp"
#include "http_client.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

__attribute__((noinline)) void stands_on_a_page(const rota::chan<int>& ch) {
    ch.recv();
    // no tail call, and not merged with an identical function
    asm volatile("" : : "i"(1) : "memory");
}

namespace {

answer page(const rota::debug::server& s, const std::string& target, const std::string& body = "",
            const std::string& fields = "") {
    const net::conn c = net::dial("tcp", s.addr().to_string());
    std::error_code gone;
    const std::string host =
        fields.find("Host:") == fields.npos ? "Host: " + s.addr().to_string() + "\r\n" : "";
    c.write((body.empty() ? "GET " : "POST ") + target + " HTTP/1.1\r\n" + host + fields +
                "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                body,
            gone);
    return only_answer(read_to_end(c));
}

// Whether brackets and quotes match, outside and inside of texts; no grammar.
bool is_balanced_json(const std::string& text) {
    std::string open;
    bool in_text = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_text) {
            if (c == '\\') ++i;
            else if (c == '"') in_text = false;
        } else if (c == '"') {
            in_text = true;
        } else if (c == '{' || c == '[') {
            open += c;
        } else if (c == '}' || c == ']') {
            if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return false;
            open.pop_back();
        }
    }
    return open.empty() && !in_text && text.find(",}") == text.npos && text.find(",]") == text.npos;
}

}  // namespace

TEST_ANYWHERE(debug, the_index_names_every_profile) {
    // Fails if the first page is empty.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    const answer index = page(s, "/debug/pprof/");
    EXPECT_EQ(index.status, 200);
    EXPECT_EQ(index.field("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(index.field("X-Content-Type-Options"), "nosniff");
    for (const auto& p : rota::pprof::profiles()) {
        const std::string name(p.name);
        EXPECT_NE(index.body.find("<a href='" + name + "?debug=1'>" + name + "</a>"),
                  std::string::npos)
            << name;
    }
    EXPECT_NE(index.body.find("goroutine?debug=2"), std::string::npos);
}

TEST_ANYWHERE(debug, profiles_have_go_s_parameters_and_fields) {
    // Fails if go tool pprof, or a browser, takes one form for another.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    for (const auto& p : rota::pprof::profiles()) {
        const std::string name(p.name);
        const answer file = page(s, "/debug/pprof/" + name);
        EXPECT_EQ(file.status, 200) << name;
        EXPECT_EQ(file.field("Content-Type"), "application/octet-stream") << name;
        EXPECT_EQ(file.field("Content-Disposition"), "attachment; filename=\"" + name + "\"");
        EXPECT_GT(file.body.size(), 50u) << name;
        const answer text = page(s, "/debug/pprof/" + name + "?debug=1");
        EXPECT_EQ(text.field("Content-Type"), "text/plain; charset=utf-8") << name;
        EXPECT_EQ(text.field("Content-Disposition"), "") << name;
        EXPECT_NE(text.body.find(name == "block"    ? "--- contention:"
                                 : name == "mutex"  ? "--- mutex:"
                                 : name == "allocs" ? "heap profile: "
                                                    : name + " profile: "),
                  std::string::npos)
            << text.body;
    }
    const answer dump = page(s, "/debug/pprof/goroutine?debug=2");
    EXPECT_EQ(dump.body.rfind("goroutine ", 0), 0u) << dump.body;
    EXPECT_NE(dump.body.find(" [running]:\n"), std::string::npos) << dump.body;
}

TEST_ANYWHERE(debug, errors_are_as_go_s_handler_gives_them) {
    // Fails if the tool does not show why no profile came.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    const answer unknown = page(s, "/debug/pprof/nothing");
    EXPECT_EQ(unknown.status, 404);
    EXPECT_EQ(unknown.body, "Unknown profile\n");
    EXPECT_EQ(unknown.field("X-Go-Pprof"), "1");
    const answer both = page(s, "/debug/pprof/goroutine?debug=1&seconds=1");
    EXPECT_EQ(both.status, 400);
    EXPECT_EQ(both.body, "seconds and debug params are incompatible\n");
    const answer without_slash = page(s, "/debug/pprof");
    EXPECT_EQ(without_slash.status, 307);
    EXPECT_EQ(without_slash.field("Location"), "/debug/pprof/");
    EXPECT_EQ(page(s, "/debug/pprof?debug=1&x=%20").field("Location"),
              "/debug/pprof/?debug=1&x=%20");
    for (const char* const seconds : {"0", "-1", "x", "1.5"}) {
        const answer invalid = page(s, std::string("/debug/pprof/goroutine?seconds=") + seconds);
        EXPECT_EQ(invalid.status, 400);
        EXPECT_EQ(invalid.body, "invalid value for \"seconds\" - must be a positive integer\n");
    }
    EXPECT_EQ(page(s, "/debug/pprof/goroutine?debug=-1").field("Content-Type"),
              "text/plain; charset=utf-8");
    EXPECT_EQ(page(s, "/elsewhere").status, 404);
    std::ostringstream out;
    rota::pprof::start_cpu_profile(out);
    const answer busy = page(s, "/debug/pprof/profile?seconds=1");
    rota::pprof::stop_cpu_profile();
    EXPECT_EQ(busy.status, 500);
    EXPECT_EQ(busy.body.rfind("Could not enable CPU profiling: ", 0), 0u) << busy.body;
}

TEST_ANYWHERE(debug, every_profile_can_be_a_difference) {
    // Fails if the tool's -seconds fails, or if it shows samples from before the interval.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    rota::wait_group all;
    for (const auto& p : rota::pprof::profiles()) {
        all.go([&s, name = std::string(p.name)] {
            const auto began = std::chrono::steady_clock::now();
            const answer file = page(s, "/debug/pprof/" + name + "?seconds=1");
            EXPECT_GE(std::chrono::steady_clock::now() - began, 1s);
            EXPECT_EQ(file.status, 200) << name << ": " << file.body;
            EXPECT_EQ(file.field("Content-Disposition"),
                      "attachment; filename=\"" + name + "-delta\"");
            EXPECT_EQ(file.body.substr(0, 2), "\x1f\x8b") << name;
        });
    }
    all.wait();
}

TEST_ANYWHERE(debug, a_cpu_profile_lasts_as_long_as_asked_for) {
    // Fails if the profile comes at once and is empty, or never comes.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    const auto began = std::chrono::steady_clock::now();
    const answer file = page(s, "/debug/pprof/profile?seconds=1");
    EXPECT_GE(std::chrono::steady_clock::now() - began, 1s);
    EXPECT_EQ(file.status, 200);
    EXPECT_EQ(file.field("Content-Disposition"), "attachment; filename=\"profile\"");
    EXPECT_GT(file.body.size(), 50u);
}

TEST_ANYWHERE(debug, a_trace_lasts_as_long_as_asked_for) {
    // Fails if the page is missing, if `go tool trace` cannot read the file, or if the trace ends
    // at once.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    const auto began = std::chrono::steady_clock::now();
    const answer file = page(s, "/debug/pprof/trace?seconds=0.2");
    if (file.status == 500 && file.body.find("not supported") != std::string::npos)
        GTEST_SKIP() << "no traces here: " << file.body;
    EXPECT_GE(std::chrono::steady_clock::now() - began, 200ms);
    ASSERT_EQ(file.status, 200) << file.body;
    EXPECT_EQ(file.field("Content-Type"), "application/octet-stream");
    EXPECT_EQ(file.field("Content-Disposition"), "attachment; filename=\"trace\"");
    EXPECT_EQ(file.field("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(file.body.rfind("go 1.", 0), 0u) << file.body.substr(0, 40);
    EXPECT_GT(file.body.size(), 200u);
    // It has ended: the next trace may begin.
    const auto path = std::filesystem::temp_directory_path() /
                      ("rota_debug_" + std::to_string(::getpid()) + ".trace");
    rota::trace::start(path);
    const answer busy = page(s, "/debug/pprof/trace?seconds=0.1");
    rota::trace::stop();
    std::filesystem::remove(path);
    EXPECT_EQ(busy.status, 500);
    EXPECT_EQ(busy.body.rfind("Could not enable tracing: ", 0), 0u) << busy.body;
    EXPECT_EQ(busy.field("X-Go-Pprof"), "1");
    EXPECT_EQ(busy.field("Content-Disposition"), "");
}

TEST_ANYWHERE(debug, addresses_get_their_names) {
    // Fails if a profile without names gets no names.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    char address[32];
    std::snprintf(address, sizeof address, "%#zx",
                  reinterpret_cast<std::size_t>(&stands_on_a_page) + 1);
    for (const bool posts : {false, true}) {
        const std::string target = "/debug/pprof/symbol";
        const answer a = posts ? page(s, target, std::string(address) + "+0x1")
                               : page(s, target + "?" + address);
        EXPECT_EQ(a.body.rfind("num_symbols: 1\n", 0), 0u) << a.body;
        EXPECT_NE(a.body.find(std::string(address) + " stands_on_a_page("), std::string::npos)
            << a.body;
    }
    const answer arguments = page(s, "/debug/pprof/cmdline");
    EXPECT_NE(arguments.body.find("rota_api"), std::string::npos) << arguments.body;
}

TEST_ANYWHERE(debug, the_scheduler_s_state_is_json_with_every_goroutine) {
    // Fails if a goroutine is missing, or if a quote in a label ends the text.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    rota::pprof::do_labels({{"quo\"te", "back\\slash\n"}},
                           [&] { wg.go([ch] { stands_on_a_page(ch); }); });
    std::string json;
    EXPECT_TRUE(eventually([&] {
        json = page(s, "/debug/sched").body;
        // At first the goroutine has not parked yet.
        return json.find("\"waits_for\":\"chan receive\"") != json.npos &&
               json.find("\"function\":\"stands_on_a_page(") != json.npos;
    })) << json;
    EXPECT_TRUE(is_balanced_json(json)) << json;
    EXPECT_NE(json.find("\"labels\":{\"quo\\\"te\":\"back\\\\slash\\u000a\"}"), json.npos) << json;
    EXPECT_NE(json.find("\"gomaxprocs\":" + std::to_string(rota::runtime::gomaxprocs(0)) + ","),
              json.npos)
        << json;
    const char* const debug = std::getenv("GODEBUG");
    const bool is_epoll = debug == nullptr || std::string(debug).find("netpoll") == json.npos;
    EXPECT_NE(json.find(is_epoll ? "\"poller\":\"epoll\"" : "\"poller\":"), json.npos) << json;
    EXPECT_NE(json.find("\"processors\":[{\"id\":0,"), json.npos) << json;
    EXPECT_NE(json.find("\"threads\":[{\"id\":"), json.npos) << json;
    ch.close();
    wg.wait();
}

TEST_ANYWHERE(debug, metrics_are_served_as_prometheus_asks) {
    // Fails if the scraper refuses the type.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    const answer a = page(s, "/metrics");
    EXPECT_EQ(a.status, 200);
    EXPECT_EQ(a.field("Content-Type"), std::string(rota::metrics::prometheus_type));
    EXPECT_NE(a.body.find("\ngo_goroutines "), std::string::npos) << a.body;
}

TEST_ANYWHERE(debug, the_handler_fits_behind_a_mux) {
    // Fails if a program with its own server needs a second server.
    http::serve_mux mux;
    mux.handle("/debug/", rota::debug::handler());
    const http_server s(mux);
    const answer a = only_answer(ask(s, "GET /debug/pprof/goroutine?debug=1 HTTP/1.1\r\nHost: x\r\n"
                                        "Connection: close\r\n\r\n"));
    EXPECT_EQ(a.status, 200);
    EXPECT_EQ(a.body.rfind("goroutine profile: total ", 0), 0u) << a.body;
}

TEST_ANYWHERE(debug, a_server_ends_with_its_object) {
    // Fails if the port stays taken, or if a goroutine stays behind.
    std::string address;
    {
        rota::debug::server s = rota::debug::serve("127.0.0.1:0");
        address = s.addr().to_string();
        rota::debug::server moved = std::move(s);
        EXPECT_EQ(page(moved, "/metrics").status, 200);
        moved.close();
        moved.close();
    }
    EXPECT_THROW(net::dial("tcp", address), std::system_error);
    EXPECT_THROW((void)rota::debug::serve("127.0.0.1:notaport"), std::system_error);
}

// --- access to the pages -------------------------------------------------------------------------

TEST_ANYWHERE(debug_pages, of_a_loopback_address_are_not_for_other_sites) {
    // Otherwise a web page that a user opens could let its own name lead to this address, and read
    // every stack.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    const std::string port = ":" + std::to_string(s.addr().port());
    const auto status = [&](const std::string& fields) {
        return page(s, "/metrics", "", fields).status;
    };
    for (const std::string host : {"localhost", "LocalHost", "127.0.0.1", "[::1]"})
        EXPECT_EQ(status("Host: " + host + port + "\r\n"), 200) << host;
    for (const std::string& host :
         {"evil.example" + port, std::string("localhost"), std::string("localhost:1"),
          std::string("127.0.0.1"), "localhost.evil.example" + port, "127.0.0.2" + port,
          std::string()})
        EXPECT_EQ(status("Host: " + host + "\r\n"), 403) << host;
    for (const std::string field :
         {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: http://evil.example",
          "Origin: null", "Origin: http://localhost:1"})
        EXPECT_EQ(status(field + "\r\n"), 403) << field;
    for (const std::string& field :
         {std::string("Sec-Fetch-Site: same-origin"), std::string("Sec-Fetch-Site: none"),
          "Origin: http://" + s.addr().to_string()})
        EXPECT_EQ(status(field + "\r\n"), 200) << field;
    EXPECT_EQ(page(s, "/metrics").field("Access-Control-Allow-Origin"), "");
}

TEST_ANYWHERE(debug_pages, on_a_kept_connection_are_judged_one_by_one) {
    // The second request could profit from the first request's Host.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    const net::conn c = net::dial("tcp", s.addr().to_string());
    c.write("GET /metrics HTTP/1.1\r\nHost: " + s.addr().to_string() +
            "\r\n\r\nGET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    std::string all = read_to_end(c);
    EXPECT_EQ(take_answer(all).status, 200);
    EXPECT_EQ(take_answer(all).status, 403);
}

TEST_ANYWHERE(debug_pages, elsewhere_ask_for_a_token_or_for_a_word) {
    // `:6060` could show them to every client, without any token or option.
    const auto open = [](rota::debug::options o) { return rota::debug::serve("0.0.0.0:0", o); };
    try {
        (void)open({});
        ADD_FAILURE() << "served";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::permission_denied);
        EXPECT_NE(std::string(e.what()).find("options::token"), std::string::npos) << e.what();
    }
    EXPECT_THROW((void)open({.token = "a b"}), std::invalid_argument);
    const rota::debug::server s = open({.token = "s3cret-token"});
    const auto of = [](const rota::debug::server& asked, const std::string& target,
                       const std::string& fields) {
        const std::string port = ":" + std::to_string(asked.addr().port());
        const net::conn c = net::dial("tcp", "127.0.0.1" + port);
        c.write("GET " + target + " HTTP/1.1\r\nHost: localhost" + port +
                "\r\nConnection: close\r\n" + fields + "\r\n");
        return only_answer(read_to_end(c));
    };
    const auto at = [&](const std::string& target, const std::string& fields) {
        return of(s, target, fields);
    };
    EXPECT_EQ(at("/metrics", "").status, 401);
    EXPECT_EQ(at("/metrics", "").field("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(at("/metrics", "Authorization: Bearer s3cret-toke\r\n").status, 401);
    EXPECT_EQ(at("/metrics", "Authorization: Bearer s3cret-tokex\r\n").status, 401);
    EXPECT_EQ(at("/metrics", "Authorization: Bearer s3cret-token\r\n").status, 200);
    EXPECT_EQ(at("/metrics?token=wrong", "").status, 401);
    const answer exchanged = at("/metrics?a=1&token=s3cret-token&b=2", "");
    EXPECT_EQ(exchanged.status, 303);
    EXPECT_EQ(exchanged.field("Location"), "/metrics?a=1&b=2");
    const std::string cookie = exchanged.field("Set-Cookie");
    EXPECT_NE(cookie.find("; HttpOnly; SameSite=Strict"), std::string::npos) << cookie;
    EXPECT_EQ(at("/metrics", "Cookie: x=y; " + cookie.substr(0, cookie.find(';')) + "\r\n").status,
              200);
    const rota::debug::server judged =
        open({.admit = [](const http::request& r) { return r.path() == "/metrics"; }});
    EXPECT_EQ(of(judged, "/metrics", "").status, 200);
    EXPECT_EQ(of(judged, "/debug/sched", "").status, 403);
}

TEST_ANYWHERE(debug_pages, behind_a_mux_can_be_judged_too) {
    http::serve_mux mux;
    mux.handle("/debug/", rota::debug::handler({.token = "t0ken"}));
    const http_server s(mux);
    const auto status = [&](const std::string& fields) {
        return only_answer(ask(s, "GET /debug/sched HTTP/1.1\r\nHost: " + s.address + "\r\n" +
                                      fields + "Connection: close\r\n\r\n"))
            .status;
    };
    EXPECT_EQ(status(""), 401);
    EXPECT_EQ(status("Authorization: Bearer t0ken\r\n"), 200);
}

TEST_ANYWHERE(debug_pages, take_bounded_bodies_and_times) {
    // A single request could take the whole memory, or keep other clients from their profile for a
    // day.
    const rota::debug::server s = rota::debug::serve("127.0.0.1:0");
    EXPECT_EQ(page(s, "/debug/pprof/symbol", std::string((1 << 20) + 1, '+')).status, 413);
    EXPECT_EQ(page(s, "/debug/pprof/symbol", std::string(1 << 20, '+')).status, 200);
    for (const std::string target :
         {"profile?seconds=301", "trace?seconds=300.5", "goroutine?seconds=86400"}) {
        const answer refused = page(s, "/debug/pprof/" + target);
        EXPECT_EQ(refused.status, 400) << target;
        EXPECT_EQ(refused.body, "profile duration exceeds 300 seconds\n") << target;
    }
}
