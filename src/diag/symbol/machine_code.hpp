// Reads x86-64 machine code to learn about a stack: where a function's frame pointer points, and
// which function has called it.
#pragma once

#include <cstdint>

namespace rota::rt {

// The frame pointer of the function that begins at `code` and has reached `stop` in it, where its
// stack pointer is `sp`. 0: unknown.
//
// Compilers put other instructions between the instructions that make a frame:
//     push %rbp  mov $1,%edi  mov %rsp,%rbp  push %rbx
//     lea -0x20(%rbp),%rbx    sub $0x28,%rsp
// So the decoder reads each instruction up to the first jump, call or return. An unknown
// instruction ends the walk too, successfully if room has been made before it. A function that
// moves the stack pointer otherwise is given up: it aligns the stack, or takes room whose size the
// code does not tell. A function may also do that behind its first jump, so the caller checks the
// words that it finds at the frame pointer. Reads as far as `stop` and a few bytes.
std::uintptr_t frame_pointer_at(const unsigned char* code, const unsigned char* stop,
                                std::uintptr_t sp);

// Whether the instruction before `back` may be a call of the function at `code`: a call by a
// pointer, a call of the function, or a call of a linkage table's entry that leads to it.
bool follows_call_of(const unsigned char* back, const unsigned char* code);

}  // namespace rota::rt
