// The back end of every Linux: epoll, edge-triggered, with an eventfd to break a sleep.
//
// The eventfd is level-triggered: a thread that only looks must leave a wake-up for the one that
// sleeps, who reads it. Go: netpoll_epoll.go.
#include <cerrno>

#include <sys/epoll.h>

#include "base/check.hpp"
#include "netpoll/backend.hpp"
#include "sys/io.hpp"

namespace rota::rt {

namespace {

constexpr std::uint64_t wake_tag = ~std::uint64_t{0};

struct epoll_state {
    int epoll = -1;  // fixed once start() has succeeded
    int wake = -1;
};
constinit epoll_state state;

int start() {
    epoll_state fresh;
    fresh.epoll = io_epoll_create();
    if (fresh.epoll < 0) return fresh.epoll;
    fresh.wake = io_event_create();
    int error =
        fresh.wake < 0 ? fresh.wake : io_epoll_add(fresh.epoll, fresh.wake, EPOLLIN, wake_tag);
    if (error >= 0) {
        state = fresh;
        return 0;
    }
    if (fresh.wake >= 0) (void)io_close(fresh.wake);
    (void)io_close(fresh.epoll);
    return error;
}

int add(int fd, std::uint64_t tag) {
    constexpr std::uint32_t all = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI;
    return io_epoll_add(state.epoll, fd, all | EPOLLET, tag);
}

int remove(int fd) { return io_epoll_remove(state.epoll, fd); }

int wait(std::int64_t timeout, poll_event (&events)[poll_events_max]) {
    epoll_event found[poll_events_max];
    const int n = io_epoll_wait(state.epoll, found, poll_events_max, timeout);
    if (n < 0) return n;
    int count = 0;
    for (int i = 0; i < n; ++i) {
        const epoll_event& e = found[i];
        if (e.data.u64 == wake_tag) {
            std::uint64_t times = 0;
            if (timeout != 0) (void)io_read(state.wake, &times, sizeof times);
            continue;
        }
        constexpr std::uint32_t end = EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLPRI;
        constexpr std::uint32_t gone = EPOLLHUP | EPOLLERR;
        events[count++] = {e.data.u64, (e.events & (EPOLLIN | end)) != 0,
                           (e.events & (EPOLLOUT | gone)) != 0, (e.events & end) != 0};
    }
    return count;
}

void wake() {
    const std::uint64_t once = 1;
    std::int64_t n = 0;
    // Full after 2^64 wake-ups that nobody has read: it wakes all the same then.
    do n = io_write(state.wake, &once, sizeof once);
    while (n == -EINTR);
    ROTA_CHECK(n == sizeof once || n == -EAGAIN);
}

}  // namespace

constinit const poll_backend epoll_backend = {"epoll", start, add, remove, wait, wake};

}  // namespace rota::rt
