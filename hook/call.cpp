// The runtimes that have attached, the counts, and the lines of GODEBUG=hook=trace.
#include "call.hpp"

#include <cstdio>

namespace rota::hook {

namespace {

// Filled from the front; written by each runtime's boot.
constinit const hook_runtime* runtimes[runtimes_max] = {};

constinit rt::hook_counts counts[counted] = {
#define ROTA_HOOK_NAME(name) {#name, 0, 0, 0, 0},
    ROTA_HOOK_COUNTED(ROTA_HOOK_NAME)
#undef ROTA_HOOK_NAME
};
// As wanted_of_locks() says; written by each runtime's boot. relaxed: a hint.
constinit unsigned locks_wanted = 0;
constexpr rt::hook_library about{rt::hook_version, counts, counted};

void bump(std::uint64_t& count) {
    (void)__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);  // relaxed: for reports
}

const hook_runtime* runtime_at(std::size_t i) {
    return __atomic_load_n(&runtimes[i], __ATOMIC_ACQUIRE);  // its table was written before
}

const hook_runtime* attach(const hook_runtime* r) {
    const unsigned wanted =
        (r->takes_locks ? takes_locks_bit : 0) | (r->notes_mutexes ? notes_mutexes_bit : 0);
    (void)__atomic_fetch_or(&locks_wanted, wanted, __ATOMIC_RELAXED);
    for (const hook_runtime*& place : runtimes) {
        const hook_runtime* none = nullptr;
        if (__atomic_compare_exchange_n(&place, &none, r, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return r;
    }
    return nullptr;
}

}  // namespace

calling find_caller() {
    for (std::size_t i = 0; i < runtimes_max; ++i) {
        const hook_runtime* const r = runtime_at(i);
        if (r == nullptr) break;
        const hook_caller caller = r->caller();
        if (caller != hook_caller::other) return {r, caller};
    }
    return {};
}

unsigned wanted_of_locks() { return __atomic_load_n(&locks_wanted, __ATOMIC_RELAXED); }

namespace {

template <class F>
void tell_noting_runtimes(F tell) {
    for (std::size_t i = 0; i < runtimes_max; ++i) {
        const hook_runtime* const r = runtime_at(i);
        if (r == nullptr) break;
        if (r->notes_mutexes) tell(*r);
    }
}

}  // namespace

void tell_locked(const void* mutex, const void* locked_at, bool knows_owner) {
    tell_noting_runtimes(
        [=](const hook_runtime& r) { r.mutex_locked(mutex, locked_at, knows_owner); });
}

void tell_unlocked(const void* mutex) {
    tell_noting_runtimes([=](const hook_runtime& r) { r.mutex_unlocked(mutex); });
}

closing::closing() {
    for (std::size_t i = 0; i < runtimes_max; ++i) {
        const hook_runtime* const r = runtime_at(i);
        if (r == nullptr) break;
        close_[i] = r->closing();
    }
}

// A runtime that has attached since the constructor has given no number: its waiters look again.
void closing::tell(unsigned first, unsigned last, bool is_closed) const {
    for (std::size_t i = 0; i < runtimes_max; ++i) {
        const hook_runtime* const r = runtime_at(i);
        if (r == nullptr) break;
        r->closed(first, last, is_closed ? close_[i] : 0);
    }
}

void call::begin() {
    errno_before_ = get_errno();
    bump(counts[static_cast<unsigned>(which_)].calls);
}

void call::note_block() {
    if (!has_blocked_) bump(counts[static_cast<unsigned>(which_)].blocked);
    has_blocked_ = true;
}

// Counts before the wait, so that calls that wait now are counted too.
std::int64_t call::begin_park(int fd) {
    rt::hook_counts& all = counts[static_cast<unsigned>(which_)];
    if (!has_parked_) bump(all.parked);
    bump(all.waits);
    has_parked_ = true;
    waited_for_ = fd;
    return by_.runtime->traces ? now() : 0;
}

void call::end_park(std::int64_t began) {
    if (by_.runtime->traces) parked_ns_ += now() - began;
}

void call::pass_turn() {
    if (turn_at_ < 0) return;
    by_.runtime->pass_turn(turn_at_);
    turn_at_ = -1;
}

int call::wait(pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
               std::size_t& closed) {
    const std::int64_t began = begin_park(fds->fd);
    if (in_turn) turn_at_ = fds->fd;
    const int error = by_.runtime->wait(fds, count, deadline, in_turn, closed);
    end_park(began);
    if (error == 0 || error == ETIMEDOUT || error == EBADF) return error;
    for (;;) {
        const std::int64_t at = now();
        const std::int64_t left = deadline > at ? deadline - at : 0;
        const timespec limit{left / second, left % second};
        const timespec* const within = deadline == hook_no_deadline ? nullptr : &limit;
        const long n = block([&] {
            const long r = rt::call(SYS_ppoll, fds, count, within, nullptr, 8UL);
            if (r < 0) set_errno(static_cast<int>(-r));
            return r;
        });
        if (n != -EINTR) return n == 0 ? ETIMEDOUT : 0;
    }
}

void call::sleep_until(std::int64_t when) {
    const std::int64_t began = begin_park(-1);
    by_.runtime->sleep_until(when);
    end_park(began);
}

void call::tell(long result) const {
    char line[192];
    char fd[24] = "";
    if (waited_for_ >= 0) (void)std::snprintf(fd, sizeof fd, " fd=%d", waited_for_);
    const int size = std::snprintf(
        line, sizeof line, "rota: hook: goroutine %llu parked in %s%s for %lld us, result %ld\n",
        static_cast<unsigned long long>(by_.runtime->goid()),
        counts[static_cast<unsigned>(which_)].name, fd, static_cast<long long>(parked_ns_ / 1000),
        result);
    if (size > 0)
        (void)rt::call(SYS_write, STDERR_FILENO, static_cast<const char*>(line),
                       static_cast<std::size_t>(size));
}

long call::finish(long result) {
    pass_turn();
    if (has_parked_ && by_.runtime->traces) tell(result);
    set_errno(result < 0 ? static_cast<int>(-result) : errno_before_);
    return result < 0 ? -1 : result;
}

int call::finish_with_code(int code) {
    set_errno(errno_before_);
    return code;
}

std::int64_t deadline_of(const call& c, int fd, int option) {
    timeval limit{};
    socklen_t size = sizeof limit;
    if (rt::call(SYS_getsockopt, fd, SOL_SOCKET, option, &limit, &size) < 0)
        return hook_no_deadline;
    const std::int64_t ns = limit.tv_sec > hook_no_deadline / second - 1
                                ? hook_no_deadline
                                : limit.tv_sec * second + limit.tv_usec * 1000;
    return ns == 0 ? hook_no_deadline : later(c.now(), ns);
}

}  // namespace rota::hook

extern "C" [[gnu::visibility("default")]] const rota::rt::hook_library* rota_hook_attach(
    const rota::rt::hook_runtime* r) {
    using namespace rota;
    if (r->version != rt::hook_version || hook::attach(r) == nullptr) return nullptr;
    return &hook::about;
}
