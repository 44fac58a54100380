// Panics: what Go calls so is an exception here.
#pragma once

#include <stdexcept>
#include <string>

namespace rota {

/// Thrown by rota where Go panics; what() is Go's text. To recover is to catch it. Any exception
/// that leaves a goroutine's function ends the process with Go's report and exit status 2.
class panic_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Throws panic_error(text). Go: panic.
[[noreturn]] inline void panic(std::string text) { throw panic_error(std::move(text)); }

}  // namespace rota
