// TLS: the facts that a connection reports, refused peers, and connections that end or are cut off.
#include <rota/tls.hpp>

#include "../certificates.hpp"
#include "sockets.hpp"

using namespace rota_test;
using namespace std::chrono_literals;
namespace tls = rota::tls;

namespace {

tls::options server_options() {
    return {.certificate = local_certificate().pem, .key = local_certificate().key};
}
tls::options client_options() { return {.roots = local_certificate().pem}; }

const tls::config& server_config() {
    static const tls::config c(server_options());
    return c;
}
const tls::config& client_config() {
    static const tls::config c(client_options());
    return c;
}

struct tls_ends {
    tls::conn client, server;
};

// Two ends after their handshake.
tls_ends shaken(const tls::config& c = client_config(), const tls::config& s = server_config()) {
    const ends below = connected();
    tls_ends both{tls::conn::client(below.client, c, "localhost"),
                  tls::conn::server(below.server, s)};
    rota::wait_group server;
    server.go([&] { both.server.handshake(); });
    both.client.handshake();
    server.wait();
    return both;
}

std::string text_of(const tls::conn& c, std::size_t size) {
    std::string text(size, '\0');
    text.resize(c.read_full(std::as_writable_bytes(std::span(text))));
    return text;
}

std::error_code read_error_of(const tls::conn& c) {
    std::array<std::byte, 16> buffer;
    std::error_code error;
    (void)c.read(buffer, error);
    return error;
}

struct tls_errors {
    std::error_code client, server;
};

// The errors of both ends in a handshake, and in the reads after it: in TLS 1.3 a client learns of
// its refusal after its own end of the handshake.
tls_errors refusal(const tls::config& c, const tls::config& s,
                   std::string_view name = "localhost") {
    const ends below = connected();
    const auto client = tls::conn::client(below.client, c, name);
    const auto server = tls::conn::server(below.server, s);
    client.set_deadline(in(patience));
    server.set_deadline(in(patience));
    tls_errors e;
    rota::wait_group serving;
    serving.go([&] {
        server.handshake(e.server);
        server.close();
    });
    client.handshake(e.client);
    if (!e.client) e.client = read_error_of(client);
    client.close();
    serving.wait();
    return e;
}

// Bytes from which a test can tell their position.
std::string tls_bytes(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
    return text;
}

// Copies the bytes from one side to the other in pieces of `piece` bytes, changed by `change`.
template <class Change>
void tls_relay(const net::conn& from, const net::conn& to, std::size_t piece, Change change) {
    std::vector<std::byte> buffer(piece);
    std::error_code error;
    for (std::size_t at = 0;;) {
        const std::size_t n = from.read(buffer, error);
        if (n == 0) break;
        for (std::size_t i = 0; i < n; ++i) buffer[i] = change(at + i, buffer[i]);
        at += n;
        to.write(std::span<const std::byte>(buffer).first(n), error);
        if (error) break;
    }
    to.close_write(error);
}

std::byte unchanged(std::size_t, std::byte b) { return b; }

}  // namespace

// --- texts and facts -----------------------------------------------------------------------------

