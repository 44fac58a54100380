// Requests and answers: the request that a handler sees, the answer that a client gets, and its
// framing.
#include <algorithm>
#include <stdexcept>

#include <strings.h>

#include "http_client.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view host = "Host: a\r\n";
constexpr std::string_view last = "Host: a\r\nConnection: close\r\n\r\n";

std::string get(std::string_view target, std::string_view rest = last) {
    return "GET " + std::string(target) + " HTTP/1.1\r\n" + std::string(rest);
}

// The only answer to a request, which handler h gets.
answer answered(http::handler h, std::string_view request) {
    const http_server s(std::move(h));
    return only_answer(ask(s, request));
}

}  // namespace

// --- headers -------------------------------------------------------------------------------------

TEST(http_header_map, compares_names_without_case_and_keeps_order) {
    http::header_map h;
    h.add("B", "1");
    h.add("a", "2");
    h.add("b", "3");
    EXPECT_EQ(h.get("b"), "1");
    EXPECT_EQ(h.get("A"), "2");
    EXPECT_EQ(h.get("c"), "");
    EXPECT_EQ(h.values("B"), (std::vector<std::string>{"1", "3"}));
    h.set("b", "4");
    std::string all;
    for (const auto& [name, value] : h) all.append(name).append("=").append(value).append(" ");
    EXPECT_EQ(all, "b=4 a=2 ");
    h.del("B");
    EXPECT_EQ(h.size(), 1U);
}

TEST(http_header_map, of_many_fields_does_as_one_of_few) {
    // Above a certain number of fields a map has a table of names, which could miss a change: a
    // plain list does each step here too.
    std::vector<std::pair<std::string, std::string>> list;
    http::header_map h;
    const auto is_it = [](const std::string& name) {
        return [&name](const auto& f) { return ::strcasecmp(f.first.c_str(), name.c_str()) == 0; };
    };
    for (unsigned step = 0, draw = 1; step < 3000; ++step) {
        draw = draw * 1664525 + 1013904223;
        const std::string number = std::to_string(draw >> 20 & 127), value = std::to_string(step);
        const std::string name = ((draw & 0x10000) != 0 ? "Name-" : "nAME-") + number;
        const auto first = std::find_if(list.begin(), list.end(), is_it(name));
        ASSERT_EQ(h.contains(name), first != list.end());
        ASSERT_EQ(h.get(name), first != list.end() ? first->second : "");
        const unsigned what = draw >> 28;
        if (what < 6) {
            h.add(name, value);
            list.emplace_back(name, value);
        } else if (what < 14) {
            h.set(name, value);
            if (first == list.end()) {
                list.emplace_back(name, value);
            } else {
                *first = {name, value};
                list.erase(std::remove_if(first + 1, list.end(), is_it(name)), list.end());
            }
        } else if (what < 15) {
            h.del(name);
            list.erase(std::remove_if(list.begin(), list.end(), is_it(name)), list.end());
        } else {
            const http::header_map copy = h;
            h = step % 2 == 0 ? copy : std::move(h);
        }
        ASSERT_EQ(h.size(), list.size());
        const auto is_same = [](const auto& a, const auto& b) {
            return a.first == b.first && a.second == b.second;
        };
        ASSERT_TRUE(std::equal(h.begin(), h.end(), list.begin(), is_same)) << "step " << step;
        const auto all = h.values(name);
        ASSERT_EQ(std::count_if(list.begin(), list.end(), is_it(name)),
                  static_cast<std::ptrdiff_t>(all.size()));
    }
    EXPECT_GT(list.size(), 40U);
}

TEST(http_header_map, refuses_what_would_split_a_message) {
    // A value with a line end would become a field, or an answer, chosen by an attacker.
    using namespace std::string_literals;
    http::header_map h;
    h.set("Kept", "as it was");
    for (const std::string& value : {"a\rb"s, "a\nb"s, "a\r\nB: c"s, "a\0b"s, "\x7f"s, "\x01"s}) {
        EXPECT_THROW(h.set("A", value), std::invalid_argument);
        EXPECT_THROW(h.add("A", value), std::invalid_argument);
    }
    for (const std::string& name : {""s, "a b"s, "a:"s, "a\r"s, "a\n"s, "a\0"s, "\xc3\xa4"s})
        EXPECT_THROW(h.set(name, "x"), std::invalid_argument);
    EXPECT_EQ(h.size(), 1U);
    h.set("A", "tab\tand \xc3\xa4");
    EXPECT_EQ(h.get("a"), "tab\tand \xc3\xa4");
}

