// TLS: the choices of a config, and the parts of it that change while servers use it.
#include <rota/tls.hpp>

#include <filesystem>

#include "openssl_client.hpp"
#include "os_support.hpp"
#include "sockets.hpp"

using namespace rota_test;
using namespace std::chrono_literals;
namespace tls = rota::tls;

namespace {

tls::options with(const certificate& own) { return {.certificate = own.pem, .key = own.key}; }

// Makes a handshake of OpenSSL's client with a server of that config, and reads data from it.
// Returns the name of the cipher suite, or "refused".
std::string cipher_by(const tls::config& c, const std::function<void(SSL_CTX*)>& set_up) {
    const ends below = connected();
    const auto server = tls::conn::server(below.server, c);
    rota::wait_group serving;
    serving.go([&] {
        std::error_code error;
        server.handshake(error);
        if (error) server.close(error);
    });
    openssl_client client(below.client, set_up);
    const bool is_done = client.handshake();
    if (!is_done) below.client.close();
    serving.wait();
    return is_done ? client.cipher() : "refused";
}

// The subject that a client of rota's sees.
std::string subject_shown(const tls::config& c) {
    const ends below = connected();
    const auto server = tls::conn::server(below.server, c);
    const auto client =
        tls::conn::client(below.client, tls::config({.insecure_skip_verify = true}), "localhost");
    rota::wait_group serving;
    serving.go([&] { server.handshake(); });
    client.handshake();
    serving.wait();
    return client.peer_subject();
}

}  // namespace

TEST(tls_ciphers, have_forward_secrecy_and_authenticate_what_they_encrypt) {
    // The two sides could agree on old suites, whose secrets a stolen key reveals for ever.
    rota::run([] {
        const tls::config usual(with(local_certificate()));
        const auto of_1_2 = [](const char* suites) {
            return [suites](SSL_CTX* ctx) {
                SSL_CTX_set_max_proto_version(ctx, TLS1_2_VERSION);
                EXPECT_EQ(SSL_CTX_set_cipher_list(ctx, suites), 1) << suites;
            };
        };
        for (const char* const old :
             {"AES128-SHA", "AES256-GCM-SHA384", "ECDHE+AES:!AESGCM:!AESCCM",
              "ECDHE-ECDSA-AES128-CCM8", "DHE+AESGCM"})
            EXPECT_EQ(cipher_by(usual, of_1_2(old)), "refused") << old;
        EXPECT_EQ(cipher_by(usual, of_1_2("ECDHE+AESGCM")).substr(0, 6), "ECDHE-");
        EXPECT_EQ(cipher_by(usual, of_1_2("ECDHE+CHACHA20")).substr(0, 6), "ECDHE-");
        EXPECT_EQ(cipher_by(usual, {}).substr(0, 4), "TLS_");
        tls::options o = with(local_certificate());
        o.ciphers = "ECDHE+AES";
        EXPECT_NE(cipher_by(tls::config(o), of_1_2("ECDHE+AES:!AESGCM:!AESCCM")), "refused");
        o.ciphers = "none of them";
        EXPECT_THROW(tls::config{o}, std::system_error);
    });
}

TEST_ANYWHERE(tls_certificates, change_while_servers_use_them) {
    // Otherwise a server would have to end before it can show a renewed certificate.
    const certificate first = make_certificate({.subject = "first", .names = {"DNS:localhost"}}),
                      second = make_certificate({.subject = "second", .names = {"DNS:localhost"}});
    const tls::config c(with(first));
    EXPECT_EQ(subject_shown(c), "CN=first");
    c.set_certificate(second.pem, second.key);
    EXPECT_EQ(subject_shown(c), "CN=second");
    std::error_code error;
    c.set_certificate(first.pem, second.key, error);  // the key of another certificate
    EXPECT_TRUE(error);
    c.set_certificate("damaged", first.key, error);
    EXPECT_EQ(error, tls::tls_errc::bad_pem);
    c.reload(error);
    EXPECT_EQ(error, tls::tls_errc::no_certificate) << "it comes from no file";
    EXPECT_EQ(subject_shown(c), "CN=second") << "an error changes nothing";
    tls::config().set_certificate(first.pem, first.key, error);
    EXPECT_EQ(error, tls::tls_errc::no_certificate);
    EXPECT_THROW(c.set_certificate("", ""), std::system_error);
}

