// GODEBUG=deadlock=1, the costly half: reports cycles of waiting goroutines that include channels.
//
// A thread of rota's own looks every half second. It searches if one goroutine has waited for a
// second or more for a channel, and another goroutine for a channel or a lock. The search works as
// in find_all_deadlocks: the world and all threads are stopped while memory is read. After a search
// the thread sleeps for a hundred times the search's time, so the program stands still for at most
// a hundredth of its time.
//
// The deadlock detector does not count this thread: it wakes only threads that it has stopped
// (sched/thread/foreign_threads, attach_bystander). A goroutine in its place would count as live,
// and the timer that wakes it would keep the detector off for good.
#pragma once

namespace rota::rt {

// At boot, once; not under GODEBUG=schedseed, where threads cannot be held.
void start_cycle_watch();

}  // namespace rota::rt
