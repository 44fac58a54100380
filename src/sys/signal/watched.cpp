// Notes watched signals in a handler, and changes the actions of signals.
#include "sys/signal/watched.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>

#include "base/atomic.hpp"
#include "sys/call/call.hpp"
#include "sys/io/io.hpp"
#include "sys/signal/stop_signal.hpp"

namespace rota::rt {

namespace {

constinit atomic<std::uint64_t> come{0};
constinit atomic<std::uint64_t> watched{0};  // writer: the holder of `changing`
constinit atomic<int> handlers{0};           // handlers under way
// relaxed, both: set before the signal can come here
constinit atomic<int> told{-1};
constinit atomic<int> owner{0};  // process id: a fork's child has our handlers, and eventfd

// Held while dispositions, `watched` and the two below change, with every signal blocked: so a
// handler that waits for it has not interrupted its holder.
constinit atomic<bool> changing{false};
std::uint64_t changed;
struct sigaction before_watch[signal_max + 1];

class change_turn {
  public:
    change_turn() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &mask_);
        take();
    }
    ~change_turn() {
        drop();
        ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    }
    change_turn(const change_turn&) = delete;
    change_turn& operator=(const change_turn&) = delete;

    // The holder makes a few system calls.
    static void take() {
        while (changing.exchange(true, memory_order_acquire))  // pairs(signal.changing)
            (void)call(SYS_sched_yield);
    }
    static void drop() { changing.store(false, memory_order_release); }  // pairs(signal.changing)

  private:
    sigset_t mask_;
};

bool is_changed(int signal) { return (changed & signal_bit(signal)) != 0; }

void note(int signal) {
    const std::uint64_t bit = signal_bit(signal);
    if ((come.fetch_or(bit, memory_order_acq_rel) & bit) != 0) return;  // pairs(signal.come)
    const int event = told.load(memory_order_relaxed);                  // relaxed: see there
    while (io_event_add(event) == -EINTR) {
    }
}

#if ROTA_TSAN

// tsan holds a signal back until its thread calls a function that tsan knows, and a thread that
// sleeps in a system call of ours may never call one. So tsan does not hear of this handler: the
// kernel gets it directly, and nothing in it is instrumented.
static_assert(sizeof come == sizeof(std::uint64_t) && sizeof handlers == sizeof(int));

// The kernel's layout. The restorer, which the C library has set, stays.
struct kernel_action {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
};

ROTA_UNSEEN_BY_TSAN void on_watched(int signal, siginfo_t* info, void*) {
    const int error = errno;
    auto* const come_word = reinterpret_cast<std::uint64_t*>(&come);
    auto* const watched_word = reinterpret_cast<std::uint64_t*>(&watched);
    auto* const handlers_word = reinterpret_cast<int*>(&handlers);
    const auto* const told_word = reinterpret_cast<const int*>(&told);
    const auto* const owner_word = reinterpret_cast<const int*>(&owner);
    const long process = ::syscall(SYS_getpid);
    // relaxed, as in the handler of other builds
    if (process == __atomic_load_n(owner_word, __ATOMIC_RELAXED)) {
        __atomic_fetch_add(handlers_word, 1, __ATOMIC_SEQ_CST);  // pairs(signal.watched)
        constexpr std::uint64_t once = 1;
        const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
        // pairs(signal.watched)
        const bool is_watched = (__atomic_load_n(watched_word, __ATOMIC_SEQ_CST) & bit) != 0;
        // pairs(signal.come)
        if (is_watched && (__atomic_fetch_or(come_word, bit, __ATOMIC_ACQ_REL) & bit) == 0)
            (void)::syscall(SYS_write, __atomic_load_n(told_word, __ATOMIC_RELAXED), &once, 8UL);
        __atomic_fetch_sub(handlers_word, 1, __ATOMIC_ACQ_REL);  // pairs(signal.handlers)
        // A program that has put this handler back itself is not served under tsan.
        kernel_action now{};
        if (!is_watched && ::syscall(SYS_rt_sigaction, signal, nullptr, &now, 8UL) == 0 &&
            now.handler != on_watched)
            (void)::syscall(SYS_rt_tgsigqueueinfo, process, ::syscall(SYS_gettid), signal, info);
    }
    errno = error;
}

void tell_kernel(int signal) {
    kernel_action now{};
    (void)call(SYS_rt_sigaction, signal, nullptr, &now, sizeof now.mask);
    now.handler = on_watched;
    now.flags |= SA_SIGINFO;
    (void)call(SYS_rt_sigaction, signal, &now, nullptr, sizeof now.mask);
}

