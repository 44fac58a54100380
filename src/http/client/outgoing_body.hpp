// Holds the body and the trailers of a request that the program has made. The body is a text, or a
// function gives it in pieces.
//
// The request and the calls that send it share the object. A call may read the answer to its end,
// and the request may be gone, while a goroutine still sends the rest of the body.
#pragma once

#include <cstdint>
#include <string>

#include <rota/http.hpp>

namespace rota::http::detail {

struct outgoing_body {
    std::string text;
    body_reader once;          // in place of the text: a reader for a single pass
    body_maker anew;           // in place of the text: makes readers, each from the beginning
    std::int64_t length = -1;  // bytes of `once` or `anew`; -1: unknown
    header_map trailers;

    bool is_streamed() const { return once || anew; }
    // Bytes; -1: unknown.
    std::int64_t size() const {
        return is_streamed() ? length : static_cast<std::int64_t>(text.size());
    }
};

// How a body is framed behind its head.
enum class framing : std::uint8_t { none, by_length, in_chunks };

}  // namespace rota::http::detail
