// Trailers: fields behind a body. RFC 9110, 6.5; RFC 9112, 7.1.2.
//
// A sender of a body in chunks can add fields when the body is over. Fields about the message's
// route, its framing, its body or access come too late there: a machine between the peers has
// decided by the head. So these are dropped, in both directions. The rest is kept in a map of its
// own, and never joins the fields of the head.
#pragma once

#include <string>
#include <string_view>

#include <rota/http.hpp>

namespace rota::http {

// Whether a field of that name may be a trailer. Go: httpguts.ValidTrailerHeader.
bool is_trailer_name(std::string_view name);
bool has_trailers(const header_map& fields);

// Adds what stands in lines "name:value\r\n", which the decoder has judged
// (http/message/chunked.hpp). Throws std::bad_alloc.
void add_trailers(header_map& to, std::string_view lines);

// Appends the field that announces them, if there are any; and the lines themselves.
void append_announcement(std::string& to, const header_map& trailers);
void append_trailers(std::string& to, const header_map& trailers);

}  // namespace rota::http
