// Implements the back end on epoll. Its eventfd is level-triggered: a thread that polls without
// sleeping must leave a wake-up for the sleeper, which reads the eventfd.
//
// The kernel has one registration for an open file and its number. Registrations of add() and of
// arm() must not replace each other: the program may poll, through librota_hook.so, a number that
// the runtime has added. So a table holds the tag of each added number, and arm() refuses the
// number. An arm() that sees the tag too late finds it after its call, and puts the registration of
// add() back. The kernel then reports the state anew, so nothing is lost.
#include <cerrno>

#include <sys/epoll.h>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "netpoll/backend.hpp"
#include "sys/io/io.hpp"

namespace rota::rt {

namespace {

constexpr std::uint64_t wake_tag = ~std::uint64_t{0};

// The tags of the numbers that add() has registered, plus 1; 0: none. Writers: add() and remove()
// of the number's owner. seq_cst: add() writes, then registers; arm() registers, then reads.
constexpr unsigned numbers_max = 1u << 16;  // numbers above are never armed
constinit atomic<std::uint64_t> added[numbers_max];

atomic<std::uint64_t>* added_tag(int fd) {
    return static_cast<unsigned>(fd) < numbers_max ? &added[fd] : nullptr;
}

}  // namespace

const std::uint32_t poll_everything = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET;

poll_event event_of(std::uint64_t tag, std::uint32_t events) {
    constexpr std::uint32_t end = EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLPRI;
    constexpr std::uint32_t gone = EPOLLHUP | EPOLLERR;
    return {tag, (events & (EPOLLIN | end)) != 0, (events & (EPOLLOUT | gone)) != 0,
            (events & end) != 0};
}

int epoll_backend::start() {
    const int epoll = io_epoll_create();
    if (epoll < 0) return epoll;
    const int event = io_event_create();
    const int error = event < 0 ? event : io_epoll_add(epoll, event, EPOLLIN, wake_tag);
    if (error >= 0) {
        epoll_ = epoll;
        wake_ = event;
        return 0;
    }
    if (event >= 0) (void)io_close(event);
    (void)io_close(epoll);
    return error;
}

// Replaces a registration of arm(), but not of add(): -EEXIST.
int epoll_backend::add(int fd, std::uint64_t tag) {
    atomic<std::uint64_t>* const mine = added_tag(fd);
    const std::uint64_t before =
        mine == nullptr ? 0 : mine->exchange(tag + 1, memory_order_seq_cst);  // pairs(poll.added)
    int error = io_epoll_add(epoll_, fd, poll_everything, tag);
    if (error == -EEXIST && mine != nullptr && before == 0)
        error = io_epoll_modify(epoll_, fd, poll_everything, tag);
    if (error < 0 && mine != nullptr)
        mine->store(before, memory_order_seq_cst);  // pairs(poll.added)
    return error;
}

// A number that was closed, or stands for a different file by now, is not found.
int epoll_backend::arm(int fd, std::uint32_t events, std::uint64_t tag) {
    const atomic<std::uint64_t>* const owner = added_tag(fd);
    if (owner == nullptr || owner->load(memory_order_seq_cst) != 0)  // pairs(poll.added)
        return -EEXIST;
    int error = io_epoll_modify(epoll_, fd, events | EPOLLONESHOT, tag);
    if (error == -ENOENT) error = io_epoll_add(epoll_, fd, events | EPOLLONESHOT, tag);
    std::uint64_t seen = owner->load(memory_order_seq_cst);  // pairs(poll.added)
    while (seen != 0) {
        (void)io_epoll_modify(epoll_, fd, poll_everything, seen - 1);
        error = -EEXIST;
        const std::uint64_t restored = seen;
        seen = owner->load(memory_order_seq_cst);  // pairs(poll.added)
        if (seen == restored) break;
    }
    return error;
}

// The caller owns the number until it closes it, after this.
int epoll_backend::remove(int fd, std::uint64_t tag) {
    const int error = io_epoll_remove(epoll_, fd);
    std::uint64_t mine = tag + 1;
    if (atomic<std::uint64_t>* const a = added_tag(fd))
        (void)a->compare_exchange(mine, 0, memory_order_seq_cst,  // pairs(poll.added)
                                  memory_order_relaxed);          // relaxed: the tag is another
                                                                  // owner's
    return error;
}

int epoll_backend::wait(std::int64_t timeout, std::span<poll_event> events) {
    epoll_event found[poll_events_max];
    const int n = io_epoll_wait(epoll_, found, static_cast<int>(events.size()), timeout);
    if (n < 0) return n;
    std::size_t count = 0;
    for (int i = 0; i < n; ++i) {
        const epoll_event& e = found[i];
        if (e.data.u64 == wake_tag) {
            while (timeout != 0 && io_event_take(wake_) == -EINTR) {
            }
            continue;
        }
        events[count++] = event_of(e.data.u64, e.events);
    }
    return static_cast<int>(count);
}

void epoll_backend::wake() {
    int n = 0;
    // Full after 2^64 unread wake-ups: it wakes all the same then.
    do n = io_event_add(wake_);
    while (n == -EINTR);
    ROTA_CHECK(n == 0 || n == -EAGAIN);
}

}  // namespace rota::rt
