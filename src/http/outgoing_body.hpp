// The body of a request that the program has made: a text, or what a function gives piece by piece;
// and the trailers behind it.
//
// The request and those who send it share it: an answer may be read to its end, and the request be
// gone, while the rest of the body is still under way.
#pragma once

#include <cstdint>
#include <string>

#include <rota/http.hpp>

namespace rota::http::detail {

struct outgoing_body {
    std::string text;
    body_reader once;          // in place of the text: can be read for once
    body_maker anew;           // likewise, each reader from the beginning
    std::int64_t length = -1;  // of these two: -1, it is not known
    header_map trailers;

    bool is_streamed() const { return once || anew; }
    // -1: not known.
    std::int64_t size() const {
        return is_streamed() ? length : static_cast<std::int64_t>(text.size());
    }
};

// How a body goes behind its head.
enum class framing : std::uint8_t { none, by_length, in_chunks };

}  // namespace rota::http::detail
