// TLS 1.2 and 1.3 over connections of rota::net, by OpenSSL. Go: package crypto/tls.
//
//     const rota::tls::config files({.certificate_file = "cert.pem", .key_file = "key.pem"});
//     const auto l = rota::tls::listen("tcp", ":8443", files);
//     const auto c = rota::tls::dial("tcp", "example.org:443", rota::tls::config());
//
// Every operation blocks the goroutine, not the thread, and exists in two forms, as in net.hpp: the
// first throws std::system_error, the second takes a trailing std::error_code&. Errors are those of
// net.hpp and of the category "tls". Compression, renegotiation and early data are never used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <rota/context.hpp>
#include <rota/detail/vector.hpp>
#include <rota/net.hpp>
#include <rota/time.hpp>

namespace rota::tls {

namespace detail {
class settings;
class stream;
}  // namespace detail

/// Errors of TLS. Converts to std::error_code of the category "tls".
///
/// The category has more values than the names below. A refused certificate of the peer: 1000 plus
/// OpenSSL's X509_V_ERR_ number. A protocol error of the peer, or an error that the peer's alert
/// reports: OpenSSL's own error code, from 1 << 23 on. The message is then OpenSSL's reason.
enum class tls_errc {
    unexpected_end = 1,  ///< "unexpected end of connection": the peer has not announced its end
    no_server_name = 2,  ///< "no server name to verify": neither server_name nor a host
    no_certificate = 3,  ///< "no certificate": a server needs a certificate and the key to it
    bad_pem = 4,  ///< "no PEM text of that kind, or an encrypted key": the text of a certificate,
                  ///< of a key or of the roots is missing or damaged, or the key is encrypted
    ///< "bad configuration": an ALPN name that is empty or longer than 255 bytes, an impossible
    ///< server name, or no config
    bad_config = 5,
    broken = 6,        ///< "TLS connection is broken": a write has failed and may have sent a part
    no_issuer = 1002,  ///< the certificate's issuer is not known;
    not_yet_valid = 1009,         ///< its validity has not begun;
    expired = 1010,               ///< its validity has ended;
    self_signed = 1018,           ///< it is its own issuer, and no root;
    self_signed_in_chain = 1019,  ///< the chain ends in a certificate that is no root;
    issuer_not_found = 1020,      ///< "unable to get local issuer certificate": no root known
    unverified = 1021,            ///< "unable to verify the first certificate"
    revoked = 1023,               ///< it has been revoked
    wrong_purpose = 1026,         ///< it is not for this use
    wrong_host = 1062,            ///< its names do not include the server's
    wrong_address = 1064,         ///< its IP addresses do not include the server's
};
const std::error_category& tls_category() noexcept;
inline std::error_code make_error_code(tls_errc e) noexcept {
    return {static_cast<int>(e), tls_category()};
}

/// Versions of the protocol.
enum class version : std::uint16_t { tls_1_2 = 0x0303, tls_1_3 = 0x0304 };

/// Whether a server asks its clients for certificates. Go: ClientAuthType.
enum class client_auth : std::uint8_t {
    none,      ///< no certificate
    optional,  ///< a certificate that can be verified, or none
    required,  ///< a certificate that can be verified
};

/// The settings of a config. Texts are PEM; if both a text and a file are given, the text counts.
struct options {
    /// The own certificate, then the certificates that lead from it to a root, and its key, not
    /// encrypted. A server needs them; for a client they are optional.
    std::string certificate{};
    std::string certificate_file{};
    std::string key{};
    std::string key_file{};
    /// The trusted certificates: a peer's certificate must come from one of them. Each is trusted,
    /// even if another certificate is its issuer. Neither a text nor a file: the system's roots.
    std::string roots{};
    std::string roots_file{};
    /// The protocols above TLS, in order of preference. A server takes the first that its client
    /// names too, and refuses a client that names none of them. If client or server names no
    /// protocol at all, the connection goes on without. Go: NextProtos.
    rota::detail::vector<std::string> alpn{};
    /// A client: the name or IP address that the server's certificate must be for; a name with
    /// other letters than ASCII's as A-labels ("xn--..."). A final dot and an address' zone do not
    /// count. A name that contains a NUL, begins with a dot, is only a dot, or has more than 253
    /// bytes is refused when a connection is made: tls_errc::bad_config. Empty: the host of dial's
    /// address. Go: ServerName.
    std::string server_name{};
    version min_version = version::tls_1_2;
    /// The cipher suites of TLS 1.2, in the syntax of `openssl ciphers`. Empty: only suites with
    /// forward secrecy and authenticated encryption, "ECDHE+AESGCM:ECDHE+CHACHA20:!PSK". The suites
    /// of TLS 1.3 are always of that kind. A text that names no suite: OpenSSL's error. Go:
    /// CipherSuites.
    std::string ciphers{};
    /// A client takes any certificate: for tests. Go: InsecureSkipVerify.
    bool insecure_skip_verify = false;
    /// A server: whether it asks its clients for certificates.
    client_auth clients = client_auth::none;
    /// A server: how many session tickets it gives to a client of TLS 1.3, in front of the first
    /// data that it writes. With a ticket, a client that keeps sessions, as browsers and curl do,
    /// makes its next handshake without certificates. rota's own clients keep no sessions. With 0
    /// the server sends no ticket, and every handshake is a full one. A ticket ends with the
    /// client's certificates, if the server has asked for them. At most 8; more:
    /// tls_errc::bad_config. Go: SessionTicketsDisabled.
    std::uint8_t session_tickets = 0;
};

/// Certificates and choices, read and checked once, for clients and servers. A reference: copies
/// share one state, of which only the own certificate can be replaced. Go: tls.Config.
class config {
  public:
    /// A client's config with the default options. Throws as config(options) does.
    config();
    /// Reads the files; blocks the goroutine meanwhile. Throws std::system_error:
    /// tls_errc::bad_pem, bad_config, the operating system's errors of a file, and OpenSSL's
    /// errors, for example if the key belongs to another certificate; std::bad_alloc.
    explicit config(const options& o);
    /// The same, but reports errors in `error`; the config cannot be used then.
    config(const options& o, std::error_code& error);

