// Answering with a regular file: conditions, ranges, type, length. Go: serveContent.
#pragma once

#include <string_view>

#include <rota/os/file.hpp>

#include "http/exchange/exchange.hpp"

namespace rota::http {

// An open file to be served.
struct served_file {
    const os::file& file;
    const struct ::stat& status;
    std::string_view name;  // its end tells the type
};

// Keeps fields that the handler has set, Content-Type and ETag among them. Blocks. Throws
// std::bad_alloc. `x`: the exchange of the request.
void serve_content(detail::exchange& x, const served_file& f);

// Sets Last-Modified of a directory. False: the client's copy is current, and 304 is the answer.
bool has_been_modified(detail::exchange& x, const struct ::stat& status);

}  // namespace rota::http
