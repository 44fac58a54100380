// poll, ppoll, select, pselect, epoll_wait, epoll_pwait.
//
// The kernel is asked without waiting; the goroutine waits for the descriptors and the time limit;
// the kernel is asked again. So the results are the kernel's own. A call with a signal mask is made
// in a blocking section, since the mask holds for the wait alone.
//
// The question and the wait may differ in what they count as ready: select does not count a hang-up
// as writable. A goroutine would then repeat both without end. So after some wakes without a result
// the call is made in a blocking section.
#include <cstdlib>
#include <cstring>

#include "call.hpp"
#include "export.hpp"

namespace rota::hook {

namespace {

constexpr std::int64_t none = hook_no_deadline;

std::int64_t deadline_in(const call& c, const timespec* limit) {
    if (limit == nullptr) return none;
    if (limit->tv_sec > none / second - 1) return none;
    return later(c.now(), limit->tv_sec * second + limit->tv_nsec);
}

bool is_valid(const timespec* limit) {
    return limit == nullptr ||
           (limit->tv_sec >= 0 && limit->tv_nsec >= 0 && limit->tv_nsec < second);
}

timespec left_until(const call& c, std::int64_t deadline) {
    const std::int64_t now = c.now();
    const std::int64_t left = deadline > now ? deadline - now : 0;
    return {left / second, left % second};
}

// look() asks the kernel; 0: nothing is ready. in_place(limit) waits in the kernel, at most for
// `limit`, which may be null. note_closed(i): fds[i] has been closed, and look() does not see that.
// `fds` may be empty.
template <class Look, class InPlace, class NoteClosed>
long ask_and_wait(call& c, pollfd* fds, std::size_t count, std::int64_t deadline, Look look,
                  InPlace in_place, NoteClosed note_closed) {
    for (int vain = 0;; ++vain) {
        const long found = look();
        if (found != 0) return found;
        if (deadline != none && c.now() >= deadline) return 0;
        if (count == 0 && deadline != none) {
            c.sleep_until(deadline);
            continue;
        }
        if (count == 0 || vain == vain_wakes_max) {
            const timespec limit = left_until(c, deadline);
            return c.block([&] { return in_place(deadline == none ? nullptr : &limit); });
        }
        std::size_t closed = 0;
        const int error = c.wait(fds, count, deadline, closed);
        if (error == ETIMEDOUT) return look();
        if (error != EBADF) continue;
        const long after = look();
        return after != 0 ? after : note_closed(closed);
    }
}

// --- poll
// -----------------------------------------------------------------------------------------

long poll_parking(call& c, pollfd* fds, nfds_t count, std::int64_t deadline) {
    return ask_and_wait(
        c, fds, count, deadline, [&] { return poll_now(fds, count); },
        [&](const timespec* limit) {
            timespec left = limit != nullptr ? *limit : timespec{};
            return failed(
                rt::call(SYS_ppoll, fds, count, limit != nullptr ? &left : nullptr, nullptr, 8UL));
        },
        [&](std::size_t closed) {
            fds[closed].revents = POLLNVAL;
            return 1L;
        });
}

int hooked_poll(pollfd* fds, nfds_t count, int timeout) {
    return make(
        hooked::poll, timeout == 0, [&] { return ROTA_REAL(poll)(fds, count, timeout); },
        [&](call& c) {
            constexpr std::int64_t ms = 1'000'000;
            return poll_parking(c, fds, count, timeout < 0 ? none : later(c.now(), timeout * ms));
        });
}

int hooked_ppoll(pollfd* fds, nfds_t count, const timespec* limit, const sigset_t* mask) {
    const auto real = [&] { return ROTA_REAL(ppoll)(fds, count, limit, mask); };
    return make(hooked::ppoll, !is_valid(limit), real, [&](call& c) {
        return mask != nullptr ? c.block(real) : poll_parking(c, fds, count, deadline_in(c, limit));
    });
}

// --- select
// ---------------------------------------------------------------------------------------

// The three sets as the caller gave them, and a list for poll of all descriptors in them.
class selection {
  public:
    selection(int count, fd_set* read, fd_set* write, fd_set* except)
        : count_(count), bytes_(bytes_of(count)), sets_{read, write, except} {}
    ~selection() { std::free(memory_); }
    selection(const selection&) = delete;
    selection& operator=(const selection&) = delete;

    // False: no memory.
    bool prepare() {
        const auto n = static_cast<std::size_t>(count_);
        memory_ = static_cast<char*>(std::malloc(3 * bytes_ + n * sizeof(pollfd) + 1));
        if (memory_ == nullptr) return false;
        fds_ = reinterpret_cast<pollfd*>(memory_ + 3 * bytes_);
        for (std::size_t s = 0; s < 3; ++s)
            if (sets_[s] != nullptr) std::memcpy(copy(s), sets_[s], bytes_);
        for (int fd = 0; fd < count_; ++fd) {
            constexpr short events[] = {POLLIN, POLLOUT, POLLPRI};
            short wanted = 0;
            for (std::size_t s = 0; s < 3; ++s)
                if (sets_[s] != nullptr && has(s, fd))
                    wanted = static_cast<short>(wanted | events[s]);
            if (wanted != 0) fds_[listed_++] = {fd, wanted, 0};
        }
        return true;
    }

    // The kernel's select with the caller's sets. It writes the results into the sets.
    long ask(const timespec* limit) {
        for (std::size_t s = 0; s < 3; ++s)
            if (sets_[s] != nullptr) std::memcpy(sets_[s], copy(s), bytes_);
        timespec left = limit != nullptr ? *limit : timespec{};
        return rt::call(SYS_pselect6, count_, sets_[0], sets_[1], sets_[2],
                        limit != nullptr ? &left : nullptr, nullptr);
    }

