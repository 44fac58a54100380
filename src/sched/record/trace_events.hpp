// Writes the scheduler's events into the execution trace. Go: traceruntime.go.
//
// A reader of the trace replays the scheduler from these events, thread by thread, so each event
// must be possible where it stands: see docs/tracing.md. The writers:
//
//   * an m that holds a p, into its own stream, without a lock;
//   * the taker of a p from an m outside the runtime, into the stream of that m, which is locked
//     out (sched/preempt/retake);
//   * any other thread (an m without a p, a thread of the program's own, sysmon) with trace.mu.
//
// A generation begins and ends with the world stopped and trace.mu held: then no thread writes. It
// begins with the goroutines that run or are in a system call, and all ps. Every other goroutine is
// told with the first event about it, or, without an event, before the generation ends
// (sched/world/trace_world). g::traced holds what has been told, written by the thread that changes
// the state. A goroutine is told in the state of g::traced, not in a state that is about to change.
//
// When a trace begins the events before it are missing: in its first generation an untold goroutine
// was in the state that its first event leaves. A thread without a p may be on its way from a
// change of state to the event then. It stores the state, then looks whether there is a trace. The
// thread that begins a trace announces it, and then, behind a process-wide barrier, reads states.
// So either the new state is seen, and told, or the event is written; the second of the two finds
// the goroutine told and writes nothing.
//
// Without a trace this costs nothing on hot paths: a trace raises sched.direct_switch_blockers,
// which the direct switch reads anyway, and m::ready_extras, which goready and newproc read.
// Elsewhere a hook is one test of trace_log.on.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/annotations.hpp"
#include "core/m.hpp"
#include "core/p.hpp"
#include "sched/record/trace_log.hpp"
#include "trace/stacks.hpp"
#include "trace/strings.hpp"

namespace rota::rt {

// Whether a trace runs that is in its first generation: goroutines may not yet have a word of it.
// Any thread; takes mu.
bool is_first_of_trace();

// The numbers of the fixed strings.
constexpr std::uint32_t trace_reason(wait_reason why) {
    return static_cast<std::uint32_t>(why) + 1;
}
inline constexpr std::uint32_t trace_text_gosched = 40, trace_text_preempted = 41,
                               trace_text_stops = 42;  // and one for each reason to stop the world
// The text of a fixed number, or null.
const char* trace_fixed_text(std::uint32_t id);

// --- goroutines: caller is the m that holds a p, on the goroutine's stack ------------------------

// Tells that the current goroutine, whose state is stored, is about to be switched away from.
ROTA_NOINLINE void trace_leave(m& self);
// As trace_leave, and `next` starts at the same moment.
ROTA_NOINLINE void trace_switch(m& self, g& next);
ROTA_NOINLINE void trace_go_syscall(m& self, p& pp);  // pp is self's, or was

// --- on any stack
// ---------------------------------------------------------------------------------

ROTA_NOINLINE void trace_go_start(m& self, g& gp);  // self holds a p
ROTA_NOINLINE void trace_go_create(m& self, g& gp);
ROTA_COLD void trace_go_unblock(g& gp);  // any thread; gp's state is stored, and it is in no queue
ROTA_NOINLINE void trace_go_unblock(m& self, g& gp);  // as above, by an m that holds a p

// --- ps
// ---------------------------------------------------------------------------------------------

ROTA_COLD void trace_proc_start(m& self, p& pp);  // pp has just become self's
ROTA_COLD void trace_proc_stop(m& self, p& pp);   // pp is still self's
// pp, in a system call, has been taken by the caller.
ROTA_COLD void trace_proc_steal(p& pp);
// As trace_proc_steal, for pp of mp, which is locked out: in the trace mp first enters a system
// call.
ROTA_COLD void trace_proc_take(p& pp, m& mp);
ROTA_COLD void trace_procs_change(m& self, std::int32_t n);

// --- the way out of a system call
// -------------------------------------------------------------------

// self has got its old p back: by itself, or from another m that was in a call with it.
ROTA_COLD void trace_old_p(m& self, p& pp);
// self's goroutine goes on with another p than before.
ROTA_COLD void trace_go_on(m& self);
// The goroutine of self, which is stored as runnable, waits for a p.
ROTA_COLD void trace_go_wait(m& self);

// --- stops of the world
// -----------------------------------------------------------------------------

ROTA_COLD void trace_stop_begin(m& self, unsigned why);
ROTA_COLD void trace_stop_end(m& self);

// The thread of self ends.
void trace_m_ends(m& self);

// --- the program's own: on a goroutine, inside the runtime, with a p
// --------------------------------

void trace_task_begin(std::uint64_t task, std::uint64_t parent, std::string_view name);
void trace_task_end(std::uint64_t task);
void trace_region_begin(std::uint64_t task, std::string_view name);
void trace_region_end(std::uint64_t task, std::string_view name);
void trace_user_log(std::uint64_t task, std::string_view category, std::string_view text);

}  // namespace rota::rt
