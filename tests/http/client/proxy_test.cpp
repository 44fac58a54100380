// Checks the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY choose for a URL, the targets of
// references, and which fields only a proxy gets.
#include "http/client/proxy.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <rota/http.hpp>

#include "http/client/client.hpp"
#include "http/message/url.hpp"

namespace rota::http::detail {
namespace {

std::map<std::string, std::string> environment;

const char* variable(const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
}

// The proxy's address, "straight" without a proxy, or the text of the error.
std::string way_to(const std::string& text) {
    url to;
    EXPECT_FALSE(parse_url(text, to)) << text;
    std::error_code error;
    const proxy_choice choice(variable);  // keeps the values that it has read
    const url* const proxy = choice.find(to, error);
    if (error) return error.message();
    return proxy == nullptr ? "straight" : proxy->address();
}

TEST(http_proxy_choice, is_that_of_the_environment) {
    environment = {};
    EXPECT_EQ(way_to("http://a/"), "straight");
    environment = {{"HTTP_PROXY", "http://p:1"}, {"https_proxy", "q"}};
    EXPECT_EQ(way_to("http://a/"), "p:1");
    EXPECT_EQ(way_to("https://a/"), "q:80");
    environment = {{"http_proxy", "p"}, {"HTTP_PROXY", ""}};
    EXPECT_EQ(way_to("http://a/"), "p:80");
    environment = {{"HTTP_PROXY", "http://bad host"}};
    EXPECT_EQ(way_to("http://a/"), "malformed URL");
    EXPECT_EQ(way_to("https://a/"), "straight");
    environment = {{"HTTP_PROXY", "socks5://p"}};
    EXPECT_EQ(way_to("http://a/"), "unsupported protocol scheme");
}

TEST(http_proxy_choice, disregards_what_a_client_of_a_cgi_program_can_set) {
    environment = {{"HTTP_PROXY", "evil"}, {"REQUEST_METHOD", "GET"}};
    EXPECT_EQ(way_to("http://a/"), "straight");
    environment["http_proxy"] = "good";
    EXPECT_EQ(way_to("http://a/"), "good:80");
}

TEST(http_proxy_choice, has_exceptions) {
    environment = {{"HTTP_PROXY", "p"}};
    for (const char* const host :
         {"localhost", "localhost:81", "127.0.0.1", "127.9.9.9:1", "[::1]"})
        EXPECT_EQ(way_to("http://" + std::string(host) + "/"), "straight") << host;
    environment["NO_PROXY"] =
        " example.org, .sub.net,*.star.com ,1.2.3.4, 10.0.0.0/8,fd00::/8,[fe80::2]:80,p.com:81";
    for (const char* const host :
         {"example.org", "EXAMPLE.org", "a.example.org", "x.sub.net", "x.star.com", "1.2.3.4",
          "10.9.8.7", "[fd12::1]", "[fe80::2]", "p.com:81", "a.p.com:81"})
        EXPECT_EQ(way_to("http://" + std::string(host) + "/"), "straight") << host;
    for (const char* const host : {"anexample.org", "example.org.com", "sub.net", "star.com",
                                   "1.2.3.5", "11.0.0.1", "[fe00::1]", "[fe80::2]:81", "p.com"})
        EXPECT_EQ(way_to("http://" + std::string(host) + "/"), "p:80") << host;
    for (const char* const host : {"[fe80::3%25.example.org]", "[fe80::3%25x.star.com]"})
        EXPECT_EQ(way_to("http://" + std::string(host) + "/"), "p:80")
            << "the zone of an address is no name: " << host;
    environment["NO_PROXY"] = "fe80::4,[fe80::5%eth0]";
    for (const char* const host : {"[fe80::4]", "[fe80::4%25eth1]", "[fe80::5%25eth0]"})
        EXPECT_EQ(way_to("http://" + std::string(host) + "/"), "straight") << host;
    for (const char* const host : {"[fe80::5]", "[fe80::5%25eth1]"})
        EXPECT_EQ(way_to("http://" + std::string(host) + "/"), "p:80") << host;
    environment["NO_PROXY"] = "a, *";
    EXPECT_EQ(way_to("http://b/"), "straight");
}

TEST(http_url, references_lead_where_rfc_3986_says) {
    url base;
    ASSERT_FALSE(parse_url("http://a/b/c/d;p?q", base));
    const std::pair<const char*, const char*> samples[] = {
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g/"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q"},
        {"g#s", "http://a/b/c/g"},
        {";x", "http://a/b/c/;x"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../g", "http://a/g"},
        {"../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"https://g/x", "https://g/x"},
    };
    for (const auto& [reference, wanted] : samples) {
        url to;
        bool names_host = false;
        EXPECT_FALSE(resolve_url(base, reference, to, names_host)) << reference;
        EXPECT_EQ(to.text(), wanted) << reference;
    }
}

TEST(http_url, has_credentials_as_rfc_4648_writes_them) {
    EXPECT_EQ(basic_credentials(""), "Basic ");
    EXPECT_EQ(basic_credentials("f"), "Basic Zg==");
    EXPECT_EQ(basic_credentials("fo"), "Basic Zm8=");
    EXPECT_EQ(basic_credentials("foo"), "Basic Zm9v");
    EXPECT_EQ(basic_credentials("foobar\xff"), "Basic Zm9vYmFy/w==");
}

TEST(http_proxy_secrets, go_to_the_proxy_alone) {
    // The credentials for the proxy could go through the tunnel to the server, or to a server that
    // a redirect names and that the client asks without a proxy.
    url proxy, plain, secure;
    ASSERT_FALSE(parse_url("http://me:pw@p/", proxy));
    ASSERT_FALSE(parse_url("http://a/", plain));
    ASSERT_FALSE(parse_url("https://a/", secure));
    const auto sends = [](const url& to, const url* by, bool is_redirected) {
        hop h;
        h.method = "GET";
        h.to = to;
        h.fields.set("Proxy-Authorization", "secret");
        h.is_redirected = is_redirected;
        const std::string head = h.head(framing::none, by, true);
        EXPECT_EQ(head.find("Basic"), std::string::npos) << head;
        return head.find("\r\nProxy-Authorization: secret\r\n") != std::string::npos;
    };
    for (const bool is_redirected : {false, true}) {
        EXPECT_TRUE(sends(plain, &proxy, is_redirected));
        EXPECT_FALSE(sends(secure, &proxy, is_redirected));
        EXPECT_EQ(sends(plain, nullptr, is_redirected), !is_redirected);
        EXPECT_EQ(sends(secure, nullptr, is_redirected), !is_redirected);
    }
}

}  // namespace
}  // namespace rota::http::detail
