// The affinity masks of the kernel. Its own calls: those of the C library need a pthread_t.
#include "sys/affinity.hpp"

#include <bit>
#include <cstddef>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.hpp"

namespace rota::rt {

namespace {

atomic<long> online{0};  // processors of the machine; relaxed: written at boot

int count_of(const processor_set& set) {
    int n = 0;
    for (const unsigned long word : set.words) n += std::popcount(word);
    return n;
}

}  // namespace

bool narrow_affinity(int tid, int processor, processor_set& before) {
    if (tid <= 0 || processor < 0 || processor >= processor_set::most) return false;
    before = {};
    before.bytes = ::syscall(SYS_sched_getaffinity, tid, sizeof before.words, before.words);
    const auto word = static_cast<std::size_t>(processor / processor_set::bits);
    const unsigned long bit = 1UL << processor % processor_set::bits;
    if (before.bytes <= 0 || (before.words[word] & bit) == 0 || count_of(before) < 2) return false;
    unsigned long one[processor_set::most / processor_set::bits] = {};
    one[word] = bit;
    return ::syscall(SYS_sched_setaffinity, tid, before.bytes, one) == 0;
}

void restore_affinity(const processor_set& before) {
    // The kernel remembers the mask, and cuts it to the thread's cpuset whenever that changes.
    // Where nothing was cut off, processors that come later are to count as well.
    processor_set all = before;
    for (unsigned long& word : all.words) word = ~0UL;
    const bool was_all = count_of(before) >= online.load(memory_order_relaxed);
    if (!was_all && ::syscall(SYS_sched_setaffinity, 0, before.bytes, before.words) == 0) return;
    // Or none of them is left to this process by now.
    (void)::syscall(SYS_sched_setaffinity, 0, all.bytes, all.words);
}

void affinity_init() { online.store(::sysconf(_SC_NPROCESSORS_ONLN), memory_order_relaxed); }

int current_processor() { return ::sched_getcpu(); }

}  // namespace rota::rt
