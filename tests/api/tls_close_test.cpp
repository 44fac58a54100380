// TLS: the end of a connection. What has been written reaches a peer that reads it late.
#include <rota/tls.hpp>

#include <thread>

#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../certificates.hpp"
#include "openssl_client.hpp"
#include "sockets.hpp"

using namespace rota_test;
using namespace std::chrono_literals;
namespace tls = rota::tls;

namespace {

tls::options close_server_options() {
    return {.certificate = local_certificate().pem, .key = local_certificate().key};
}
const tls::config& close_client() {
    static const tls::config c({.roots = local_certificate().pem});
    return c;
}

// OpenSSL's own server, with blocking calls on a thread of its own, as a program without rota has
// it. It sends OpenSSL's two tickets behind the handshake.
class plain_server {
  public:
    explicit plain_server(int version = TLS1_3_VERSION) : ctx_(SSL_CTX_new(TLS_server_method())) {
        SSL_CTX_set_min_proto_version(ctx_, version);
        SSL_CTX_set_max_proto_version(ctx_, version);
        use_certificate(ctx_, local_certificate());
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&at), size), 0);
        EXPECT_EQ(::listen(listening_, 16), 0);
        EXPECT_EQ(::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &size), 0);
        address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    }
    ~plain_server() {
        ::close(listening_);
        SSL_CTX_free(ctx_);
    }
    plain_server(const plain_server&) = delete;
    plain_server& operator=(const plain_server&) = delete;

    const std::string& address() const { return address_; }

    // Accepts one client, and reads to its end as soon as `may_read` says so. "alert" stands for
    // the client's word that this is the end.
    template <class Condition>
    std::string serve(Condition may_read) {
        const int s = ::accept(listening_, nullptr, nullptr);
        SSL* const ssl = SSL_new(ctx_);
        SSL_set_fd(ssl, s);
        std::string text;
        if (SSL_accept(ssl) == 1) {
            // A reset takes away what was there.
            for (int i = 0; i < 2000 && !may_read(s); ++i) std::this_thread::sleep_for(1ms);
            char part[4096];
            int n = 0;
            while ((n = SSL_read(ssl, part, sizeof part)) > 0)
                text.append(part, static_cast<std::size_t>(n));
            if (SSL_get_error(ssl, n) == SSL_ERROR_ZERO_RETURN) text += "alert";
        } else {
            text = "no handshake";
        }
        ERR_clear_error();
        SSL_free(ssl);
        ::close(s);
        return text;
    }

  private:
    SSL_CTX* const ctx_;
    const int listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    std::string address_;
};

int unread_bytes(int s) {
    int size = 0;
    return ::ioctl(s, FIONREAD, &size) == 0 ? size : -1;
}

}  // namespace

TEST_ANYWHERE(tls_close, of_a_client_that_has_only_written_loses_nothing) {
    // The server's tickets lie unread in the client's socket: the kernel would answer the close by
    // a reset, and the server would find that instead of the text.
    const std::string text(50'000, 'x');
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        plain_server server(version);
        for (int i = 0; i < 10; ++i) {
            std::string got;
            std::atomic<bool> is_closing{false};
            std::thread serving([&] {
                got = server.serve([&](int s) { return is_closing && unread_bytes(s) > 0; });
            });
            {
                const tls::conn c = tls::dial("tcp", server.address(), close_client());
                c.write(text);
                is_closing = true;
                if (i % 2 == 0) c.close();  // else the last handle goes
            }
            serving.join();
            ASSERT_EQ(got.size(), text.size() + 5) << "version " << version << ", round " << i;
        }
    }
}

TEST(tls_close, does_not_wait_where_nothing_can_be_lost) {
    // A close that waits for a peer without need keeps a server's goroutine, or a client's caller.
    rota::run([] {
        const ends below = connected();
        const auto client = tls::conn::client(below.client, close_client(), "localhost");
        const auto server = tls::conn::server(below.server, tls::config(close_server_options()));
        rota::wait_group serving;
        serving.go([&] {
            std::array<std::byte, 2> got;
            EXPECT_EQ(server.read_full(got), 2u);
            server.write("ok");
        });
        client.write("hi");
        std::array<std::byte, 2> got;
        EXPECT_EQ(client.read_full(got), 2u);
        serving.wait();
        const auto since = rota::clock::now();
        client.close();  // answered; the server's end stays open
        server.close();
        EXPECT_LT(rota::clock::now() - since, 250ms);
    });
}

