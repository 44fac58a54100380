// A request that the program has made: what it says, and how far its body has been read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <rota/http.hpp>

#include "http/url.hpp"

namespace rota::http::detail {

struct made_request {
    std::string method;
    url to;
    std::string path;  // of the target, its escapes undone
    header_map fields, trailers;
    std::string body;
    std::size_t read_at = 0;

    std::size_t read(std::span<std::byte> into) {
        const std::size_t n = std::min(into.size(), body.size() - read_at);
        if (n != 0) std::memcpy(into.data(), body.data() + read_at, n);
        read_at += n;
        return n;
    }
    std::string rest() {
        std::string left = body.substr(read_at);
        read_at = body.size();
        return left;
    }
};

}  // namespace rota::http::detail
