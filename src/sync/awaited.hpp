// For which object of this room a parked goroutine waits: what the search for goroutines that can
// never run again asks (diag/unreachable). Nobody may run meanwhile. Those who wait for a lock are
// found by way of the semaphore table (sync/sema).
#pragma once

#include <cstdint>

#include "core/g.hpp"
#include "core/sudog.hpp"
#include "sync/waiters.hpp"

namespace rota::detail {
struct waiter;
}

namespace rota::rt {

class lock;

// What the waits of this room hand their commit functions, in their frames, begins with this.
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

// Whether gp, whose state is `waiting`, waits for a lock: then visit_semaphores shows it.
bool waits_in_sema_table(const g& gp);

// The list in which gp stands, inside the object for which it waits. Null: it does not wait in one
// without a time limit, or has been taken out already, or somebody has been stopped at the list.
const void* list_awaited_by(const g& gp);

// The word for whose opening gp waits, or null.
const waiters_word* word_awaited_by(const g& gp);

// Calls visit(arg, gp) for each who waits for the opening of the word.
void visit_word(const waiters_word& word, void (*visit)(void* arg, const g& gp), void* arg);

}  // namespace rota::rt