    /// Replaces the own certificate, the certificates that lead from it to a root, and its key, as
    /// PEM texts. Later connections use it, also those of servers that already listen. Connections
    /// that exist keep the old certificate. On an error nothing changes. Several goroutines and
    /// threads may call it at once. Throws as the constructor does; misuse, of a config without a
    /// certificate: tls_errc::no_certificate. Go: GetCertificate.
    void set_certificate(std::string_view certificate, std::string_view key) const;
    void set_certificate(std::string_view certificate, std::string_view key,
                         std::error_code& error) const;
    /// The same, with the present content of the files from which the certificate and its key were
    /// read: for a program that is told of a renewal. Blocks the goroutine meanwhile.
    ///
    ///     for (const auto& s : hangups) files.reload();  // each SIGHUP
    void reload() const;
    void reload(std::error_code& error) const;

    /// For rota's libraries: the shared settings.
    const std::shared_ptr<const detail::settings>& get() const noexcept { return s_; }

  private:
    std::shared_ptr<const detail::settings> s_;
};

/// A TLS connection. A reference: copies share one connection, which is closed when the last copy
/// goes. Any number of goroutines and threads may use it at once; reads and writes can run at the
/// same time. Handshakes, reads, writes and the accessors of the handshake throw std::bad_alloc in
/// both forms; after a write that has thrown it, every later write fails. Go: tls.Conn.
class conn {
  public:
    /// No connection: every operation fails with net_errc::closed.
    conn() noexcept = default;

    /// One end over a connection, which from here on belongs to it. `server_name` is used where the
    /// config has no name; where both are empty, the handshake fails with tls_errc::no_server_name
    /// unless nothing is to be verified. The handshake is made by handshake(), or by the first read
    /// or write. Blocks the goroutine to read the system's roots, where a config's first connection
    /// needs them. Throws std::system_error, also tls_errc::no_certificate if a server's config has
    /// no certificate; std::bad_alloc. Go: tls.Client, tls.Server.
    static conn client(net::conn over, const config& c, std::string_view server_name = {});
    static conn client(net::conn over, const config& c, std::string_view server_name,
                       std::error_code& error);
    static conn server(net::conn over, const config& c);
    static conn server(net::conn over, const config& c, std::error_code& error);

