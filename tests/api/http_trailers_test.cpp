// Trailers at the server: fields behind the bodies of requests and of answers.
#include "http_client.hpp"

using namespace rota_test;

namespace {

constexpr std::string_view trailers_fields = "Host: a\r\nConnection: close\r\n";

std::string trailers_post(std::string_view chunks) {
    return "POST / HTTP/1.1\r\n" + std::string(trailers_fields) +
           "Transfer-Encoding: chunked\r\n\r\n" + std::string(chunks);
}
std::string trailers_get(std::string_view version = "HTTP/1.1", std::string_view method = "GET") {
    return std::string(method) + " / " + std::string(version) + "\r\n" +
           std::string(trailers_fields) + "\r\n";
}
std::string trailers_of(const http::header_map& fields) {
    std::string all;
    for (const auto& [name, value] : fields) all.append(name).append("=").append(value).append(";");
    return all;
}

}  // namespace

TEST_ANYWHERE(http_trailers, of_a_request_are_there_behind_its_body) {
    // They could be there too early, get among the fields of the head, or stay for the next one.
    const http_server s([](http::response_writer& w, http::request& r) {
        std::string seen = "[" + trailers_of(r.trailers()) + "]";
        seen += r.body();
        seen += "[" + trailers_of(r.trailers()) + "]";
        for (const char* name : {"X-Sum", "Content-Length", "X-Empty"})
            seen += r.headers().contains(name) ? "!" : "";
        w.write(seen + std::string(r.host()));
    });
    const net::conn c = s.dial();
    c.write(std::string_view("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "3\r\nabc\r\n0\r\nX-Sum: 1\r\nx-empty:\r\nX-Sum: \t2 \r\n\r\n"));
    c.write(std::string_view("GET / HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n"));
    std::string text = read_to_end(c);
    EXPECT_EQ(take_answer(text).body, "[]abc[X-Sum=1;x-empty=;X-Sum=2;]a");
    EXPECT_EQ(only_answer(text).body, "[][]b");
}

TEST(http_trailers, of_a_request_change_nothing_that_its_head_has_said) {
    // Somebody in front of us has judged the request by its head: credentials, a host or a length
    // behind the body would go around that.
    rota::run([] {
        const http_server s([](http::response_writer& w, http::request& r) {
            const std::string body = r.body();
            w.write(body + "|" + trailers_of(r.trailers()) + "|" + std::string(r.host()) + "|" +
                    std::string(r.header("Authorization")) + std::string(r.header("Cookie")));
        });
        EXPECT_EQ(
            only_answer(ask(s, trailers_post("1\r\nx\r\n0\r\nHost: evil\r\nAuthorization: me\r\n"
                                             "Content-Length: 9\r\nTransfer-Encoding: gzip\r\n"
                                             "Cookie: a=b\r\nIf-Match: x\r\nA: b\r\n\r\n")))
                .body,
            "x|A=b;|a|");
    });
}

TEST(http_trailers, of_a_request_are_bounded_as_its_head_is) {
    rota::run([] {
        const http_server s([](http::response_writer& w, http::request& r) { w.write(r.body()); },
                            {.max_header_bytes = 2000});
        const std::string long_one = "A: " + std::string(1800, 'b') + "\r\n";
        EXPECT_EQ(statuses(ask(s, trailers_post("0\r\n" + long_one + "\r\n"))), "200");
        EXPECT_EQ(statuses(ask(s, trailers_post("0\r\n" + long_one + long_one + "\r\n"))), "400");
        std::string many = "0\r\n";
        for (int i = 0; i < 100; ++i) many += "A:\r\n";  // little text, and many fields
        EXPECT_EQ(statuses(ask(s, trailers_post(many + "\r\n"))), "400");
    });
}

TEST_ANYWHERE(http_trailers, of_an_answer_stand_behind_its_last_chunk) {
    const http_server s([](http::response_writer& w, http::request&) {
        w.trailer().set("X-Sum", "not known yet");
        w.write("abc");
        w.flush();
        w.write("d");
        w.trailer().set("X-Sum", "4");
        w.trailer().add("X-Late", "not announced");
        w.trailer().add("Content-Length", "77");
    });
    const std::string text = ask(s, trailers_get());
    EXPECT_NE(text.find("\r\nTransfer-Encoding: chunked\r\n"), text.npos) << text;
    EXPECT_NE(text.find("\r\nTrailer: X-Sum\r\n"), text.npos) << text;
    EXPECT_TRUE(text.ends_with("\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nX-Sum: 4\r\nX-Late: not "
                               "announced\r\n\r\n"))
        << text;
}

TEST(http_trailers, of_a_short_answer_make_it_go_in_chunks) {
    // Its length is known when its head is sent; with it there is no place for trailers.
    rota::run([] {
        for (const std::string body : {"", "abc"}) {
            const http_server s([&](http::response_writer& w, http::request&) {
                w.write(body);
                w.trailer().set("X-Sum", "1");
            });
            std::string text = ask(s, trailers_get());
            EXPECT_NE(text.find("\r\nTrailer: X-Sum\r\n"), text.npos) << text;
            EXPECT_TRUE(text.ends_with("0\r\nX-Sum: 1\r\n\r\n")) << text;
            EXPECT_EQ(text.find("Content-Length"), text.npos) << text;
        }
    });
}

TEST(http_trailers, announced_by_the_handler_are_announced_once) {
    rota::run([] {
        const http_server s([](http::response_writer& w, http::request&) {
            w.header().set("Trailer", "X-Sum, X-Other");
            w.trailer().set("X-Sum", "1");
            w.write("a");
        });
        const std::string text = ask(s, trailers_get());
        EXPECT_NE(text.find("\r\nTrailer: X-Sum, X-Other\r\n"), text.npos) << text;
        EXPECT_EQ(text.find("Trailer"), text.rfind("Trailer")) << text;
        EXPECT_TRUE(text.ends_with("1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n")) << text;
    });
}

TEST(http_trailers, of_an_answer_are_left_out_where_there_is_no_place_for_them) {
    // They would be taken for the beginning of the next answer.
    rota::run([] {
        const http_server s([](http::response_writer& w, http::request& r) {
            w.trailer().set("X-Sum", "1");
            if (r.target() == "/length") w.header().set("Content-Length", "3");
            if (r.target() == "/204") w.write_header(204);
            else w.write("abc");
        });
        const auto at = [](std::string request, std::string_view target) {
            return request.replace(request.find(" /"), 2, " " + std::string(target));
        };
        for (const std::string& request :
             {trailers_get("HTTP/1.0"), trailers_get("HTTP/1.1", "HEAD"),
              at(trailers_get(), "/length"), at(trailers_get(), "/204")}) {
            const std::string text = ask(s, request);
            EXPECT_EQ(text.find("X-Sum: 1"), text.npos) << text;
            EXPECT_EQ(text.find("\r\n0\r\n"), text.npos) << text;
        }
        std::string text = ask(s, at(trailers_get(), "/length"));
        EXPECT_EQ(only_answer(text).body, "abc");
    });
}