TEST_ANYWHERE(tls_conn, carries_texts_and_tells_of_its_handshake) {
    // The protocol, the name or the peer could be wrong, empty, or those of another end.
    tls::options server = server_options(), client = client_options();
    server.alpn = {"h2", "http/1.1"};
    client.alpn = {"http/1.1", "h2"};
    const tls_ends both = shaken(tls::config(client), tls::config(server));
    for (const tls::conn& c : {both.client, both.server}) {
        EXPECT_EQ(c.alpn(), "h2") << "the server's first";
        EXPECT_EQ(c.protocol(), "TLSv1.3");
        EXPECT_NE(c.cipher(), "");
    }
    EXPECT_EQ(both.server.server_name(), "localhost");
    EXPECT_EQ(both.client.peer_subject(), "CN=localhost");
    EXPECT_EQ(both.client.peer_certificate(), local_certificate().pem);
    EXPECT_EQ(both.server.peer_subject(), "");
    EXPECT_EQ(both.client.write("hello"), 5u);
    EXPECT_EQ(text_of(both.server, 5), "hello");
    const std::string large = tls_bytes(100'000);
    const std::array pieces{std::as_bytes(std::span("ab", 2)), std::as_bytes(std::span(large)),
                            std::span<const std::byte>()};
    rota::wait_group writer;
    writer.go([&] { EXPECT_EQ(both.server.write(pieces), 100'002u); });
    EXPECT_TRUE(text_of(both.client, 100'002) == "ab" + large);
    writer.wait();
    EXPECT_EQ(both.client.local_addr(), both.server.remote_addr());
}

TEST_ANYWHERE(tls_conn, of_version_1_2_works_as_well) {
    // Its handshake has other round trips, and its end another order.
    const ends below = connected();
    tls::options o = server_options();
    o.min_version = tls::version::tls_1_2;
    const tls_ends both = shaken(client_config(), tls::config(o));
    EXPECT_EQ(both.client.write("hello"), 5u);
    EXPECT_EQ(text_of(both.server, 5), "hello");
    both.client.close_write();
    EXPECT_EQ(text_of(both.server, 5), "");
    EXPECT_EQ(both.server.write("bye"), 3u);
    EXPECT_EQ(text_of(both.client, 3), "bye");
}

TEST(tls_conn, dial_and_listen_make_the_handshake_of_both_sides) {
    rota::run([] {
        const tls::listener l = tls::listen("tcp", "127.0.0.1:0", server_config());
        rota::wait_group serving;
        serving.go([&] {
            for (int i = 0; i < 2; ++i) {
                const tls::conn c = l.accept();  // silent clients delay no other client
                serving.go([c] {
                    std::array<std::byte, 16> buffer;
                    std::error_code error;
                    while (const std::size_t n = c.read(buffer, error))
                        c.write(std::span<const std::byte>(buffer).first(n), error);
                });
            }
        });
        const net::conn silent = net::dial("tcp", l.addr().to_string());
        {
            const tls::conn c = net::dial_tls("tcp", l.addr().to_string(), client_config());
            c.write("hello");
            EXPECT_EQ(text_of(c, 5), "hello");
        }
        silent.close();
        serving.wait();
        l.close();
        std::error_code error;
        (void)l.accept(error);
        EXPECT_EQ(error, net::net_errc::closed);
    });
}

TEST_ANYWHERE(tls_conn, both_directions_are_busy_at_once) {
    // A reader that waits for the turn to write, or a writer that holds a lock that the reader
    // needs, would stop both; records that overtake each other would be refused.
    const int pairs = under_tsan || under_asan ? 2 : 4;
    const std::string text = tls_bytes(under_tsan || under_asan ? 400'000 : 2'000'000);
    rota::wait_group all;
    for (int i = 0; i < pairs; ++i) {
        all.go([&text] {
            const tls_ends both = shaken();
            rota::wait_group four;
            for (const tls::conn& c : {both.client, both.server}) {
                c.set_deadline(in(4 * patience));
                four.go([&text, c] {
                    std::string_view rest = text;
                    for (std::size_t size = 1; !rest.empty(); size = size * 3 + 1) {
                        const std::size_t n = std::min(size % 100'000, rest.size());
                        c.write(rest.substr(0, n));
                        rest.remove_prefix(n);
                    }
                    c.close_write();
                });
                four.go([&text, c] {
                    std::string got = text_of(c, text.size());
                    EXPECT_TRUE(got == text);
                    EXPECT_EQ(text_of(c, 1), "") << "the end";
                });
            }
            four.wait();
        });
    }
    all.wait();
}

TEST(tls_conn, two_writers_do_not_mix_their_writes) {
    // Mixed records of two writes would still be decrypted.
    rota::run([] {
        const tls_ends both = shaken();
        constexpr std::size_t size = 150'000, rounds = 4;
        rota::wait_group writers;
        for (const char letter : {'a', 'b', 'c'})
            writers.go([&both, letter] {
                for (std::size_t i = 0; i < rounds; ++i)
                    both.client.write(std::string(size, letter));
            });
        for (std::size_t i = 0; i < 3 * rounds; ++i) {
            const std::string got = text_of(both.server, size);
            ASSERT_EQ(got.size(), size);
            EXPECT_EQ(got.find_first_not_of(got[0]), got.npos) << "write " << i;
        }
        writers.wait();
    });
}

// --- refused peers -------------------------------------------------------------------------------

TEST(tls_verify, certificates_that_prove_nothing_are_refused_by_their_reason) {
    // A verification that is off, or that ignores names, would accept each of them.
    rota::run([] {
        const certificate root = make_certificate({.subject = "root", .is_authority = true});
        const certificate other = make_certificate({.subject = "other", .is_authority = true});
        const auto leaf = [&](certificate_wish wish) {
            wish.issuer = &root;
            return make_certificate(wish);
        };
        struct row {
            const char* what;
            certificate shown;
            std::string_view name;
            std::error_code wanted;
        };
        const row rows[] = {
            {"a name", leaf({.names = {"DNS:a.example.org"}}), "a.example.org", {}},
            {"a wildcard", leaf({.names = {"DNS:*.example.org"}}), "a.example.org", {}},
            {"an address", leaf({.names = {"IP:127.0.0.1"}}), "127.0.0.1", {}},
            {"another name", leaf({.names = {"DNS:b.org"}}), "a.org", tls::tls_errc::wrong_host},
            {"a wildcard for two labels", leaf({.names = {"DNS:*.org"}}), "a.b.org",
             tls::tls_errc::wrong_host},
            {"the CN alone", leaf({.subject = "a.org"}), "a.org", tls::tls_errc::wrong_host},
            {"another address", leaf({.names = {"IP:127.0.0.2"}}), "127.0.0.1",
             tls::tls_errc::wrong_address},
            {"an address as a name", leaf({.names = {"DNS:127.0.0.1"}}), "127.0.0.1",
             tls::tls_errc::wrong_address},
            {"its time is over", leaf({.names = {"DNS:a.org"}, .until = -60}), "a.org",
             tls::tls_errc::expired},
            {"its time is to come", leaf({.names = {"DNS:a.org"}, .from = 60}), "a.org",
             tls::tls_errc::not_yet_valid},
            {"no issuer", make_certificate({.names = {"DNS:a.org"}}), "a.org",
             tls::tls_errc::self_signed},
            {"another issuer", make_certificate({.names = {"DNS:a.org"}, .issuer = &other}),
             "a.org", tls::tls_errc::issuer_not_found},
            {"nobody to ask for", leaf({.names = {"DNS:a.org"}}), "",
             tls::tls_errc::no_server_name},
        };
        const tls::config client({.roots = root.pem});
        for (const row& r : rows) {
            const tls::config server({.certificate = r.shown.pem, .key = r.shown.key});
            std::error_code error;
            if (r.name.empty()) {
                (void)tls::conn::client(connected().client, client, "", error);
            } else {
                error = refusal(client, server, r.name).client;
                if (!r.wanted && !error) continue;
            }
            EXPECT_EQ(error, r.wanted) << r.what << ": " << error.message();
        }
        EXPECT_EQ(std::error_code(tls::tls_errc::expired).message(),
                  "certificate verify failed: certificate has expired");
        const certificate mine = make_certificate({.names = {"DNS:localhost"}});
        const tls::config alone({.certificate = mine.pem, .key = mine.key});
        EXPECT_EQ(refusal(tls::config({.insecure_skip_verify = true}), alone).client,
                  std::error_code());
        EXPECT_EQ(refusal(tls::config(), alone).client, tls::tls_errc::self_signed)
            << "the system's roots";
    });
}

TEST(tls_verify, names_that_are_none_are_refused_and_zones_do_not_count) {
    // The text behind a NUL, or in front of a dot, could be any name.
    rota::run([] {
        const certificate shown =
            make_certificate({.names = {"DNS:evil.example.org", "IP:::1", "IP:127.0.0.1"}});
        const tls::config client({.roots = shown.pem});
        const tls::config server({.certificate = shown.pem, .key = shown.key});
        using namespace std::string_view_literals;
        for (const std::string_view name :
             {".example.org"sv, "."sv, ".."sv, "evil.example.org\0.bank.com"sv, "\0"sv}) {
            std::error_code error;
            (void)tls::conn::client(connected().client, client, name, error);
            EXPECT_EQ(error, tls::tls_errc::bad_config) << name;
        }
        std::error_code error;
        (void)tls::conn::client(connected().client, client, std::string(254, 'a'), error);
        EXPECT_EQ(error, tls::tls_errc::bad_config);
        for (const std::string_view name :
             {"EVIL.example.org."sv, "::1"sv, "::1%lo"sv, "127.0.0.1"sv})
            EXPECT_EQ(refusal(client, server, name).client, std::error_code()) << name;
        for (const std::string_view name : {" 127.0.0.1"sv, "127.0.0.1 x"sv, "127.0.0.1%lo"sv})
            EXPECT_EQ(refusal(client, server, name).client, tls::tls_errc::wrong_host) << name;
        const ends below = connected();
        const auto asking = tls::conn::client(below.client, client, "::1%lo");
        const auto asked = tls::conn::server(below.server, server);
        rota::wait_group serving;
        serving.go([&] { asked.handshake(); });
        asking.handshake();
        serving.wait();
        EXPECT_EQ(asked.server_name(), "") << "addresses are not asked for";
    });
}

TEST(tls_verify, roots_are_trusted_each_for_itself) {
    // A certificate with another key and the same name proves nothing; the reason for the refusal
    // could be lost.
    rota::run([] {
        const certificate root = make_certificate({.subject = "root", .is_authority = true});
        const certificate same = make_certificate({.subject = "root", .is_authority = true});
        const certificate middle =
            make_certificate({.subject = "middle", .issuer = &root, .is_authority = true});
        const auto error_of = [](const certificate& trusted, const certificate& issuer) {
            const certificate leaf =
                make_certificate({.names = {"DNS:localhost"}, .issuer = &issuer});
            return refusal(tls::config({.roots = trusted.pem}),
                           tls::config({.certificate = leaf.pem, .key = leaf.key}))
                .client;
        };
        EXPECT_EQ(error_of(root, root), std::error_code());
        EXPECT_EQ(error_of(same, root).message(),
                  "certificate verify failed: certificate signature failure");
        EXPECT_EQ(error_of(middle, middle), std::error_code());
    });
}

TEST(tls_verify, nobody_is_named_before_he_has_proven_it) {
    // A peer sends its certificate, but not the proof that it has the key.
    rota::run([] {
        const auto is_unknown = [](const tls::conn& c) {
            return c.alpn() + c.protocol() + c.cipher() + c.server_name() + c.peer_subject() +
                       c.peer_certificate() ==
                   "";
        };
        tls::options server = server_options(), client = client_options();
        server.alpn = {"h2"};
        client.alpn = {"spdy"};
        const ends below = connected();
        const auto asking = tls::conn::client(below.client, tls::config(client), "localhost");
        const auto asked = tls::conn::server(below.server, tls::config(server));
        EXPECT_TRUE(is_unknown(asking)) << "its own wish is no finding";
        std::error_code failed, refused;
        rota::wait_group serving;
        serving.go([&] { asked.handshake(failed); });
        asking.handshake(refused);
        serving.wait();
        EXPECT_TRUE(failed && refused);
        EXPECT_TRUE(is_unknown(asked)) << asked.server_name();
        EXPECT_TRUE(is_unknown(asking));
        const ends other = connected();
        const certificate mine = make_certificate({.names = {"DNS:elsewhere.org"}});
        const auto betrayed = tls::conn::client(other.client, client_config(), "localhost");
        const auto traitor = tls::conn::server(
            other.server, tls::config({.certificate = mine.pem, .key = mine.key}));
        serving.go([&] { traitor.handshake(failed); });
        betrayed.handshake(refused);
        serving.wait();
        EXPECT_EQ(refused, tls::tls_errc::self_signed);
        EXPECT_TRUE(is_unknown(betrayed)) << betrayed.peer_subject();
    });
}

TEST(tls_verify, a_server_asks_for_certificates_as_it_is_told) {
    // A client without a certificate, or with a self-made one, could be let in.
    rota::run([] {
        const certificate root = make_certificate({.subject = "root", .is_authority = true});
        const certificate good = make_certificate({.subject = "good", .issuer = &root});
        const certificate bad = make_certificate({.subject = "bad"});
        tls::options o = server_options();
        o.roots = root.pem;
        const auto outcome = [&](tls::client_auth wants, const certificate* shown) {
            o.clients = wants;
            tls::options c = client_options();
            if (shown != nullptr) {
                c.certificate = shown->pem;
                c.key = shown->key;
            }
            return refusal(tls::config(c), tls::config(o));
        };
        for (const auto wants : {tls::client_auth::optional, tls::client_auth::required}) {
            EXPECT_EQ(outcome(wants, &good).server, std::error_code());
            EXPECT_EQ(outcome(wants, &bad).server, tls::tls_errc::self_signed);
            EXPECT_NE(outcome(wants, &bad).client, std::error_code());
        }
        EXPECT_EQ(outcome(tls::client_auth::optional, nullptr).server, std::error_code());
        const tls_errors without = outcome(tls::client_auth::required, nullptr);
        EXPECT_EQ(without.server.message(), "peer did not return a certificate");
        EXPECT_EQ(without.client.message(), "tlsv13 alert certificate required");
        EXPECT_EQ(outcome(tls::client_auth::none, &bad).server, std::error_code());
    });
}

TEST(tls_verify, protocols_that_do_not_meet_are_refused) {
    rota::run([] {
        tls::options server = server_options(), client = client_options();
        server.alpn = {"h2"};
        client.alpn = {"spdy"};
        const tls_errors e = refusal(tls::config(client), tls::config(server));
        EXPECT_EQ(e.server.message(), "no application protocol");
        EXPECT_EQ(e.client.message(), "tlsv1 alert no application protocol");
        client.alpn = {};
        EXPECT_EQ(refusal(tls::config(client), tls::config(server)).server, std::error_code());
    });
}

TEST(tls_config, what_it_cannot_use_it_names) {
    // A server without its key, or with the key of another certificate, could otherwise fail with
    // each client.
    rota::run([] {
        const auto error_of = [](const tls::options& o) {
            std::error_code error;
            const tls::config c(o, error);
            return error;
        };
        const certificate other = make_certificate({});
        tls::options o = server_options();
        o.key = other.key;
        EXPECT_EQ(error_of(o).message(), "key values mismatch");
        o.key = "nonsense";
        EXPECT_EQ(error_of(o), tls::tls_errc::bad_pem);
        o = server_options();
        o.certificate = other.key;
        EXPECT_EQ(error_of(o), tls::tls_errc::bad_pem);
        EXPECT_EQ(error_of({.roots = "none"}), tls::tls_errc::bad_pem);
        EXPECT_EQ(error_of({.roots_file = "/dev/null"}), tls::tls_errc::bad_pem)
            << "nobody is not the system's roots";
        std::string damaged = other.pem;
        damaged[damaged.find('\n') + 20] = '*';
        const std::string good = local_certificate().pem;
        EXPECT_EQ(error_of({.roots = good + other.pem + "words\n"}), std::error_code());
        EXPECT_EQ(error_of({.roots = good + damaged + good}), tls::tls_errc::bad_pem);
        EXPECT_EQ(error_of({.certificate = good + damaged, .key = local_certificate().key}),
                  tls::tls_errc::bad_pem);
        EXPECT_EQ(error_of({.roots_file = "/no/such/file"}), std::errc::no_such_file_or_directory);
        EXPECT_EQ(error_of({.alpn = {""}}), tls::tls_errc::bad_config);
        EXPECT_THROW((void)tls::config({.roots = "none"}), std::system_error);
        std::error_code error;
        (void)tls::listen("tcp", "127.0.0.1:0", client_config(), error);
        EXPECT_EQ(error, tls::tls_errc::no_certificate);
    });
}

// --- ends ----------------------------------------------------------------------------------------

TEST_ANYWHERE(tls_conn, tells_the_peer_s_end_from_one_that_is_cut_off) {
    // An attacker that can close the connection could cut a message in two, and the reader take the
    // half.
    for (const bool orderly : {true, false}) {
        const tls_ends both = shaken();
        both.server.write("all of it?");
        if (orderly) both.server.close_write();
        else both.server.underlying().close_write();
        EXPECT_EQ(text_of(both.client, 10), "all of it?");
        EXPECT_EQ(read_error_of(both.client),
                  orderly ? std::error_code() : tls::tls_errc::unexpected_end);
        if (!orderly) continue;
        both.client.write("yes");  // the client can still write
        EXPECT_EQ(text_of(both.server, 3), "yes");
        std::error_code error;
        both.server.write("more", error);
        EXPECT_EQ(error, std::errc::broken_pipe);
        both.client.close();
        EXPECT_EQ(read_error_of(both.server), std::error_code()) << "a close says so, too";
    }
}

TEST_ANYWHERE(tls_conn, deadlines_end_reads_without_loss_and_writes_for_good) {
    // The part of a record that came before the deadline could be lost.
    const tls_ends both = shaken();
    both.client.set_read_deadline(in(1ms));
    EXPECT_EQ(read_error_of(both.client), std::errc::timed_out);
    both.client.set_read_deadline({});
    both.server.write("hello");
    EXPECT_EQ(text_of(both.client, 5), "hello");
    both.client.set_write_deadline(in(20ms));
    std::error_code error;
    for (int i = 0; i < 1000 && !error; ++i) both.client.write(std::string(100'000, 'x'), error);
    EXPECT_EQ(error, std::errc::timed_out);
    both.client.set_write_deadline({});
    both.client.write("more", error);
    EXPECT_EQ(error, tls::tls_errc::broken) << "half of a record may be on its way";
    both.server.write("still");
    EXPECT_EQ(text_of(both.client, 5), "still");
}

TEST_ANYWHERE(kb34_tls_conn, a_close_ends_whatever_is_under_way) {
    // A handshake, a read or a write could wait for ever, or its descriptor stay open.
    (void)connected();
    const int before = open_descriptors();
    {
        const ends below = connected();
        const auto silent = tls::conn::server(below.server, server_config());
        const tls_ends both = shaken(), full = shaken();
        std::atomic<int> begun{0};
        rota::wait_group waiting;
        std::error_code shaking, reading, writing, second;
        waiting.go([&] {
            ++begun;
            silent.handshake(shaking);
        });
        waiting.go([&] {
            ++begun;
            reading = read_error_of(both.client);
        });
        waiting.go([&] {
            ++begun;
            second = read_error_of(both.client);
        });
        waiting.go([&] {
            ++begun;
            while (!writing) full.client.write(std::string(100'000, 'x'), writing);
        });
        EXPECT_TRUE(eventually([&] { return begun == 4; }));
        for (const tls::conn& c : {silent, both.client, full.client}) c.close();
        waiting.wait();
        for (const std::error_code& e : {shaking, reading, second, writing})
            EXPECT_EQ(e, net::net_errc::closed) << e.message();
        EXPECT_EQ(read_error_of(both.client), net::net_errc::closed);
        both.client.close();
        EXPECT_EQ(read_error_of(tls::conn()), net::net_errc::closed);
    }
    EXPECT_TRUE(eventually([&] { return open_descriptors() == before; }));
}

TEST(kb37_tls_dial, a_context_ends_a_handshake) {
    // A server that accepts and keeps silent would hold its client for ever.
    rota::run([] {
        // made here, so that it takes none of the time
        const tls::config& config = client_config();
        for (const bool by_time : {true, false}) {
            std::chrono::milliseconds limit = 10ms;
            // The time may be up before the handshake begins, or before there is a connection.
            EXPECT_TRUE(eventually([&] {
                const net::listener l = net::listen("tcp", "127.0.0.1:0");
                const std::string at = l.addr().to_string();
                auto [ctx, cancel] = by_time ? rota::with_timeout(rota::background(), limit)
                                             : rota::with_cancel(rota::background());
                limit *= 2;
                rota::wait_group canceler;
                net::conn taken;
                bool under_way = false;
                canceler.go([&, stop = cancel] {
                    std::error_code none;
                    taken = l.accept(none);
                    std::array<std::byte, 1> first;
                    under_way = !none && taken.read(first, none) == 1;
                    if (!by_time) stop();
                });
                std::error_code error;
                (void)tls::dial(ctx, "tcp", at, config, error);
                // By the clock: the context itself may learn of its end a moment later.
                EXPECT_EQ(error, by_time ? rota::context_errc::deadline_exceeded
                                         : rota::context_errc::canceled);
                l.set_deadline(in(100ms));
                canceler.wait();
                cancel();
                return under_way;
            }));
        }
    });
}

// --- hostile peers -------------------------------------------------------------------------------

TEST(tls_conn, a_handshake_byte_by_byte_is_one) {
    // A state could be lost between two pieces of a record.
    rota::run([] {
        const ends a = connected(), b = connected();
        rota::wait_group relays;
        relays.go([&] { tls_relay(a.server, b.client, 1, unchanged); });
        relays.go([&] { tls_relay(b.client, a.server, 1, unchanged); });
        {
            const auto client = tls::conn::client(a.client, client_config(), "localhost");
            const auto server = tls::conn::server(b.server, server_config());
            rota::wait_group serving;
            serving.go([&] {
                EXPECT_EQ(text_of(server, 300), std::string(300, 'x'));
                server.write("good");
            });
            client.write(std::string(300, 'x'));
            EXPECT_EQ(text_of(client, 4), "good");
            serving.wait();
        }
        a.client.close();
        b.server.close();
        relays.wait();
    });
}

TEST(tls_conn, each_changed_byte_is_found) {
    // A byte of the handshake, of a record's head, of its text or of its end, is changed on the
    // way.
    rota::run([] {
        for (std::size_t at = 0; at < 900; at += 23) {
            const ends a = connected(), b = connected();
            rota::wait_group relays;
            relays.go([&] {
                tls_relay(a.server, b.client, 4096, [at](std::size_t i, std::byte x) {
                    return i == at ? x ^ std::byte{0x11} : x;
                });
            });
            relays.go([&] { tls_relay(b.client, a.server, 4096, unchanged); });
            std::error_code client_error, server_error;
            {
                const auto client = tls::conn::client(a.client, client_config(), "localhost");
                const auto server = tls::conn::server(b.server, server_config());
                for (const auto& c : {client, server}) c.set_deadline(in(300ms));
                rota::wait_group serving;
                std::string got(1000, '\0');
                serving.go([&] {
                    got.resize(
                        server.read_full(std::as_writable_bytes(std::span(got)), server_error));
                    server.close();
                });
                client.write(std::string(1000, 'x'), client_error);
                if (!client_error) client_error = read_error_of(client);
                serving.wait();
                EXPECT_EQ(got.find_first_not_of('x'), got.npos) << "byte " << at;
                EXPECT_TRUE(client_error || server_error) << "byte " << at;
            }
            a.client.close();
            b.server.close();
            relays.wait();
        }
    });
}

TEST(tls_conn, hostile_records_end_the_handshake_with_a_reason) {
    rota::run([] {
        struct row {
            std::string_view sent;
            const char* reason;
        };
        using namespace std::string_view_literals;
        const row rows[] = {
            {"GET / HTTP/1.1\r\n\r\n", "http request"},
            {"\x16\x03\x01\xff\xff\x01"sv, "packet length too long"},
            {"\x16\x03\x01\x00\x00"sv, ""},
            {"\x17\x03\x03\x00\x05hello"sv, ""},
            {"\x15\x03\x01\x00\x02\x02\x28"sv, "unexpected message"},
            {"\x16\x03\x01\x00\x05\x01\xff\xff\xff\x00"sv, "excessive message size"},
            {"", "unexpected end of connection"},
            {"\x16\x03\x01"sv, "unexpected end of connection"},
        };
        for (const row& r : rows) {
            const ends below = connected();
            const auto server = tls::conn::server(below.server, server_config());
            below.client.write(r.sent);
            below.client.close_write();
            server.set_deadline(in(patience));
            std::error_code error, again;
            server.handshake(error);
            EXPECT_NE(error, std::error_code());
            EXPECT_NE(error, std::errc::timed_out);
            if (*r.reason != '\0') {
                EXPECT_EQ(error.message(), r.reason);
            }
            server.write("more", again);
            EXPECT_EQ(again, error) << "for ever";
        }
    });
}
