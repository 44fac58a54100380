// Threads by pthread: libc's own thread-locals, its caches and user code need a thread that libc
// knows.
#include "sys/thread.hpp"

#include <bit>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "sys/fault.hpp"

namespace rota::rt {

int thread_create(void* (*start)(void*), void* arg, std::size_t stack_size) {
    if (const int error = fault_at(sys_call::clone)) return error;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, stack_size);
    pthread_t id;
    const int error = pthread_create(&id, &attr, start, arg);
    pthread_attr_destroy(&attr);
    return error;
}

void thread_set_name(const char* name) { pthread_setname_np(pthread_self(), name); }

namespace {
sigset_t mask_at_boot;  // written once, before any thread is started
}

void thread_note_signal_mask() { pthread_sigmask(SIG_SETMASK, nullptr, &mask_at_boot); }

void thread_take_signal_mask() { pthread_sigmask(SIG_SETMASK, &mask_at_boot, nullptr); }

void thread_block_signals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

thread_stack current_thread_stack() {
    pthread_attr_t attr;
    void* bottom = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &bottom, &size);
        pthread_attr_destroy(&attr);
    }
    return {bottom, size};
}

int allowed_processors(int thread_id) {
    // More than the 1024 of a cpu_set_t: the kernel refuses masks that are shorter than its own.
    constexpr int most = 8192, bits = 8 * static_cast<int>(sizeof(unsigned long));
    unsigned long mask[most / bits] = {};
    const long size = ::syscall(SYS_sched_getaffinity, thread_id, sizeof mask, mask);
    int n = 0;
    if (size > 0) {
        for (const unsigned long word : mask) n += std::popcount(word);
    } else {
        n = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    }
    return n < 1 ? 1 : n;
}

int processor_count() {
    static constinit atomic<int> known{0};
    int n = known.load(memory_order_relaxed);  // relaxed: every thread would compute the same
    if (n != 0) return n;
    n = allowed_processors(0);
    known.store(n, memory_order_relaxed);  // relaxed: as above
    return n;
}

int current_thread_id() { return static_cast<int>(::gettid()); }

void thread_sleep_ns(long ns) {
    // Until a moment, not for a time: what nanosleep says is left counts the timer's slack again,
    // so that signals 20 µs apart would keep it asleep for ever.
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    constexpr long second = 1'000'000'000;
    until.tv_sec += ns / second;
    until.tv_nsec += ns % second;
    if (until.tv_nsec >= second) {
        until.tv_nsec -= second;
        ++until.tv_sec;
    }
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

void thread_yield() { ::sched_yield(); }

}  // namespace rota::rt
