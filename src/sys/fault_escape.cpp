// By jumps out of the handler of the fault.
#include "sys/fault_escape.hpp"

#include <atomic>
#include <csetjmp>
#include <csignal>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

// Threads that are in a call, by their numbers: not in thread-local memory, of which there is one
// word (sys/self). Where all are taken, no call is made.
struct place {
    atomic<int> tid{0};             // 0: free
    sigjmp_buf* way_out = nullptr;  // its thread's own
};
constexpr int places_max = 64;
constinit place places[places_max];

// Not inlined: its variables would lie beside those that a jump back must find as they were.
ROTA_NOINLINE place* take_place(int tid) {
    // Inside another call, which would be left in place of this one.
    for (const place& p : places) {
        if (p.tid.load(memory_order_relaxed) == tid) return nullptr;  // relaxed: ours is our own
    }
    for (place& p : places) {
        int free = 0;
        // relaxed, where it is not taken: only looked at
        if (p.tid.load(memory_order_relaxed) == 0 &&
            p.tid.compare_exchange(free, tid, memory_order_acquire,  // pairs(escape.place)
                                   memory_order_relaxed))
            return &p;
    }
    return nullptr;
}

}  // namespace

ROTA_NOINLINE bool try_call(void (*f)(void* arg), void* arg) {
    place* const mine = take_place(current_thread_id());
    if (mine == nullptr) return false;
    // The program may hold them back, in a handler of its own that has been interrupted.
    sigset_t faults, before;
    ::sigemptyset(&faults);
    ::sigaddset(&faults, SIGSEGV);
    ::sigaddset(&faults, SIGBUS);
    ::pthread_sigmask(SIG_UNBLOCK, &faults, &before);
    sigjmp_buf here;
    mine->way_out = &here;
    const bool is_back = sigsetjmp(here, 0) != 0;
    if (!is_back) {
        std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs(escape.place)
        f(arg);
        std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs(escape.place)
    }
    mine->tid.store(0, memory_order_release);  // pairs(escape.place)
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return !is_back;
}

void leave_try_call() {
    int tid = 0;
    for (place& p : places) {
        const int who = p.tid.load(memory_order_relaxed);  // relaxed: ours is our own
        if (who == 0) continue;
        if (tid == 0) tid = current_thread_id();
        if (who == tid) siglongjmp(*p.way_out, 1);
    }
}

}  // namespace rota::rt
