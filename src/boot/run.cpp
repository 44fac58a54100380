// rota::run: a main goroutine, and the calling thread as an m until it has ended. Go: runtime.main,
// rt0_go.
#include <rota/go.hpp>

#include "boot/exit.hpp"
#include "core/getg.hpp"
#include "diag/crash/crash.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/schedule.hpp"
#include "sched/goroutine/newproc.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/thread/foreign_threads.hpp"
#include "sched/thread/syscall.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

struct main_call {
    void (*entry)(void*);
    void* closure;
    void call() const { entry(closure); }
};

// So that the main goroutine starts right here.
void take_idle_p(m& self) {
    const lock_guard guard(sched.mu);
    if (p* pp = pidle_get()) acquirep(self, *pp);
}

ROTA_NOINLINE void schedule_in_run(m& self) {
    self.run_frame.store(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                         memory_order_relaxed);  // relaxed: see there
    schedule_loop(self);
}

}  // namespace

// In a frame of its own: see the end.
ROTA_NOINLINE void run_main(void (*entry)(void*), void* closure) {
    if (current_goroutine() != nullptr) panic("rota: run called inside a goroutine");
    if (is_ending_process()) panic("rota: run called while the process exits");
    m& self = thread_becomes_m();
    struct back {
        m& self;
        ~back() {
            self.run_frame.store(0, memory_order_relaxed);  // relaxed: see there
            self.run = nullptr;
            m_becomes_thread(self);
            stop_scheduling_at_exit();
        }
    } at_end{self};
    run_record record;
    record.mp = &self;
    const spawn_slot slot = spawn_begin(sizeof(main_call), alignof(main_call), 0, {});
    new (slot.closure) main_call{entry, closure};
    if (seeded.on) {
        self.park.clear();
        {
            const runtime_entry inside;
            spawn_main(slot, &enter<main_call>, record);
        }
        return seeded_run(self, record);
    }
    self.run = &record;
    enter_runtime();  // for good: an m with a p, on g0, must not be outside
    take_idle_p(self);
    spawn_main(slot, &enter<main_call>, record);
    // What the caller keeps in registers stays in this frame, above that of schedule_in_run().
    __builtin_unwind_init();
    schedule_in_run(self);
}

// The C++ library looks for a handler first. If there is none it calls std::terminate from here,
// and on_terminate (diag/crash/crash) finds the mark. If there is one, the exception takes the mark
// away when it leaves this function.
void rethrow_from_run(std::exception_ptr error) {
    const leaving_run until_it_has_left;
    std::rethrow_exception(std::move(error));
}

void entersyscall() { rt::entersyscall(); }
void exitsyscall() { rt::exitsyscall(); }

}  // namespace rota::detail
