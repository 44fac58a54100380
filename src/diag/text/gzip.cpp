// Compresses with zlib, if the build has it.
#include "diag/text/gzip.hpp"

#include <new>

#if defined(ROTA_ZLIB)
#include <zlib.h>
#endif

namespace rota::rt {

#if defined(ROTA_ZLIB)

std::string gzip(std::string_view data) {
    constexpr int gzip_format = 16, window_bits = 15, memory_level = 8;
    z_stream s{};
    if (::deflateInit2(&s, Z_BEST_SPEED, Z_DEFLATED, window_bits + gzip_format, memory_level,
                       Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    struct ender {
        z_stream* s;
        ~ender() { ::deflateEnd(s); }
    } const at_end{&s};
    std::string out(::deflateBound(&s, static_cast<uLong>(data.size())), '\0');
    s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    s.avail_in = static_cast<uInt>(data.size());
    s.next_out = reinterpret_cast<Bytef*>(out.data());
    s.avail_out = static_cast<uInt>(out.size());
    if (::deflate(&s, Z_FINISH) != Z_STREAM_END) throw std::bad_alloc();
    out.resize(s.total_out);
    return out;
}

#else

std::string gzip(std::string_view data) { return std::string(data); }

#endif

}  // namespace rota::rt
