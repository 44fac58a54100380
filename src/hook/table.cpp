// Implements the table of hooked waits: its buckets, turns, and closes.
#include "hook/table.hpp"

#include <sys/stat.h>

#include "core/sched.hpp"
#include "netpoll/poll_word.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/call/call.hpp"
#include "sys/io/file.hpp"

namespace rota::rt {

namespace {

struct alignas(cache_line) bucket {
    lock mu{lock_rank::hook};
    awaited_fd* first ROTA_GUARDED_BY(mu) = nullptr;
    awaited_fd** end ROTA_GUARDED_BY(mu) = nullptr;  // null: &first
    // Waits in the list. seq_cst: a wait counts itself, then has the kernel look the number up; a
    // close has the kernel free the number, then reads the count.
    atomic<std::uint32_t> count{0};
};

// The number of the last close that has begun. seq_cst: a goroutine that is given a number which a
// close has freed notes that close, or a later one.
constinit atomic<std::uint64_t> last_closing{0};

constexpr unsigned bucket_count = 1024;
constinit bucket table[bucket_count];

bucket& bucket_of(int fd) { return table[static_cast<unsigned>(fd) % bucket_count]; }

// Written by boot, before the library can say that anything was closed.
constinit atomic<int> own_process{0};

// The child of a vfork shares this memory until it runs another program. The descriptors that it
// closes are its own.
bool is_other_process() {
    return call_int(SYS_getpid) != own_process.load(memory_order_relaxed);  // relaxed: boot's
}

// A signal's handler that has interrupted the runtime may not enter it.
bool is_inside_runtime() {
    const m* const mp = getm_or_null();
    return mp != nullptr && mp->in_runtime.load(memory_order_relaxed) != 0;  // relaxed: own word
}

// Caller: inside a runtime_entry, holds the bucket's lock.
void wake(awaited_fd& a) {
    g* const gp = a.word->ready();
    if (gp == nullptr) return;
    goready(*gp);
    net_poller.discount_waiters(1);  // last: see is_deadlocked
}

// Whether `other` waits for the kernel's event in place of a, or was woken to do so.
bool leads(const awaited_fd& other, const awaited_fd& a) {
    return other.fd == a.fd && other.file == a.file &&
           (other.turn == hook_turn::leader || other.is_promoted);
}

bool is_within(const awaited_fd& a, unsigned first, unsigned last) {
    const auto fd = static_cast<unsigned>(a.fd);
    return fd >= first && fd <= last;
}

// The waits find is_closed when they leave; those that entered after that close look again.
void wake_all_of(bucket& b, unsigned first, unsigned last, std::uint64_t close) {
    const runtime_entry inside;
    const lock_guard guard(b.mu);
    for (awaited_fd* a = b.first; a != nullptr; a = a->next) {
        if (!is_within(*a, first, last)) continue;
        if (a->last_close < close) a->is_closed = true;
        wake(*a);
    }
}

// The oldest queued wait for that number without a leader; null: there is none.
awaited_fd* next_in_turn(awaited_fd* first, int fd) {
    awaited_file led{};  // the last file that was seen to have a leader: nearly always the only one
    for (awaited_fd* a = first; a != nullptr; a = a->next) {
        if (a->fd != fd || a->turn != hook_turn::queued || a->is_promoted || a->file == led)
            continue;
        const awaited_fd* other = first;
        while (other != nullptr && !leads(*other, *a)) other = other->next;
        if (other == nullptr) return a;
        led = a->file;
    }
    return nullptr;
}

}  // namespace

void begin_hook_table() {
    own_process.store(call_int(SYS_getpid), memory_order_relaxed);  // relaxed: before any reader
}

bool ask_for_turn(awaited_fd& a) {
    struct ::stat about{};
    if (file_stat(a.fd, about) != 0) return false;
    // Other kinds share an inode (eventfd), or are ready for each reader (a terminal's end).
    if (!S_ISSOCK(about.st_mode) && !S_ISFIFO(about.st_mode)) return false;
    a.file = {about.st_dev, about.st_ino};
    a.turn = hook_turn::leader;
    return true;
}

void enter_table(awaited_fd& a, bool alone) {
    bucket& b = bucket_of(a.fd);
    b.count.fetch_add(1, memory_order_seq_cst);  // pairs(hook.close)
    const lock_guard guard(b.mu);
    a.last_close = last_closing.load(memory_order_seq_cst);  // pairs(hook.closing)
    a.is_armed = alone;
    for (const awaited_fd* other = b.first; other != nullptr; other = other->next) {
        a.is_armed = a.is_armed && !(other->fd == a.fd && other->is_armed);
        if (a.turn != hook_turn::none && leads(*other, a)) a.turn = hook_turn::queued;
    }
    if (a.turn == hook_turn::queued) a.is_armed = false;
    if (b.end == nullptr) b.end = &b.first;
    a.next = nullptr;
    a.at = b.end;
    *b.end = &a;
    b.end = &a.next;
}

bool leave_table(awaited_fd& a) {
    bucket& b = bucket_of(a.fd);
    b.count.fetch_sub(1, memory_order_relaxed);  // relaxed: one too many costs a vain look
    const lock_guard guard(b.mu);
    *a.at = a.next;
    if (a.next != nullptr) a.next->at = a.at;
    else b.end = a.at;
    return a.is_closed;
}

void foreign_pass_turn(int fd) {
    bucket& b = bucket_of(fd);
    // relaxed: a wait that queues behind this call has entered before this call left the table, and
    // both have held the lock.
    if (b.count.load(memory_order_relaxed) == 0) return;
    const runtime_entry inside;
    const lock_guard guard(b.mu);
    awaited_fd* const a = next_in_turn(b.first, fd);
    if (a == nullptr) return;
    a->is_promoted = true;
    wake(*a);
}

std::uint64_t foreign_closing() {
    return last_closing.fetch_add(1, memory_order_seq_cst) + 1;  // pairs(hook.closing)
}

void foreign_closed(unsigned first, unsigned last, std::uint64_t close) {
    if (sched.forked.load(memory_order_relaxed)) return;  // relaxed: set in the only thread
    full_fence();                                         // pairs(hook.close)
    const unsigned count = last - first < bucket_count ? last - first + 1 : bucket_count;
    for (unsigned i = 0; i < count; ++i) {
        bucket& b = table[(first + i) % bucket_count];
        if (b.count.load(memory_order_seq_cst) == 0) continue;  // pairs(hook.close)
        if (is_inside_runtime() || is_other_process()) return;
        wake_all_of(b, first, last, close);
    }
}

}  // namespace rota::rt
