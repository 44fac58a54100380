// Answering with a regular file: conditions, ranges, type, length. Go: serveContent.
#pragma once

#include <string_view>

#include <rota/os/file.hpp>

#include "http/exchange.hpp"

namespace rota::http {

// An open file to be served.
struct served_file {
    const os::file& file;
    const struct ::stat& status;
    std::string_view name;  // its end tells the type
};

// Fields that the handler has set, Content-Type and ETag among them, are kept. Blocks. Throws
// std::bad_alloc. `x` is the request's.
void serve_content(detail::exchange& x, const served_file& f);

// So that the answer may be kept, or not be sent at all if the client has it: of a directory.
bool has_been_modified(detail::exchange& x, const struct ::stat& status);

}  // namespace rota::http