TEST(http_header_map, survives_growth_copies_moves_and_its_own_values) {
    // Values are views of a text: a map that moves, or is destroyed, must not leave views of lost
    // memory.
    http::header_map h;
    for (int i = 0; i < 200; ++i) h.add("N" + std::to_string(i), std::string(i % 50, 'v'));
    for (int i = 0; i < 200; ++i) h.add("M", h.get("N" + std::to_string(i)));
    for (int i = 0; i < 1000; ++i) h.set("N7", h.get("N49"));
    const http::header_map copy = h;
    http::header_map moved = std::move(h);
    http::header_map small;
    small.set("a", "b");
    const http::header_map small_moved = std::move(small);
    http::header_map assigned;
    assigned = copy;
    assigned = std::move(moved);
    for (const http::header_map* each : {&copy, static_cast<const http::header_map*>(&assigned)}) {
        EXPECT_EQ(each->size(), 400U);
        EXPECT_EQ(each->get("n7"), std::string(49, 'v'));
        EXPECT_EQ(each->get("n33"), std::string(33, 'v'));
        EXPECT_EQ(each->values("M")[199], std::string(199 % 50, 'v'));
    }
    EXPECT_EQ(small_moved.get("A"), "b");
}

// --- requests ------------------------------------------------------------------------------------

TEST_ANYWHERE(http_request, is_told_to_the_handler) {
    const answer a = answered(
        [](http::response_writer& w, http::request& r) {
            std::string text;
            text.append(r.method()).append("|").append(r.target()).append("|").append(r.path());
            text.append("|").append(r.host()).append("|").append(r.header("x-a"));
            text += "|" + r.query("q") + "|" + r.query("p") + "|" + r.query("none");
            text += "|" + std::to_string(r.headers().size()) + "|" + r.remote_addr().host();
            text += "|" + r.body();
            w.write(text);
        },
        "PATCH /a%20b/c?q=1%2B1+2&p=%zz&p=3;4&p=5 HTTP/1.1\r\nHost: h:80\r\nX-A:  b c \t\r\n"
        "Connection: close\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_EQ(a.body,
              "PATCH|/a%20b/c?q=1%2B1+2&p=%zz&p=3;4&p=5|/a b/c|h:80|b c|1+1 2|5||4|127.0.0.1|body");
}

TEST(http_request, names_its_host_in_the_target_rather_than_in_the_field) {
    rota::run([] {
        const answer a = answered(
            [](auto& w, auto& r) {
                w.write(std::string(r.header("host")) + " " + std::string(r.host()) + " " +
                        std::string(r.path()));
            },
            get("http://other:81?q", last));
        EXPECT_EQ(a.body, "other:81 other:81 /");
    });
}

TEST(http_request, of_any_method_reaches_the_handler) {
    rota::run([] {
        for (const std::string method : {"BREW", "get", "M-SEARCH", "CONNECT", "PRI"}) {
            const answer a = answered([](auto& w, auto& r) { w.write(r.method()); },
                                      method + " /x HTTP/1.1\r\n" + std::string(last));
            EXPECT_EQ(a.body, method);
        }
    });
}

