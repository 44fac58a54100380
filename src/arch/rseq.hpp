// Restartable sequences: read, compare and store as one step that no other code of the same
// processor can come between.
//
// A sequence that is interrupted (by a signal, another thread on its processor, or a membarrier
// with the RSEQ command) before its last instruction does not happen. That is less than a locked
// instruction promises, as other processors are not kept out, and costs a fifth of it.
// sys/asymmetric.hpp says how the runtime makes up for the difference.
//
// They need the area that glibc 2.35 and later registers for every thread. The sanitizers would
// not see the accesses, so they get the locked instructions; so do AArch64 and old libraries.
//
// In the model preset the schedule explorer plays them.
#pragma once

#include "base/annotations.hpp"

#if defined(__x86_64__) && __has_include(<sys/rseq.h>) && !ROTA_TSAN && !ROTA_ASAN
#define ROTA_RSEQ 1
#if defined(ROTA_MODEL)
#include "arch/model/rseq.hpp"
#else
#include "arch/x86_64/rseq.hpp"
#endif
#else
#define ROTA_RSEQ 0
#endif
