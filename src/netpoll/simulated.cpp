// Asks the descriptors by poll(2), draws an order of their events, and reports them.
#include "netpoll/simulated.hpp"

#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "sys/call/fault.hpp"
#include "sys/io/file.hpp"
#include "sys/io/io.hpp"
#include "sys/io/socket_kernel.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Whether the world outside this program may change it, without a call of this program's.
bool is_outside(int fd, const struct stat& status) {
    if (kernel_of(fd) != nullptr) return false;
    int family = AF_UNIX;
    if (S_ISSOCK(status.st_mode)) (void)io_get_option(fd, SOL_SOCKET, SO_DOMAIN, family);
    return family != AF_UNIX || !(S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode));
}

}  // namespace

simulated_backend::turn::turn(simulated_backend& of) : of_(of) {
    while (!of.in_use_.cas(0, 1, memory_order_acquire)) thread_yield();  // pairs(simulated.turn)
}

simulated_backend::turn::~turn() {
    of_.in_use_.store(0, memory_order_release);  // pairs(simulated.turn)
}

int simulated_backend::add(int fd, std::uint64_t tag) {
    if (const int error = fault_at(sys_call::poll_add, "simulated_backend::add")) return -error;
    struct stat status{};
    if (const int error = file_stat(fd, status)) return error;
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode))
        return -EPERM;
    ring_request& r = poll_desc_of(tag)->request;
    r = {};
    r.fd = fd;
    r.tag = tag;
    r.is_outside = is_outside(fd, status);
    const turn mine(*this);
    outside_ += r.is_outside ? 1 : 0;
    r.next = std::exchange(first_, &r);
    return 0;
}

int simulated_backend::remove(int, std::uint64_t tag) {
    const turn mine(*this);
    ring_request** at = &first_;
    while (*at != nullptr && (*at)->tag != tag) at = &(*at)->next;
    if (*at == nullptr) return -ENOENT;
    outside_ -= (*at)->is_outside ? 1 : 0;
    *at = (*at)->next;
    return 0;
}

int simulated_backend::wait(std::int64_t timeout, std::span<poll_event> events) {
    if (timeout == 0) return look(false, events);
    if (const int n = look(true, events)) return n;
    const auto waits = [&] {
        const turn mine(*this);
        return timeout < 0 || timeout >= outside_wait || outside_ > 0;
    };
    if (!waits()) return 0;
    // Short naps, so that an event is seen soon; the runtime's clock is virtual.
    constexpr std::int64_t nap = 50'000;  // ns
    int n = 0;
    for (std::int64_t i = outside_wait / nap; n == 0 && i > 0; --i) {
        thread_sleep_ns(nap);
        n = look(true, events);
    }
    return n;
}

namespace {

short wanted_of(const ring_request& r, short asked) {
    poll_desc* const d = poll_desc_of(r.tag);
    if (d == nullptr) return 0;
    short wanted = 0;
    if ((*d)[poll_dir::read].has_waiter_hint()) wanted = static_cast<short>(asked & ~EPOLLOUT);
    if ((*d)[poll_dir::write].has_waiter_hint()) wanted = static_cast<short>(wanted | EPOLLOUT);
    return wanted;
}

}  // namespace

int simulated_backend::look(bool tells_all, std::span<poll_event> events) {
    constexpr short asked = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI;
    const turn mine(*this);
    std::uint32_t n = 0, seen = 0;
    for (const ring_request* r = first_; r != nullptr; r = r->next) {
        // An event without a waiter is reported once there is a waiter: most descriptors are
        // writable all the time.
        const short wanted = wanted_of(*r, asked);
        if (wanted == 0) continue;
        int now = io_poll_now(r->fd, wanted);
        if (now <= 0 && errs_ && rand_.below(16) == 0) now = wanted & (EPOLLIN | EPOLLOUT);
        if (now <= 0 || (!tells_all && rand_.below(2) == 0)) continue;
        // Where more are ready than one call takes, each has the same chance.
        const std::uint32_t place = n < events.size() ? n++ : rand_.below(seen + 1);
        ++seen;
        if (place < events.size())
            events[place] = event_of(r->tag, static_cast<std::uint32_t>(now));
    }
    for (std::uint32_t i = n; i > 1; --i) std::swap(events[i - 1], events[rand_.below(i)]);
    return static_cast<int>(n);
}

}  // namespace rota::rt
