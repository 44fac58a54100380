// Builds an SSL_CTX from the options of a config: PEM texts, files and choices.
#include "tls/settings.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <rota/go.hpp>
#include <rota/os.hpp>

#include "tls/errors.hpp"

namespace rota::tls {
namespace detail {

struct x509_free {
    void operator()(X509* x) const { X509_free(x); }
};
struct key_free {
    void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
};
struct chain_free {
    void operator()(STACK_OF(X509) * s) const { sk_X509_pop_free(s, X509_free); }
};
using x509_ptr = std::unique_ptr<X509, x509_free>;
using key_ptr = std::unique_ptr<EVP_PKEY, key_free>;

namespace {

struct bio_free {
    void operator()(BIO* b) const { BIO_free_all(b); }
};
using bio_ptr = std::unique_ptr<BIO, bio_free>;

bio_ptr reader_of(const std::string& text) {
    return bio_ptr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// An encrypted key is refused: there is no user to ask for a password.
int no_password(char*, int, int, void*) { return -1; }

// Returns `text`, or the content of `file` if `text` is empty.
std::string text_of(const std::string& text, const std::string& file, std::error_code& error) {
    error.clear();
    if (!text.empty() || file.empty()) return text;
    return os::read_file(file, error);
}

// Returns null at the end, and at a damaged certificate.
x509_ptr next_certificate(BIO* from) {
    ERR_clear_error();
    return x509_ptr(PEM_read_bio_X509(from, nullptr, no_password, nullptr));
}

// Called after next_certificate() has returned null: no error if the text has ended, else bad_pem.
std::error_code end_of_certificates() {
    const unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    const bool is_end =
        ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
    return is_end ? std::error_code() : tls_errc::bad_pem;
}

}  // namespace

struct own_certificate {
    x509_ptr leaf;
    std::unique_ptr<STACK_OF(X509), chain_free> chain{sk_X509_new_null()};
    key_ptr key;

    std::error_code read(const std::string& certificate, const std::string& key_text);
};

std::error_code own_certificate::read(const std::string& certificate, const std::string& key_text) {
    const bio_ptr from = reader_of(certificate);
    leaf = from ? next_certificate(from.get()) : nullptr;
    if (!leaf) return tls_errc::bad_pem;
    while (x509_ptr more = next_certificate(from.get())) {
        if (!chain || sk_X509_push(chain.get(), more.get()) == 0) throw std::bad_alloc();
        (void)more.release();
    }
    if (const std::error_code failed = end_of_certificates()) return failed;
    const bio_ptr key_from = reader_of(key_text);
    key.reset(key_from ? PEM_read_bio_PrivateKey(key_from.get(), nullptr, no_password, nullptr)
                       : nullptr);
    if (!key) return tls_errc::bad_pem;
    ERR_clear_error();
    if (X509_check_private_key(leaf.get(), key.get()) != 1) return take_error(nullptr);
    return {};
}

namespace {

std::error_code use(SSL_CTX* ctx, const own_certificate& own) {
    ERR_clear_error();
    const int used =
        SSL_CTX_use_cert_and_key(ctx, own.leaf.get(), own.key.get(), own.chain.get(), 1);
    return used == 1 ? std::error_code() : take_error(nullptr);
}

std::error_code use(SSL* ssl, const own_certificate& own) {
    ERR_clear_error();
    const int used = SSL_use_cert_and_key(ssl, own.leaf.get(), own.key.get(), own.chain.get(), 1);
    return used == 1 ? std::error_code() : take_error(nullptr);
}

// The list of roots that a server may send to its clients is left out: no client of ours uses it.
// Each root is trusted for itself, with or without its own issuer. Go: CertPool.
std::error_code use_roots(SSL_CTX* ctx, const std::string& pem) {
    const bio_ptr from = reader_of(pem);
    X509_STORE* const store = SSL_CTX_get_cert_store(ctx);
    int count = 0;
    while (const x509_ptr root = from ? next_certificate(from.get()) : nullptr) {
        ERR_clear_error();
        if (X509_STORE_add_cert(store, root.get()) != 1) return take_error(nullptr);
        ++count;
    }
    if (!from || count == 0) return tls_errc::bad_pem;
    if (const std::error_code failed = end_of_certificates()) return failed;
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(ctx), X509_V_FLAG_PARTIAL_CHAIN);
    return {};
}

// Chooses the first of our protocols that the client offers.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned int offered_size, void* settings_) {
    const std::string& own = static_cast<const settings*>(settings_)->alpn();
    unsigned char* found = nullptr;
    const int outcome =
        SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(own.data()),
                              static_cast<unsigned>(own.size()), offered, offered_size);
    *chosen = found;
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A config keeps its ticket key as long as it lives. In TLS 1.3 each connection still has its own
// secrets. In 1.2 that key would reveal every connection, so a 1.2 client gets no ticket.
int refuse_old_tickets(SSL* ssl, void*) {
    if (SSL_version(ssl) == TLS1_2_VERSION) SSL_set_options(ssl, SSL_OP_NO_TICKET);
    return 1;
}

// s; from this moment to the end of a certificate's validity; below 0: it has ended
long left_of(const X509* certificate) {
    constexpr long day = 24 * 3600;
    int days = 0, seconds = 0;
    if (ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate)) != 1) return -1;
    return days * day + seconds;
}

