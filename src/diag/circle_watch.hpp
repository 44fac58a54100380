// GODEBUG=deadlock=1, the half that costs something: circles that lead through channels.
//
// A thread of rota's own looks, half a second apart, whether anybody has waited for a second or
// more for a channel, and somebody else for anything of the kind. Then it searches as
// find_all_deadlocks does, with the world and all threads stopped while memory is read; and after
// that it sleeps for a hundred times as long as the search has taken: the program stands still for
// a hundredth of its time at most.
//
// To the deadlock detector that thread is none: it wakes nobody up but whom it has stopped
// (sched/threads, attach_bystander). A goroutine in its place would be one more that lives, and a
// timer that brings it back would hold the detector off for good.
#pragma once

namespace rota::rt {

// At boot, once; not under GODEBUG=schedseed, where threads cannot be held.
void start_circle_watch();

}  // namespace rota::rt
