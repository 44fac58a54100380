// Waits for the program's descriptors: by the goroutine's poll record, or by an epoll set.
#include "hook/wait.hpp"

#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include <poll.h>

#include "fd/poll_wait.hpp"
#include "hook/protocol.hpp"
#include "hook/table.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/io/io.hpp"

namespace rota::rt {

namespace {

void set_deadline(poll_desc& d, poll_dir dir, std::int64_t when) {
    poll_set_deadline(d, dir, when == hook_no_deadline ? 0 : when);
}

// --- the waits of a call
// ---------------------------------------------------------------------------

// The waits for the descriptors of one call. Short lists need no allocation.
class wait_list {
  public:
    wait_list(const pollfd* fds, std::size_t count)
        : fds_(fds),
          count_(count),
          all_(count <= few ? reinterpret_cast<awaited_fd*>(here_)
                            : static_cast<awaited_fd*>(
                                  ::operator new(count * sizeof(awaited_fd), std::nothrow))) {
        if (all_ != nullptr) std::uninitialized_value_construct_n(all_, count);
    }
    ~wait_list() {
        if (count_ > few) ::operator delete(all_);
    }
    wait_list(const wait_list&) = delete;
    wait_list& operator=(const wait_list&) = delete;

    bool has_memory() const { return all_ != nullptr; }

    // The first wait asks for a turn.
    void ask_for_turn_of_first() {
        all_->fd = fds_->fd;
        (void)ask_for_turn(*all_);
    }
    bool is_queued() const { return all_->turn == hook_turn::queued; }

    // Enters the waits into the table. False: a wait has not got the registration that it asked
    // for. Caller: inside a runtime_entry, as for leave().
    bool enter(poll_word& word, bool alone) {
        bool has_all = true;
        for (std::size_t i = 0; i < count_; ++i) {
            if (fds_[i].fd < 0) continue;
            all_[i].fd = fds_[i].fd;
            all_[i].word = &word;
            enter_table(all_[i], alone);
            has_all = has_all && (all_[i].is_armed || is_queued());
        }
        return has_all;
    }

    // True: fds[closed] was closed meanwhile.
    bool leave(std::size_t& closed) {
        bool any = false;
        for (std::size_t i = 0; i < count_; ++i) {
            if (fds_[i].fd < 0 || !leave_table(all_[i])) continue;
            any = true;
            closed = i;
        }
        return any;
    }

  private:
    static constexpr std::size_t few = 16;
    static_assert(std::is_trivially_destructible_v<awaited_fd>);
    const pollfd* const fds_;
    const std::size_t count_;
    alignas(awaited_fd) std::byte here_[few * sizeof(awaited_fd)];
    awaited_fd* const all_;  // null: no memory
};

// --- a record
// --------------------------------------------------------------------------------------

// wait_by_record returns 0 (the wait has ended), an errno value, or this: another wait, or the
// runtime's own use of a descriptor, has its registration.
constexpr int not_alone = -1;

// Whether one word of a record is told of all of these events: event_of (netpoll/epoll.cpp) decides
// which word is told of what. Both words are told of errors and hang-ups, asked for or not.
bool suits_record(const pollfd* fds, std::size_t count) {
    constexpr int reads = POLLIN | POLLPRI | POLLRDHUP;
    bool has_reads = false, has_writes = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (fds[i].fd < 0) continue;
        const int events = fds[i].events & ~(POLLERR | POLLHUP);
        if (events == POLLOUT) has_writes = true;
        else if ((events & ~reads) == 0) has_reads = true;
        else return false;
    }
    return has_reads != has_writes;
}

poll_dir direction_of(const pollfd* fds, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (fds[i].fd >= 0 && (fds[i].events & POLLOUT) != 0) return poll_dir::write;
    return poll_dir::read;
}

// Arms the record for each descriptor and waits. An event ends the wait; the record's tag is over
// then, so that the descriptors that are still armed wake no other goroutine.
int arm_and_wait(const pollfd* fds, std::size_t count, poll_desc& d, poll_dir dir) {
    for (std::size_t i = 0; i < count; ++i) {
        if (fds[i].fd < 0) continue;
        const int error = net_poller.arm(fds[i].fd, static_cast<std::uint16_t>(fds[i].events), d);
        if (error == EBADF) return 0;  // closed: the caller looks again and finds that
        if (error == ENOSYS || error == EEXIST) return not_alone;
        // A set leaves out what the kernel does not watch. Alone, it cannot be waited for.
        if (error == EPERM && count > 1) return not_alone;
        if (error != 0) return error;
    }
    return poll_wait(d, dir);
}

int wait_by_record(const pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
                   std::size_t& closed) {
    const poll_dir dir = direction_of(fds, count);
    wait_list list(fds, count);
    if (!list.has_memory()) return ENOMEM;
    if (in_turn) list.ask_for_turn_of_first();
    poll_desc* d = nullptr;
    {
        const runtime_entry inside;
        if (const int error = net_poller.start()) return error;
        d = poll_desc_new();
        if (d == nullptr) return EMFILE;
        if (!list.enter((*d)[dir], true)) {
            const bool any_closed = list.leave(closed);
            poll_desc_free(*d);
            return any_closed ? EBADF : not_alone;
        }
        if (deadline != hook_no_deadline) set_deadline(*d, dir, deadline);
    }
    const int error = list.is_queued() ? poll_wait(*d, dir) : arm_and_wait(fds, count, *d, dir);
    const runtime_entry inside;
    const bool any_closed = list.leave(closed);
    if (deadline != hook_no_deadline) set_deadline(*d, dir, 0);
    poll_desc_free(*d);
    return any_closed ? EBADF : error;
}

// --- sets
// ------------------------------------------------------------------------------------------

struct epoll_set {
    int epoll = -1;
    poll_desc* d = nullptr;
    epoll_set* next = nullptr;  // guarded by the lock of the kept sets
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

// The union of the events that the list asks of that descriptor.
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

int wait_by_set(const pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
                std::size_t& closed) {
    wait_list list(fds, count);
    if (!list.has_memory()) return ENOMEM;
    epoll_set* s = nullptr;
    if (const int error = take_set(s)) return error;
    poll_desc& d = *s->d;
    if (in_turn) list.ask_for_turn_of_first();
    {
        const runtime_entry inside;
        (void)list.enter(d[poll_dir::read], false);
        if (deadline != hook_no_deadline) set_deadline(d, poll_dir::read, deadline);
    }
    bool look_again = false;
    int error = list.is_queued() ? 0 : fill(*s, fds, count, look_again);
    if (error == 0 && !look_again) error = poll_wait(d, poll_dir::read);
    bool any_closed = false;
    {
        const runtime_entry inside;
        any_closed = list.leave(closed);
        if (deadline != hook_no_deadline) set_deadline(d, poll_dir::read, 0);
    }
    const bool is_empty = list.is_queued() || empty_out(*s, fds, count);
    give_set_back(*s, is_empty && !any_closed && !look_again);
    return any_closed ? EBADF : error;
}

}  // namespace

int foreign_wait(const pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
                 std::size_t& closed) {
    if (suits_record(fds, count)) {
        const int error = wait_by_record(fds, count, deadline, in_turn, closed);
        if (error != not_alone) return error;
    }
    return wait_by_set(fds, count, deadline, in_turn, closed);
}

}  // namespace rota::rt
