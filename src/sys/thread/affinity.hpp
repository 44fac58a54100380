// Changes for a moment on which processors a thread may run, and gives its mask back.
#pragma once

namespace rota::rt {

// The mask that a thread gets back. A kernel with more processors than fit is left alone.
struct processor_set {
    static constexpr int most = 1024, bits = 8 * static_cast<int>(sizeof(unsigned long));
    unsigned long words[most / bits];
    long bytes;
    int narrowed_to;
};

// Lets a sleeping thread of this process wake up on `processor` only, until that thread calls
// restore_affinity(before). False, with nothing changed: the thread may not run there, or may run
// nowhere else; its scheduling policy is not the usual one, so that it could wait there for ever;
// or the kernel refuses. No lock, no allocation.
[[nodiscard]] bool narrow_affinity(int tid, int processor, processor_set& before);

// Restores the calling thread's mask, unless the program has set a different mask since. False: the
// kernel refuses. Signal handlers may call it.
[[nodiscard]] bool restore_affinity(const processor_set& before);

// The processor that the calling thread runs on; -1: unknown.
int current_processor();

}  // namespace rota::rt
