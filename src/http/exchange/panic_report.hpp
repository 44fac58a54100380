// Reports an exception that has left a handler on stderr. The room diag/, which reads stacks,
// defines these functions.
#pragma once

#include <string>

namespace rota::http {

// Returns the first lines of a panic's report, for the exception that is being handled.
std::string panic_text();

// A call that is watched for exceptions.
struct traced_call {
    void (*run)(void* arg);
    // True: a trace is wanted. A trace takes a millisecond: a client that can cause exceptions
    // could keep the server busy.
    bool (*is_wanted)(void* arg);
    void* arg;
    std::string trace;  // empty if no trace was wanted, or there was no memory for it
};

// Calls run(arg). An exception passes; before it unwinds the stack, the goroutine's trace is taken.
void call_traced(traced_call& call);

}  // namespace rota::http
