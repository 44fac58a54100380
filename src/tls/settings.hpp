// What a config stands for: an SSL_CTX, for clients and servers alike.
//
// OpenSSL counts its uses and locks what it changes of it. Those locks are the threads' own: they
// are held for moments, within calls that never park.
#pragma once

#include <memory>
#include <string>
#include <system_error>

#include <rota/sync/mutex.hpp>
#include <rota/sync/once.hpp>
#include <rota/tls.hpp>

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;

namespace rota::tls::detail {

struct own_certificate;  // parsed

class settings {
  public:
    ~settings();
    settings(const settings&) = delete;
    settings& operator=(const settings&) = delete;

    // Null, and an error. May block the goroutine. Throws std::bad_alloc.
    static std::shared_ptr<const settings> make(const options& o, std::error_code& error);

    SSL_CTX* get() const { return ctx_; }
    bool has_certificate() const { return has_certificate_; }
    const std::string& server_name() const { return server_name_; }
    bool skips_verify() const { return skips_verify_; }
    client_auth clients() const { return clients_; }
    std::size_t session_tickets() const { return session_tickets_; }

    // A new connection: null, and an error. It has the certificate of this moment.
    SSL* connect(std::error_code& error) const;
    // From here on; see config::set_certificate.
    std::error_code replace(const std::string& certificate, const std::string& key) const;
    std::error_code reload() const;

    // The system's roots, if there are no others, are read when somebody is to be verified for the
    // first time. Blocks the goroutine then.
    std::error_code need_roots() const;

    // In the format of the protocol, each name behind its length.
    const std::string& alpn() const { return alpn_; }

  private:
    explicit settings(const options& o);
    std::error_code fill(const options& o);
    std::error_code set_alpn(const options& o);

    SSL_CTX* ctx_ = nullptr;
    std::string server_name_, alpn_;
    const std::string certificate_file_, key_file_;  // what they were read from, or empty
    bool has_certificate_ = false;
    const bool skips_verify_;
    const client_auth clients_;
    const std::size_t session_tickets_;
    bool has_roots_ = false;

    mutable mutex replaced_mu_;
    mutable std::shared_ptr<const own_certificate> replaced_;  // in the place of ctx_'s, or null

    mutable once_flag roots_read_;
    mutable std::error_code roots_error_;  // call_once: written before roots_read_ is done
};

}  // namespace rota::tls::detail