// A resumed session is not verified again. So its ticket ends with the earliest end among the
// certificates by which the client was verified.
int limit_ticket(SSL* ssl, void*) {
    SSL_SESSION* const session = SSL_get_session(ssl);
    const STACK_OF(X509)* const verified = SSL_get0_verified_chain(ssl);
    if (session == nullptr || verified == nullptr) return 1;
    long lasts = SSL_SESSION_get_timeout(session);
    for (int i = 0; i < sk_X509_num(verified); ++i)
        lasts = std::min(lasts, left_of(sk_X509_value(verified, i)));
    // OpenSSL counts whole seconds, and accepts a session in its last second too.
    SSL_SESSION_set_timeout(session, std::max(lasts - 1, 0L));
    return 1;
}

// OpenSSL has compared the timeout, which counts whole seconds from the session's beginning. The
// client's own certificate is in the ticket, and its end is checked once more.
SSL_TICKET_RETURN judge_ticket(SSL*, SSL_SESSION* session, const unsigned char*, std::size_t,
                               SSL_TICKET_STATUS status, void*) {
    if (status != SSL_TICKET_SUCCESS && status != SSL_TICKET_SUCCESS_RENEW)
        return SSL_TICKET_RETURN_IGNORE_RENEW;
    X509* const client = SSL_SESSION_get0_peer(session);
    if (client != nullptr && left_of(client) <= 0) return SSL_TICKET_RETURN_IGNORE_RENEW;
    return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW;
}

constexpr char default_ciphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20:!PSK";
constexpr std::size_t most_tickets = 8;  // tickets; OpenSSL's own default is 2

// Without OpenSSL's exit handler, which would free memory that goroutines still use.
bool start_openssl() { return OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr) == 1; }

}  // namespace

settings::settings(const options& o)
    : server_name_(o.server_name),
      certificate_file_(o.certificate.empty() ? o.certificate_file : std::string()),
      key_file_(o.key.empty() ? o.key_file : std::string()),
      skips_verify_(o.insecure_skip_verify),
      clients_(o.clients),
      session_tickets_(o.session_tickets) {}

settings::~settings() { SSL_CTX_free(ctx_); }

std::error_code settings::set_alpn(const options& o) {
    constexpr std::size_t longest = 255, most = 65'535;
    for (const std::string& name : o.alpn) {
        if (name.empty() || name.size() > longest) return tls_errc::bad_config;
        alpn_ += static_cast<char>(static_cast<unsigned char>(name.size()));
        alpn_ += name;
    }
    if (alpn_.empty()) return {};
    if (alpn_.size() > most) return tls_errc::bad_config;
    SSL_CTX_set_alpn_select_cb(ctx_, choose_protocol, this);
    const int failed =
        SSL_CTX_set_alpn_protos(ctx_, reinterpret_cast<const unsigned char*>(alpn_.data()),
                                static_cast<unsigned>(alpn_.size()));
    return failed != 0 ? take_error(nullptr) : std::error_code();
}

