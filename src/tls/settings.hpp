// Holds the SSL_CTX of a config, for clients and servers alike.
//
// OpenSSL counts the uses of the SSL_CTX, and locks the parts that it changes. Those locks block
// the thread; they are held for moments, within calls that never park.
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

struct own_certificate;  // a parsed certificate, its chain and its key

class settings {
  public:
    ~settings();
    settings(const settings&) = delete;
    settings& operator=(const settings&) = delete;

    // Returns null and an error on failure. May block the goroutine. Throws std::bad_alloc.
    static std::shared_ptr<const settings> make(const options& o, std::error_code& error);

    SSL_CTX* get() const { return ctx_; }
    bool has_certificate() const { return has_certificate_; }
    const std::string& server_name() const { return server_name_; }
    bool skips_verify() const { return skips_verify_; }
    client_auth clients() const { return clients_; }
    std::size_t session_tickets() const { return session_tickets_; }

    // Makes a connection with the current certificate; null and an error on failure.
    SSL* connect(std::error_code& error) const;
    // For connections from now on; see config::set_certificate.
    std::error_code replace(const std::string& certificate, const std::string& key) const;
    std::error_code reload() const;

    // Reads the system's roots, if the config names no roots, before the first peer is verified.
    // Blocks the goroutine then.
    std::error_code need_roots() const;

    // The names in the format of the protocol, each behind its length.
    const std::string& alpn() const { return alpn_; }

  private:
    explicit settings(const options& o);
    std::error_code fill(const options& o);
    std::error_code set_alpn(const options& o);

    SSL_CTX* ctx_ = nullptr;
    std::string server_name_, alpn_;
    const std::string certificate_file_, key_file_;  // the files of the certificate and the key, or
                                                     // empty
    bool has_certificate_ = false;
    const bool skips_verify_;
    const client_auth clients_;
    const std::size_t session_tickets_;
    bool has_roots_ = false;

    mutable mutex replaced_mu_;
    mutable std::shared_ptr<const own_certificate> replaced_;  // stands for ctx_'s, unless null

    mutable once_flag roots_read_;
    mutable std::error_code roots_error_;  // call_once: written before roots_read_ is done
};

}  // namespace rota::tls::detail
