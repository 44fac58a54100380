// What the first instructions of a function do to the stack pointer, on x86-64: where its frame
// pointer points is then known from where its stack pointer does.
//
// Compilers put others between those that make a frame:
//     push %rbp  mov $1,%edi  mov %rsp,%rbp  push %rbx  lea -0x20(%rbp),%rbx  sub $0x28,%rsp
// So each is decoded, as far as such as stand there are concerned, up to the first that jumps,
// calls or returns. What is not known, or moves the stack pointer in another way, is the end of it:
// it can't be said then. Who asks checks what he finds at the frame pointer all the same.
#pragma once

#include <cstdint>

namespace rota::rt {

// The frame pointer of the function that begins at `code`, has made its frame, and whose stack
// pointer is `sp`; 0: it can't be said. Reads up to prologue_max bytes of code, and a few.
std::uintptr_t frame_pointer_at(const unsigned char* code, std::uintptr_t sp);
inline constexpr int prologue_max = 256;

}  // namespace rota::rt
