// What a file contains, as the field Content-Type says it.
#pragma once

#include <cstddef>
#include <string_view>

namespace rota::http {

// By the end of a file's name, without regard to case; "": not known. Go: mime.TypeByExtension.
std::string_view media_type_of_name(std::string_view name);

// By its first bytes, of which no more than sniffed_max count; the WHATWG's algorithm, with Go's
// table, complete. Never "". Go: http.DetectContentType.
inline constexpr std::size_t sniffed_max = 512;
std::string_view media_type_of_content(std::string_view begin);

}  // namespace rota::http
