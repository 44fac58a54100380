// Trailers: fields behind a body. RFC 9110, 6.5; RFC 9112, 7.1.2.
//
// Whoever sends a body in chunks can say more of it when it is over. Fields that say where a
// message goes, how it is framed, what its body is or who may ask for it come too late there:
// somebody between us and the peer has decided by the head. So those are dropped, in both
// directions, and what is left is kept in a map of its own and never gets among the fields of the
// head.
#pragma once

#include <string>
#include <string_view>

#include <rota/http.hpp>

namespace rota::http {

// Whether a field of that name may be a trailer. Go: httpguts.ValidTrailerHeader.
bool is_trailer_name(std::string_view name);
bool has_trailers(const header_map& fields);

// Adds what stands in lines "name:value\r\n", which the decoder has judged (http/chunked.hpp).
// Throws std::bad_alloc.
void add_trailers(header_map& to, std::string_view lines);

// Appends the field that announces them, if there are any; and the lines themselves.
void append_announcement(std::string& to, const header_map& trailers);
void append_trailers(std::string& to, const header_map& trailers);

}  // namespace rota::http
