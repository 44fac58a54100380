// OpenSSL's own client over memory, which counts the tickets that it gets and can come back with
// one, as programs without rota do.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <rota/net.hpp>

#include "../certificates.hpp"

namespace rota_test {

class openssl_client {
  public:
    explicit openssl_client(rota::net::conn over, const std::function<void(SSL_CTX*)>& set_up = {},
                            SSL_SESSION* session = nullptr)
        : over_(std::move(over)) {
        // What is in the store of a context ends with that.
        SSL_CTX_set_session_cache_mode(ctx_, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_set_app_data(ctx_, this);
        SSL_CTX_sess_set_new_cb(ctx_, [](SSL* ssl, SSL_SESSION* of_ticket) {
            auto* const self =
                static_cast<openssl_client*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
            ++self->tickets;
            SSL_SESSION_free(std::exchange(self->session_, of_ticket));
            return 1;  // it is ours now
        });
        if (set_up) set_up(ctx_);
        ssl_ = SSL_new(ctx_);
        if (session != nullptr) SSL_set_session(ssl_, session);
        SSL_set_bio(ssl_, in_, out_);
        SSL_set_connect_state(ssl_);
    }
    ~openssl_client() {
        SSL_SESSION_free(session_);
        SSL_set_quiet_shutdown(ssl_, 1);
        SSL_shutdown(ssl_);  // a session without an end is not taken up again
        SSL_free(ssl_);
        SSL_CTX_free(ctx_);
    }
    openssl_client(const openssl_client&) = delete;
    openssl_client& operator=(const openssl_client&) = delete;

    int tickets = 0;

    // False: the server has refused it, or has gone.
    bool handshake() {
        for (;;) {
            ERR_clear_error();
            const int done = SSL_do_handshake(ssl_);
            if (done == 1) break;
            if (SSL_get_error(ssl_, done) != SSL_ERROR_WANT_READ || !pump()) return false;
        }
        send();
        return true;
    }
    // The next data; "" at the end.
    std::string read() {
        char text[64];
        for (;;) {
            ERR_clear_error();
            const int n = SSL_read(ssl_, text, sizeof text);
            if (n > 0) return std::string(text, static_cast<std::size_t>(n));
            if (SSL_get_error(ssl_, n) != SSL_ERROR_WANT_READ || !pump()) return "";
        }
    }
    bool is_resumed() const { return SSL_session_reused(ssl_) == 1; }
    std::string cipher() const { return SSL_get_cipher(ssl_); }
    // Of the last ticket; the caller's.
    SSL_SESSION* take_session() { return std::exchange(session_, nullptr); }

  private:
    void send() {
        std::string text(BIO_ctrl_pending(out_), '\0');
        if (text.empty()) return;
        BIO_read(out_, text.data(), static_cast<int>(text.size()));
        std::error_code gone;
        over_.write(text, gone);
    }
    bool pump() {
        send();
        std::array<std::byte, 4096> buffer;
        std::error_code error;
        const std::size_t n = over_.read(buffer, error);
        if (n != 0) BIO_write(in_, buffer.data(), static_cast<int>(n));
        return n != 0;
    }

    const rota::net::conn over_;
    SSL_CTX* const ctx_ = SSL_CTX_new(TLS_client_method());
    BIO* const in_ = BIO_new(BIO_s_mem());
    BIO* const out_ = BIO_new(BIO_s_mem());
    SSL* ssl_ = nullptr;
    SSL_SESSION* session_ = nullptr;
};

inline void use_certificate(SSL_CTX* ctx, const certificate& own) {
    BIO* const pem = BIO_new_mem_buf(own.pem.data(), -1);
    BIO* const key = BIO_new_mem_buf(own.key.data(), -1);
    X509* const leaf = PEM_read_bio_X509(pem, nullptr, nullptr, nullptr);
    EVP_PKEY* const its = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(ctx, leaf);
    SSL_CTX_use_PrivateKey(ctx, its);
    X509_free(leaf);
    EVP_PKEY_free(its);
    BIO_free(pem);
    BIO_free(key);
}

}  // namespace rota_test
