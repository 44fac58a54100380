// Compression of what is written for tools.
#pragma once

#include <string>
#include <string_view>

namespace rota::rt {

// gzip's format. As it is where the library was built without zlib: readers of profiles take both.
// Throws std::bad_alloc.
std::string gzip(std::string_view data);

}  // namespace rota::rt
