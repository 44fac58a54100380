// Clients of https: trusted servers, kept connections, the way through a proxy.
#include <rota/tls.hpp>

#include "../certificates.hpp"
#include "http_client.hpp"
#include "scripted_server.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

http::client_options believing() {
    return {.proxy_from_environment = false, .tls = {.roots = local_certificate().pem}};
}

// Serves TLS: f answers each request. Its descriptors are those of a scripted_server.
auto answering_by_tls(std::function<std::string(const std::string&)> f) {
    return [f = std::move(f)](const net::conn& below, int) {
        static const rota::tls::config config({.certificate = local_certificate().pem,
                                               .key = local_certificate().key,
                                               .alpn = {"h2", "http/1.1"}});
        const auto c = rota::tls::conn::server(below, config);
        std::error_code gone;
        c.set_deadline(in(patience), gone);
        for (std::string request;;) {
            std::array<char, 4096> part;
            const std::size_t n = c.read(std::as_writable_bytes(std::span(part)), gone);
            if (n == 0) break;
            request.append(part.data(), n);
            if (!request.ends_with("\r\n\r\n")) continue;
            const std::string answer = f(std::exchange(request, {}));
            c.write(answer, gone);
            if (answer.find("Connection: close") != answer.npos) break;
        }
        c.close(gone);
    };
}

std::string https(const scripted_server& s, std::string_view host = "localhost") {
    return "https://" + std::string(host) + s.address.substr(s.address.rfind(':')) + "/";
}

}  // namespace

TEST_ANYWHERE(http_tls, keeps_connections_to_servers_that_it_believes) {
    shared_text seen;
    const scripted_server s(answering_by_tls([&](const std::string& request) {
        seen = request;
        return ok_with("secret");
    }));
    const http::client c(believing());
    for (int i = 0; i < 5; ++i) {
        const http::response r = c.get(https(s, i % 2 != 0 ? "localhost" : "LOCALHOST"));
        EXPECT_EQ(r.body, "secret");
        EXPECT_EQ(r.url, https(s));
    }
    EXPECT_EQ(s.connections, 1);  // a ticket of TLS is not an unexpected answer
    EXPECT_TRUE(seen.get().starts_with("GET / HTTP/1.1\r\nHost: localhost:")) << seen.get();
    EXPECT_EQ(c.get(https(s, "127.0.0.1")).body, "secret");
    EXPECT_EQ(s.connections, 2);
}

TEST_ANYWHERE(http_tls, believes_nobody_else) {
    const scripted_server s(answering_by_tls([&](const std::string&) { return ok_with("x"); }));
    std::error_code error;
    (void)http::client({.proxy_from_environment = false}).get(https(s), error);
    EXPECT_EQ(error.category(), rota::tls::tls_category()) << error.message();
    const scripted_server plain([](const net::conn& c, int) {
        (void)read_text(c);
        c.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    (void)http::client(believing()).get(https(plain), error);
    EXPECT_TRUE(error) << "no TLS at all";
    auto bad = believing();
    bad.tls.roots = "no certificate";
    (void)http::client(bad).get(https(s), error);
    EXPECT_EQ(error, rota::tls::tls_errc::bad_pem);
}

TEST_ANYWHERE(http_tls, body_that_is_cut_off_is_an_error) {
    // Such a body ends with its connection, and any attacker on the way can end that.
    const scripted_server s([](const net::conn& below, int) {
        const rota::tls::config config(
            {.certificate = local_certificate().pem, .key = local_certificate().key});
        const auto c = rota::tls::conn::server(below, config);
        std::array<std::byte, 4096> part;
        (void)c.read(part);
        c.write("HTTP/1.1 200 OK\r\n\r\nPay 100");
        below.close();
    });
    std::error_code error;
    EXPECT_EQ(http::client(believing()).get(https(s), error).body, "");
    EXPECT_EQ(error, rota::tls::tls_errc::unexpected_end);
    const scripted_server orderly(answering_by_tls(
        [](const std::string&) { return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nPay 1000"; }));
    EXPECT_EQ(http::client(believing()).get(https(orderly)).body, "Pay 1000");
}

TEST_ANYWHERE(http_tls, handshake_that_does_not_come_ends_in_time) {
    const int before = open_descriptors();
    {
        const auto begun = rota::make_chan<rota::unit>(1);
        const scripted_server s([&](const net::conn& c, int) {
            (void)read_text(c);
            (void)begun.try_send({});
            std::error_code gone;
            c.set_read_deadline(in(patience), gone);
            std::array<std::byte, 64> part;
            while (c.read(part, gone) != 0) {
            }
            EXPECT_NE(gone, std::errc::timed_out);
        });
        auto hasty = believing();
        hasty.dial_timeout = 30ms;
        std::error_code error;
        rota::unit none;
        do {  // the time may be up before there is a connection
            (void)http::client(hasty).get(https(s), error);
            EXPECT_EQ(error, std::errc::timed_out);
        } while (begun.recv_for(none, 100ms) != rota::chan_status::ok);
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        rota::wait_group group;
        group.go([&, stop = cancel] {
            (void)begun.recv();
            stop();
        });
        (void)http::client(believing()).perform(ctx, http::request("GET", https(s)), error);
        EXPECT_EQ(error, rota::context_errc::canceled);
        group.wait();
    }
    EXPECT_TRUE(eventually([&] { return open_descriptors() <= before; }));
}

TEST_ANYWHERE(http_tls, goes_through_a_proxy_by_connect) {
    const scripted_server s(answering_by_tls([](const std::string&) { return ok_with("far"); }));
    shared_text asked;
    shared_text yes("HTTP/1.1 200 Connection established\r\n\r\n");
    const scripted_server proxy([&](const net::conn& near, int) {
        std::error_code gone;
        std::string behind;
        asked = read_request(near, behind);
        const std::string said = yes.get();
        near.write(said);
        if (said.find(" 200 ") == said.npos || said.ends_with("more")) return;
        const net::conn far = net::dial("tcp", s.address);
        const auto copy = [](const net::conn& from, const net::conn& to) {
            std::error_code over;
            std::array<std::byte, 4096> part;
            while (const std::size_t n = from.read(part, over))
                to.write(std::span(part).first(n), over);
            to.close_write(over);
        };
        rota::wait_group back;
        back.go([&] { copy(far, near); });
        copy(near, far);
        back.wait();
    });
    auto options = believing();
    options.proxy = "http://me:pw@" + proxy.address;
    const std::string host = "localhost" + s.address.substr(s.address.rfind(':'));
    {
        const http::client c(options);
        for (int i = 0; i < 3; ++i) EXPECT_EQ(c.get("https://" + host + "/").body, "far");
    }
    EXPECT_EQ(proxy.connections, 1);
    EXPECT_EQ(asked.get(), "CONNECT " + host + " HTTP/1.1\r\nHost: " + host +
                               "\r\nUser-Agent: rota-http/1\r\n"
                               "Proxy-Authorization: Basic bWU6cHc=\r\n\r\n");
    const http::client c(options);
    std::error_code error;
    yes = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n";
    (void)c.get("https://" + host + "/", error);
    EXPECT_EQ(error, http::http_errc::proxy_refused);
    yes = "HTTP/1.1 200 OK\r\n\r\nmore";
    (void)c.get("https://" + host + "/", error);
    EXPECT_EQ(error, http::http_errc::malformed_response);
}
