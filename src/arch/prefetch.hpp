// Hints that a word is about to be read and then written: its cache line is fetched once, as the
// writer's own, instead of first as a reader's.
#pragma once

namespace rota::rt {

inline void prefetch_to_write(const void* word) {
#if defined(__x86_64__)
    // The compilers omit it unless told that the processor knows it; a processor that does not know
    // it treats it as a nop.
    asm("prefetchw %0" : : "m"(*static_cast<const char*>(word)));
#else
    __builtin_prefetch(word, 1);
#endif
}

}  // namespace rota::rt
