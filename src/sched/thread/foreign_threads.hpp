// Attaches threads of the program's own when they first use rota; they are ms while inside run().
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Turns the calling thread, which runs nothing of rota, into an m that schedules, and back. Caller:
// run().
m& thread_becomes_m() ROTA_EXCLUDES(sched.mu);
void m_becomes_thread(m& self) ROTA_EXCLUDES(sched.mu);

// Attaches the calling thread, which rota has started: its use of rota is no use by a thread of the
// program's own, and the deadlock detector does not keep silent for it.
void attach_bystander();

// Makes the thread of a run() return: its main goroutine has ended. Go has no counterpart: there
// the process ends.
void main_goroutine_ended(run_record& record) ROTA_EXCLUDES(sched.mu);

// Makes the calling thread, which ends the process from inside a goroutine, a thread like any
// other.
void goroutine_becomes_thread(m& self);

}  // namespace rota::rt
