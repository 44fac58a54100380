// A request that the program has made: what it says, and how far its body has been read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include <rota/http.hpp>

#include "http/client/outgoing_body.hpp"
#include "http/message/url.hpp"

namespace rota::http::detail {

struct client_request {
    std::string method;
    url to;
    std::string path;  // of the target, its escapes undone
    header_map fields;
    std::shared_ptr<outgoing_body> body = std::make_shared<outgoing_body>();
    std::size_t read_at = 0;  // of a text

    std::size_t read(std::span<std::byte> into) {
        const std::string& text = body->text;
        const std::size_t n = std::min(into.size(), text.size() - read_at);
        if (n != 0) std::memcpy(into.data(), text.data() + read_at, n);
        read_at += n;
        return n;
    }
    std::string rest() {
        std::string left = body->text.substr(read_at);
        read_at = body->text.size();
        return left;
    }
};

}  // namespace rota::http::detail
