// Restartable sequences: read, compare and store as one step. No other code on the same processor
// can come in between.
//
// A sequence that is interrupted before its last instruction does not happen. A signal interrupts
// it, another thread on its processor, or a membarrier with the RSEQ command. That is less than a
// locked instruction promises, since it does not keep other processors out, and costs a fifth of
// it. sys/thread/asymmetric.hpp says how the runtime makes up for the difference.
//
// Sequences need the area that glibc 2.35 and later registers for every thread. The sanitizers
// would not see the accesses, so their builds use locked instructions; so do AArch64 and old
// libraries.
//
// In the model preset the schedule explorer plays the sequences.
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
