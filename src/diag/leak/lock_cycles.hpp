// Finds goroutines that wait for each other's locks in cycles.
//
// The proof. While stacks are scanned, no goroutine begins to run. The first pass notes which
// goroutine waits for which mutex, and the owner of the mutex. The second pass visits only waits in
// a cycle; it checks that each goroutine still waits, and that each mutex still has the same noted
// owner. A goroutine that is held and waits at the second pass has waited all the time. An owner
// that has not run in between has not unlocked its mutex in between, or the note would be gone. So
// at one moment between the passes the whole cycle stood. No member can go on unless a goroutine
// outside unlocks a mutex that it has not locked: rota allows that.
//
// Threads of the program's own are not held. Each of their waits has a number. A second walk of the
// semaphore table begins after the owners were looked up. A thread that stands in the table at both
// walks under the same number has stood there all the time between them. So the thread has locked
// nothing in between, and a note that was found for it is older than the end of the first walk. At
// that moment the whole cycle stood. A thread's mutex is read only under the table's lock, where
// the wait keeps the mutex alive.
//
// Not seen: a mutex without a noted owner (sync/lock_owners), readers of a shared_mutex, and waits
// for objects other than mutexes. For the last there can be no proof: the count of a semaphore or a
// group has no owner, and any goroutine may add to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/sync/mutex.hpp>

#include "core/sudog.hpp"
#include "sched/preempt/scan.hpp"

namespace rota::rt {

struct lock_wait {
    const g* gp;
    const mutex* wanted;
    std::uint64_t goid;  // as from owner_number
    int thread;          // the kernel's number of the thread; 0: it is a goroutine
    const g* owner;      // null: not known
    std::uint64_t owner_goid;
    std::uint32_t next;   // the wait of the owner; none: the owner waits for no mutex
    std::uint32_t visit;  // the search that visited it
    std::uint32_t cycle;  // number of its cycle; 0: none
    std::uint64_t wait;   // of a thread: the number of its wait
    bool stands;          // of a thread: at the second walk too
    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

// One search. Large: static, or on the heap.
class lock_cycles {
  public:
    // Searches among as many waits as there is room for. Returns the number of cycles; the waits
    // of a cycle carry its number, from 1. Allocates nothing. Caller: must not be stopped, nor
    // park. Takes: the roots of the semaphore table, lock_owners.
    std::uint32_t find(lock_wait* room, std::size_t capacity);

    // The number of waits that the last search visited, or would have visited with more room.
    std::size_t size() const { return size_; }

    // Calls visit for the waits of a cycle of the last search. The next wait's goroutine holds
    // each mutex; the first holds the last wait's mutex.
    template <class F>
    void for_each(std::uint32_t cycle, F visit) const {
        const std::uint32_t first = first_of(cycle);
        std::uint32_t at = first;
        do {
            visit(room_[at]);
            at = room_[at].next;
        } while (at != first);
    }

    // The wait of the owner of w's mutex. Caller: w is in a cycle.
    const lock_wait& owner_of(const lock_wait& w) const { return room_[w.next]; }

  private:
    void add(const sudog& s);
    void see_again(const sudog& s);
    lock_wait* find_wait(const g* gp) const;
    void find_owners();
    void find_cycles();
    bool stands_still(std::uint32_t first) const;
    std::uint32_t first_of(std::uint32_t cycle) const;

    stack_scan scan_;
    lock_wait* room_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0, used_ = 0;
    std::size_t thread_count_ = 0;
    std::uint32_t cycle_count_ = 0;
};

// GODEBUG=deadlock=1: prints each cycle once, when two searches in a row have found it. Allocates
// nothing, so functions have their mangled names. Caller: sysmon.
void report_lock_cycles();

}  // namespace rota::rt
