// Restartable sequences on x86-64; see arch/rseq.hpp.
//
// Each section has the form that the kernel documents. Its descriptor lies in __rseq_cs; the thread
// points to it before the first instruction; the last instruction is the only store; the abort
// address follows the signature. The pointer stays set: the kernel ignores and clears it when it
// finds the thread elsewhere. A thread whose area the kernel refused (a negative cpu_id) runs no
// sequence.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/rseq.h>

#include "base/annotations.hpp"

namespace rota::rt {

// The area lies `area` bytes behind the thread pointer. `?`: the descriptor belongs to the
// function's group, and the linker drops it with the group.
#define ROTA_RSEQ_POINT \
    ".pushsection __rseq_cs, \"aw?\"\n\t" \
    ".balign 32\n" \
    "77:\n\t" \
    ".long 0, 0\n\t" \
    ".quad 1f, 2f - 1f, 4b\n\t" \
    ".popsection\n\t" \
    "leaq 77b(%%rip), %%rax\n\t" \
    "movq %%rax, %%fs:8(%[area])\n" \
    "1:\n\t"

// Where an interrupted sequence goes on, before the sequence: the branch that threads without an
// area need anyway leads round it. In line, so that unwinders find the function there. The
// signature in front is the displacement of a nop.
#define ROTA_RSEQ_ABORT \
    ".byte 0x0f, 0x1f, 0x80\n\t" \
    ".long 0x53053053\n" \
    "4:\n\t" \
    "jmp %l[undone]\n"
#define ROTA_RSEQ_BEGIN \
    "cmpl $0, %%fs:4(%[area])\n\t" \
    "jns 3f\n\t" ROTA_RSEQ_ABORT "3:\n\t" ROTA_RSEQ_POINT

// clang-format off: it sees no structure in the strings

// True: `word` was `from`, and is `to`. False: it had another value, or the section was
// interrupted. `area`: __rseq_offset.
ROTA_ALWAYS_INLINE bool rseq_replace(std::ptrdiff_t area, void* word, std::uint32_t from,
                                     std::uint32_t to) {
    asm goto(ROTA_RSEQ_BEGIN
             "cmpl %[from], (%[word])\n\t"
             "jne %l[undone]\n\t"
             "movl %[to], (%[word])\n"
             "2:"
             :
             : [area] "r"(area), [word] "r"(word), [from] "ri"(from), [to] "ri"(to)
             : "rax", "memory", "cc"
             : undone);
    return true;
undone:
    return false;
}

// True: `gate` was 0, `word` held `old` and holds `desired`. False: `gate` was not 0, or the
// section was interrupted.
ROTA_ALWAYS_INLINE bool rseq_exchange(std::ptrdiff_t area, const void* gate, void* word,
                                      void* desired, void*& old) {
    void* seen = nullptr;
    // gcc 12 forgets that such a statement with outputs is volatile (PR 98619). It may copy its
    // outputs behind their use in the next block, unless there is an instruction before that (PR
    // 113921).
    asm volatile goto(ROTA_RSEQ_BEGIN
                      "cmpl $0, (%[gate])\n\t"
                      "jne %l[undone]\n\t"
                      "movq (%[word]), %[seen]\n\t"
                      "movq %[desired], (%[word])\n"
                      "2:"
                      : [seen] "=&r"(seen)
                      : [area] "r"(area), [gate] "r"(gate), [word] "r"(word),
                        [desired] "r"(desired)
                      : "rax", "memory", "cc"
                      : undone);
    asm volatile("");
    old = seen;
    return true;
undone:
    return false;
}

// True: `gate` was `from`, and `delta` has been added to the word of this processor, which lies
// 2^shift bytes behind the preceding processor's word. False: `gate` was not `from`, the
// processor's number is `processors` or above, or the section was interrupted.
template <unsigned Shift>
ROTA_ALWAYS_INLINE bool rseq_add_here(const void* gate, std::uint32_t from, void* words,
                                      std::uint32_t processors, std::uint32_t delta) {
    // A negative number is above `processors` as well.
    asm goto("jmp 3f\n\t"
             ROTA_RSEQ_ABORT
             "3:\n\t"
             ROTA_RSEQ_POINT
             "cmpl %[from], (%[gate])\n\t"
             "jne %l[undone]\n\t"
             "movl %%fs:4(%[area]), %%eax\n\t"
             "cmpl %[processors], %%eax\n\t"
             "jae %l[undone]\n\t"
             "shlq %[shift], %%rax\n\t"
             "addl %[delta], (%[words],%%rax)\n"
             "2:"
             :
             : [area] "r"(__rseq_offset), [gate] "r"(gate), [from] "r"(from),
               [words] "r"(words), [processors] "r"(processors), [delta] "ri"(delta),
               [shift] "i"(Shift)
             : "rax", "memory", "cc"
             : undone);
    return true;
undone:
    return false;
}

// clang-format on

#undef ROTA_RSEQ_BEGIN
#undef ROTA_RSEQ_ABORT
#undef ROTA_RSEQ_POINT

}  // namespace rota::rt
