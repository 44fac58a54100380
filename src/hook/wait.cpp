// The wait by a record, the wait by a set, and the table of both.
#include "hook/wait.hpp"

#include <cerrno>
#include <new>

#include <poll.h>

#include "core/sched.hpp"
#include "fd/poll_wait.hpp"
#include "hook/protocol.hpp"
#include "netpoll/poller.hpp"
#include "sched/entry.hpp"
#include "sched/park.hpp"
#include "sys/call.hpp"
#include "sys/io.hpp"

namespace rota::rt {

namespace {

// A descriptor that somebody waits for. It lies in the waiter's frame, or beside its set.
struct awaited_fd {
    // --- fixed while it is in the table ---------------------------------------------
    int fd = -1;
    poll_word* word = nullptr;  // in which the goroutine waits

    // --- guarded by the lock of its bucket -------------------------------------------
    std::uint64_t last_close = 0;  // the last that had begun when it entered
    bool is_armed = false;         // it has the descriptor's own registration in the poller
    bool is_closed = false;        // the program has closed it
    awaited_fd* next = nullptr;
    awaited_fd** at = nullptr;  // what points to it
};

struct alignas(cache_line) bucket {
    lock mu{lock_rank::hook};
    awaited_fd* first ROTA_GUARDED_BY(mu) = nullptr;
    // How many there are. seq_cst: who waits counts itself, then has the kernel look the number up;
    // who closes has the kernel forget the number, then reads the count.
    atomic<std::uint32_t> count{0};
};

// The number of the last close that has begun. seq_cst: who is given a number that a close has
// freed notes that close, or a later one.
constinit atomic<std::uint64_t> last_closing{0};

constexpr unsigned bucket_count = 1024;
constinit bucket table[bucket_count];

bucket& bucket_of(int fd) { return table[static_cast<unsigned>(fd) % bucket_count]; }

// Enters a. `alone`: it wants the registration, and has it (is_armed) unless another one does.
// Caller: inside a runtime_entry, as for leave().
void enter(awaited_fd& a, bool alone) {
    bucket& b = bucket_of(a.fd);
    b.count.fetch_add(1, memory_order_seq_cst);  // pairs(hook.close)
    const lock_guard guard(b.mu);
    a.last_close = last_closing.load(memory_order_seq_cst);  // pairs(hook.closing)
    a.is_armed = alone;
    for (const awaited_fd* other = b.first; other != nullptr; other = other->next)
        a.is_armed = a.is_armed && !(other->fd == a.fd && other->is_armed);
    a.next = b.first;
    a.at = &b.first;
    if (a.next != nullptr) a.next->at = &a.next;
    b.first = &a;
}

// Nobody knows a any more. True: it was closed meanwhile.
bool leave(awaited_fd& a) {
    bucket& b = bucket_of(a.fd);
    b.count.fetch_sub(1, memory_order_relaxed);  // relaxed: one too many costs a vain look
    const lock_guard guard(b.mu);
    *a.at = a.next;
    if (a.next != nullptr) a.next->at = a.at;
    return a.is_closed;
}

bool is_within(const awaited_fd& a, unsigned first, unsigned last) {
    const auto fd = static_cast<unsigned>(a.fd);
    return fd >= first && fd <= last;
}

// The waiters find is_closed when they leave; those that entered behind that close look again.
void wake_all_of(bucket& b, unsigned first, unsigned last, std::uint64_t close) {
    const runtime_entry inside;
    const lock_guard guard(b.mu);
    for (awaited_fd* a = b.first; a != nullptr; a = a->next) {
        if (!is_within(*a, first, last)) continue;
        if (a->last_close < close) a->is_closed = true;
        g* const gp = a->word->ready();
        if (gp == nullptr) continue;
        goready(*gp);
        net_poller.discount_waiters(1);  // last: see is_deadlocked
    }
}

// Written by boot, before the library can say that anything was closed.
constinit atomic<int> own_process{0};

// A child that shares our memory until it runs another program (vfork) closes its own descriptors.
bool is_other_process() {
    return call_int(SYS_getpid) != own_process.load(memory_order_relaxed);  // relaxed: boot's
}

void set_deadline(poll_desc& d, poll_dir dir, std::int64_t when) {
    poll_set_deadline(d, dir, when == hook_no_deadline ? 0 : when);
}

// --- one descriptor
// --------------------------------------------------------------------------------

// 0: it has been waited for, or an error. not_alone: another wait, or the runtime's own use of the
// descriptor, has the registration.
constexpr int not_alone = -1;

// Whether one word of a record is told of all of these, as event_of (netpoll/epoll.cpp) files what
// the kernel says. The kernel tells of errors and hang-ups unasked, and both words hear of them.
bool suits_record(short asked) {
    constexpr int reads = POLLIN | POLLPRI | POLLRDHUP;
    const int events = asked & ~(POLLERR | POLLHUP);
    return (events & ~reads) == 0 || events == POLLOUT;
}

int wait_by_record(const pollfd& asked, std::int64_t deadline, bool& closed) {
    const poll_dir dir = (asked.events & POLLOUT) != 0 ? poll_dir::write : poll_dir::read;
    awaited_fd a;
    poll_desc* d = nullptr;
    {
        const runtime_entry inside;
        if (const int error = net_poller.start()) return error;
        d = poll_desc_new();
        if (d == nullptr) return EMFILE;
        a.fd = asked.fd;
        a.word = &(*d)[dir];
        enter(a, true);
        if (!a.is_armed) {
            (void)leave(a);
            poll_desc_free(*d);
            return not_alone;
        }
        if (deadline != hook_no_deadline) set_deadline(*d, dir, deadline);
    }
    int error = net_poller.arm(asked.fd, static_cast<std::uint16_t>(asked.events), *d);
    if (error == EBADF) error = 0;  // closed: who looks again finds out
    else if (error == ENOSYS || error == EEXIST) error = not_alone;
    else if (error == 0) error = poll_wait(*d, dir);
    const runtime_entry inside;
    closed = leave(a);
    if (deadline != hook_no_deadline) set_deadline(*d, dir, 0);
    poll_desc_free(*d);
    return error;
}

// --- sets
// ------------------------------------------------------------------------------------------

struct epoll_set {
    int epoll = -1;
    poll_desc* d = nullptr;
    epoll_set* next = nullptr;  // guarded by the lock of the kept ones
};

struct kept_sets {
    static constexpr std::uint32_t max = 64;
    lock mu{lock_rank::hook};
    epoll_set* first ROTA_GUARDED_BY(mu) = nullptr;
    std::uint32_t count ROTA_GUARDED_BY(mu) = 0;
};
constinit kept_sets kept;

void drop(epoll_set& s) {
    if (s.epoll >= 0) {
        net_poller.remove(s.epoll, s.d->tag());
        (void)io_close(s.epoll);
    }
    if (s.d != nullptr) {
        const runtime_entry inside;
        poll_desc_free(*s.d);
    }
    delete &s;
}

int make_set(epoll_set*& made) {
    auto* const s = new (std::nothrow) epoll_set;
    if (s == nullptr) return ENOMEM;
    int error = 0;
    {
        const runtime_entry inside;
        error = net_poller.start();
        if (error == 0) s->d = poll_desc_new();
    }
    if (error == 0 && s->d == nullptr) error = EMFILE;
    if (error == 0) {
        const int epoll = io_epoll_create();
        error = epoll < 0 ? -epoll : net_poller.add(epoll, *s->d);
        if (epoll >= 0 && error != 0) (void)io_close(epoll);
        if (error == 0) s->epoll = epoll;
    }
    if (error != 0) drop(*s);
    else made = s;
    return error;
}

int take_set(epoll_set*& taken) {
    {
        const runtime_entry inside;
        const lock_guard guard(kept.mu);
        taken = kept.first;
        if (taken != nullptr) {
            kept.first = taken->next;
            --kept.count;
            return 0;
        }
    }
    return make_set(taken);
}

// `empty`: the kernel has taken all out of it. Otherwise a file that a copy keeps open may be in it
// for ever, under a number that stands for another one now.
void give_set_back(epoll_set& s, bool empty) {
    if (empty) {
        const runtime_entry inside;
        const lock_guard guard(kept.mu);
        if (kept.count < kept_sets::max) {
            s.next = kept.first;
            kept.first = &s;
            ++kept.count;
            return;
        }
    }
    drop(s);
}

// All that the list asks of that descriptor.
std::uint32_t all_events_of(int fd, const pollfd* fds, std::size_t count) {
    std::uint32_t events = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (fds[i].fd == fd) events |= static_cast<std::uint16_t>(fds[i].events);
    return events;
}

// Puts them in. A descriptor that has been closed is left out: who looks again finds out; so is one
// that is always ready, of which the caller had word before.
int fill(const epoll_set& s, const pollfd* fds, std::size_t count, bool& look_again) {
    for (std::size_t i = 0; i < count; ++i) {
        if (fds[i].fd < 0) continue;
        int error = io_epoll_add(s.epoll, fds[i].fd, static_cast<std::uint16_t>(fds[i].events), i);
        if (error == -EEXIST)
            error = io_epoll_modify(s.epoll, fds[i].fd, all_events_of(fds[i].fd, fds, count), i);
        if (error == -EBADF) look_again = true;
        else if (error < 0 && error != -EPERM) return -error;
    }
    return 0;
}

bool empty_out(const epoll_set& s, const pollfd* fds, std::size_t count) {
    bool all = true;
    for (std::size_t i = 0; i < count; ++i) {
        if (fds[i].fd < 0) continue;
        const int error = io_epoll_remove(s.epoll, fds[i].fd);
        // Listed twice, it has gone before.
        bool again = false;
        for (std::size_t k = 0; error < 0 && k < i; ++k) again = again || fds[k].fd == fds[i].fd;
        all = all && (error >= 0 || error == -EPERM || again);
    }
    return all;
}

int wait_by_set(const pollfd* fds, std::size_t count, awaited_fd* all, std::int64_t deadline,
                std::size_t& closed) {
    epoll_set* s = nullptr;
    if (const int error = take_set(s)) return error;
    poll_desc& d = *s->d;
    {
        const runtime_entry inside;
        for (std::size_t i = 0; i < count; ++i) {
            if (fds[i].fd < 0) continue;
            all[i].fd = fds[i].fd;
            all[i].word = &d[poll_dir::read];
            enter(all[i], false);
        }
        if (deadline != hook_no_deadline) set_deadline(d, poll_dir::read, deadline);
    }
    bool look_again = false;
    int error = fill(*s, fds, count, look_again);
    if (error == 0 && !look_again) error = poll_wait(d, poll_dir::read);
    bool any_closed = false;
    {
        const runtime_entry inside;
        for (std::size_t i = 0; i < count; ++i) {
            if (fds[i].fd < 0 || !leave(all[i])) continue;
            any_closed = true;
            closed = i;
        }
        if (deadline != hook_no_deadline) set_deadline(d, poll_dir::read, 0);
    }
    give_set_back(*s, empty_out(*s, fds, count) && !any_closed && !look_again);
    return any_closed ? EBADF : error;
}

}  // namespace

void begin_foreign_waits() {
    own_process.store(call_int(SYS_getpid), memory_order_relaxed);  // relaxed: before any reader
}

int foreign_wait(const pollfd* fds, std::size_t count, std::int64_t deadline, std::size_t& closed) {
    if (count == 1 && fds->fd >= 0 && suits_record(fds->events)) {
        bool was_closed = false;
        const int error = wait_by_record(*fds, deadline, was_closed);
        if (was_closed) {
            closed = 0;
            return EBADF;
        }
        if (error != not_alone) return error;
    }
    constexpr std::size_t few = 16;
    if (count <= few) {
        awaited_fd all[few];
        return wait_by_set(fds, count, all, deadline, closed);
    }
    auto* const all = new (std::nothrow) awaited_fd[count];
    if (all == nullptr) return ENOMEM;
    const int error = wait_by_set(fds, count, all, deadline, closed);
    delete[] all;
    return error;
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
        // A signal's handler, which has interrupted the runtime, may not enter it.
        const m* const mp = getm_or_null();
        if (mp != nullptr && mp->in_runtime.load(memory_order_relaxed) != 0) return;
        if (is_other_process()) return;
        wake_all_of(b, first, last, close);
    }
}

}  // namespace rota::rt
