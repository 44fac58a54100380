// The handles: connections, listeners, dial.
#include "net/address.hpp"
#include "net/interrupter.hpp"
#include "tls/errors.hpp"
#include "tls/settings.hpp"
#include "tls/stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace rota::tls {

namespace {

using detail::stream;
using detail::throwing;

bool is_none(const std::shared_ptr<stream>& s, std::error_code& error) {
    error.clear();
    if (s == nullptr) error = net::net_errc::closed;
    return s == nullptr;
}

// What OpenSSL prints into a BIO.
template <class Print>
std::string printed(Print print) {
    struct bio_free {
        void operator()(BIO* b) const { BIO_free_all(b); }
    };
    ERR_clear_error();
    const std::unique_ptr<BIO, bio_free> to(BIO_new(BIO_s_mem()));
    if (to == nullptr) throw std::bad_alloc();
    print(to.get());
    char* text = nullptr;
    const long size = BIO_get_mem_data(to.get(), &text);
    return size <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(size));
}

template <class Print>
std::string of_certificate(const std::shared_ptr<stream>& s, Print print) {
    if (s == nullptr) return {};
    return s->look([&](SSL* ssl) -> std::string {
        X509* const x = SSL_get0_peer_certificate(ssl);
        if (x == nullptr) return {};
        return printed([&](BIO* to) { print(to, x); });
    });
}

}  // namespace

// --- connections ---------------------------------------------------------------------------------

conn conn::client(net::conn over, const config& c, std::string_view server_name,
                  std::error_code& error) {
    return conn(stream::make(std::move(over), c.get(), stream::side::client, server_name, error));
}
conn conn::client(net::conn over, const config& c, std::string_view server_name) {
    return throwing("client", [&](std::error_code& error) {
        return client(std::move(over), c, server_name, error);
    });
}
conn conn::server(net::conn over, const config& c, std::error_code& error) {
    return conn(stream::make(std::move(over), c.get(), stream::side::server, {}, error));
}
conn conn::server(net::conn over, const config& c) {
    return throwing("server",
                    [&](std::error_code& error) { return server(std::move(over), c, error); });
}

void conn::handshake(std::error_code& error) const {
    if (!is_none(s_, error)) s_->handshake(error);
}
void conn::handshake() const {
    throwing("handshake", [&](std::error_code& error) { handshake(error); });
}
void conn::handshake(context ctx, std::error_code& error) const {
    if (is_none(s_, error)) return;
    if (ctx == background() || s_->has_shaken_hands()) return s_->handshake(error);
    {
        const net::interrupter by(ctx, [s = s_] { s->close(); });
        s_->handshake(error);
    }
    const std::error_code ended = ctx.err();
    if (!ended) return;
    s_->close();
    error = ended;
}
void conn::handshake(context ctx) const {
    throwing("handshake", [&](std::error_code& error) { handshake(ctx, error); });
}

std::string conn::alpn() const {
    if (s_ == nullptr) return {};
    return s_->look([](SSL* ssl) {
        const unsigned char* name = nullptr;
        unsigned size = 0;
        SSL_get0_alpn_selected(ssl, &name, &size);
        return std::string(reinterpret_cast<const char*>(name), size);
    });
}
std::string conn::protocol() const {
    if (s_ == nullptr) return {};
    return s_->look([](SSL* ssl) { return std::string(SSL_get_version(ssl)); });
}
std::string conn::cipher() const {
    if (s_ == nullptr) return {};
    return s_->look([](SSL* ssl) { return std::string(SSL_get_cipher_name(ssl)); });
}
std::string conn::server_name() const {
    if (s_ == nullptr) return {};
    return s_->look([](SSL* ssl) {
        const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
        return std::string(name != nullptr ? name : "");
    });
}
std::string conn::peer_subject() const {
    return of_certificate(s_, [](BIO* to, X509* x) {
        X509_NAME_print_ex(to, X509_get_subject_name(x), 0, XN_FLAG_RFC2253);
    });
}
std::string conn::peer_certificate() const {
    return of_certificate(s_, [](BIO* to, X509* x) { (void)PEM_write_bio_X509(to, x); });
}

std::size_t conn::read(std::span<std::byte> to, std::error_code& error) const {
    return is_none(s_, error) ? 0 : s_->read(to, error);
}
std::size_t conn::read(std::span<std::byte> to) const {
    return throwing("read", [&](std::error_code& error) { return read(to, error); });
}
std::size_t conn::read_full(std::span<std::byte> to, std::error_code& error) const {
    error.clear();
    std::size_t done = 0;
    while (done < to.size()) {
        const std::size_t n = read(to.subspan(done), error);
        if (n == 0) break;
        done += n;
    }
    return done;
}
std::size_t conn::read_full(std::span<std::byte> to) const {
    return throwing("read_full", [&](std::error_code& error) { return read_full(to, error); });
}

