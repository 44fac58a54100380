// What machine code tells about a stack, on x86-64: where a function's frame pointer points, and
// who has called it.
#pragma once

#include <cstdint>

namespace rota::rt {

// The frame pointer of a function that begins at `code`, has come to `stop`, in it, and whose stack
// pointer is `sp` there; 0: it can't be said.
//
// Compilers put other instructions between those that make a frame:
//     push %rbp  mov $1,%edi  mov %rsp,%rbp  push %rbx  lea -0x20(%rbp),%rbx  sub $0x28,%rsp
// So each is decoded, as far as such as stand there are concerned, up to the first that jumps,
// calls or returns, or up to one that is not known, if room has been made before. Whoever moves the
// stack pointer in another way is given up: he aligns it, or takes room whose size the code does
// not tell. That may also be done behind the first jump: who asks checks what he finds at the frame
// pointer. Reads as far as `stop` and a few bytes.
std::uintptr_t frame_pointer_at(const unsigned char* code, const unsigned char* stop,
                                std::uintptr_t sp);

// Whether the instruction before `back` may be a call of the function at `code`: one by a pointer;
// or one of it, or of an entry of a linkage table that leads to it.
bool follows_call_of(const unsigned char* back, const unsigned char* code);

}  // namespace rota::rt
