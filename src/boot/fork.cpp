// Handles the child of a fork. The child has a copy of the memory, and only the thread that forked.
// The ms that its queues wait for do not exist there, and a lock that another thread held stays
// locked for ever. So the child may exec or _exit, and exit as a fallback. Each use of rota reports
// the fault instead of hanging. Go: syscall.forkAndExecInChild, which is the only thing that Go
// lets the child do.
//
// The child forgets the m of its thread. Every way into the runtime first asks for the calling
// thread's m; without an m it ends in boot_runtime, which complains. No operation pays for that. An
// operation that never asks, such as an uncontended lock of a mutex, works as usual.
#include "boot/fork.hpp"

#include <pthread.h>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sys/signal/ask_thread.hpp"
#include "sys/signal/hold_threads.hpp"
#include "sys/thread/affinity.hpp"

namespace rota::rt {

namespace {

void in_child() {
    forget_who_is_held();
    forget_who_is_asked();
    sched.forked.store(true, memory_order_relaxed);  // relaxed: the child has but this thread
    const m* const mp = getm_or_null();
    if (mp == nullptr) return;
    // A signal handler forked just when the thread had been woken.
    if (mp->is_placed) (void)restore_affinity(mp->affinity);
    at_thread_end(nullptr, nullptr);
    set_self(nullptr);
}

}  // namespace

void watch_forks() { ROTA_CHECK(pthread_atfork(nullptr, nullptr, in_child) == 0); }

bool is_forked_child() {
    return sched.forked.load(memory_order_relaxed);  // relaxed: set in the only thread
}

}  // namespace rota::rt
