// TLS: calls that wait for each other. Peers that send half of a message, deadlines, and
// simultaneous calls.
#include <rota/tls.hpp>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>

#include "../certificates.hpp"
#include "sockets.hpp"

using namespace rota_test;
using namespace std::chrono_literals;
namespace tls = rota::tls;

namespace {

tls::config tls_server() {
    return tls::config({.certificate = local_certificate().pem, .key = local_certificate().key});
}
tls::config tls_client() { return tls::config({.roots = local_certificate().pem}); }

struct tls_pair {
    tls::conn client, server;
};

// Two ends before any byte of a handshake.
tls_pair unshaken() {
    const ends below = connected();
    return {tls::conn::client(below.client, tls_client(), "localhost"),
            tls::conn::server(below.server, tls_server())};
}

std::error_code read_end(const tls::conn& c) {
    std::array<std::byte, 16> buffer;
    std::error_code error;
    (void)c.read(buffer, error);
    return error;
}

// OpenSSL's own server or client, which sends given bytes piece by piece.
class raw_peer {
  public:
    explicit raw_peer(net::conn over, int version = 0)
        : over_(std::move(over)), ctx_(SSL_CTX_new(TLS_method())) {
        SSL_CTX_set_max_proto_version(ctx_, version);
        BIO* const pem = BIO_new_mem_buf(local_certificate().pem.data(), -1);
        BIO* const key = BIO_new_mem_buf(local_certificate().key.data(), -1);
        X509* const own = PEM_read_bio_X509(pem, nullptr, nullptr, nullptr);
        EVP_PKEY* const its = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
        SSL_CTX_use_certificate(ctx_, own);
        SSL_CTX_use_PrivateKey(ctx_, its);
        X509_free(own);
        EVP_PKEY_free(its);
        BIO_free(pem);
        BIO_free(key);
        // A ticket contains the client's certificate, so it takes more than one record of this
        // size.
        constexpr unsigned char name[] = {'a'};
        SSL_CTX_set_session_id_context(ctx_, name, sizeof name);
        SSL_CTX_set_verify(ctx_, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
        SSL_CTX_set_num_tickets(ctx_, 1);
        SSL_CTX_set_max_send_fragment(ctx_, 512);
        ssl_ = SSL_new(ctx_);
        SSL_set_bio(ssl_, in_, out_);
        if (version == 0) SSL_set_accept_state(ssl_);
        else SSL_set_connect_state(ssl_);
    }
    ~raw_peer() {
        SSL_free(ssl_);
        SSL_CTX_free(ctx_);
    }
    raw_peer(const raw_peer&) = delete;
    raw_peer& operator=(const raw_peer&) = delete;

    // Makes the handshake, except for a server's ticket.
    void handshake() {
        for (;;) {
            ERR_clear_error();
            const bool is_done = SSL_do_handshake(ssl_) == 1;
            if (is_done && SSL_is_server(ssl_) != 0) return;
            over_.write(unsent());
            if (is_done) return;
            std::array<std::byte, 4096> buffer;
            const std::size_t n = over_.read(buffer);
            ASSERT_NE(n, 0u);
            BIO_write(in_, buffer.data(), static_cast<int>(n));
        }
    }
    // Sends the ticket's first record; the rest goes out with the next text.
    void send_half_of_the_ticket() {
        rest_ = unsent();
        ASSERT_GT(rest_.size(), 5u);
        const std::size_t size =
            5 + static_cast<unsigned char>(rest_[3]) * 256u + static_cast<unsigned char>(rest_[4]);
        ASSERT_LT(size, rest_.size());
        over_.write(std::string_view(rest_).substr(0, size));
        rest_.erase(0, size);
    }
    void send(std::string_view text) {
        ERR_clear_error();
        ASSERT_GT(SSL_write(ssl_, text.data(), static_cast<int>(text.size())), 0);
        rest_ += unsent();
        over_.write(rest_);
        rest_.clear();
    }
    // The bytes received up to the client's end; "alert" stands for the client's close alert.
    std::string received() {
        std::string text;
        for (;;) {
            char part[256];
            ERR_clear_error();
            const int n = SSL_read(ssl_, part, sizeof part);
            if (n > 0) {
                text.append(part, static_cast<std::size_t>(n));
                continue;
            }
            if (SSL_get_error(ssl_, n) == SSL_ERROR_ZERO_RETURN) return text + "alert";
            std::array<std::byte, 4096> buffer;
            std::error_code error;
            const std::size_t got = over_.read(buffer, error);
            if (got == 0) return text;
            BIO_write(in_, buffer.data(), static_cast<int>(got));
        }
    }

    bool has_ticket() const { return SSL_SESSION_has_ticket(SSL_get_session(ssl_)) != 0; }

  private:
    std::string unsent() {
        std::string text(BIO_ctrl_pending(out_), '\0');
        if (!text.empty()) BIO_read(out_, text.data(), static_cast<int>(text.size()));
        return text;
    }

    const net::conn over_;
    SSL_CTX* const ctx_;
    BIO* const in_ = BIO_new(BIO_s_mem());
    BIO* const out_ = BIO_new(BIO_s_mem());
    SSL* ssl_ = nullptr;
    std::string rest_;
};

// A client that has received half of a message from its server.
class half_a_ticket {
  public:
    half_a_ticket() : half_a_ticket(connected()) {}
    tls::conn client;
    raw_peer server;

