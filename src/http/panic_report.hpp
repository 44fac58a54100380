// What is said on stderr of an exception that has left a handler. Reading stacks is the business of
// diag/, a lower row of the house, which defines these.
#pragma once

#include <string>

namespace rota::http {

// Of the exception that is being handled: what a panic's first lines say of it.
std::string panic_text();

// A call that is watched for exceptions.
struct traced_call {
    void (*run)(void* arg);
    // Whether a trace is wanted: to make one takes a millisecond, and who can make us throw could
    // keep us busy.
    bool (*is_wanted)(void* arg);
    void* arg;
    std::string trace;  // empty if there was no memory for it
};

// Calls run(arg). An exception passes; before it unwinds the stack, the goroutine's trace is taken.
void call_traced(traced_call& call);

}  // namespace rota::http