std::size_t conn::write(std::span<const std::span<const std::byte>> pieces,
                        std::error_code& error) const {
    if (is_none(s_, error)) return 0;
    s_->write(pieces, error);
    std::size_t size = 0;
    if (!error)
        for (const auto& piece : pieces) size += piece.size();
    return size;
}
std::size_t conn::write(std::span<const std::span<const std::byte>> pieces) const {
    return throwing("write", [&](std::error_code& error) { return write(pieces, error); });
}
std::size_t conn::write(std::span<const std::byte> from, std::error_code& error) const {
    return write(std::span(&from, 1), error);
}
std::size_t conn::write(std::span<const std::byte> from) const {
    return throwing("write", [&](std::error_code& error) { return write(from, error); });
}

void conn::close_write(std::error_code& error) const {
    if (!is_none(s_, error)) s_->close_write(error);
}
void conn::close_write() const {
    throwing("close_write", [&](std::error_code& error) { close_write(error); });
}
void conn::close(std::error_code& error) const {
    error.clear();
    if (s_ != nullptr) s_->close();
}
void conn::close() const {
    if (s_ != nullptr) s_->close();
}

void conn::set_deadline(clock::time_point when, std::error_code& error) const {
    if (!is_none(s_, error)) s_->set_deadline(true, true, when.time_since_epoch().count(), error);
}
void conn::set_deadline(clock::time_point when) const {
    throwing("set_deadline", [&](std::error_code& error) { set_deadline(when, error); });
}
void conn::set_read_deadline(clock::time_point when, std::error_code& error) const {
    if (!is_none(s_, error)) s_->set_deadline(true, false, when.time_since_epoch().count(), error);
}
void conn::set_read_deadline(clock::time_point when) const {
    throwing("set_read_deadline", [&](std::error_code& error) { set_read_deadline(when, error); });
}
void conn::set_write_deadline(clock::time_point when, std::error_code& error) const {
    if (!is_none(s_, error)) s_->set_deadline(false, true, when.time_since_epoch().count(), error);
}
void conn::set_write_deadline(clock::time_point when) const {
    throwing("set_write_deadline",
             [&](std::error_code& error) { set_write_deadline(when, error); });
}

net::endpoint conn::local_addr(std::error_code& error) const {
    return is_none(s_, error) ? net::endpoint() : s_->socket().local_addr(error);
}
net::endpoint conn::local_addr() const {
    return throwing("local_addr", [&](std::error_code& error) { return local_addr(error); });
}
net::endpoint conn::remote_addr(std::error_code& error) const {
    return is_none(s_, error) ? net::endpoint() : s_->socket().remote_addr(error);
}
net::endpoint conn::remote_addr() const {
    return throwing("remote_addr", [&](std::error_code& error) { return remote_addr(error); });
}
net::conn conn::underlying() const noexcept { return s_ != nullptr ? s_->socket() : net::conn(); }

// --- listeners -----------------------------------------------------------------------------------

listener::listener(net::listener over, config c) : over_(std::move(over)), s_(c.get()) {
    if (s_ == nullptr || !s_->has_certificate())
        throw std::system_error(tls_errc::no_certificate, "rota::tls: listener");
}

conn listener::accept(std::error_code& error) const {
    net::conn taken = over_.accept(error);
    if (error) return {};
    return conn(stream::accepted(std::move(taken), s_));
}
conn listener::accept() const {
    return throwing("accept", [&](std::error_code& error) { return accept(error); });
}

listener listen(std::string_view network, std::string_view address, const config& c,
                std::error_code& error) {
    error.clear();
    if (c.get() == nullptr || !c.get()->has_certificate()) {
        error = tls_errc::no_certificate;
        return {};
    }
    net::listener over = net::listen(network, address, error);
    return error ? listener() : listener(std::move(over), c);
}
listener listen(std::string_view network, std::string_view address, const config& c) {
    return throwing(
        "listen", [&](std::error_code& e) { return listen(network, address, c, e); }, network,
        address);
}

// --- dial ----------------------------------------------------------------------------------------

conn dial(context ctx, std::string_view network, std::string_view address, const config& c,
          std::error_code& error) {
    net::conn over = net::dial(ctx, network, address, error);
    if (error) return {};
    const auto parts = network.starts_with("unix") ? std::nullopt : net::split(address);
    const conn made =
        conn::client(std::move(over), c, parts ? parts->host : std::string_view(), error);
    if (error) return {};
    made.handshake(ctx, error);
    return error ? conn() : made;
}
conn dial(context ctx, std::string_view network, std::string_view address, const config& c) {
    return throwing(
        "dial", [&](std::error_code& e) { return dial(ctx, network, address, c, e); }, network,
        address);
}
conn dial(std::string_view network, std::string_view address, const config& c,
          std::error_code& error) {
    return dial(background(), network, address, c, error);
}
conn dial(std::string_view network, std::string_view address, const config& c) {
    return throwing(
        "dial", [&](std::error_code& e) { return dial(network, address, c, e); }, network, address);
}

}  // namespace rota::tls