  private:
    explicit half_a_ticket(const ends& below)
        : client(tls::conn::client(below.client, config_of(), "localhost")), server(below.server) {
        rota::wait_group serving;
        serving.go([&] { server.handshake(); });
        client.handshake();
        serving.wait();
        server.send_half_of_the_ticket();
        // A read takes in the half, and returns no bytes. A read that begins after its deadline
        // takes in nothing.
        const auto waiting = [&] {
            int size = 0;
            return ::ioctl(client.underlying().fd(), FIONREAD, &size) == 0 ? size : -1;
        };
        EXPECT_TRUE(eventually([&] { return waiting() > 0; }));
        std::error_code end;
        EXPECT_TRUE(eventually([&] {
            client.set_read_deadline(in(50ms));
            end = read_end(client);
            return end != std::errc::timed_out || waiting() == 0;
        }));
        EXPECT_EQ(end, std::errc::timed_out);
        client.set_read_deadline({});
    }
    static tls::config config_of() {
        std::vector<std::string> names;
        for (int i = 0; i < 30; ++i)
            names.push_back("DNS:some-long-name-" + std::to_string(i) + ".example.org");
        const certificate own = make_certificate({.names = names});
        return tls::config(
            {.certificate = own.pem, .key = own.key, .roots = local_certificate().pem});
    }
};

}  // namespace

// --- the first calls -----------------------------------------------------------------------------

TEST(tls_handshake, of_a_first_read_beside_a_first_write_is_one) {
    // The reader, behind the writer's handshake, could wait for the write, and the write for the
    // reader.
    rota::run([] {
        const tls_pair both = unshaken();
        for (const tls::conn& c : {both.client, both.server}) c.set_deadline(in(4 * patience));
        const std::string large(under_tsan || under_asan ? 12'000'000 : 16'000'000, 'x');
        std::atomic<std::size_t> echoed{0}, got{0};
        std::error_code writing;
        rota::wait_group all;
        all.go([&] {
            both.client.write(large, writing);
            both.client.close_write();
        });
        all.go([&] {
            std::vector<std::byte> buffer(65'536);
            std::error_code error;
            while (const std::size_t n = both.client.read(buffer, error)) got += n;
            EXPECT_EQ(error, std::error_code());
        });
        all.go([&] {
            std::vector<std::byte> buffer(65'536);
            std::error_code error;
            rota::sleep_for(5ms);  // so that both probably wait when the handshake ends
            while (const std::size_t n = both.server.read(buffer, error)) {
                both.server.write(std::span<const std::byte>(buffer).first(n), error);
                if (error) break;
                echoed += n;
            }
            EXPECT_EQ(error, std::error_code());
            both.server.close();
        });
        all.wait();
        EXPECT_EQ(writing, std::error_code());
        EXPECT_EQ(got.load(), large.size()) << "echoed " << echoed.load();
    });
}

TEST(tls_handshake, that_has_been_made_waits_for_no_write) {
    rota::run([] {
        const tls_pair both = unshaken();
        rota::wait_group all;
        all.go([&] { both.server.handshake(); });
        both.client.handshake();
        all.wait();
        std::atomic<int> written{0};
        all.go([&] {
            std::error_code error;
            for (; !error; ++written) both.client.write(std::string(1'000'000, 'x'), error);
        });
        std::atomic<bool> is_done{false};
        all.go([&] {
            for (int before = -1; before != written;) {  // until the socket takes no more
                before = written;
                rota::sleep_for(20ms);
            }
            both.client.handshake();
            is_done = true;
        });
        EXPECT_TRUE(eventually([&] { return is_done.load(); })) << written << " writes";
        both.client.close();
        all.wait();
    });
}

TEST(tls_handshake, goes_on_after_a_deadline) {
    // The bytes of the handshake could be lost, or sent twice.
    rota::run([] {
        const tls_pair both = unshaken();
        std::error_code error;
        for (const bool of_writes : {true, false}) {
            if (of_writes) both.client.set_write_deadline(in(-1s));
            else both.client.set_read_deadline(in(-1s));
            both.client.handshake(error);
            EXPECT_EQ(error, std::errc::timed_out);
            both.client.set_deadline({});
        }
        rota::wait_group serving;
        serving.go([&] {
            std::error_code failed;
            both.server.set_deadline(in(patience));
            both.server.handshake(failed);
            EXPECT_EQ(failed, std::error_code());
        });
        both.client.set_deadline(in(patience));
        both.client.handshake(error);
        EXPECT_EQ(error, std::error_code()) << error.message();
        serving.wait();
    });
}

TEST(tls_handshake, of_a_write_has_the_limit_of_writes) {
    // A silent peer would keep the writer for ever, and so would a reader that waits for the peer.
    rota::run([] {
        for (const bool beside_a_reader : {false, true}) {
            const tls_pair both = unshaken();
            rota::wait_group all;
            if (beside_a_reader) {
                all.go([&] { EXPECT_EQ(read_end(both.client), net::net_errc::closed); });
                std::array<std::byte, 1> first;  // of the reader's handshake
                (void)both.server.underlying().read(first);
            }
            both.client.set_write_deadline(in(20ms));
            std::error_code error;
            std::atomic<bool> is_done{false};
            all.go([&] {
                both.client.write("hello", error);
                is_done = true;
            });
            EXPECT_TRUE(eventually([&] { return is_done.load(); }));
            both.client.close();
            all.wait();
            EXPECT_EQ(error, std::errc::timed_out) << error.message();
        }
    });
}

TEST(kb37_tls_handshake, is_ended_by_a_context_whatever_the_deadlines) {
    // A deadline set at that moment could undo the cancellation.
    rota::run([] {
        for (int i = 0; i < 20; ++i) {
            const tls_pair both = unshaken();
            auto [ctx, cancel] = rota::with_cancel(rota::background());
            std::atomic<bool> is_done{false};
            std::error_code error;
            rota::wait_group all;
            all.go([&, of = ctx] {
                both.client.handshake(of, error);
                is_done = true;
            });
            all.go([&] {
                std::error_code ignored;
                while (!is_done) {
                    both.client.set_deadline(in(patience), ignored);
                    give_way();
                }
            });
            std::array<std::byte, 1> first;
            (void)both.server.underlying().read(first);  // the handshake is under way
            cancel();
            EXPECT_TRUE(eventually([&] { return is_done.load(); })) << "round " << i;
            is_done = true;
            both.client.close();
            all.wait();
            EXPECT_EQ(error, ctx.err());
        }
    });
}

TEST(tls_handshake, of_version_1_2_gives_no_ticket) {
    // An attacker with the ticket's key could read every connection of that version.
    rota::run([] {
        for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
            const ends below = connected();
            const auto server =
                tls::conn::server(below.server, tls::config({.certificate = local_certificate().pem,
                                                             .key = local_certificate().key,
                                                             .session_tickets = 1}));
            raw_peer client(below.client, version);
            rota::wait_group serving;
            serving.go([&] {
                server.write("data");
                server.close();
            });
            client.handshake();
            EXPECT_EQ(client.received(), "dataalert");
            EXPECT_EQ(client.has_ticket(), version == TLS1_3_VERSION);
            serving.wait();
        }
    });
}

// --- half of a message ---------------------------------------------------------------------------

TEST(tls_half_message, does_not_keep_a_write_beyond_its_deadline) {
    // A reader that waits without a limit has the turn to read, and the write needs only the bytes
    // that this read receives.
    rota::run([] {
        for (const bool comes : {false, true}) {
            half_a_ticket h;
            rota::wait_group all;
            std::string got(4, '\0');
            std::error_code reading, writing;
            std::atomic<bool> is_read{false};
            all.go([&] {
                (void)h.client.read_full(std::as_writable_bytes(std::span(got)), reading);
                is_read = true;
            });
            std::atomic<bool> is_done{false};
            h.client.set_write_deadline(in(comes ? patience : 20ms));
            all.go([&] {
                h.client.write("hello", writing);
                is_done = true;
            });
            if (comes) h.server.send("data");
            EXPECT_TRUE(eventually([&] { return is_done.load(); }));
            if (!comes) {
                EXPECT_EQ(writing, std::errc::timed_out) << writing.message();
                h.client.set_write_deadline({});
                h.client.write("again", writing);
                EXPECT_EQ(writing, tls::tls_errc::broken) << "something may have been sent";
                h.server.send("data");
            } else {
                EXPECT_EQ(writing, std::error_code()) << writing.message();
            }
            EXPECT_TRUE(eventually([&] { return is_read.load(); }));
            h.client.close();
            all.wait();
            EXPECT_EQ(got, "data") << reading.message();
            EXPECT_EQ(h.server.received(), comes ? "helloalert" : "");
        }
    });
}

TEST(tls_half_message, leaves_both_directions_their_own_deadlines) {
    // A writer that reads could leave its limit behind, or end by the limit of the readers.
    rota::run([] {
        half_a_ticket h;
        h.client.set_read_deadline(in(-1s));
        std::error_code writing;
        rota::wait_group all;
        std::atomic<bool> is_done{false};
        all.go([&] {
            h.client.write("hello", writing);
            is_done = true;
        });
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ(read_end(h.client), std::errc::timed_out);
            rota::sleep_for(1ms);
        }
        EXPECT_FALSE(is_done);
        h.client.set_write_deadline(in(patience));
        h.server.send("data");
        EXPECT_TRUE(eventually([&] { return is_done.load(); }));
        EXPECT_EQ(writing, std::error_code()) << writing.message();
        h.client.close();
        all.wait();
        EXPECT_EQ(h.server.received(), "helloalert");
    });
}

TEST(tls_half_message, does_not_break_what_the_end_of_writes_leaves) {
    // Within a message OpenSSL sends no close alert, and an alert given to it at that moment is
    // lost.
    rota::run([] {
        half_a_ticket h;
        std::error_code error;
        h.client.set_write_deadline(in(20ms));
        h.client.close_write(error);
        EXPECT_EQ(error, std::errc::timed_out) << error.message();
        h.client.set_write_deadline({});
        rota::wait_group all;
        all.go([&] { h.client.close_write(error); });
        h.server.send("data");
        std::string got(4, '\0');
        EXPECT_EQ(h.client.read_full(std::as_writable_bytes(std::span(got))), 4u);
        EXPECT_EQ(got, "data");
        all.wait();
        EXPECT_EQ(error, std::error_code()) << error.message();
        EXPECT_EQ(h.server.received(), "alert");
    });
}

TEST(tls_half_message, is_no_place_for_the_alert_of_a_close) {
    rota::run([] {
        half_a_ticket h;
        h.client.close();
        EXPECT_EQ(h.server.received(), "");
    });
}
