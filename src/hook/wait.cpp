// The wait by a record, and the wait by a set.
#include "hook/wait.hpp"

#include <cerrno>
#include <new>

#include <poll.h>

#include "fd/poll_wait.hpp"
#include "hook/protocol.hpp"
#include "hook/table.hpp"
#include "netpoll/poller.hpp"
#include "sched/entry.hpp"
#include "sys/io.hpp"

namespace rota::rt {

namespace {

void set_deadline(poll_desc& d, poll_dir dir, std::int64_t when) {
    poll_set_deadline(d, dir, when == hook_no_deadline ? 0 : when);
}

// --- one descriptor
// --------------------------------------------------------------------------------

// wait_by_record returns 0 (the wait has ended), an errno value, or this: another wait, or the
// runtime's own use of the descriptor, has the registration.
constexpr int not_alone = -1;

// Whether one word of a record is told of all of these events: event_of (netpoll/epoll.cpp) decides
// which word is told of what. Both words are told of errors and hang-ups, asked for or not.
bool suits_record(short asked) {
    constexpr int reads = POLLIN | POLLPRI | POLLRDHUP;
    const int events = asked & ~(POLLERR | POLLHUP);
    return (events & ~reads) == 0 || events == POLLOUT;
}

// Arms the record and waits; a queued wait is not armed. 0, not_alone, or an error.
int wait_armed(const pollfd& asked, const awaited_fd& a, poll_desc& d, poll_dir dir) {
    if (a.turn != hook_turn::queued) {
        const int error = net_poller.arm(asked.fd, static_cast<std::uint16_t>(asked.events), d);
        if (error == EBADF) return 0;  // closed: the caller looks again and finds that
        if (error == ENOSYS || error == EEXIST) return not_alone;
        if (error != 0) return error;
    }
    return poll_wait(d, dir);
}

int wait_by_record(const pollfd& asked, std::int64_t deadline, bool in_turn, bool& closed) {
    const poll_dir dir = (asked.events & POLLOUT) != 0 ? poll_dir::write : poll_dir::read;
    awaited_fd a;
    a.fd = asked.fd;
    if (in_turn) (void)ask_for_turn(a);
    poll_desc* d = nullptr;
    {
        const runtime_entry inside;
        if (const int error = net_poller.start()) return error;
        d = poll_desc_new();
        if (d == nullptr) return EMFILE;
        a.word = &(*d)[dir];
        enter_table(a, true);
        if (!a.is_armed && a.turn != hook_turn::queued) {
            (void)leave_table(a);
            poll_desc_free(*d);
            return not_alone;
        }
        if (deadline != hook_no_deadline) set_deadline(*d, dir, deadline);
    }
    const int error = wait_armed(asked, a, *d, dir);
    const runtime_entry inside;
    closed = leave_table(a);
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

// `empty`: no descriptor is left in it. A file that a copy keeps open may stay in it for ever,
// under a number that stands for another file now.
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

// Puts the descriptors in. Left out are: a descriptor that has been closed, since the caller looks
// again and finds that; a descriptor that is always ready (EPERM), which the caller has seen.
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

// The array of a set's waits. Small lists need no allocation.
class wait_list {
  public:
    explicit wait_list(std::size_t count)
        : all_(count <= few ? here_ : new(std::nothrow) awaited_fd[count]) {}
    ~wait_list() {
        if (all_ != here_) delete[] all_;
    }
    wait_list(const wait_list&) = delete;
    wait_list& operator=(const wait_list&) = delete;

    awaited_fd* all() { return all_; }  // null: no memory

  private:
    static constexpr std::size_t few = 16;
    awaited_fd here_[few];
    awaited_fd* const all_;
};

// Caller: inside a runtime_entry.
void enter_all(const pollfd* fds, std::size_t count, awaited_fd* all, poll_desc& d) {
    for (std::size_t i = 0; i < count; ++i) {
        if (fds[i].fd < 0) continue;
        all[i].fd = fds[i].fd;
        all[i].word = &d[poll_dir::read];
        enter_table(all[i], false);
    }
}

// True: fds[closed] was closed. Caller: inside a runtime_entry.
bool leave_all(const pollfd* fds, std::size_t count, awaited_fd* all, std::size_t& closed) {
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (fds[i].fd < 0 || !leave_table(all[i])) continue;
        any = true;
        closed = i;
    }
    return any;
}

int wait_by_set(const pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
                std::size_t& closed) {
    wait_list list(count);
    awaited_fd* const all = list.all();
    if (all == nullptr) return ENOMEM;
    epoll_set* s = nullptr;
    if (const int error = take_set(s)) return error;
    poll_desc& d = *s->d;
    all->fd = fds->fd;
    if (in_turn) (void)ask_for_turn(*all);
    {
        const runtime_entry inside;
        enter_all(fds, count, all, d);
        if (deadline != hook_no_deadline) set_deadline(d, poll_dir::read, deadline);
    }
    const bool is_queued = in_turn && all->turn == hook_turn::queued;
    bool look_again = false;
    int error = is_queued ? 0 : fill(*s, fds, count, look_again);
    if (error == 0 && !look_again) error = poll_wait(d, poll_dir::read);
    bool any_closed = false;
    {
        const runtime_entry inside;
        any_closed = leave_all(fds, count, all, closed);
        if (deadline != hook_no_deadline) set_deadline(d, poll_dir::read, 0);
    }
    const bool is_empty = is_queued || empty_out(*s, fds, count);
    give_set_back(*s, is_empty && !any_closed && !look_again);
    return any_closed ? EBADF : error;
}

}  // namespace

int foreign_wait(const pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
                 std::size_t& closed) {
    if (count == 1 && fds->fd >= 0 && suits_record(fds->events)) {
        bool was_closed = false;
        const int error = wait_by_record(*fds, deadline, in_turn, was_closed);
        if (was_closed) {
            closed = 0;
            return EBADF;
        }
        if (error != not_alone) return error;
    }
    return wait_by_set(fds, count, deadline, in_turn && count == 1, closed);
}

}  // namespace rota::rt
