// The C++ runtime's exception state: two words per thread that must be per goroutine.
//
// A goroutine that parks inside a catch block, or in a destructor while an exception unwinds,
// leaves these words in the thread. Each switch saves and loads them (0.25 ns). The layout is the
// Itanium ABI's __cxa_eh_globals.
#pragma once

namespace rota::rt {

struct eh_state {
    void* caught = nullptr;     // chain of exceptions being handled
    unsigned int uncaught = 0;  // exceptions in flight
};

// The calling thread's words. Valid as long as the thread lives.
eh_state* thread_eh_state();

}  // namespace rota::rt