TEST(tls_close, waits_no_longer_than_deadline_and_bound) {
    // A server that never closes would keep its client for ever.
    rota::run([] {
        for (const bool has_deadline : {true, false}) {
            const ends below = connected();
            const auto client = tls::conn::client(below.client, close_client(), "localhost");
            const auto server =
                tls::conn::server(below.server, tls::config(close_server_options()));
            rota::wait_group serving;
            serving.go([&] { server.handshake(); });
            client.write("hi");
            serving.wait();
            const auto since = rota::clock::now();
            if (has_deadline) client.set_deadline(since + 20ms);
            client.close();
            const auto took = rota::clock::now() - since;
            EXPECT_GE(took, has_deadline ? 20ms : 400ms) << "the server has not closed";
            EXPECT_TRUE(took < 5s) << "a bound";
            std::error_code error;
            client.set_deadline({}, error);
            EXPECT_EQ(error, net::net_errc::closed);
        }
    });
}

TEST(tls_close, ends_a_read_at_once_and_its_own_wait_by_a_second_close) {
    // The read would last as long as the wait for the peer, and so would both.
    rota::run([] {
        const ends below = connected();
        const auto client = tls::conn::client(below.client, close_client(), "localhost");
        const auto server = tls::conn::server(below.server, tls::config(close_server_options()));
        rota::wait_group serving, reading, closing;
        serving.go([&] { server.handshake(); });
        client.write("hi");
        serving.wait();
        std::atomic<bool> is_read_over{false}, is_closed{false};
        reading.go([&] {
            std::array<std::byte, 1> got;
            std::error_code error;
            (void)client.read(got, error);
            EXPECT_EQ(error, net::net_errc::closed);
            EXPECT_FALSE(is_closed) << "the close still waits";
            is_read_over = true;
        });
        rota::runtime::gosched();
        closing.go([&] {
            client.close();
            is_closed = true;
        });
        reading.wait();
        EXPECT_TRUE(is_read_over);
        const auto since = rota::clock::now();
        client.close();
        closing.wait();
        EXPECT_LT(rota::clock::now() - since, 250ms);
    });
}

TEST(tls_close, says_that_it_is_the_end_behind_a_full_socket) {
    // The last word finds no room in the socket, and the peer takes the whole text for a cut one.
    rota::run([] {
        const std::string part(100'000, 'x');
        for (const bool is_server : {true, false}) {
            const ends below = connected();
            auto client = tls::conn::client(below.client, close_client(), "localhost");
            auto server = tls::conn::server(below.server, tls::config(close_server_options()));
            rota::wait_group serving, reading;
            serving.go([&] { server.handshake(); });
            client.handshake();
            serving.wait();
            const tls::conn& writer = is_server ? server : client;
            const tls::conn& reader = is_server ? client : server;
            std::atomic<bool> is_closing{false};
            std::size_t written = 0;
            rota::wait_group writing;
            writing.go([&] {
                for (int i = 0; i < 80; ++i) written += writer.write(part);
                is_closing = true;
                writer.close();
            });
            std::size_t got = 0;
            std::vector<std::byte> to(8192);
            std::error_code error;
            // Slower than the writer, until it closes.
            while (const std::size_t n = reader.read(to, error)) {
                got += n;
                if (!is_closing) rota::runtime::gosched();
            }
            EXPECT_EQ(error, std::error_code()) << "server " << is_server;
            writing.wait();
            EXPECT_EQ(got, written);
        }
    });
}

// --- tickets -------------------------------------------------------------------------------------

TEST(tls_tickets, come_in_front_of_data_and_only_where_they_are_wanted) {
    // A ticket behind the handshake lies unread in the socket of a client that only writes.
    rota::run([] {
        for (const int wanted : {0, 1, 3}) {
            tls::options o = close_server_options();
            o.session_tickets = static_cast<std::uint8_t>(wanted);
            const ends below = connected();
            const auto server = tls::conn::server(below.server, tls::config(o));
            openssl_client client(below.client);
            rota::wait_group serving;
            serving.go([&] { server.handshake(); });
            EXPECT_TRUE(client.handshake());
            serving.wait();
            EXPECT_EQ(unread_bytes(below.client.fd()), 0) << "nothing comes unasked";
            server.write("one");
            EXPECT_EQ(client.read(), "one");
            EXPECT_EQ(client.tickets, wanted);
            server.write("two");
            EXPECT_EQ(client.read(), "two");
            server.close();
            EXPECT_EQ(client.read(), "");
            EXPECT_EQ(client.tickets, wanted) << "once for each connection";
        }
        tls::options o = close_server_options();
        o.session_tickets = 9;
        std::error_code error;
        const tls::config refused(o, error);
        EXPECT_EQ(error, tls::tls_errc::bad_config);
    });
}
