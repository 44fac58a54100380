// Leaves a call that faults by a jump out of the fault's handler.
#include "sys/signal/fault_escape.hpp"

#include <atomic>
#include <csetjmp>
#include <csignal>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// The threads that are in a call, by thread id: not in thread-local memory, of which the runtime
// has one word (sys/thread/self). When every place is taken, no call is made.
struct place {
    atomic<int> tid{0};             // 0: free
    sigjmp_buf* way_out = nullptr;  // written by its own thread
};
constexpr int places_max = 64;
constinit place places[places_max];

// Not inlined: its variables would lie beside the ones that a jump back must find unchanged.
ROTA_NOINLINE place* take_place(int tid) {
    // Refuses a call inside another: the jump would leave the outer one.
    for (const place& p : places) {
        if (p.tid.load(memory_order_relaxed) == tid)
            return nullptr;  // relaxed: only this thread
                             // writes its own id
    }
    for (place& p : places) {
        int free = 0;
        // relaxed load: only a hint before the exchange
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
    // The program may block them, in its own handler that was interrupted.
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
        const int who = p.tid.load(memory_order_relaxed);  // relaxed: only this thread writes its
                                                           // own id
        if (who == 0) continue;
        if (tid == 0) tid = current_thread_id();
        if (who == tid) siglongjmp(*p.way_out, 1);
    }
}

}  // namespace rota::rt
