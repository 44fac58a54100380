// A request's body and its answer at once: the effects of the two goroutines, and of a caller that
// asks for the context, on each other. Also reads that a context ends.
#include <algorithm>

#include "http_client.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

std::string read_until(const net::conn& c, std::string_view wanted) {
    std::string all;
    std::array<char, 4096> part;
    std::error_code error;
    c.set_read_deadline(in(patience), error);
    for (std::size_t seen = 0;
         all.find(wanted, seen - std::min(seen, wanted.size())) == all.npos;) {
        seen = all.size();
        const std::size_t n = c.read(std::as_writable_bytes(std::span(part)), error);
        if (n == 0) return all + "<the end>";
        all.append(part.data(), n);
    }
    return all;
}

}  // namespace

TEST_ANYWHERE(http_request, still_sees_the_client_leave_after_a_read_that_was_called_off) {
    // The context of a read ends when the body's last bytes are there. It resets the deadline of
    // reads. The watch for the client's end, if it begins at that moment, could take this for its
    // own end: the request's context would then never end.
    std::atomic<int> seen{0};
    const http_server s([&](http::response_writer& w, http::request& r) {
        const rota::context ctx = r.ctx();
        const auto [until, cancel] = rota::with_cancel(rota::background());
        cancel();
        std::array<std::byte, 10> part;
        EXPECT_EQ(r.read(until, part), 3U);
        w.write("a");
        w.flush();
        rota::unit nothing;
        if (ctx.done().recv_for(nothing, patience) == rota::chan_status::closed) ++seen;
    });
    constexpr int rounds = 20;
    for (int i = 0; i < rounds; ++i) {
        const net::conn c = s.dial();
        c.write(std::string_view("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"));
        EXPECT_NE(read_until(c, "\r\n\r\n").find("200 OK"), std::string::npos);
        c.close();
        EXPECT_TRUE(eventually([&] { return seen == i + 1; })) << seen << " of " << i + 1;
        if (seen != i + 1) return;
    }
}

TEST_ANYWHERE(http_full_duplex, has_one_reader_s_limit_whoever_asks_for_the_context) {
    // One goroutine reads with a context that ends, the other asks for the request's context. Both
    // set the socket's deadline, and tsan reports if they do so at once.
    const http_server s([](http::response_writer& w, http::request& r) {
        w.enable_full_duplex();
        rota::wait_group reading;
        std::size_t size = 0;
        const auto [until, cancel] = rota::with_cancel(rota::background());
        reading.go([&, until = until] {
            std::array<std::byte, 2> part;
            std::error_code error;
            while (const std::size_t n = r.read(until, part, error)) size += n;
        });
        rota::runtime::gosched();
        cancel();
        const rota::context ctx = r.ctx();
        reading.wait();
        EXPECT_FALSE(ctx.err());
        w.write(size <= 8 ? "fine" : "too much");
    });
    const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n";
    for (int i = 0; i < scaled(300); ++i) {
        const net::conn c = s.dial();
        c.write(post + "12345678");
        EXPECT_NE(read_until(c, "fine").find("200 OK"), std::string::npos);
    }
}

TEST_ANYWHERE(http_full_duplex, waits_for_a_slow_client_with_no_lock_that_others_need) {
    // Bytes written before the answer wait for the client to take them. A goroutine that only asks
    // for the context must not wait; and the server asks for the body after these bytes, in order.
    const rota::chan<rota::unit> written = rota::make_chan<rota::unit>(1);
    const rota::chan<rota::unit> asked = rota::make_chan<rota::unit>(1);
    const std::string large(16 << 20, 'h');  // more than the buffers on the way
    const http_server s([&](http::response_writer& w, http::request& r) {
        w.enable_full_duplex();
        rota::wait_group others;
        std::string body;
        others.go([&] {
            rota::unit nothing;
            if (written.recv_for(nothing, patience) != rota::chan_status::ok) return;
            EXPECT_FALSE(r.ctx().err());
            asked.send({});
            body = r.body();
        });
        w.header().set("Link", large);
        w.write_header(103);
        w.header().del("Link");
        others.wait();
        w.write(body);
    });
    const net::conn c = s.dial();
    c.write(std::string_view("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
                             "Expect: 100-continue\r\n\r\n"));
    (void)read_until(c, "Link: h");  // from here on the writer cannot finish
    written.send({});
    rota::unit nothing;
    EXPECT_EQ(asked.recv_for(nothing, patience), rota::chan_status::ok);
    // The rest of the 103, then the 100: read_until stops once it has seen that.
    const std::string early = read_until(c, "100 Continue\r\n\r\n");
    EXPECT_EQ(early.find_first_not_of('h'), early.find("\r\n\r\nHTTP/1.1 100")) << early.size();
    c.write(std::string_view("body"));
    EXPECT_NE(read_until(c, "body").find("200 OK"), std::string::npos);
}
