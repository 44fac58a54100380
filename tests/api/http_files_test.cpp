// Files by HTTP: files that are found and refused, the bytes that are sent, changes of a file
// meanwhile, and a lack of descriptors.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "http_client.hpp"
#include "no_descriptors.hpp"
#include "os_support.hpp"

using namespace rota_test;

namespace {

// A directory tree that is removed at the end.
class tree {
  public:
    tree() {
        char path[] = "/tmp/rota-test-XXXXXX";
        if (::mkdtemp(path) != nullptr) path_ = path;
        root = path_ + "/root";
        std::filesystem::create_directory(root);
    }
    ~tree() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    tree(const tree&) = delete;
    tree& operator=(const tree&) = delete;

    // Makes a file below the root; `..` leads beside it. Its old time makes its tag strong.
    const tree& file(const std::string& name, std::string_view content) const {
        const std::filesystem::path path = root + "/" + name;
        std::filesystem::create_directories(path.parent_path());
        os::write_file(path, content);
        const timespec times[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
        EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
        return *this;
    }
    const tree& link(const std::string& target, const std::string& name) const {
        EXPECT_EQ(::symlink(target.c_str(), (root + "/" + name).c_str()), 0);
        return *this;
    }

    std::string root;

  private:
    std::string path_;
};

std::string request_text(std::string_view path, std::string_view fields = "",
                         std::string_view method = "GET") {
    return std::string(method) + " " + std::string(path) +
           " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + std::string(fields) + "\r\n";
}

answer get(const http_server& s, std::string_view path, std::string_view fields = "",
           std::string_view method = "GET") {
    std::string text = ask(s, request_text(path, fields, method));
    answer a = take_answer(text, method != "HEAD");
    EXPECT_EQ(text, "") << path << " " << fields;
    return a;
}

// "200", or "301 target".
std::string brief(const http_server& s, std::string_view path) {
    const answer a = get(s, path);
    const std::string to = a.field("Location");
    return std::to_string(a.status) + (to.empty() ? "" : " " + to);
}

std::string pattern_of(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
    return text;
}

}  // namespace

TEST_ANYWHERE(http_files, are_found_below_the_root) {
    const tree t;
    t.file("a.txt", "the text").file("sub/index.html", "<p>index").file("sub/b", "<html>b");
    t.file("odd:name?/100%", "odd").file("empty.css", "");
    const http_server s(http::file_server(t.root));
    const answer a = get(s, "/a.txt");
    EXPECT_EQ(a.status, 200);
    EXPECT_EQ(a.body, "the text");
    EXPECT_EQ(a.field("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(a.field("Last-Modified"), "Sun, 09 Sep 2001 01:46:40 GMT");
    EXPECT_EQ(a.field("Accept-Ranges"), "bytes");
    EXPECT_EQ(a.field("Content-Length"), "8");
    EXPECT_TRUE(a.field("ETag").starts_with('"')) << a.head;
    EXPECT_EQ(get(s, "/sub/").body, "<p>index");
    EXPECT_EQ(get(s, "/sub/b").field("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(get(s, "/odd:name%3f/100%25").body, "odd");
    EXPECT_EQ(get(s, "/empty.css").field("Content-Length"), "0");
    const answer head = get(s, "/a.txt", "", "HEAD");
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.field("Content-Length"), "8");
    EXPECT_EQ(head.field("ETag"), a.field("ETag"));
    const answer post = get(s, "/a.txt", "Content-Length: 0\r\n", "POST");
    EXPECT_EQ(post.status, 405);
    EXPECT_EQ(post.field("Allow"), "GET, HEAD");
}

TEST_ANYWHERE(http_files, redirect_to_their_one_address) {
    const tree t;
    t.file("a.txt", "a").file("sub/index.html", "index").file("odd:name?/x", "odd");
    const http_server s(http::file_server(t.root));
    EXPECT_EQ(brief(s, "/sub"), "301 sub/");
    EXPECT_EQ(brief(s, "/sub?q=1"), "301 sub/?q=1");
    EXPECT_EQ(brief(s, "/sub/index.html"), "301 ./");
    EXPECT_EQ(brief(s, "/index.html"), "301 ./");
    EXPECT_EQ(brief(s, "/a.txt/"), "301 ../a.txt");
    EXPECT_EQ(brief(s, "/odd:name%3F"), "301 ./odd:name%3F/");  // neither a scheme nor a query
}

TEST_ANYWHERE(http_files, of_a_directory_are_listed) {
    // A name is text, not HTML, and a link to a name must not lead elsewhere.
    const tree t;
    t.file("<b>&\"'", "x").file("sub/y", "y").file("javascript:alert(1)", "z").file(".hidden", "h");
    const http_server s(http::file_server(t.root));
    const answer a = get(s, "/");
    EXPECT_EQ(a.field("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(a.body,
              "<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n"
              "<a href=\"%3Cb%3E&amp;%22%27\">&lt;b&gt;&amp;&#34;&#39;</a>\n"
              "<a href=\"./javascript:alert(1)\">javascript:alert(1)</a>\n"
              "<a href=\"sub/\">sub/</a>\n</pre>\n");
    const http_server closed(http::file_server(t.root, {.lists_directories = false}));
    EXPECT_EQ(brief(closed, "/"), "403");
    EXPECT_EQ(brief(closed, "/sub/y"), "200");
}

TEST_ANYWHERE(http_files, outside_the_root_are_not_reached) {
    const tree t;
    t.file("../secret", "secret").file("a", "a").file("sub/b", "b").file(".git/config", "c");
    t.file(".well-known/d", "d");
    t.link("../secret", "out").link("../..", "up").link(t.root + "/a", "absolute");
    t.link("sub/../a", "in").link("sub", "also").link("loop", "loop").link("/etc", "etc");
    const http_server s(http::file_server(t.root));
    for (const char* const path : {"/../secret", "/sub/../../secret", "/%2e%2e/secret",
                                   "/..%2fsecret", "/sub/..%5c..%5cx", "/a%00", "/sub/%2e%2E/a"})
        EXPECT_EQ(brief(s, path), "400") << path;
    for (const char* const path : {"/out", "/up/secret", "/absolute", "/etc/passwd", "/up/"})
        EXPECT_EQ(brief(s, path), "403") << path;
    for (const char* const path : {"/none", "/a/b", "/loop", "/.git/config", "/.git/", "/sub\\b"})
        EXPECT_EQ(brief(s, path), "404") << path;
    EXPECT_EQ(brief(s, "/" + std::string(5000, 'x')), "404");
    for (const char* const path : {"/in", "/also/b", "/.well-known/d", "//sub//b", "/sub/./b"})
        EXPECT_EQ(brief(s, path), "200") << path;
    const http_server open(http::file_server(t.root, {.shows_dot_files = true}));
    EXPECT_EQ(brief(open, "/.git/config"), "200");
}

TEST_ANYWHERE(http_files, that_are_none_are_refused_at_once) {
    // The open of a FIFO waits for a writer; a device may never end.
    const tree t;
    t.file("closed", "x");
    EXPECT_EQ(::mkfifo((t.root + "/fifo").c_str(), 0666), 0);
    EXPECT_EQ(::mkdir((t.root + "/private").c_str(), 0), 0);
    EXPECT_EQ(::chmod((t.root + "/closed").c_str(), 0), 0);
    const http_server s(http::file_server(t.root));
    EXPECT_EQ(brief(s, "/fifo"), "403");
    if (::geteuid() != 0) {
        EXPECT_EQ(brief(s, "/closed"), "403");
        EXPECT_EQ(brief(s, "/private/"), "403");
    }
    const http_server null([](auto& w, auto& r) { http::serve_file(w, r, "/dev/zero"); });
    EXPECT_EQ(brief(null, "/"), "403");
    ::chmod((t.root + "/private").c_str(), 0700);
}

TEST_ANYWHERE(http_files, are_not_sent_to_who_has_them) {
    const tree t;
    t.file("a", "content");
    const http_server s(http::file_server(t.root));
    const std::string tag = get(s, "/a").field("ETag");
    const auto with = [&](const std::string& field) { return get(s, "/a", field + "\r\n"); };
    const answer same = with("If-None-Match: " + tag);
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.field("ETag"), tag);
    EXPECT_EQ(same.field("Content-Type") + same.field("Last-Modified"), "");
    EXPECT_EQ(with("If-Modified-Since: Sun, 09 Sep 2001 01:46:40 GMT").status, 304);
    EXPECT_EQ(with("If-Modified-Since: Sun, 09 Sep 2001 01:46:39 GMT").status, 200);
    EXPECT_EQ(with("If-Match: \"other\"").status, 412);
    EXPECT_EQ(with("If-Unmodified-Since: Sun, 09 Sep 2001 01:46:39 GMT").status, 412);
    os::write_file(t.root + "/a", "changed");
    EXPECT_EQ(with("If-None-Match: " + tag).body, "changed");
}

TEST_ANYWHERE(http_files, are_sent_in_ranges) {
    const tree t;
    const std::string text = pattern_of(100'000);
    t.file("big.bin", text).file("small", "0123456789");
    const http_server s(http::file_server(t.root));
    const auto range = [&](std::string_view path, const std::string& asked) {
        return get(s, path, "Range: " + asked + "\r\n");
    };
    const answer part = range("/big.bin", "bytes=1000-80999");
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.field("Content-Range"), "bytes 1000-80999/100000");
    EXPECT_TRUE(part.body == text.substr(1000, 80'000));
    EXPECT_EQ(range("/small", "bytes=-3").body, "789");
    const answer none = range("/small", "bytes=10-");
    EXPECT_EQ(none.status, 416);
    EXPECT_EQ(none.field("Content-Range"), "bytes */10");
    EXPECT_EQ(none.field("ETag"), "");
    EXPECT_EQ(range("/small", "bytes=0-,0-").body, "0123456789");
    EXPECT_EQ(get(s, "/small", "Range: bytes=0-1\r\nIf-Range: \"other\"\r\n").status, 200);
    EXPECT_EQ(get(s, "/small", "Range: bytes=0-1\r\nRange: bytes=2-3\r\n").status, 200);
    EXPECT_EQ(get(s, "/small", "Range: bytes=0-1\r\n", "HEAD").field("Content-Length"), "10");
    const std::string tag = get(s, "/small").field("ETag");
    EXPECT_EQ(get(s, "/small", "Range: bytes=0-1\r\nIf-Range: " + tag + "\r\n").body, "01");
}

TEST_ANYWHERE(http_files, are_sent_in_several_ranges) {
    const tree t;
    const std::string text = pattern_of(200'000);
    t.file("big.bin", text);
    const http_server s(http::file_server(t.root));
    const answer a = get(s, "/big.bin", "Range: bytes=5-9, 50000-149999, -1\r\n");
    EXPECT_EQ(a.status, 206);
    const std::string type = a.field("Content-Type"), begin = "multipart/byteranges; boundary=";
    ASSERT_TRUE(type.starts_with(begin)) << type;
    const std::string boundary = "--" + type.substr(begin.size());
    const auto part = [&](const char* place, const std::string& bytes) {
        return boundary + "\r\nContent-Range: bytes " + place +
               "/200000\r\nContent-Type: application/octet-stream\r\n\r\n" + bytes + "\r\n";
    };
    EXPECT_TRUE(a.body == part("5-9", text.substr(5, 5)) +
                              part("50000-149999", text.substr(50'000, 100'000)) +
                              part("199999-199999", text.substr(199'999)) + boundary + "--\r\n");
}

TEST_ANYWHERE(http_files, keep_the_connection_for_the_next_request) {
    const tree t;
    const std::string text = pattern_of(3'000'000);
    t.file("big.bin", text).file("small", "0123456789");
    const http_server s(http::file_server(t.root));
    const net::conn c = s.dial();
    const std::string_view one = "GET /big.bin HTTP/1.1\r\nHost: a\r\n\r\n",
                           two = "GET /small HTTP/1.1\r\nHost: a\r\n\r\n";
    c.write(std::string(two) + std::string(one) + std::string(one) + request_text("/small"));
    std::string all = read_to_end(c);
    EXPECT_EQ(take_answer(all).body, "0123456789");
    EXPECT_TRUE(take_answer(all).body == text);
    EXPECT_TRUE(take_answer(all).body == text);
    EXPECT_EQ(only_answer(all).body, "0123456789");
}

TEST_ANYWHERE(http_files, that_shrink_while_they_are_sent_end_the_connection) {
    // The server must not promise more than it sends, nor send other bytes instead.
    const tree t;
    constexpr std::size_t size = 64 << 20;
    t.file("big.bin", "");
    EXPECT_EQ(::truncate((t.root + "/big.bin").c_str(), size), 0);
    const http_server s(http::file_server(t.root));
    const net::conn c = s.dial();
    c.write("GET /big.bin HTTP/1.1\r\nHost: a\r\n\r\nGET /big.bin HTTP/1.1\r\nHost: a\r\n\r\n");
    c.set_read_deadline(in(patience));
    std::string begin = read_text(c);
    EXPECT_NE(begin.find("Content-Length: " + std::to_string(size)), begin.npos) << begin;
    EXPECT_EQ(::truncate((t.root + "/big.bin").c_str(), 1000), 0);
    const std::string rest = read_to_end(c);
    EXPECT_LT(rest.size(), size);
    EXPECT_EQ(rest.find("HTTP/1.1"), rest.npos);
}

TEST_ANYWHERE(http_files, whose_client_leaves_are_closed) {
    const tree t;
    t.file("big.bin", "");
    EXPECT_EQ(::truncate((t.root + "/big.bin").c_str(), 64 << 20), 0);
    (void)connected();  // the poller opens its descriptors here
    const int before = open_descriptors();
    {
        const http_server s(http::file_server(t.root), {.write_timeout = std::chrono::seconds(5)});
        for (int i = 0; i < 4; ++i) {
            const net::conn c = s.dial();
            c.write("GET /big.bin HTTP/1.1\r\nHost: a\r\n\r\n");
            c.set_read_deadline(in(patience));
            (void)read_text(c);
        }
        EXPECT_TRUE(eventually([&] { return open_descriptors() == before + 1; }))
            << open_descriptors() << " " << before;
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST(kb36_http_files, without_descriptors_the_answer_is_503_and_the_server_goes_on) {
    rota::run([] {
        const tree t;
        t.file("a", "content");
        const http_server s(http::file_server(t.root));
        const net::conn c = s.dial();
        const auto answered = [&] {
            c.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            c.set_read_deadline(in(patience));
            std::string text = read_text(c);
            return take_answer(text).status;
        };
        EXPECT_EQ(answered(), 200);
        {
            const no_descriptors none;
            EXPECT_EQ(answered(), 503);
        }
        EXPECT_EQ(answered(), 200);
    });
}

TEST_ANYWHERE(http_strip_prefix, shows_the_rest_of_the_path) {
    const tree t;
    t.file("a b/c.txt", "c");
    http::serve_mux mux;
    mux.handle("/static/", http::strip_prefix("/static/", http::file_server(t.root)));
    mux.handle("/echo/", http::strip_prefix("/echo", [](auto& w, auto& r) { w.write(r.path()); }));
    mux.handle("/", http::strip_prefix("/other", [](auto&, auto&) {}));
    const http_server s(mux);
    EXPECT_EQ(get(s, "/static/a%20b/c.txt").body, "c");
    EXPECT_EQ(brief(s, "/static/a%20b"), "301 a%20b/");
    EXPECT_EQ(get(s, "/echo/x%20y").body, "/x y");
    EXPECT_EQ(get(s, "/echo/x").body, "/x");
    EXPECT_EQ(brief(s, "/nothing"), "404");
    EXPECT_THROW(http::strip_prefix("/x", nullptr), rota::panic_error);
}

TEST_ANYWHERE(http_serve_file, serves_one_file_whatever_was_asked_for) {
    const tree t;
    t.file("a.json", "{}").file("dir/index.html", "index");
    const http_server s([&t](auto& w, auto& r) {
        w.header().set("ETag", "\"mine\"");
        http::serve_file(w, r, t.root + (r.path() == "/dir/" ? "/dir" : "/a.json"));
    });
    const answer a = get(s, "/whatever/");
    EXPECT_EQ(a.body, "{}");
    EXPECT_EQ(a.field("Content-Type"), "application/json");
    EXPECT_EQ(a.field("ETag"), "\"mine\"");
    EXPECT_EQ(get(s, "/x", "If-None-Match: \"mine\"\r\n").status, 304);
    EXPECT_EQ(get(s, "/dir/").body, "index");
    EXPECT_EQ(brief(s, "/x/../y"), "400");
}

TEST_ANYWHERE(net_send_file, sends_a_piece_of_a_file) {
    const tree t;
    const std::string text = pattern_of(5'000'000);
    t.file("big", text);
    const auto [a, b] = connected();
    rota::wait_group sender;
    std::uint64_t sent = 0, beyond = 1;
    std::error_code of_pipe;
    sender.go([&, to = a] {
        const os::file f = os::file::open(t.root + "/big");
        sent = to.send_file(f, 7, 4'000'000);
        beyond = to.send_file(f, 4'999'999, 1000);  // the file ends
        (void)to.send_file(os::pipe().first, 0, 1, of_pipe);
        to.close_write();
    });
    EXPECT_TRUE(read_to_end(b) == text.substr(7, 4'000'000) + text.back());
    sender.wait();
    EXPECT_EQ(sent, 4'000'000u);
    EXPECT_EQ(beyond, 1u);
    EXPECT_EQ(of_pipe, std::errc::invalid_argument);
}

TEST_ANYWHERE(net_send_file, to_a_peer_that_has_gone_fails_and_raises_nothing) {
    const tree t;
    t.file("big", std::string(1 << 20, 'x'));
    auto [a, b] = connected();
    b.close();
    const os::file f = os::file::open(t.root + "/big");
    std::error_code error;
    EXPECT_TRUE(eventually([&] {
        (void)a.send_file(f, 0, 1 << 20, error);
        return static_cast<bool>(error);
    }));
    EXPECT_TRUE(error == std::errc::broken_pipe || error == std::errc::connection_reset) << error;
    a.close();
    (void)a.send_file(f, 0, 1, error);
    EXPECT_EQ(error, rota::net::net_errc::closed);
}