    /// Whether the handle refers to a connection, open or closed.
    explicit operator bool() const noexcept { return s_ != nullptr; }
    friend bool operator==(const conn& a, const conn& b) noexcept { return a.s_ == b.s_; }

    /// Makes the handshake; returns at once if it is made already. Blocks, at most to the earlier
    /// of both deadlines; may migrate. After a failure by a deadline, the next call goes on where
    /// this call stopped; after any other failure, every later call fails too. Go: Handshake.
    void handshake() const;
    void handshake(std::error_code& error) const;
    /// The same for no longer than the context: the error is ctx.err() then, and the connection is
    /// closed. After the handshake the context does not count. Go: HandshakeContext.
    void handshake(context ctx) const;
    void handshake(context ctx, std::error_code& error) const;

    /// The results of the handshake; "" before it has succeeded, and where there is no such value.
    /// They do not block for longer than a record takes. Go: ConnectionState.
    /// The protocol that client and server have chosen: "h2".
    std::string alpn() const;
    /// "TLSv1.3".
    std::string protocol() const;
    /// The cipher suite's name: "TLS_AES_256_GCM_SHA384".
    std::string cipher() const;
    /// The name that the client has asked for.
    std::string server_name() const;
    /// The subject of the peer's certificate, by RFC 2253: "CN=example.org,O=Example".
    std::string peer_subject() const;
    /// The peer's certificate, as PEM text.
    std::string peer_certificate() const;

    /// Waits for the first byte, then reads the available bytes, at most to.size(). Returns their
    /// number; 0 at the peer's orderly end, and for an empty buffer. If the connection ends without
    /// the peer's announcement of the end, it fails with tls_errc::unexpected_end: data may have
    /// been cut off. Go: Read.
    std::size_t read(std::span<std::byte> to) const;
    std::size_t read(std::span<std::byte> to, std::error_code& error) const;
    std::size_t read_some(std::span<std::byte> to) const { return read(to); }
    std::size_t read_some(std::span<std::byte> to, std::error_code& error) const {
        return read(to, error);
    }
    /// Reads until the buffer is full; returns less only at the peer's end. Go: io.ReadFull.
    std::size_t read_full(std::span<std::byte> to) const;
    std::size_t read_full(std::span<std::byte> to, std::error_code& error) const;

    /// Writes the whole of it and returns from.size(), or fails: then a part may have been sent,
    /// and every later write fails with tls_errc::broken, after a deadline too. After close_write:
    /// std::errc::broken_pipe. Go: Write.
    std::size_t write(std::span<const std::byte> from) const;
    std::size_t write(std::span<const std::byte> from, std::error_code& error) const;
    std::size_t write(std::string_view text) const { return write(std::as_bytes(std::span(text))); }
    std::size_t write(std::string_view text, std::error_code& error) const {
        return write(std::as_bytes(std::span(text)), error);
    }
    /// The same for several pieces in order; small pieces go in one record.
    std::size_t write(std::span<const std::span<const std::byte>> pieces) const;
    std::size_t write(std::span<const std::span<const std::byte>> pieces,
                      std::error_code& error) const;

    /// Tells the peer that no more data follows. Reading goes on. Blocks as a write does; after a
    /// failure by a deadline it may be called again. Go: CloseWrite.
    void close_write() const;
    void close_write(std::error_code& error) const;

    /// Sends the peer the word of the end (close_notify), and closes the connection. Calls in
    /// progress and later calls end with net_errc::closed. Blocks until the calls in progress have
    /// left. Waits besides, at most half a second or to the earlier of both deadlines, in two
    /// cases: while the socket has no room for close_notify; and, at a client that has written
    /// since it last read data, until the server has closed too. Data that arrives meanwhile is
    /// dropped: without the wait, a reset would answer it, and destroy data that the server has not
    /// read. A second close ends the wait. A close during a write that has not returned does not
    /// wait. The destructor of the last handle does the same. Go: Close, which does not wait.
    void close() const;
    void close(std::error_code& error) const;

