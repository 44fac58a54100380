// Tells for which object of this room a parked goroutine waits, for the search for goroutines that
// can never run again (diag/unreachable). No goroutine may run meanwhile. Waiters for a lock are
// found through the semaphore table (sync/wait/sema).
#pragma once

#include <cstdint>

#include "core/g.hpp"
#include "core/sudog.hpp"
#include "sync/wait/waiters.hpp"

namespace rota::detail {
struct waiter;
}

namespace rota::rt {

class lock;

// The first word of each record that a wait of this room passes to its commit function, in its
// frame.
enum class wait_place : std::uint32_t {
    list = 0x6c697374,
    limited = 0x6c696d69,
    word = 0x776f7264
};

struct list_sleep {
    wait_place place = wait_place::list;
    lock* l;
    const detail::waiter* w;
};

struct word_sleep {
    wait_place place = wait_place::word;
    waiters_word* word;
    sudog me;
};

// Whether gp, in state `waiting`, waits for a lock: then visit_semaphores shows it.
bool waits_in_sema_table(const g& gp);

// The list that gp stands in, inside the object for which it waits. Null: gp does not wait in a
// list without a time limit, or it has been taken out, or a thread was stopped while it held the
// list.
const void* list_awaited_by(const g& gp);

// The word that gp waits to be opened, or null.
const waiters_word* word_awaited_by(const g& gp);

// Calls visit(arg, gp) for each goroutine that waits for the opening of the word.
void visit_word(const waiters_word& word, void (*visit)(void* arg, const g& gp), void* arg);

}  // namespace rota::rt
