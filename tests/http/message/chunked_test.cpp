// Cuts chunked bodies at every pair of places, with little room for the data: the outcome must be
// the same as for one piece.
#include "http/message/chunked.hpp"

#include <string>

#include <gtest/gtest.h>

namespace rota::http {
namespace {

using outcome = chunk_decoder::outcome;

struct decoded {
    std::string body;
    std::size_t consumed = 0;
    outcome what = outcome::more;
    friend bool operator==(const decoded&, const decoded&) = default;
};

// Feeds the text in pieces that end at the given places, into room for `room` bytes.
decoded decode(const std::string& text, std::initializer_list<std::size_t> ends, std::size_t room) {
    chunk_decoder d;
    d.reset(100);
    decoded all;
    std::string to(room, '\0');
    for (const std::size_t end : ends) {
        while (all.consumed < end && all.what == outcome::more) {
            const chunk_decoder::step s =
                d.decode(text.data() + all.consumed, end - all.consumed, to.data(), room);
            all.consumed += s.consumed;
            all.body += to.substr(0, s.produced);
            all.what = s.what;
        }
    }
    return all;
}

TEST(http_chunks, come_out_the_same_however_they_are_cut) {
    for (const std::string& text : {
             std::string("5\r\nhello\r\n10;a=b\r\n0123456789abcdef\r\n0\r\nA: b\r\n\r\nnext"),
             std::string("5\r\nhello\r\nx"),
             std::string("5\r\nhello0\r\n\r\n"),
             std::string("0\r\n\r\n5\r\n"),
             std::string("3\r\nabc\r\n0\r\n bad: x\r\n\r\n"),
         }) {
        const decoded whole = decode(text, {text.size()}, 100);
        for (std::size_t a = 0; a <= text.size(); ++a)
            for (std::size_t b = a; b <= text.size(); ++b)
                for (const std::size_t room : {1UL, 3UL, 100UL})
                    ASSERT_EQ(decode(text, {a, b, text.size()}, room), whole)
                        << text << " cut at " << a << " and " << b;
    }
}

TEST(http_chunks, end_where_they_say_and_take_nothing_more) {
    const std::string text = "5\r\nhello\r\n0\r\n\r\nGET / HTTP/1.1\r\n";
    const decoded d = decode(text, {text.size()}, 100);
    EXPECT_EQ(d.body, "hello");
    EXPECT_EQ(d.what, outcome::done);
    EXPECT_EQ(text.substr(d.consumed), "GET / HTTP/1.1\r\n");
}

TEST(http_chunks, may_have_trailers_up_to_the_limit) {
    // A field counts 32 bytes more than its length, which includes its end of line except for the
    // LF.
    const std::string name(33, 'a'), value(33, 'b');
    EXPECT_EQ(decode("0\r\n" + name + ":" + value + "\r\n\r\n", {74}, 1).what, outcome::done);
    EXPECT_EQ(decode("0\r\n" + name + ":x" + value + "\r\n\r\n", {75}, 1).what, outcome::malformed);
    EXPECT_EQ(decode("0\r\na:\r\nb:\r\n\r\n", {15}, 1).what, outcome::done);
    EXPECT_EQ(decode("0\r\na:\r\nb:\r\nc:\r\n\r\n", {19}, 1).what, outcome::malformed);
}

TEST(http_chunks, may_not_carry_more_beside_the_data_than_is_usual) {
    // The decoder would read an extension without end for ever. Many small chunks with long
    // extensions would cost much work for a byte each: Go's CVE-2023-39326.
    const auto consumed = [](const std::string& text) {
        const decoded d = decode(text, {text.size()}, 100'000);
        EXPECT_EQ(d.what, outcome::malformed) << text.substr(0, 20) << " of " << text.size();
        return d.consumed;
    };
    constexpr std::size_t bound = 17'000;
    EXPECT_LT(consumed("1;" + std::string(1'000'000, 'e')), bound);
    EXPECT_LT(consumed("0;" + std::string(1'000'000, 'e')), bound);
    std::string many;
    for (int i = 0; i < 10'000; ++i) many += "1;an extension of forty bytes or so=1\r\nx\r\n";
    EXPECT_LT(consumed(many), 4 * bound);
    // Usual extensions are read however often they come, and so are long extensions of large
    // chunks.
    std::string single, large;
    for (int i = 0; i < 10'000; ++i) single += "1;a=b\r\nx\r\n";
    for (int i = 0; i < 10; ++i)
        large += "2000;" + std::string(16'000, 'e') + "\r\n" + std::string(0x2000, 'y') + "\r\n";
    for (const std::string& text : {single, large})
        EXPECT_EQ(decode(text + "0\r\n\r\n", {text.size() + 5}, 100'000).what, outcome::done);
}

TEST(http_chunks, keep_the_lines_of_trailers_for_who_asks) {
    const std::string text = "1\r\nx\r\n0\r\nA: b\r\nC:\td \r\n\r\n";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        chunk_decoder d;
        std::string lines = "before|";
        d.reset(200, &lines);
        char to[8];
        const chunk_decoder::step first = d.decode(text.data(), cut, to, sizeof to);
        (void)d.decode(text.data() + first.consumed, text.size() - first.consumed, to, sizeof to);
        EXPECT_EQ(lines, "before|A: b\r\nC:\td \r\n") << cut;
    }
}

}  // namespace
}  // namespace rota::http
