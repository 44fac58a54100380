// What is said on stderr of an exception that has left a handler. Reading stacks is the business of
// diag/, a lower row of the house, which defines these.
#pragma once

#include <string>

namespace rota::http {

// Of the exception that is being handled: what a panic's first lines say of it.
std::string panic_text();

// Calls f(arg). Before an exception that leaves it unwinds the stack, `trace` becomes the trace of
// the goroutine as it stands; it stays empty if there is no memory for that.
void call_traced(void (*f)(void*), void* arg, std::string& trace);

}  // namespace rota::http
