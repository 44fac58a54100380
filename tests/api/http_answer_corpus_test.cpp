// Answers that servers may send, and the client's results: whole, in pieces, and cut off anywhere.
#include "http_client.hpp"
#include "scripted_server.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

const http::client_options narrow{
    .max_header_bytes = 2048, .max_body_bytes = 64, .proxy_from_environment = false};

struct heard {
    std::error_code error;
    http::response answer;
};

// The server sends a text, piece by piece, and closes.
heard hear(const http::client& c, const std::vector<std::string>& pieces,
           std::string_view method = "GET") {
    const scripted_server s([&](const net::conn& k, int) {
        (void)read_request(k);
        std::error_code gone;
        for (const std::string& piece : pieces) k.write(piece, gone);
    });
    heard t;
    t.answer = c.perform(http::request(method, s.url()), t.error);
    return t;
}

struct answer_sample {
    std::string text, body;
    int status = 200;
};

const std::vector<answer_sample> good_answers = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
    {"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ""},
    {"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", ""},
    {"HTTP/1.0 404 Not Found\r\nContent-Length: 2\r\n\r\nno", "no", 404},
    {"HTTP/1.1 599 \xe4\xf6\r\nA:\r\nB: \xfc \r\nContent-Length: 1\r\n\r\nx", "x", 599},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
     "abcde"},
    {"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n1\r\na\r\n0\r\nSum: 1\r\nB: c\r\n\r\n",
     "a"},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
     "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
     "x", 201},
    {"HTTP/1.1 204 No Content\r\n\r\n", "", 204},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "", 304},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "", 101},
};

// None of these answers has exactly one meaning.
const std::vector<std::string> malformed_answers = {
    "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\n\r\n",
    "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1\t200 OK\r\nContent-Length: 0\r\n\r\n",
    "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 -20 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n",
    "ICY 200 OK\r\nContent-Length: 0\r\n\r\n",
    "hello\r\n\r\n",
    // fields
    "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\n A: b\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA b: c\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\x01\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\rc\r\nContent-Length: 0\r\n\r\n",
    std::string("HTTP/1.1 200 OK\r\nA: b") + '\0' + "\r\nContent-Length: 0\r\n\r\n",
    // lengths
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551617\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\nhello",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    // chunks
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n 1\r\na\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\na\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbad trailer: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\n",
};

std::vector<std::string> byte_by_byte(const std::string& text) {
    std::vector<std::string> all;
    for (const char c : text) all.emplace_back(1, c);
    return all;
}

}  // namespace

TEST(http_answers, that_are_good_are_told_whole_and_byte_by_byte) {
    rota::run([] {
        const http::client c(narrow);
        for (const answer_sample& s : good_answers) {
            for (const auto& pieces : {std::vector{s.text}, byte_by_byte(s.text)}) {
                const heard t = hear(c, pieces);
                EXPECT_FALSE(t.error) << s.text << t.error.message();
                EXPECT_EQ(t.answer.status, s.status) << s.text;
                EXPECT_EQ(t.answer.body, s.body) << s.text;
            }
        }
    });
}

TEST(http_answers, that_can_be_read_in_two_ways_are_errors) {
    rota::run([] {
        const http::client c(narrow);
        for (const std::string& text : malformed_answers) {
            for (const auto& pieces : {std::vector{text}, byte_by_byte(text)}) {
                const heard t = hear(c, pieces);
                EXPECT_EQ(t.error, http::http_errc::malformed_response)
                    << text << t.error.message();
                EXPECT_EQ(t.answer.status, 0) << text;
            }
        }
    });
}

TEST(http_answers, that_are_cut_off_anywhere_are_never_taken_for_whole) {
    rota::run([] {
        const http::client c(narrow);
        for (const answer_sample& s : good_answers) {
            for (std::size_t n = 0; n < s.text.size(); ++n) {
                const heard t = hear(c, {s.text.substr(0, n)});
                EXPECT_EQ(t.error, n == 0 ? http::http_errc::server_closed
                                          : http::http_errc::incomplete_response)
                    << s.text << " cut at " << n << ": " << t.error.message();
            }
        }
    });
}

TEST(http_answers, to_head_have_no_body_whatever_they_say) {
    rota::run([] {
        const http::client c(narrow);
        for (const std::string fields : {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
                                         "Content-Length: 99999\r\n", ""}) {
            const heard t = hear(c, {"HTTP/1.1 200 OK\r\n" + fields + "\r\n"}, "HEAD");
            EXPECT_FALSE(t.error) << fields << t.error.message();
            EXPECT_EQ(t.answer.body, "");
        }
    });
}

TEST(http_answers, beyond_the_limits_are_errors) {
    // A server that sends without end could take the client's whole memory.
    rota::run([] {
        const http::client c(narrow);
        const std::string line = "HTTP/1.1 200 OK\r\n", full(65, 'x');
        std::string interim, fields;
        for (int i = 0; i < 17; ++i) interim += "HTTP/1.1 102 Processing\r\n\r\n";
        EXPECT_EQ(hear(c, {interim}).error, http::http_errc::malformed_response);
        for (int i = 0; i < 60; ++i) fields += "A: b\r\n";  // small, but many
        for (const std::string& text : {
                 line + "A: " + std::string(3000, 'x') + "\r\n\r\n",
                 line + std::string(3000, 'x'),
                 line + fields + "\r\n",
                 line + "Content-Length: 65\r\n\r\n" + full,
                 line + "Transfer-Encoding: chunked\r\n\r\n41\r\n" + full + "\r\n0\r\n\r\n",
                 line + "\r\n" + full,
             }) {
            const heard t = hear(c, {text});
            EXPECT_EQ(t.error, http::http_errc::response_too_large) << text << t.error.message();
        }
        const std::string fits(64, 'x');
        EXPECT_EQ(hear(c, {line + "\r\n" + fits}).answer.body, fits);
        EXPECT_EQ(hear(c, {line + "Content-Length: 64\r\n\r\n" + fits}).answer.body, fits);
    });
}
