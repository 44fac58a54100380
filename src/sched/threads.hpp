// Threads of the program's own: they attach when they first use rota, and are ms while they are
// inside run().
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Turns the calling thread, which runs nothing of rota, into an m that schedules, and back. For
// run().
m& thread_becomes_m() ROTA_EXCLUDES(sched.mu);
void m_becomes_thread(m& self) ROTA_EXCLUDES(sched.mu);

// The calling thread, which rota has started, attaches: what it does is no use of rota by a thread
// of the program's own, and the deadlock detector does not keep silent for it.
void attach_bystander();

// The main goroutine of a run() has ended: its thread must return. Go has no counterpart: there the
// process ends.
void main_goroutine_ended(run_record& record) ROTA_EXCLUDES(sched.mu);

// The calling thread ends the process from inside a goroutine: from now on it is a thread like any
// other.
void goroutine_becomes_thread(m& self);

}  // namespace rota::rt
