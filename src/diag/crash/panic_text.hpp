// The text of an exception for the first lines of a panic report.
#pragma once

#include <string>

namespace rota::rt {

// Returns the text behind "panic: " for the exception being handled. A panic_error gives `what()`
// alone; any other exception gives its type and its printable value. Exceptions nested in it
// (std::nested_exception) follow, one per line, indented. Calls `what()`, which is code of the
// program.
std::string current_panic_text();

}  // namespace rota::rt
