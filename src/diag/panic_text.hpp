// The text of an exception for the first lines of a panic report.
#pragma once

#include <string>

namespace rota::rt {

// The text behind "panic: " for the exception being handled. A panic_error gives its what() alone;
// any other exception gives its type and its printable value. Exceptions nested in it
// (std::nested_exception) follow, a line each, indented. Calls what(), which is the program's.
std::string current_panic_text();

}  // namespace rota::rt
