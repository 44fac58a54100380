// The BIO: what OpenSSL calls where it would read or write a socket.
#include "tls/bio.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <openssl/bio.h>

namespace rota::tls::detail {

namespace {

ciphertext& text_of(BIO* b) { return *static_cast<ciphertext*>(BIO_get_data(b)); }

int bio_read(BIO* b, char* to, int size) {
    ciphertext& text = text_of(b);
    BIO_clear_retry_flags(b);
    if (!text.has_input()) {
        BIO_set_retry_read(b);
        return -1;
    }
    const std::size_t n = std::min(static_cast<std::size_t>(size), text.end - text.begin);
    std::memcpy(to, text.in.get() + text.begin, n);
    text.begin += n;
    if (!text.has_input()) text.in.reset();
    return static_cast<int>(n);
}

// No exception may pass through OpenSSL.
int bio_write(BIO* b, const char* from, int size) {
    ciphertext& text = text_of(b);
    BIO_clear_retry_flags(b);
    try {
        text.out.append(from, static_cast<std::size_t>(size));
    } catch (const std::bad_alloc&) {
        text.no_memory = true;
        return -1;
    }
    return size;
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_method() noexcept {
    BIO_METHOD* const m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "rota");
    if (m == nullptr) return nullptr;
    BIO_meth_set_read(m, bio_read);
    BIO_meth_set_write(m, bio_write);
    BIO_meth_set_ctrl(m, bio_control);
    return m;
}

}  // namespace

BIO* bio_of(ciphertext& text) noexcept {
    static BIO_METHOD* const method = make_method();
    BIO* const b = method != nullptr ? BIO_new(method) : nullptr;
    if (b == nullptr) return nullptr;
    BIO_set_data(b, &text);
    BIO_set_init(b, 1);
    return b;
}

}  // namespace rota::tls::detail
