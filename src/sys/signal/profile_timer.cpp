// Makes a CPU-time timer for each thread, and handles its signal.
#include "sys/signal/profile_timer.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "sys/call/number.hpp"
#include "sys/signal/interrupted.hpp"

#if !defined(sigev_notify_thread_id)
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace rota::rt {

namespace {

constexpr int our_timers = 0x726f7461;

struct sigaction profile_before;  // written before the handler is installed
constinit atomic<void (*)(const gobuf&)> profile_handler{nullptr};

void on_sigprof(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    if (info->si_code == SI_TIMER && info->si_value.sival_int == our_timers) {
        // relaxed: stored before the signal could come here
        profile_handler.load(memory_order_relaxed)(
            interrupted_at(*static_cast<const ucontext_t*>(context)));
    } else if ((profile_before.sa_flags & SA_SIGINFO) != 0) {
        profile_before.sa_sigaction(signal, info, context);
    } else if (profile_before.sa_handler != SIG_DFL && profile_before.sa_handler != SIG_IGN) {
        profile_before.sa_handler(signal);
    }
    errno = error;
}

}  // namespace

void on_profile_signal(void (*handler)(const gobuf& interrupted)) {
    // relaxed: sigaction below orders it for this process
    if (profile_handler.exchange(handler, memory_order_relaxed) != nullptr) return;
    ::sigaction(SIGPROF, nullptr, &profile_before);
    struct sigaction ours{};
    ours.sa_sigaction = on_sigprof;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ::sigfillset(&ours.sa_mask);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
        ::sigdelset(&ours.sa_mask, fault);
    ::sigaction(SIGPROF, &ours, nullptr);
}

bool profile_timer_start(profile_timer& t, int tid, std::int64_t period_ns, std::int64_t first_ns) {
    // The kernel's own encoding of a thread's clock, as in thread_cpu_time.
    constexpr unsigned per_thread = 4, sched_clock = 2;
    const auto clock =
        static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 | per_thread | sched_clock);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_value.sival_int = our_timers;
    event.sigev_notify_thread_id = tid;
    if (::timer_create(clock, &event, &t.timer) != 0) return false;
    constexpr std::int64_t second = 1'000'000'000;
    itimerspec when{};
    when.it_interval = {period_ns / second, period_ns % second};
    when.it_value = {first_ns / second, first_ns % second};
    t.tid = tid;
    if (::timer_settime(t.timer, 0, &when, nullptr) == 0) return true;
    ::timer_delete(t.timer);
    return false;
}

void profile_timer_stop(profile_timer& t) { ::timer_delete(t.timer); }

void for_each_thread(void (*visit)(void* arg, int tid), void* arg) {
    const int list = open_to_read("/proc/self/task", O_DIRECTORY);
    DIR* const all = list < 0 ? nullptr : ::fdopendir(list);
    if (all == nullptr) {
        if (list >= 0) ::close(list);
        return;
    }
    while (const dirent* const entry = ::readdir(all)) {
        const int tid = std::atoi(entry->d_name);
        if (tid > 0) visit(arg, tid);
    }
    ::closedir(all);
}

bool try_read(const void* from, void* to, std::size_t size) {
    const iovec local{to, size};
    const iovec remote{const_cast<void*>(from), size};
    return ::syscall(SYS_process_vm_readv, ::getpid(), &local, 1UL, &remote, 1UL, 0UL) ==
           static_cast<long>(size);
}

}  // namespace rota::rt
