// Tells for which object of this room a parked goroutine waits, for the search for goroutines that
// can never run again (diag/leak/unreachable). No goroutine may run meanwhile. Waiters for a lock
// are found through the semaphore table (sync/wait/sema).
#pragma once

#include "core/g.hpp"
#include "sync/wait/waiters.hpp"

namespace rota::rt {

// Whether gp, in state `waiting`, waits for a lock: then visit_semaphores shows it.
bool waits_in_sema_table(const g& gp);

// The list that gp stands in, inside the object for which it waits. Null: gp does not wait in a
// list without a time limit, or it has been taken out, or a thread was stopped while it held the
// list.
const void* list_awaited_by(const g& gp);

// The word that gp waits to be opened, or null.
const waiters_word* word_awaited_by(const g& gp);

}  // namespace rota::rt