TEST(http_request, has_a_body_that_is_read_in_pieces) {
    rota::run([] {
        // Bodies of many sizes, by length and in chunks, read by few and many bytes at a time.
        const http_server s([](http::response_writer& w, http::request& r) {
            std::vector<std::byte> piece(static_cast<std::size_t>(std::stoi(r.query("n"))));
            std::size_t sum = 0, size = 0;
            EXPECT_EQ(r.read({}), 0U);
            while (const std::size_t n = r.read(piece)) {
                size += n;
                for (std::size_t i = 0; i < n; ++i) sum += std::to_integer<std::size_t>(piece[i]);
            }
            EXPECT_EQ(r.read(piece), 0U);
            w.write(std::to_string(size) + " " + std::to_string(sum));
        });
        const net::conn c = s.dial();
        for (const std::size_t size : {1UL, 100UL, 1023UL, 5000UL, 300'000UL}) {
            std::string body(size, '\0');
            std::size_t sum = 0;
            for (std::size_t i = 0; i < size; ++i) {
                body[i] = static_cast<char>(i * 7 % 128);
                sum += i * 7 % 128;
            }
            std::string chunks;
            for (std::size_t at = 0, n = 1; at < size; at += n, n = n * 2 + 1) {
                const std::string part = body.substr(at, n);
                char length[20];
                std::snprintf(length, sizeof length, "%zx\r\n", part.size());
                chunks += length + part + "\r\n";
            }
            chunks += "0\r\n\r\n";
            for (const std::string piece : {"1", "100", "1024", "70000"}) {
                if (piece == "1" && size > 10'000) continue;
                const std::string head = "POST /?n=" + piece + " HTTP/1.1\r\nHost: a\r\n";
                const std::string wanted = std::to_string(size) + " " + std::to_string(sum);
                rota::wait_group writer;
                writer.go([&] {
                    c.write(head + "Content-Length: " + std::to_string(size) + "\r\n\r\n" + body);
                    c.write(head + "Transfer-Encoding: chunked\r\n\r\n" + chunks);
                });
                std::string got;
                for (int i = 0; i < 2; ++i) {
                    answer a;
                    while ((a = take_answer(got)).status == 0) got += read_text(c);
                    EXPECT_EQ(a.body, wanted) << piece;
                }
                writer.wait();
            }
        }
    });
}

// --- answers -------------------------------------------------------------------------------------

TEST(http_answer, has_a_length_if_it_is_small_and_chunks_if_not) {
    rota::run([] {
        const auto of = [](std::size_t size, std::size_t piece, std::string_view version) {
            return answered(
                [=](http::response_writer& w, http::request&) {
                    for (std::size_t at = 0; at < size; at += piece)
                        w.write(std::string(std::min(piece, size - at), 'x'));
                },
                "GET / HTTP/" + std::string(version) + "\r\n" + std::string(last));
        };
        answer a = of(13, 13, "1.1");
        EXPECT_EQ(a.field("Content-Length"), "13");
        EXPECT_EQ(a.field("Transfer-Encoding"), "");
        EXPECT_EQ(a.field("Date").size(), 29U);
        EXPECT_EQ(of(0, 1, "1.1").field("Content-Length"), "0");
        for (const std::size_t piece : {100UL, 5000UL, 100'000UL}) {
            a = of(100'000, piece, "1.1");
            EXPECT_EQ(a.field("Transfer-Encoding"), "chunked");
            EXPECT_EQ(a.field("Content-Length"), "");
            EXPECT_TRUE(a.body == std::string(100'000, 'x'));
            a = of(100'000, piece, "1.0");
            EXPECT_EQ(a.field("Transfer-Encoding"), "");
            EXPECT_TRUE(a.body == std::string(100'000, 'x'));
        }
    });
}

TEST(http_answer, has_no_body_for_head_and_statuses_without_one) {
    rota::run([] {
        const http_server s([](http::response_writer& w, http::request& r) {
            if (const std::string status = r.query("s"); !status.empty())
                w.write_header(std::stoi(status));
            std::error_code error;
            w.write("some text", error);
            EXPECT_EQ(error == http::http_errc::body_not_allowed, r.method() != "HEAD");
        });
        std::string got = ask(s, "HEAD / HTTP/1.1\r\n" + std::string(last));
        answer a = take_answer(got, false);
        EXPECT_EQ(a.field("Content-Length"), "9");
        EXPECT_EQ(got, "");
        for (const std::string status : {"204", "304"}) {
            got = ask(s, get("/?s=" + status));
            a = take_answer(got, false);
            EXPECT_EQ(std::to_string(a.status), status);
            EXPECT_EQ(a.field("Content-Length") + a.field("Transfer-Encoding"), "");
            EXPECT_EQ(got, "");
        }
    });
}

TEST(http_answer, keeps_the_first_status_and_the_fields_until_then) {
    rota::run([] {
        const answer a = answered(
            [](http::response_writer& w, http::request&) {
                w.header().set("A", "1");
                w.header().set("Transfer-Encoding", "gzip");
                w.write_header(201);
                w.write_header(500);
                w.header().set("B", "2");
                w.write("x");
            },
            get("/"));
        EXPECT_EQ(a.status, 201);
        EXPECT_EQ(a.field("A") + a.field("B") + a.field("Transfer-Encoding"), "1");
        EXPECT_EQ(panic_of([&] {
                      answered(
                          [](http::response_writer& w, http::request&) {
                              EXPECT_EQ(panic_of([&] { w.write_header(99); }),
                                        "invalid WriteHeader code 99");
                          },
                          get("/"));
                  }),
                  "no panic");
    });
}

TEST(http_answer, of_1xx_comes_before_the_final_one) {
    rota::run([] {
        std::string got;
        const http_server s([](http::response_writer& w, http::request&) {
            w.header().set("Link", "</style>");
            w.write_header(103);
            w.write("body");
        });
        got = ask(s, get("/"));
        const answer early = take_answer(got);
        EXPECT_EQ(early.status, 103);
        EXPECT_EQ(early.field("Link"), "</style>");
        EXPECT_EQ(only_answer(got).body, "body");
        // HTTP/1.0 has no interim answers.
        EXPECT_EQ(statuses(ask(s, "GET / HTTP/1.0\r\n\r\n")), "200");
    });
}

TEST(http_answer, whose_length_was_declared_holds_to_it) {
    rota::run([] {
        const http_server s([](http::response_writer& w, http::request& r) {
            w.header().set("Content-Length", "5");
            if (r.path() == "/short") return w.write("123");
            w.write("12345");
            std::error_code error;
            w.write("6", error);
            EXPECT_EQ(error, http::http_errc::content_length);
        });
        // Two answers on a connection: surplus bytes would be taken for the second answer.
        EXPECT_EQ(statuses(ask(s, get("/", "Host: a\r\n\r\n") + get("/"))), "200 200");
        // An answer that is too short ends with the connection, and the next request is not read.
        const std::string got = ask(s, get("/short", "Host: a\r\n\r\n") + get("/"));
        EXPECT_TRUE(got.ends_with("\r\n\r\n123")) << got;
    });
}

TEST(http_answer, that_is_flushed_comes_while_the_handler_runs) {
    rota::run([] {
        const auto go_on = rota::make_chan<rota::unit>();
        const http_server s([go_on](http::response_writer& w, http::request&) {
            for (const char* part : {"one", "two"}) {
                w.write(part);
                w.flush();
                (void)go_on.recv();
            }
        });
        const net::conn c = s.dial();
        c.write(get("/"));
        std::string got;
        for (const char* part : {"\r\n\r\n3\r\none\r\n", "3\r\ntwo\r\n"}) {
            while (!got.ends_with(part)) got += read_text(c);
            go_on.send({});
        }
        got += read_to_end(c);
        EXPECT_EQ(only_answer(got).body, "onetwo");
    });
}

// --- connections ---------------------------------------------------------------------------------

TEST_ANYWHERE(http_connection, is_kept_for_the_next_request_or_closed_as_asked) {
    const http_server s([](http::response_writer& w, http::request& r) {
        if (r.path() == "/close") w.header().set("Connection", "close");
        w.write(r.path());
    });
    const auto of = [&](std::string_view version, std::string_view field, const std::string& path) {
        return "GET " + path + " HTTP/" + std::string(version) + "\r\n" + std::string(host) +
               std::string(field) + "\r\n";
    };
    const std::string end = get("/end");
    EXPECT_EQ(statuses(ask(s, of("1.1", "", "/") + end)), "200 200");
    EXPECT_EQ(statuses(ask(s, of("1.1", "Connection: close\r\n", "/") + end)), "200");
    EXPECT_EQ(statuses(ask(s, of("1.1", "Connection: a, CLOSE\r\n", "/") + end)), "200");
    EXPECT_EQ(statuses(ask(s, of("1.0", "", "/") + end)), "200");
    EXPECT_EQ(statuses(ask(s, of("1.0", "Connection: Keep-Alive\r\n", "/") + end)), "200 200");
    EXPECT_EQ(statuses(ask(s, of("1.1", "", "/close") + end)), "200");
    std::string got = ask(s, of("1.0", "Connection: keep-alive\r\n", "/") + end);
    EXPECT_EQ(take_answer(got).field("Connection"), "keep-alive");
    EXPECT_EQ(take_answer(got).field("Connection"), "close");
}

TEST_ANYWHERE(http_connection, answers_pipelined_requests_in_order) {
    constexpr int many = scaled(2000);
    const http_server s([](http::response_writer& w, http::request& r) {
        w.write(r.query("n"));
        if (r.query("n").ends_with("7")) w.flush();
    });
    const net::conn c = s.dial();
    rota::wait_group writer;
    writer.go([&] {
        std::string all;
        for (int i = 0; i < many; ++i) all += get("/?n=" + std::to_string(i), "Host: a\r\n\r\n");
        c.write(all + get("/?n=end"));
    });
    std::string got = read_to_end(c);
    writer.wait();
    // Taking answers from the front of a long text is slow, so the test does it in pieces.
    int n = 0;
    for (std::size_t at = 0; at < got.size(); ++n) {
        std::string piece = got.substr(at, 1000);
        const std::size_t before = piece.size();
        const answer a = take_answer(piece);
        ASSERT_EQ(a.body, n == many ? "end" : std::to_string(n));
        at += before - piece.size();
    }
    EXPECT_EQ(n, many + 1);
}

TEST(http_connection, answers_of_pipelined_requests_do_not_wait_for_a_slow_handler) {
    // Answers that are sent together would wait for each other: here the second handler waits for
    // an action that its client takes after the first answer.
    rota::run([] {
        const auto go_on = rota::make_chan<rota::unit>();
        const http_server s([go_on](http::response_writer& w, http::request& r) {
            if (r.path() == "/slow") (void)go_on.recv();
            w.write(r.path());
        });
        for (int i = 0; i < 20; ++i) {
            const net::conn c = s.dial();
            c.write(get("/fast", "Host: a\r\n\r\n") + get("/slow"));
            std::string got;
            while (!got.ends_with("/fast")) got += read_text(c);
            go_on.send({});
            got += read_to_end(c);
            EXPECT_EQ(statuses(got), "200 200");
        }
    });
}

TEST(http_connection, with_a_body_that_nobody_reads_goes_on_or_is_closed) {
    rota::run([] {
        std::atomic<int> calls{0};
        const http_server s([&](http::response_writer& w, http::request&) {
            ++calls;
            w.write("unread");
        });
        const std::string head = "POST / HTTP/1.1\r\nHost: a\r\n";
        const auto with = [&](std::size_t size) {
            return head + "Content-Length: " + std::to_string(size) + "\r\n\r\n" +
                   std::string(size, 'x') + get("/");
        };
        EXPECT_EQ(statuses(ask(s, with(100'000))), "200 200");
        EXPECT_EQ(statuses(ask(s, with(300'000))), "200");  // the answer comes nevertheless
        // A malformed body makes the request malformed, even if its handler does not read the body.
        EXPECT_EQ(statuses(ask(s, head + "Transfer-Encoding: chunked\r\n\r\nx\r\n" + get("/"))),
                  "400");
        EXPECT_EQ(calls.load(), 4);
    });
}

TEST(http_expectation, is_met_when_the_body_is_read) {
    rota::run([] {
        const http_server s([](http::response_writer& w, http::request& r) {
            if (r.path() == "/read") w.write(r.body());
            else w.write("no");
        });
        const auto head = [](const char* path) {
            return "POST " + std::string(path) +
                   " HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\n";
        };
        const net::conn c = s.dial();
        c.write(head("/read"));
        EXPECT_EQ(read_exactly(c, 25), "HTTP/1.1 100 Continue\r\n\r\n");
        c.write("body" + head("/unread"));
        std::string got = read_to_end(c);
        EXPECT_EQ(take_answer(got).body, "body");
        // The handler has not asked for the body, so the server cannot know whether it comes: the
        // connection ends.
        const answer a = only_answer(got);
        EXPECT_EQ(a.body, "no");
        EXPECT_EQ(a.field("Connection"), "close");
    });
}
