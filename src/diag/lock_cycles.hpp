// Goroutines that wait for each other's locks, in circles.
//
// What is proved. While stacks are scanned no goroutine begins to run. A first pass notes who waits
// for which mutex, and who has locked that; a second pass, of those in a circle only, sees that
// each waits still and that each mutex is noted as locked by the same goroutine still. Who is held
// still and waits at the second pass has waited all the time; and a mutex that is noted for a
// goroutine which has not run in between has not been unlocked in between, or the note would be
// gone. So at one moment between the passes the whole circle stood. Nobody in it can go on unless a
// goroutine outside of it unlocks a mutex that it has not locked: rota allows that.
//
// Threads of the program's own are not held still. Each of their waits has a number. One that
// stands in the semaphore table at a first walk, and again, under the same number, at a walk that
// begins after the owners were looked up, has stood there all the time between the walks; so the
// thread has locked nothing in between, and a note that was found for it is older than the first
// walk's end. At that moment the whole circle stood. A thread's mutex is looked at under the lock
// of the table only, where the wait keeps it alive.
//
// What is not seen: a mutex of whose owner there is no note (sync/lock_owners), those who hold a
// shared_mutex to read, and waits for anything but a mutex. Of those there can be no proof: a count
// that is waited for, in a semaphore or a group, belongs to nobody, and anybody may give it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/sync/mutex.hpp>

#include "core/sudog.hpp"
#include "sched/scan.hpp"

namespace rota::rt {

struct lock_wait {
    const g* gp;
    const mutex* wanted;
    std::uint64_t goid;  // as from owner_number
    int thread;          // the kernel's number of the thread; 0: it is a goroutine
    const g* owner;      // null: not known
    std::uint64_t owner_goid;
    std::uint32_t next;   // the wait of the owner; none: it does not wait for a mutex
    std::uint32_t visit;  // the search that came by
    std::uint32_t cycle;  // its circle; 0: none
    std::uint64_t wait;   // of a thread: which of its waits
    bool stands;          // of a thread: at the second walk too
    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

// One search. Large: static, or on the heap.
class lock_cycles {
  public:
    // Searches among as many waits as there is room for. Returns how many circles there are; those
    // of them are numbered from 1. Allocates nothing. Caller: must not be stopped, nor park. Takes:
    // the roots of the semaphore table, lock_owners.
    std::uint32_t find(lock_wait* room, std::size_t capacity);

    // How many waits the last search has looked at, or would have.
    std::size_t size() const { return size_; }

    // Calls visit for the waits of a circle of the last search; each mutex is held by the next one,
    // that of the last by the first.
    template <class F>
    void for_each(std::uint32_t cycle, F visit) const {
        const std::uint32_t first = first_of(cycle);
        std::uint32_t at = first;
        do {
            visit(room_[at]);
            at = room_[at].next;
        } while (at != first);
    }

    // Who has locked what w waits for; w is of a circle.
    const lock_wait& owner_of(const lock_wait& w) const { return room_[w.next]; }

  private:
    void add(const sudog& s);
    void see_again(const sudog& s);
    lock_wait* find_wait(const g* gp) const;
    void find_owners();
    void find_circles();
    bool stands_still(std::uint32_t first) const;
    std::uint32_t first_of(std::uint32_t cycle) const;

    stack_scan scan_;
    lock_wait* room_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0, used_ = 0;
    std::size_t thread_count_ = 0;
    std::uint32_t cycle_count_ = 0;
};

// GODEBUG=deadlock=1: prints each circle once, as soon as two looks in a row have seen it.
// Allocates nothing, so names of functions are as the compiler has them. Caller: sysmon.
void report_lock_cycles();

}  // namespace rota::rt
