// Reads and sets affinity masks by system calls; the C library's functions need a pthread_t.
#include "sys/thread/affinity.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <iterator>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rota::rt {

namespace {

bool get_mask(int tid, processor_set& set) {
    set = {};
    set.bytes = ::syscall(SYS_sched_getaffinity, tid, sizeof set.words, set.words);
    return set.bytes > 0;
}

bool set_mask(int tid, const processor_set& to) {
    return ::syscall(SYS_sched_setaffinity, tid, to.bytes, to.words) == 0;
}

int processors_in(const processor_set& set) {
    int n = 0;
    for (const unsigned long word : set.words) n += std::popcount(word);
    return n;
}

unsigned long& mask_word(processor_set& set, int processor) {
    return set.words[static_cast<std::size_t>(processor / processor_set::bits)];
}

unsigned long mask_bit(int processor) { return 1UL << processor % processor_set::bits; }

bool is_usual_policy(int tid) {
    const long policy = ::syscall(SYS_sched_getscheduler, tid);
    return policy >= 0 && (policy & ~SCHED_RESET_ON_FORK) == SCHED_OTHER;
}

}  // namespace

bool narrow_affinity(int tid, int processor, processor_set& before) {
    if (tid <= 0 || processor < 0 || processor >= processor_set::most) return false;
    if (!get_mask(tid, before) || (mask_word(before, processor) & mask_bit(processor)) == 0 ||
        processors_in(before) < 2 || !is_usual_policy(tid))
        return false;
    before.narrowed_to = processor;
    processor_set one{};
    one.bytes = before.bytes;
    mask_word(one, processor) = mask_bit(processor);
    return set_mask(tid, one);
}

bool restore_affinity(const processor_set& before) {
    processor_set now;
    if (!get_mask(0, now)) return false;
    const bool is_ours = processors_in(now) == 1 &&
                         (mask_word(now, before.narrowed_to) & mask_bit(before.narrowed_to)) != 0;
    if (!is_ours) return true;
    // The kernel keeps the mask that it is given, and cuts it to the thread's cpuset whenever the
    // cpuset changes. A thread that had the whole cpuset is to have the whole of each later cpuset
    // too.
    processor_set all = before;
    for (unsigned long& word : all.words) word = ~0UL;
    if (!set_mask(0, all) || !get_mask(0, now)) return false;
    if (std::equal(std::begin(now.words), std::end(now.words), std::begin(before.words)))
        return true;
    // EINVAL: this process may not run on any processor of `before` by now.
    return set_mask(0, before) || errno == EINVAL;
}

int current_processor() { return ::sched_getcpu(); }

}  // namespace rota::rt
