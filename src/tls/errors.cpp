// The category "tls": our own values, the reasons to refuse a certificate, and OpenSSL's codes.
#include "tls/errors.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace rota::tls {

namespace {

constexpr int first_refusal = 1000, first_of_openssl = 1 << ERR_LIB_OFFSET;

constexpr bool is_refusal(tls_errc e, int reason) {
    return static_cast<int>(e) == first_refusal + reason;
}
static_assert(is_refusal(tls_errc::no_issuer, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT) &&
              is_refusal(tls_errc::not_yet_valid, X509_V_ERR_CERT_NOT_YET_VALID) &&
              is_refusal(tls_errc::expired, X509_V_ERR_CERT_HAS_EXPIRED) &&
              is_refusal(tls_errc::self_signed, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT) &&
              is_refusal(tls_errc::self_signed_in_chain, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN) &&
              is_refusal(tls_errc::issuer_not_found,
                         X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY) &&
              is_refusal(tls_errc::unverified, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE) &&
              is_refusal(tls_errc::revoked, X509_V_ERR_CERT_REVOKED) &&
              is_refusal(tls_errc::wrong_purpose, X509_V_ERR_INVALID_PURPOSE) &&
              is_refusal(tls_errc::wrong_host, X509_V_ERR_HOSTNAME_MISMATCH) &&
              is_refusal(tls_errc::wrong_address, X509_V_ERR_IP_ADDRESS_MISMATCH));

class tls_errors final : public std::error_category {
  public:
    constexpr tls_errors() noexcept = default;
    const char* name() const noexcept override { return "tls"; }
    std::string message(int value) const override {
        switch (static_cast<tls_errc>(value)) {
            case tls_errc::unexpected_end: return "unexpected end of connection";
            case tls_errc::no_server_name: return "no server name to verify";
            case tls_errc::no_certificate: return "no certificate";
            case tls_errc::bad_pem: return "no PEM text of that kind, or an encrypted key";
            case tls_errc::bad_config: return "bad configuration";
            case tls_errc::broken: return "TLS connection is broken";
            default: break;
        }
        if (value >= first_of_openssl) {
            const char* const reason = ERR_reason_error_string(static_cast<unsigned long>(value));
            if (reason != nullptr) return reason;
        } else if (value > first_refusal) {
            return std::string("certificate verify failed: ") +
                   X509_verify_cert_error_string(value - first_refusal);
        }
        return "unknown TLS error " + std::to_string(value);
    }
};

// Never destroyed: goroutines may look at an error while the process ends.
union errors_for_good {
    tls_errors value{};
    constexpr errors_for_good() noexcept {}
    ~errors_for_good() {}
};
constinit errors_for_good errors;

}  // namespace

const std::error_category& tls_category() noexcept { return errors.value; }

namespace detail {

// Where a certificate is refused, others may stand in front of that: of a signature that is none.
std::error_code take_error(SSL* ssl) noexcept {
    const unsigned long code = ERR_get_error();
    bool is_refused = false;
    for (unsigned long e = code; e != 0; e = ERR_get_error())
        is_refused |=
            ERR_GET_LIB(e) == ERR_LIB_SSL && ERR_GET_REASON(e) == SSL_R_CERTIFICATE_VERIFY_FAILED;
    if (is_refused && ssl != nullptr) {
        if (const long reason = SSL_get_verify_result(ssl); reason != X509_V_OK)
            return {first_refusal + static_cast<int>(reason), tls_category()};
    }
    if (code == 0) return tls_errc::broken;
    if (ERR_SYSTEM_ERROR(code))
        return {static_cast<int>(ERR_GET_REASON(code)), std::system_category()};
    if (ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE)
        return std::make_error_code(std::errc::not_enough_memory);
    return {static_cast<int>(code), tls_category()};
}

}  // namespace detail

}  // namespace rota::tls
