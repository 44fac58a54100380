// The table of hooked waits: which goroutine waits for which descriptor number.
//
// A close looks up the waits for its number and wakes them. A call that ends looks up the waits
// that queue for the same file and wakes the oldest.
//
// Invariant: a wait enters the table before the kernel looks the number up; a close reads the table
// after the kernel has freed the number. So the close finds the wait, or the kernel says EBADF.
//
// Closes. The kernel frees the number before close() returns; with SO_LINGER, seconds before. The
// number may then stand for another file, and a goroutine may wait for that file. So each close
// takes a number before it begins, and each wait notes the last number that was taken. A wait that
// has noted a close's number began after that close: it looks again, and does not fail with EBADF.
//
// Turns. Goroutines that read from one socket or pipe, or accept from one listener, take turns. The
// leader waits for the kernel's event. The queued waits are unknown to the kernel, and an event
// wakes the leader alone. When a call that has waited in turn ends, it passes the turn: if no
// leader waits, the oldest queued wait is woken and looks again. It becomes the leader if it finds
// nothing. Each such call passes the turn, whatever its outcome is.
//
// Invariant: while a wait queues, a leader waits for the same file, or a call that has waited in
// turn runs and will pass the turn.
//
// Rejected: EPOLLEXCLUSIVE. The kernel chooses among threads inside epoll_wait; here one epoll
// descriptor watches for all goroutines, and each event reaches each of them.
#pragma once

#include <cstdint>

namespace rota::rt {

class poll_word;

// Whether a wait takes turns with the other waits for the same file.
enum class hook_turn : std::uint8_t {
    none,    // it takes none
    leader,  // it waits for the kernel's event
    queued,  // it waits until a call passes the turn
};

// The open file behind a number, where waits take turns. Two files may have the number one after
// the other; a wait must not queue behind a wait for the earlier one.
struct awaited_file {
    std::uint64_t device = 0, inode = 0;
    friend bool operator==(const awaited_file&, const awaited_file&) = default;
};

// A wait for a descriptor. It lies in the waiter's frame, or in an array of the waiter's.
struct awaited_fd {
    // --- written by the waiter before it enters ---------------------------------------
    int fd = -1;
    poll_word* word = nullptr;  // in which the goroutine waits
    awaited_file file{};        // only if turn is not `none`

    // --- guarded by the lock of its bucket while it is in the table --------------------
    hook_turn turn = hook_turn::none;  // `leader`, before it enters: it asks for a turn
    bool is_promoted = false;          // the turn was passed to it; it has not left yet
    bool is_armed = false;             // it has the poller's registration of the descriptor.
    bool is_closed = false;            // the program has closed the descriptor
    std::uint64_t last_close = 0;      // number of the last close that had begun when it entered
    awaited_fd* next = nullptr;        // list of the bucket, oldest first
    awaited_fd** at = nullptr;         // the pointer of the list that leads here
};

// Notes the process to which the table belongs. Caller: boot, before it attaches to the library.
void begin_hook_table();

// Prepares `a`, which has its fd, for a wait in turn. False: files of this kind take no turns.
// Parks: never. Caller: not inside a runtime_entry.
[[nodiscard]] bool ask_for_turn(awaited_fd& a);

// Enters `a` into the table. `alone`: it asks for the registration, and gets it (is_armed) unless
// another wait has it. A wait that asked for a turn becomes the leader, or is queued.
// Caller: inside a runtime_entry, as for leave_table().
void enter_table(awaited_fd& a, bool alone);

// Takes `a` out. True: the program has closed the descriptor meanwhile.
bool leave_table(awaited_fd& a);

// As hook_runtime::pass_turn.
void foreign_pass_turn(int fd);

// As hook_runtime::closing.
std::uint64_t foreign_closing();

// As hook_runtime::closed.
void foreign_closed(unsigned first, unsigned last, std::uint64_t close);

}  // namespace rota::rt
