// Tells valgrind about the stacks of goroutines. It would take a switch between two stacks for a
// function that makes or leaves a large frame, and call the memory in between invalid.
//
// Compiled in where valgrind's header was there when the library was built. It is a header alone,
// and its requests are instructions that do nothing outside valgrind.
#pragma once

namespace rota::rt {

// Whether this process runs under valgrind. Written at boot, before there is a stack.
inline constinit bool is_on_valgrind = false;

void look_for_valgrind();

// [lo, hi) is a stack, for as long as the process lives. Caller: has checked is_on_valgrind.
void tell_valgrind_of_stack(void* lo, void* hi);

// A new goroutine begins there: the bytes that the last goroutine left below its frames may be
// written.
void tell_valgrind_of_beginning(void* lo, void* hi);

}  // namespace rota::rt
