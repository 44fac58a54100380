// Panics: what Go calls so is an exception here.
#pragma once

#include <stdexcept>
#include <string>

#include <rota/detail/exceptions.hpp>

namespace rota {

/// Thrown by rota where Go panics; what() is Go's text. To recover is to catch it. Any exception
/// that leaves a goroutine's function ends the process with Go's report and exit status 2.
class panic_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Throws panic_error(text). Go: panic.
#if defined(__cpp_exceptions)
[[noreturn]] inline void panic(std::string text) { throw panic_error(std::move(text)); }
#else
[[noreturn]] void panic(std::string text);
#endif

}  // namespace rota
