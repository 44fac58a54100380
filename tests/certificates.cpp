// Makes certificates for tests, with OpenSSL. Whatever fails ends the process: the test could not
// go on.
#include "certificates.hpp"

#include <cstdio>
#include <cstdlib>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace rota_test {

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "certificates: %s has failed\n", what);
    std::abort();
}

template <class Write>
std::string as_pem(Write write) {
    BIO* const to = BIO_new(BIO_s_mem());
    check(to != nullptr && write(to) == 1, "writing PEM");
    char* text = nullptr;
    const long size = BIO_get_mem_data(to, &text);
    std::string copy(text, static_cast<std::size_t>(size));
    BIO_free(to);
    return copy;
}

void add_extension(X509* to, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
    X509_EXTENSION* const e = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    check(e != nullptr && X509_add_ext(to, e, -1) == 1, "an extension");
    X509_EXTENSION_free(e);
}

void set_subject(X509* of, const std::string& name) {
    X509_NAME* const subject = X509_get_subject_name(of);
    const auto* const text = reinterpret_cast<const unsigned char*>(name.c_str());
    check(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1, "a name");
}

}  // namespace

certificate make_certificate(const certificate_wish& wish) {
    static long serial = 1;
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const made = X509_new();
    check(key != nullptr && made != nullptr, "a key");
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made), wish.from);
    X509_gmtime_adj(X509_getm_notAfter(made), wish.until);
    set_subject(made, wish.subject);
    X509_set_pubkey(made, key);
    X509* issuer = made;
    EVP_PKEY* signs = key;
    if (wish.issuer != nullptr) {
        BIO* const pem = BIO_new_mem_buf(wish.issuer->pem.data(), -1);
        BIO* const its_key = BIO_new_mem_buf(wish.issuer->key.data(), -1);
        issuer = PEM_read_bio_X509(pem, nullptr, nullptr, nullptr);
        signs = PEM_read_bio_PrivateKey(its_key, nullptr, nullptr, nullptr);
        check(issuer != nullptr && signs != nullptr, "reading the issuer");
        BIO_free(pem);
        BIO_free(its_key);
    }
    X509_set_issuer_name(made, X509_get_subject_name(issuer));
    std::string names;
    for (const std::string& name : wish.names) names += (names.empty() ? "" : ",") + name;
    if (!names.empty()) add_extension(made, issuer, NID_subject_alt_name, names);
    if (wish.is_authority) add_extension(made, issuer, NID_basic_constraints, "critical,CA:TRUE");
    check(X509_sign(made, signs, EVP_sha256()) != 0, "signing");
    certificate c{
        as_pem([&](BIO* to) { return PEM_write_bio_X509(to, made); }), as_pem([&](BIO* to) {
            return PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
        })};
    if (issuer != made) {
        X509_free(issuer);
        EVP_PKEY_free(signs);
    }
    X509_free(made);
    EVP_PKEY_free(key);
    return c;
}

const certificate& local_certificate() {
    static const certificate made = make_certificate(
        {.subject = "localhost",
         .names = {"DNS:localhost", "DNS:*.example.org", "IP:127.0.0.1", "IP:::1"}});
    return made;
}

}  // namespace rota_test