    pollfd* fds() const { return fds_; }
    std::size_t listed() const { return listed_; }

  private:
    static std::size_t bytes_of(int count) {
        constexpr std::size_t word = 8 * sizeof(long);
        return (static_cast<std::size_t>(count) + word - 1) / word * sizeof(long);
    }
    char* copy(std::size_t s) const { return memory_ + s * bytes_; }
    bool has(std::size_t s, int fd) const {
        const auto bit = static_cast<unsigned>(fd);
        return (copy(s)[bit / 8] >> bit % 8 & 1) != 0;  // both processors are little-endian
    }

    int count_;
    std::size_t bytes_;
    fd_set* sets_[3];
    char* memory_ = nullptr;
    pollfd* fds_ = nullptr;
    std::size_t listed_ = 0;
};

template <class Real>
long select_parking(call& c, int count, fd_set* read, fd_set* write, fd_set* except,
                    std::int64_t deadline, Real real) {
    constexpr int most = 1 << 20;
    if (count < 0 || count > most) return c.block(real);
    selection all(count, read, write, except);
    if (!all.prepare()) return -ENOMEM;
    constexpr timespec at_once{};
    return ask_and_wait(
        c, all.fds(), all.listed(), deadline,
        [&] { return answer_of([&] { return all.ask(&at_once); }); },
        [&](const timespec* limit) { return failed(all.ask(limit)); },
        [&](std::size_t) { return static_cast<long>(-EBADF); });
}

int hooked_select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* limit) {
    const auto real = [&] { return ROTA_REAL(select)(count, read, write, except, limit); };
    const bool plain = limit != nullptr && (limit->tv_sec < 0 || limit->tv_usec < 0 ||
                                            (limit->tv_sec == 0 && limit->tv_usec == 0));
    return make(hooked::select, plain, real, [&](call& c) {
        std::int64_t deadline = none;
        if (limit != nullptr && limit->tv_sec < none / second - 1)
            deadline = later(c.now(), limit->tv_sec * second + limit->tv_usec * 1000);
        const long n = select_parking(c, count, read, write, except, deadline, real);
        if (limit != nullptr && deadline != none) {  // Linux reports the time that is left
            const timespec left = left_until(c, deadline);
            *limit = {left.tv_sec, left.tv_nsec / 1000};
        }
        return n;
    });
}

int hooked_pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* limit,
                   const sigset_t* mask) {
    const auto real = [&] { return ROTA_REAL(pselect)(count, read, write, except, limit, mask); };
    return make(hooked::pselect, !is_valid(limit), real, [&](call& c) {
        if (mask != nullptr) return c.block(real);
        return select_parking(c, count, read, write, except, deadline_in(c, limit), real);
    });
}

// --- epoll
// ----------------------------------------------------------------------------------------

long epoll_parking(call& c, int epoll, epoll_event* events, int most, int timeout) {
    constexpr std::int64_t ms = 1'000'000;
    pollfd one{epoll, POLLIN, 0};
    const auto ask = [&](int within) {
        return rt::call(SYS_epoll_pwait, epoll, events, most, within, nullptr, 8UL);
    };
    return ask_and_wait(
        c, &one, 1, timeout < 0 ? none : later(c.now(), timeout * ms),
        [&] { return answer_of([&] { return ask(0); }); },
        [&](const timespec* limit) {
            const std::int64_t left =
                limit != nullptr ? limit->tv_sec * 1000 + (limit->tv_nsec + ms - 1) / ms : -1;
            return failed(ask(static_cast<int>(left)));
        },
        [](std::size_t) { return static_cast<long>(-EBADF); });
}

}  // namespace

}  // namespace rota::hook

using namespace rota::hook;

ROTA_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
    return hooked_poll(fds, count, timeout);
}
ROTA_EXPORT int __poll(pollfd* fds, nfds_t count, int timeout) {
    return hooked_poll(fds, count, timeout);
}
ROTA_EXPORT int __poll_chk(pollfd* fds, nfds_t count, int timeout, size_t room) {
    if (room / sizeof *fds < count) __chk_fail();
    return hooked_poll(fds, count, timeout);
}

ROTA_EXPORT int ppoll(pollfd* fds, nfds_t count, const timespec* limit, const sigset_t* mask) {
    return hooked_ppoll(fds, count, limit, mask);
}
ROTA_EXPORT int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* limit, const sigset_t* mask,
                            size_t room) {
    if (room / sizeof *fds < count) __chk_fail();
    return hooked_ppoll(fds, count, limit, mask);
}

ROTA_EXPORT int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* limit) {
    return hooked_select(count, read, write, except, limit);
}
ROTA_EXPORT int __select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* limit) {
    return hooked_select(count, read, write, except, limit);
}

ROTA_EXPORT int pselect(int count, fd_set* read, fd_set* write, fd_set* except,
                        const timespec* limit, const sigset_t* mask) {
    return hooked_pselect(count, read, write, except, limit, mask);
}

ROTA_EXPORT int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
    return make(
        hooked::epoll_wait, timeout == 0,
        [&] { return ROTA_REAL(epoll_wait)(epoll, events, most, timeout); },
        [&](call& c) { return epoll_parking(c, epoll, events, most, timeout); });
}

ROTA_EXPORT int epoll_pwait(int epoll, epoll_event* events, int most, int timeout,
                            const sigset_t* mask) {
    const auto real = [&] { return ROTA_REAL(epoll_pwait)(epoll, events, most, timeout, mask); };
    return make(hooked::epoll_pwait, timeout == 0, real, [&](call& c) {
        return mask != nullptr ? c.block(real) : epoll_parking(c, epoll, events, most, timeout);
    });
}
