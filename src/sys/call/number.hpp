// Keeps the descriptors that the runtime opens away from the numbers 0, 1 and 2.
//
// A program may have been started without its three standard descriptors, and daemons close theirs.
// The kernel gives the lowest free number, so a socket or a data file would become standard output.
// The output of printf or a crash report would go to its peer or into its bytes. Every descriptor
// that the runtime opens, for itself or for the program, comes through here.
//
// Rejected: to fill the gap with /dev/null also later. A daemon that closes 0, 1 and 2 expects that
// the next files it opens have these numbers.
//
// None of these functions takes a lock or, stream_to_read apart, allocates; none parks.
#pragma once

#include <cstdio>

namespace rota::rt {

inline constexpr int first_own_number = 3;

// Takes the result of a call that makes a descriptor: a descriptor or a negative errno value.
// Returns the same, or another descriptor of the same open file, from 3 on and closed by exec;
// `number` is closed then. -EMFILE: there is no such number.
[[nodiscard]] int above_standard(int number);

// The same for a function of the C library, which returns -1 and sets errno.
[[nodiscard]] int above_standard_or_errno(int number);

// Opens a file to be read, closed by exec; `flags` on top, O_DIRECTORY say. -1, and errno says why.
// No seam for faults: callers do without a file that they cannot read.
[[nodiscard]] int open_to_read(const char* path, int flags = 0);

// The same as a stream, which fclose closes. Null: it cannot be opened.
[[nodiscard]] std::FILE* stream_to_read(const char* path);

// Boot: opens /dev/null for each of 0, 1 and 2 that is closed, and leaves it to the program and its
// children. Without /dev/null they stay closed. Go: runtime.checkfds.
void fill_standard_descriptors();

}  // namespace rota::rt
