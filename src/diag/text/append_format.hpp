// Adds formatted text to a string.
#pragma once

#include <string>

namespace rota::rt {

// Appends as printf does; at most 512 bytes.
__attribute__((format(printf, 2, 3))) void append_format(std::string& out, const char* format, ...);

}  // namespace rota::rt
