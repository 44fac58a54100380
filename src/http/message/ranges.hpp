// Which bytes of a file a request asks for: the field Range. RFC 9110 section 14.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rota::http {

struct byte_range {
    std::uint64_t begin, size;
    friend bool operator==(const byte_range&, const byte_range&) = default;
};

struct range_set {
    enum class outcome : std::uint8_t {
        whole,          // there is nothing to be heeded: all of the file
        some,           // `ranges`, in the order asked for
        unsatisfiable,  // none of them lies in the file: 416
        malformed,      // bytes, but no ranges: 416
    };
    outcome what = outcome::whole;
    std::vector<byte_range> ranges;
};

// What `field` asks for of `size` bytes. Ranges that are together longer than the file, or more
// than a hundred, count as the whole: else a short request would have us send much. Another unit
// than bytes is ignored. Throws std::bad_alloc. Go: parseRange.
range_set parse_ranges(std::string_view field, std::uint64_t size);

}  // namespace rota::http