    /// As the deadlines of net::conn; they bound the handshake too. The deadline of reads bounds
    /// the waits of a read. The deadline of writes bounds the waits of a write, also where it has
    /// to read, as in the handshake, and of a read that has to send a part of the handshake. A read
    /// or handshake that fails by a deadline has lost nothing. After a write that has failed by its
    /// deadline, once the handshake was made, every later write fails. Go: SetDeadline.
    void set_deadline(clock::time_point when) const;
    void set_deadline(clock::time_point when, std::error_code& error) const;
    void set_read_deadline(clock::time_point when) const;
    void set_read_deadline(clock::time_point when, std::error_code& error) const;
    void set_write_deadline(clock::time_point when) const;
    void set_write_deadline(clock::time_point when, std::error_code& error) const;

    /// As in net::conn.
    net::endpoint local_addr() const;
    net::endpoint local_addr(std::error_code& error) const;
    net::endpoint remote_addr() const;
    net::endpoint remote_addr(std::error_code& error) const;

    /// The connection below. Reads and writes on it bypass TLS, and break it. Go: NetConn.
    net::conn underlying() const noexcept;

    /// For rota's libraries: makes a handle of the state that handles share; returns that state.
    explicit conn(std::shared_ptr<detail::stream> s) noexcept : s_(std::move(s)) {}
    const std::shared_ptr<detail::stream>& get() const noexcept { return s_; }

  private:
    std::shared_ptr<detail::stream> s_;
};

/// Takes TLS connections. A reference, as net::listener. Go: tls.NewListener.
class listener {
  public:
    /// No listener: every operation fails with net_errc::closed.
    listener() noexcept = default;
    /// Takes connections from `over`. Throws std::system_error: tls_errc::no_certificate.
    listener(net::listener over, config c);

    explicit operator bool() const noexcept { return static_cast<bool>(over_); }

    /// Waits for the next connection. The caller makes its handshake, so a silent client keeps no
    /// other client from being accepted. It does keep its own caller waiting, for ever without a
    /// deadline or handshake(ctx). Throws as net::listener::accept does, and std::bad_alloc. An
    /// error of the connection alone is reported by its handshake. Blocks as well where the
    /// system's roots have to be read. Go: Accept.
    conn accept() const;
    conn accept(std::error_code& error) const;

    /// As in net::listener.
    net::endpoint addr() const { return over_.addr(); }
    net::endpoint addr(std::error_code& error) const { return over_.addr(error); }
    void set_deadline(clock::time_point when) const { over_.set_deadline(when); }
    void set_deadline(clock::time_point when, std::error_code& error) const {
        over_.set_deadline(when, error);
    }
    void close() const { over_.close(); }
    void close(std::error_code& error) const { over_.close(error); }

  private:
    net::listener over_;
    std::shared_ptr<const detail::settings> s_;
};

/// Listens as net::listen does, for TLS. Throws as net::listen does, and tls_errc::no_certificate.
/// Go: tls.Listen.
listener listen(std::string_view network, std::string_view address, const config& c);
listener listen(std::string_view network, std::string_view address, const config& c,
                std::error_code& error);

/// Connects as net::dial does, and makes the handshake. It verifies that the server's certificate
/// is for the host in `address`, or for the config's server_name. Go: tls.Dial.
conn dial(std::string_view network, std::string_view address, const config& c);
conn dial(std::string_view network, std::string_view address, const config& c,
          std::error_code& error);
/// The same for no longer than the context: the error is ctx.err() then. Go: Dialer.DialContext.
conn dial(context ctx, std::string_view network, std::string_view address, const config& c);
conn dial(context ctx, std::string_view network, std::string_view address, const config& c,
          std::error_code& error);

}  // namespace rota::tls

namespace rota::net {

/// tls::dial under another name.
inline tls::conn dial_tls(std::string_view network, std::string_view address,
                          const tls::config& c) {
    return tls::dial(network, address, c);
}
inline tls::conn dial_tls(std::string_view network, std::string_view address, const tls::config& c,
                          std::error_code& error) {
    return tls::dial(network, address, c, error);
}

}  // namespace rota::net

template <>
struct std::is_error_code_enum<rota::tls::tls_errc> : std::true_type {};
