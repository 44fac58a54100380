// On which processors a thread may run, changed for a moment.
#pragma once

namespace rota::rt {

// What a thread is given back. Kernels with more processors than fit are left alone.
struct processor_set {
    static constexpr int most = 1024, bits = 8 * static_cast<int>(sizeof(unsigned long));
    unsigned long words[most / bits];
    long bytes;
    int narrowed_to;
};

// Lets a thread of this process that sleeps wake up on `processor` only, until it calls
// restore_affinity(before). False, and nothing has changed: it may not run there, or nowhere else;
// its scheduling policy is not the usual one, so that it could wait there for ever; or the kernel
// refuses. No lock, no allocation.
[[nodiscard]] bool narrow_affinity(int tid, int processor, processor_set& before);

// Of the calling thread; nothing if somebody else has set another one since. False: the kernel
// refuses. For signal handlers, too.
[[nodiscard]] bool restore_affinity(const processor_set& before);

// Where the calling thread runs; or -1.
int current_processor();

}  // namespace rota::rt