#else

// The signal comes to this thread again once the handler has returned, and finds the action of that
// moment. The kernel runs it with the flags and the mask that belong to it.
void send_again(int signal, const siginfo_t* info) {
    const int process = call_int(SYS_getpid), thread = call_int(SYS_gettid);
    if (call_int(SYS_rt_tgsigqueueinfo, process, thread, signal, info) != 0)
        (void)call_int(SYS_tgkill, process, thread, signal);
}

void on_watched(int signal, siginfo_t* info, void*);

bool is_watched(int signal) {
    // seq_cst: see on_watched
    return (watched.load(memory_order_seq_cst) & signal_bit(signal)) != 0;  // pairs(signal.watched)
}

// The handler has begun after the signal has ceased to be watched.
void leave_to_other_action(int signal, const siginfo_t* info) {
    change_turn::take();
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    // The program may have put this handler back: it had saved the signal's action meanwhile.
    if (!is_watched(signal) && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_watched)
        ::sigaction(signal, &before_watch[signal], nullptr);
    change_turn::drop();
    send_again(signal, info);
}

void on_watched(int signal, siginfo_t* info, void*) {
    const int error = errno;
    if (call_int(SYS_getpid) == owner.load(memory_order_relaxed)) {  // relaxed: see there
        // A thread that stops watching changes `watched` and then reads `handlers`. Either it sees
        // this handler, or this handler sees that the signal is not watched.
        handlers.fetch_add(1, memory_order_seq_cst);  // pairs(signal.watched)
        const bool is_for_channels = is_watched(signal);
        if (is_for_channels) note(signal);
        handlers.fetch_sub(1, memory_order_acq_rel);  // pairs(signal.handlers)
        if (!is_for_channels) leave_to_other_action(signal, info);
    } else {  // a fork's child, in which nothing reads the eventfd: back to the earlier action
        ::sigaction(signal, &before_watch[signal], nullptr);
        send_again(signal, info);
    }
    errno = error;
}

void tell_kernel(int) {}

#endif

// Takes the signals that were sent to the process and that no thread has taken yet.
void take_pending(int signal) {
    sigset_t one, mask;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    ::pthread_sigmask(SIG_BLOCK, &one, &mask);
    const timespec at_once{};
    while (::sigtimedwait(&one, nullptr, &at_once) == signal) note(signal);
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

// Caller: holds `changing`.
void change(int signal, const struct sigaction& to) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    // The program may have put the handler of an earlier watch back, which it had saved. That
    // action is not kept: it would send the signal to itself for ever.
    const bool is_ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_watched;
    if (!is_changed(signal) && !is_ours) before_watch[signal] = now;
    changed |= signal_bit(signal);
    ::sigaction(signal, &to, nullptr);
}

// After its action has changed: a handler that finds the signal unwatched finds that action.
// Caller: holds `changing`.
void end_watch(int signal) {
    watched.fetch_and(~signal_bit(signal), memory_order_seq_cst);  // pairs(signal.watched)
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
    struct sigaction ours{};
    ours.sa_sigaction = on_watched;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ::sigfillset(&ours.sa_mask);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
        ::sigdelset(&ours.sa_mask, fault);
    const change_turn mine;
    watched.fetch_or(signal_bit(signal), memory_order_seq_cst);  // pairs(signal.watched)
    change(signal, ours);
    tell_kernel(signal);
}

void signal_ignore(int signal) {
    const change_turn mine;
    if (is_changed(signal)) take_pending(signal);
    struct sigaction none{};
    none.sa_handler = SIG_IGN;
    change(signal, none);
    end_watch(signal);
}

void signal_reset(int signal) {
    const change_turn mine;
    if (!is_changed(signal)) return;
    take_pending(signal);
    ::sigaction(signal, &before_watch[signal], nullptr);
    changed &= ~signal_bit(signal);
    end_watch(signal);
}

bool signal_is_ignored(int signal) {
    struct sigaction now{};
    return ::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
           now.sa_handler == SIG_IGN;
}

std::uint64_t watched_take() {
    return come.exchange(0, memory_order_acq_rel);  // pairs(signal.come)
}

std::uint64_t watched_come() {
    return come.load(memory_order_relaxed);  // relaxed: the caller of watched_take() orders
}

bool watched_is_busy() {
    // seq_cst: see on_watched
    return handlers.load(memory_order_seq_cst) != 0;  // pairs(signal.watched, signal.handlers)
}

}  // namespace rota::rt
