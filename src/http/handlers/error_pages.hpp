// Short answers of the library's own handlers.
#pragma once

#include <string>
#include <string_view>

#include <rota/http.hpp>

namespace rota::http {

// `text`, and nobody is to make anything else of it. Go: Error.
void answer_text(response_writer& w, int status, std::string_view text);

// So that it is text in HTML, also within quotes. Go: htmlEscape.
std::string html_escaped(std::string_view text);

}  // namespace rota::http
