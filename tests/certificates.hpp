// Certificates for tests, made when they are needed.
#pragma once

#include <string>
#include <vector>

namespace rota_test {

struct certificate {
    std::string pem, key;  // as PEM texts
};

struct certificate_wish {
    std::string subject = "rota test";    // its CN
    std::vector<std::string> names{};     // "DNS:localhost", "IP:127.0.0.1"
    const certificate* issuer = nullptr;  // none: it is its own
    long from = -3600, until = 3600;      // seconds from now
    bool is_authority = false;
};

certificate make_certificate(const certificate_wish& wish);

// One for localhost and this machine's own addresses, which is its own issuer.
const certificate& local_certificate();

}  // namespace rota_test
