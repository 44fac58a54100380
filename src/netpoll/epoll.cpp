// The eventfd is level-triggered: a thread that only looks must leave a wake-up for the one that
// sleeps, who reads it.
#include <cerrno>

#include <sys/epoll.h>

#include "base/check.hpp"
#include "netpoll/backend.hpp"
#include "sys/io.hpp"

namespace rota::rt {

namespace {

constexpr std::uint64_t wake_tag = ~std::uint64_t{0};

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

int epoll_backend::add(int fd, std::uint64_t tag) {
    return io_epoll_add(epoll_, fd, poll_everything, tag);
}

// A number that was closed, or stands for another file now, is not found.
int epoll_backend::arm(int fd, std::uint32_t events, std::uint64_t tag) {
    const int error = io_epoll_modify(epoll_, fd, events | EPOLLONESHOT, tag);
    return error == -ENOENT ? io_epoll_add(epoll_, fd, events | EPOLLONESHOT, tag) : error;
}

int epoll_backend::remove(int fd, std::uint64_t) { return io_epoll_remove(epoll_, fd); }

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
    // Full after 2^64 wake-ups that nobody has read: it wakes all the same then.
    do n = io_event_add(wake_);
    while (n == -EINTR);
    ROTA_CHECK(n == 0 || n == -EAGAIN);
}

}  // namespace rota::rt
