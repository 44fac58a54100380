// A request as a client sends it: the program's, or the request that a redirect has made of it.
#pragma once

#include <memory>
#include <string>

#include <rota/http.hpp>

#include "http/client/outgoing_body.hpp"
#include "http/message/url.hpp"

namespace rota::http::detail {

struct hop {
    std::string method;
    url to;
    header_map fields;
    std::shared_ptr<outgoing_body> body;  // the program's, or null
    bool has_own_referer = false;         // the program has set Referer
    bool is_redirected = false;           // the URL is not the program's own

    bool is_idempotent() const;
    bool asks_to_close() const;
    bool expects_continue() const;
    // Caller: asks once for each request that is sent, since the program may change trailers
    // meanwhile. A body framed differently from its head would be read as another request.
    framing body_framing() const;
    // The head as it is sent; through `proxy` unless that is null.
    std::string head(framing how, const url* proxy, bool keep_alive) const;
};

}  // namespace rota::http::detail
