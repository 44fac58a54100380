// The child of a fork has a copy of everything, and only the thread that forked. The ms that its
// queues wait for do not exist there, and a lock that another thread held stays locked for ever. So
// the child may exec or _exit, and exit for those who do not know better; each use of rota says
// what is wrong instead of hanging. Go: syscall.forkAndExecInChild, which is all that Go lets the
// child do.
//
// The child forgets which m its thread was. Every way into the runtime begins with the question who
// runs here, and where there is no answer it ends in boot_runtime, which complains. No operation
// pays for that. What never asks, an uncontended lock of a mutex, works as it always does.
#include "boot/fork.hpp"

#include <pthread.h>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sys/affinity.hpp"
#include "sys/ask_thread.hpp"
#include "sys/hold_threads.hpp"

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
