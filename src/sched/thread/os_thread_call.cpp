// Keeps a few threads that wait for calls of call_on_os_thread. Each call has a thread to itself: a
// call that waits for another call (by a lock of the program's, say) does not wait for ever.
#include "sched/thread/os_thread_call.hpp"

#include "core/getg.hpp"
#include "sched/base/modes.hpp"
#include "sched/m/m_thread.hpp"
#include "sched/thread/syscall.hpp"
#include "sys/thread/note.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t stack_size = 1024 * 1024;  // for user code
constexpr int idle_max = 4;                      // threads beyond this number end

// A call. Lies in the frame of the goroutine that waits for it.
struct call {
    void (*f)(void*);
    void* arg;
    note done;
};

// A thread that serves calls. Lies in the frame of that thread.
struct worker {
    call* job;  // written by the goroutine that takes the worker from the list; passed on by `work`
    note work;
    worker* next = nullptr;
};

constinit worker* idle ROTA_GUARDED_BY(sched.mu) = nullptr;
constinit int idle_count ROTA_GUARDED_BY(sched.mu) = 0;

bool offer(worker& self) {
    self.work.clear();
    const lock_guard guard(sched.mu);
    if (idle_count == idle_max) return false;
    ++idle_count;
    self.next = idle;
    idle = &self;
    return true;
}

worker* take() {
    const lock_guard guard(sched.mu);
    worker* const w = idle;
    if (w == nullptr) return nullptr;
    --idle_count;
    idle = w->next;
    return w;
}

void* work_for_others(void* arg) {
    thread_take_signal_mask();
    sched.fp_at_boot.make_current();
    thread_set_name("rota-own");
    worker self{static_cast<call*>(arg), {}, nullptr};
    for (;;) {
        call& job = *self.job;
        job.f(job.arg);
        const bool stays = offer(self);  // first, so that the caller's next call finds this thread
        job.done.wakeup();
        if (!stays) return nullptr;
        self.work.sleep();
    }
}

}  // namespace

void call_on_os_thread(void (*f)(void*), void* arg) {
    if (current_goroutine() == nullptr) return f(arg);
    if (seeded.on) {  // there is one thread, and an order to be kept
        ++seeded.held;
        f(arg);
        --seeded.held;
        return;
    }
    call job{f, arg, {}};
    entersyscall();
    if (worker* const w = take()) {
        w->job = &job;
        w->work.wakeup();
    } else {
        start_thread(work_for_others, &job, stack_size);
    }
    job.done.sleep();
    exitsyscall();
}

}  // namespace rota::rt
