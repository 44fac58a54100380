// Texts that are given as certificates, keys and roots, and the names that they are to be for.
#include <string>

#include <rota/tls.hpp>

#include "targets.hpp"
#include "tls/verified_name.hpp"

#include <openssl/err.h>

namespace rota_fuzz {

namespace {

// Up to the next line with a dot, which is taken off; an empty line is no text.
std::string part(std::string_view& rest) {
    const std::size_t end = rest.find("\n.\n");
    const std::string text(rest.substr(0, end == rest.npos ? end : end + 1));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 3);
    return text == "\n" ? std::string() : text;
}

}  // namespace

void certificates(std::string_view input) {
    namespace tls = rota::tls;
    tls::options o;
    o.certificate = part(input);
    o.key = part(input);
    o.roots = part(input);
    while (!input.empty()) o.alpn.emplace_back(take(input, '\n'));
    for (const std::string& name : o.alpn) {
        tls::detail::verified_name n;
        if (!n.parse(name)) continue;
        require(!n.host.empty() && !n.host.starts_with('.') && n.host.find('\0') == n.host.npos,
                "a name that is verified is a name");
    }
    std::error_code error;
    const tls::config c(o, error);
    require(ERR_peek_error() == 0, "nothing stays in OpenSSL's list of errors");
    if (error) return;
    require(o.certificate.empty() == o.key.empty(), "a certificate has a key");
    for (const std::string& text : {o.certificate, o.key, o.roots})
        require(text.empty() || text.find("-----BEGIN ") != text.npos, "what is read is PEM");
}

}  // namespace rota_fuzz
