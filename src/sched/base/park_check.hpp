// Door: GODEBUG=parkcheck, the half that sees a goroutine leave its thread.
//
// A goroutine that parks or yields may go on on another thread, and other goroutines run on the
// first thread meanwhile. That is a fault of the program while the goroutine holds a pthread mutex,
// or is inside a call of a library that belongs to its thread. This half notes the stack of a
// goroutine that leaves in this state, and which mutexes it holds. diag/leak/park_watch reads the
// notes on a thread of its own, and prints the report.
//
// Both halves run where the leaving goroutine may hold a lock of the runtime. So this half takes no
// lock, allocates nothing and knows no symbols: it recognises a noted stack by its hash. The
// mutexes of a goroutine stand in a table under its number; only this goroutine writes and reads
// its entries.
//
// Off, the check costs nothing: g::leaves_with_care, which is tested for pins, stands for both.
//
// Rejected: to look when the goroutine goes on. A goroutine that waits for ever never goes on, and
// a goroutine that has gone on on the wrong thread may crash first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "core/g.hpp"

namespace rota::rt {

struct held_mutex {
    const void* mutex;
    const void* locked_at;  // return address of the call that locked it
    bool knows_owner;       // recursive, error-checking, robust: it belongs to the thread
};

struct noted_park {
    static constexpr std::size_t pcs_max = 256, mutexes_max = 4, name_max = 64;

    // Hash of the fields below except the goroutine's; 0: free. Its first writer owns the note.
    atomic<std::uint64_t> key{0};

    // --- written by its owner before the note is published -----------------------------------
    std::uint64_t goid;
    std::uint64_t parent_goid;
    creation_place created_at;
    noted_park* next;  // the note published before this one
    bool is_main;
    bool waits;  // else it is runnable: it yields, is preempted, or has found no p
    wait_reason why;
    std::uint8_t mutex_count;
    std::uint16_t pc_count;
    char name[name_max];
    held_mutex mutexes[mutexes_max];
    std::uintptr_t pcs[pcs_max];  // return addresses, the innermost first
};

struct park_check_t {
    // --- fixed at boot, before the first goroutine -------------------------------------------
    bool is_on = false;
    bool notes_all = false;      // also goroutines that hold no mutex
    bool notes_mutexes = false;  // librota_hook.so says which mutexes are locked
    noted_park* notes = nullptr;
    struct held_slot* held = nullptr;

    // --- any thread writes ----------------------------------------------------------------------
    atomic<noted_park*> fresh{nullptr};  // notes that the reader has not taken, the latest first
    // Bumped behind each change that the reader must see; the reader sleeps on it.
    atomic<std::uint32_t> bell{0};
    // relaxed, all three: counts
    atomic<std::uint32_t> note_count{0};
    atomic<std::uint32_t> lost_count{0};  // notes and mutexes without room
    // How many notes the reader has dealt with; written by the reader.
    atomic<std::uint32_t> read_count{0};
};
inline constinit park_check_t park_check;

// Caller: boot, before the first goroutine.
void park_check_begin(bool notes_all, bool notes_mutexes);

// Notes gp, which is about to leave its thread, neither pinned nor locked to it. Caller: gp, on its
// own stack, inside the runtime, perhaps with a lock of the runtime. Parks: never. Takes no lock.
ROTA_COLD void note_leaving(const g& gp);

// Notes that the calling goroutine or thread has locked a pthread mutex, or is about to unlock it.
// Caller: librota_hook.so, in any code. Parks: never. Takes no lock.
void note_mutex_locked(const void* mutex, const void* locked_at, bool knows_owner);
void note_mutex_unlocked(const void* mutex);

// Returns the notes since the last call, the oldest first; null: none. Caller: the one reader.
noted_park* take_noted_parks();

// Sleeps until park_check.bell differs from `seen`. Caller: the one reader.
void wait_for_bell(std::uint32_t seen);

// Waits until the reader has dealt with every note made before this call, for 2 s at most. Caller:
// a thread that ends the process and is not the reader; also in a signal handler.
void wait_for_park_reports();

}  // namespace rota::rt
