// What a panic's first lines say of an exception.
#pragma once

#include <string>

namespace rota::rt {

// The text behind "panic: " for the exception being handled: of a panic_error what() alone, of
// others the type and what there is to print. Exceptions nested in it (std::nested_exception)
// follow, a line each, indented. Calls what(), which is the program's.
std::string current_panic_text();

}  // namespace rota::rt
