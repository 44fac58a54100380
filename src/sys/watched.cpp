// The handler, and dispositions.
#include "sys/watched.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>

#include "base/atomic.hpp"
#include "sys/call.hpp"
#include "sys/io.hpp"
#include "sys/signal.hpp"

namespace rota::rt {

namespace {

constinit atomic<std::uint64_t> come{0};
constinit atomic<int> handlers{0};  // under way
// relaxed, both: set before the signal can come here
constinit atomic<int> told{-1};
constinit atomic<int> owner{0};  // the process: the child of a fork has our handlers, and eventfd

// Who changes dispositions: one at a time.
std::uint64_t changed;
struct sigaction before_watch[signal_max + 1];

void note(int signal) {
    const std::uint64_t bit = signal_bit(signal);
    if ((come.fetch_or(bit, memory_order_acq_rel) & bit) != 0) return;  // pairs(signal.come)
    const int event = told.load(memory_order_relaxed);                  // relaxed: see there
    while (io_event_add(event) == -EINTR) {
    }
}

#if ROTA_TSAN

// tsan holds a signal back until its thread calls a function that tsan knows, and a thread that
// sleeps in a system call of ours may never. So it does not hear of this handler: the kernel is
// given it, and nothing in it is instrumented.
static_assert(sizeof come == sizeof(std::uint64_t) && sizeof handlers == sizeof(int));

ROTA_UNSEEN_BY_TSAN void on_watched(int signal) {
    const int error = errno;
    auto* const come_word = reinterpret_cast<std::uint64_t*>(&come);
    auto* const handlers_word = reinterpret_cast<int*>(&handlers);
    const auto* const told_word = reinterpret_cast<const int*>(&told);
    const auto* const owner_word = reinterpret_cast<const int*>(&owner);
    // relaxed, as in the other one
    if (::syscall(SYS_getpid) == __atomic_load_n(owner_word, __ATOMIC_RELAXED)) {
        __atomic_fetch_add(handlers_word, 1, __ATOMIC_ACQ_REL);  // pairs(signal.handlers)
        constexpr std::uint64_t once = 1;
        const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
        // pairs(signal.come)
        const std::uint64_t had = __atomic_fetch_or(come_word, bit, __ATOMIC_ACQ_REL);
        if ((had & bit) == 0)
            (void)::syscall(SYS_write, __atomic_load_n(told_word, __ATOMIC_RELAXED), &once, 8UL);
        __atomic_fetch_sub(handlers_word, 1, __ATOMIC_ACQ_REL);  // pairs(signal.handlers)
    }
    errno = error;
}

// As the kernel has it. What the C library has set, its way back from a handler, stays.
struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
};

void tell_kernel(int signal) {
    kernel_action now{};
    (void)call(SYS_rt_sigaction, signal, nullptr, &now, sizeof now.mask);
    now.handler = on_watched;
    (void)call(SYS_rt_sigaction, signal, &now, nullptr, sizeof now.mask);
}

#else

void on_watched(int signal) {
    const int error = errno;
    if (call_int(SYS_getpid) == owner.load(memory_order_relaxed)) {  // relaxed: see there
        handlers.fetch_add(1, memory_order_acq_rel);                 // pairs(signal.handlers)
        note(signal);
        handlers.fetch_sub(1, memory_order_acq_rel);  // pairs(signal.handlers)
    } else {  // of a fork's child, in which nobody sends it: it does what it did before
        ::sigaction(signal, &before_watch[signal], nullptr);
        ::raise(signal);
    }
    errno = error;
}

void tell_kernel(int) {}

#endif

// What has been sent to the process, and no thread has taken yet, comes by this way.
void take_pending(int signal) {
    sigset_t one, mask;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    ::pthread_sigmask(SIG_BLOCK, &one, &mask);
    const timespec at_once{};
    while (::sigtimedwait(&one, nullptr, &at_once) == signal) note(signal);
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

bool is_changed(int signal) { return (changed & signal_bit(signal)) != 0; }

void change(int signal, void (*handler)(int)) {
    struct sigaction ours{};
    ours.sa_handler = handler;
    ours.sa_flags = SA_ONSTACK | SA_RESTART;
    ::sigfillset(&ours.sa_mask);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
        ::sigdelset(&ours.sa_mask, fault);
    if (!is_changed(signal)) ::sigaction(signal, nullptr, &before_watch[signal]);
    changed |= signal_bit(signal);
    ::sigaction(signal, &ours, nullptr);
}

}  // namespace

const char* why_not_watched(int signal) {
    switch (signal) {
        case SIGKILL:
        case SIGSTOP: return "cannot be caught or ignored";
        case SIGSEGV:
        case SIGBUS:
        case SIGFPE:
        case SIGILL:
        case SIGTRAP:
        case SIGSYS:
        case SIGABRT: return "tells of a fault of the thread that it comes to";
        default: break;
    }
    if (signal < 1 || signal > signal_max) return "is none";
    constexpr int first_of_library = 32;
    if (signal >= first_of_library && signal < SIGRTMIN) return "is the C library's";
    if (signal == stop_signal())
        return "is the one by which rota stops threads (GODEBUG=preemptsignal chooses another)";
    return nullptr;
}

std::uint64_t signals_to_watch() {
    std::uint64_t all = 0;
    for (int s = 1; s <= signal_max; ++s) all |= why_not_watched(s) == nullptr ? signal_bit(s) : 0;
    return all;
}

void watched_tell(int event) {
    told.store(event, memory_order_relaxed);                  // relaxed: see there
    owner.store(call_int(SYS_getpid), memory_order_relaxed);  // relaxed: see there
}

void signal_watch(int signal) {
    change(signal, on_watched);
    tell_kernel(signal);
}

void signal_ignore(int signal) {
    if (is_changed(signal)) take_pending(signal);
    change(signal, SIG_IGN);
}

void signal_reset(int signal) {
    if (!is_changed(signal)) return;
    take_pending(signal);
    ::sigaction(signal, &before_watch[signal], nullptr);
    changed &= ~signal_bit(signal);
}

bool signal_is_ignored(int signal) {
    struct sigaction now{};
    return ::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
           now.sa_handler == SIG_IGN;
}

std::uint64_t watched_take() {
    return come.exchange(0, memory_order_acq_rel);  // pairs(signal.come)
}

bool watched_is_busy() {
    return handlers.load(memory_order_acquire) != 0;  // pairs(signal.handlers)
}

}  // namespace rota::rt
