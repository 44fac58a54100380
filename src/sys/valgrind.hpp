// What valgrind must be told of the stacks of goroutines: it would take a switch from one to the
// next for a function that makes a large frame, or leaves one, and call what lies between invalid.
//
// Compiled in where valgrind's header was there when the library was built; it is a header alone,
// and its requests are instructions that do nothing outside valgrind.
#pragma once

namespace rota::rt {

// Whether this process runs under valgrind. Written at boot, before there is a stack.
inline constinit bool is_on_valgrind = false;

void look_for_valgrind();

// From `lo` to `hi` is a stack, for as long as the process lives. Caller: has found is_on_valgrind.
void tell_valgrind_of_stack(void* lo, void* hi);

// A new goroutine begins there: what the one before has left below its frames may be written again.
void tell_valgrind_of_beginning(void* lo, void* hi);

}  // namespace rota::rt
