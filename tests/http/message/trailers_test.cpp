// Which fields may be trailers, and how their lines become fields.
#include "http/message/trailers.hpp"

#include <string>

#include <gtest/gtest.h>

namespace rota::http {
namespace {

TEST(http_trailers, of_framing_routing_and_credentials_are_none) {
    // A field that counts for somebody behind us, and was not there for somebody in front of us.
    for (const char* name :
         {"Content-Length", "content-length", "TRANSFER-ENCODING", "Host", "Authorization", "TE",
          "Cookie", "Set-Cookie", "Connection", "Trailer", "Expect", "Content-Type", "If-Match",
          "if-none-match", "Proxy-Authorization", "Upgrade", ":path", "Date", "Cache-Control"})
        EXPECT_FALSE(is_trailer_name(name)) << name;
    for (const char* name : {"X-Sum", "Digest", "ETag", "Server-Timing", "Grpc-Status", "If", "A"})
        EXPECT_TRUE(is_trailer_name(name)) << name;
}

TEST(http_trailers, are_taken_out_of_lines_and_put_into_them) {
    header_map fields;
    add_trailers(fields, "A: b\r\nHost: x\r\nC:\td \r\nA:\r\nConTent-Length: 5\r\n");
    EXPECT_EQ(fields.size(), 3U);
    EXPECT_EQ(fields.values("a"), (std::vector<std::string>{"b", ""}));
    EXPECT_EQ(fields.get("C"), "d");
    EXPECT_TRUE(has_trailers(fields));
    fields.add("Host", "x");
    std::string text;
    append_announcement(text, fields);
    append_trailers(text, fields);
    EXPECT_EQ(text, "Trailer: A, C, A\r\nA: b\r\nC: d\r\nA: \r\n");
    header_map none;
    none.add("Host", "x");
    EXPECT_FALSE(has_trailers(none));
    text.clear();
    append_announcement(text, none);
    append_trailers(text, none);
    EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace rota::http
