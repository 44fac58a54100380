// Every public header includes this file, so that a compilation without exceptions ends with one
// line that says so.
#pragma once

#if !defined(__cpp_exceptions)
#error "rota throws panics and errors: compile without -fno-exceptions"
#endif
