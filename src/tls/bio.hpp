// Holds a connection's ciphertext between OpenSSL and the socket: received bytes for OpenSSL to
// read, bytes to send that OpenSSL has written, and a BIO over both.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

typedef struct bio_st BIO;

namespace rota::tls::detail {

struct ciphertext {
    // bytes; the most that one call reads from a socket: a record
    static constexpr std::size_t room = 16 * 1024 + 512;

    std::unique_ptr<std::byte[]> in;  // null once OpenSSL has taken every byte
    std::size_t begin = 0, end = 0;
    std::string out;
    bool no_memory = false;  // bytes could not be added to `out`

    bool has_input() const { return begin < end; }
};

// Returns the BIO of `text`, which must outlive it. Null: no memory.
BIO* bio_of(ciphertext& text) noexcept;

}  // namespace rota::tls::detail
