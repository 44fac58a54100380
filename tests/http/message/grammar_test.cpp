// The characters of names, values and hosts, each of the 256, against the lists of the RFCs.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "http/message/grammar.hpp"

namespace {

namespace http = rota::http;

constexpr std::string_view alphanumeric =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool is_one_of(char c, std::string_view more) {
    return alphanumeric.find(c) != alphanumeric.npos || more.find(c) != more.npos;
}

template <class F>
void for_each_char(F f) {
    for (int c = 0; c < 256; ++c) f(static_cast<char>(c), std::string(1, static_cast<char>(c)));
}

TEST(http_grammar, tokens) {  // RFC 9110, 5.6.2
    EXPECT_FALSE(http::is_token(""));
    for_each_char([](char c, const std::string& text) {
        const bool fits = is_one_of(c, "!#$%&'*+-.^_`|~");
        EXPECT_EQ(http::is_token_char(c), fits) << +c;
        EXPECT_EQ(http::is_token(text), fits) << +c;
        EXPECT_EQ(http::is_token("name" + text + "name"), fits) << +c;
    });
}

TEST(http_grammar, values) {  // RFC 9110, 5.5
    EXPECT_TRUE(http::is_field_value(""));
    for_each_char([](char c, const std::string& text) {
        const auto code = static_cast<unsigned char>(c);
        const bool fits = (code >= 0x20 && code != 0x7f) || c == '\t';
        EXPECT_EQ(http::is_field_value(text), fits) << +c;
        EXPECT_EQ(http::is_field_value("value " + text + " value"), fits) << +c;
    });
}

TEST(http_grammar, hosts) {  // RFC 3986, 3.2.2
    EXPECT_TRUE(http::is_host(""));
    for_each_char([](char c, const std::string& text) {
        if (c == ':' || c == '[' || c == ']') return;
        EXPECT_EQ(http::is_host("a" + text + ".example"), is_one_of(c, "-._~%!$&'()*+,;=")) << +c;
        EXPECT_EQ(http::is_host("[fe80::1" + text + "]"), is_one_of(c, ".%-_~")) << +c;
        const bool is_digit = c >= '0' && c <= '9';
        EXPECT_EQ(http::is_host("a:8" + text), is_digit) << +c;
        EXPECT_EQ(http::is_host("[fe80::1]:8" + text), is_digit) << +c;
    });
}

}  // namespace