std::error_code settings::fill(const options& o) {
    std::error_code error;
    const std::string certificate = text_of(o.certificate, o.certificate_file, error);
    if (error) return error;
    const std::string key = text_of(o.key, o.key_file, error);
    if (error) return error;
    const std::string roots = text_of(o.roots, o.roots_file, error);
    if (error) return error;
    ERR_clear_error();
    if (!start_openssl() || (ctx_ = SSL_CTX_new(TLS_method())) == nullptr)
        return take_error(nullptr);
    if (SSL_CTX_set_min_proto_version(ctx_, static_cast<int>(o.min_version)) != 1)
        return tls_errc::bad_config;
    SSL_CTX_set_options(
        ctx_, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(ctx_, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                               SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    constexpr unsigned char name[] = {'r', 'o', 't', 'a'};
    SSL_CTX_set_session_id_context(ctx_, name, sizeof name);
    SSL_CTX_set_session_cache_mode(ctx_, SSL_SESS_CACHE_OFF);  // tickets serve as well, in 1.3
    if (session_tickets_ > most_tickets) return tls_errc::bad_config;
    // No ticket right after the handshake: a stream offers its tickets in front of its first data.
    if (SSL_CTX_set_num_tickets(ctx_, 0) != 1) return take_error(nullptr);
    SSL_CTX_set_cert_cb(ctx_, refuse_old_tickets, nullptr);
    if (SSL_CTX_set_session_ticket_cb(ctx_, limit_ticket, judge_ticket, nullptr) != 1 ||
        SSL_CTX_set_cipher_list(ctx_, o.ciphers.empty() ? default_ciphers : o.ciphers.c_str()) != 1)
        return take_error(nullptr);
    if ((error = set_alpn(o))) return error;
    if (!(o.certificate + o.certificate_file + o.key + o.key_file).empty()) {
        own_certificate own;
        if ((error = own.read(certificate, key)) || (error = use(ctx_, own))) return error;
        has_certificate_ = true;
    }
    has_roots_ = !(o.roots + o.roots_file).empty();  // a file may be empty: then no root is trusted
    return has_roots_ ? use_roots(ctx_, roots) : std::error_code();
}

std::shared_ptr<const settings> settings::make(const options& o, std::error_code& error) {
    std::shared_ptr<settings> made(new settings(o));
    error = made->fill(o);
    ERR_clear_error();  // the next user of OpenSSL on this thread finds no error of ours
    if (error) return nullptr;
    return made;
}

SSL* settings::connect(std::error_code& error) const {
    error.clear();
    ERR_clear_error();
    SSL* const made = SSL_new(ctx_);
    if (made == nullptr) {
        error = take_error(nullptr);
        return nullptr;
    }
    std::shared_ptr<const own_certificate> own;
    {
        const std::lock_guard guard(replaced_mu_);
        own = replaced_;
    }
    if (own != nullptr && (error = use(made, *own))) {
        SSL_free(made);
        return nullptr;
    }
    return made;
}

std::error_code settings::replace(const std::string& certificate, const std::string& key) const {
    if (!has_certificate_) return tls_errc::no_certificate;
    auto own = std::make_shared<own_certificate>();
    std::error_code error = own->read(certificate, key);
    // A connection that is thrown away finds the faults that only OpenSSL reports.
    if (SSL* const trial = error ? nullptr : SSL_new(ctx_)) {
        error = use(trial, *own);
        SSL_free(trial);
    }
    ERR_clear_error();
    if (error) return error;
    const std::lock_guard guard(replaced_mu_);
    replaced_ = std::move(own);
    return {};
}

std::error_code settings::reload() const {
    if (certificate_file_.empty() || key_file_.empty()) return tls_errc::no_certificate;
    std::error_code error;
    const std::string certificate = os::read_file(certificate_file_, error);
    if (error) return error;
    const std::string key = os::read_file(key_file_, error);
    return error ? error : replace(certificate, key);
}

std::error_code settings::need_roots() const {
    if (has_roots_) return {};
    call_once(roots_read_, [this] {
        roots_error_ = blocking([this]() -> std::error_code {
            ERR_clear_error();
            if (SSL_CTX_set_default_verify_paths(ctx_) == 1) return {};
            return take_error(nullptr);
        });
    });
    return roots_error_;
}

}  // namespace detail

config::config() : config(options{}) {}
config::config(const options& o, std::error_code& error) : s_(detail::settings::make(o, error)) {}
config::config(const options& o) {
    s_ = detail::throwing("config",
                          [&](std::error_code& error) { return detail::settings::make(o, error); });
}

void config::set_certificate(std::string_view certificate, std::string_view key,
                             std::error_code& error) const {
    error = s_ == nullptr ? tls_errc::bad_config
                          : s_->replace(std::string(certificate), std::string(key));
}
void config::set_certificate(std::string_view certificate, std::string_view key) const {
    detail::throwing("set_certificate",
                     [&](std::error_code& error) { set_certificate(certificate, key, error); });
}
void config::reload(std::error_code& error) const {
    error = s_ == nullptr ? tls_errc::bad_config : s_->reload();
}
void config::reload() const {
    detail::throwing("reload", [&](std::error_code& error) { reload(error); });
}

}  // namespace rota::tls
