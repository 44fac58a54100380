// Dates in fields: the three forms that RFC 9110 has clients and servers understand.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rota::http {

// Seconds since 1970, of "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" or "Sun
// Nov  6 08:49:37 1994"; empty for any other text. Go: http.ParseTime.
std::optional<std::int64_t> parse_date(std::string_view text);

}  // namespace rota::http