TEST_ANYWHERE(tls_certificates, are_read_again_from_their_files) {
    const scratch dir;
    const auto write = [&](const char* subject) {
        const certificate own = make_certificate({.subject = subject, .names = {"DNS:localhost"}});
        rota::os::write_file(dir / "cert.pem", own.pem);
        rota::os::write_file(dir / "key.pem", own.key);
    };
    write("first");
    const tls::config c({.certificate_file = dir / "cert.pem", .key_file = dir / "key.pem"});
    write("second");
    EXPECT_EQ(subject_shown(c), "CN=first");
    c.reload();
    EXPECT_EQ(subject_shown(c), "CN=second");
    std::filesystem::remove(dir / "key.pem");
    std::error_code error;
    c.reload(error);
    EXPECT_EQ(error, std::errc::no_such_file_or_directory);
    EXPECT_EQ(subject_shown(c), "CN=second");
}

TEST(tls_tickets, end_with_the_client_s_certificate) {
    // A client could come back for as long as its ticket lasts, although its certificate has
    // expired.
    rota::run([] {
        const certificate root = make_certificate({.subject = "root", .is_authority = true});
        // False if a certificate has expired before the first handshake was over.
        const auto try_to_resume = [&](long root_lasts, long leaf_lasts,
                                       std::chrono::milliseconds waits, bool& is_resumed) {
            const certificate short_root = make_certificate(
                {.subject = "short", .issuer = &root, .until = root_lasts, .is_authority = true});
            certificate mine =
                make_certificate({.subject = "me", .issuer = &short_root, .until = leaf_lasts});
            tls::options o = with(local_certificate());
            o.roots = short_root.pem;
            o.clients = tls::client_auth::required;
            o.session_tickets = 1;
            const tls::config c(o);
            SSL_SESSION* session = nullptr;
            bool in_time = true;
            for (int round = 0; round < 2; ++round) {
                const ends below = connected();
                const auto server = tls::conn::server(below.server, c);
                rota::wait_group serving;
                serving.go([&] {
                    std::error_code error;
                    server.handshake(error);
                    if (!error) server.write("hello", error);
                    server.close(error);
                });
                openssl_client client(
                    below.client, [&](SSL_CTX* ctx) { use_certificate(ctx, mine); }, session);
                if (client.handshake()) {
                    while (!client.read().empty()) {
                    }  // an end without the server's close alert would spoil the session
                }
                SSL_SESSION_free(session);
                session = client.take_session();
                is_resumed = client.is_resumed();
                below.client.close();
                serving.wait();
                if (round == 0) {
                    in_time = client.tickets == 1;
                    if (!in_time) break;
                    rota::sleep_for(waits);
                }
            }
            SSL_SESSION_free(session);
            return in_time;
        };
        bool is_resumed = false;
        EXPECT_TRUE(try_to_resume(3600, 3600, 0ms, is_resumed));
        EXPECT_TRUE(is_resumed);
        // A busy machine may need longer for a handshake than a certificate lasts.
        const auto resumes = [&](bool by_root) {
            bool is_resumed = false, in_time = false;
            for (long lasts = 2; !in_time && lasts <= 32; lasts *= 2)
                in_time = try_to_resume(by_root ? lasts : 3600, by_root ? 3600 : lasts,
                                        lasts * 1s + 100ms, is_resumed);
            EXPECT_TRUE(in_time);
            return is_resumed;
        };
        rota::wait_group both;
        both.go([&] { EXPECT_FALSE(resumes(false)) << "its own has ended"; });
        both.go([&] { EXPECT_FALSE(resumes(true)) << "its issuer's has ended"; });
        both.wait();
    });
}
