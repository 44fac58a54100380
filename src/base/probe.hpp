// Probes at scheduling events: places that bpftrace, perf, gdb and systemtap find by name. Notes in
// the program's file say where their arguments are. docs/debugging.md lists them.
//
// A probe is one nop. Its arguments are operands in memory that the code around has at hand, so
// nothing is loaded for it: a tracer reads them, when there is one. The notes are those of
// systemtap's sys/sdt.h. They are written here because that header's operands make clang spill its
// arguments at each probe. The option ROTA_USDT leaves them out.
#pragma once

#ifndef ROTA_USDT
#define ROTA_USDT 1
#endif

#if ROTA_USDT && !defined(ROTA_MODEL) && (defined(__x86_64__) || defined(__aarch64__))

// clang-format off: it sees no structure in the strings

// Version 3. First the lengths of owner and description, and the type. Then the addresses of the
// probe, of the base that shows by how much the linker's addresses have moved, and of no semaphore.
// Then the texts.
#define ROTA_PROBE_NOTE(name, arguments) \
    "990: nop\n\t" \
    ".pushsection .note.stapsdt, \"?\", \"note\"\n\t" \
    ".balign 4\n\t" \
    ".4byte 992f - 991f, 994f - 993f, 3\n" \
    "991: .asciz \"stapsdt\"\n" \
    "992: .balign 4\n" \
    "993: .8byte 990b\n\t" \
    ".8byte _.stapsdt.base\n\t" \
    ".8byte 0\n\t" \
    ".asciz \"rota\"\n\t" \
    ".asciz \"" name "\"\n\t" \
    ".asciz \"" arguments "\"\n" \
    "994: .balign 4\n\t" \
    ".popsection\n\t" \
    ".ifndef _.stapsdt.base\n\t" \
    ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n\t" \
    ".weak _.stapsdt.base\n\t" \
    ".hidden _.stapsdt.base\n" \
    "_.stapsdt.base: .space 1\n\t" \
    ".size _.stapsdt.base, 1\n\t" \
    ".popsection\n\t" \
    ".endif"

// clang-format on

// `size_of_*`: bytes, as a digit in quotes; the arguments are variables in memory.
#define ROTA_PROBE1(name, size_of_a, a) \
    asm volatile(ROTA_PROBE_NOTE(name, size_of_a "@%0") : : "m"(a))
#define ROTA_PROBE2(name, size_of_a, a, size_of_b, b) \
    asm volatile(ROTA_PROBE_NOTE(name, size_of_a "@%0 " size_of_b "@%1") : : "m"(a), "m"(b))

#else

#define ROTA_PROBE1(name, size_of_a, a) static_cast<void>(0)
#define ROTA_PROBE2(name, size_of_a, a, size_of_b, b) static_cast<void>(0)

#endif
