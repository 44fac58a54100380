// Where OpenSSL finds what has been read of a socket and leaves what is to be sent: two pieces of
// memory, and a BIO that stands for them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

typedef struct bio_st BIO;

namespace rota::tls::detail {

struct ciphertext {
    // The most that is read of a socket at once: a record.
    static constexpr std::size_t room = 16 * 1024 + 512;

    std::unique_ptr<std::byte[]> in;  // null if all of it has been taken
    std::size_t begin = 0, end = 0;
    std::string out;
    bool no_memory = false;  // something could not be put into `out`

    bool has_input() const { return begin < end; }
};

// The BIO of a text, which outlives it. Null: no memory.
BIO* bio_of(ciphertext& text) noexcept;

}  // namespace rota::tls::detail
