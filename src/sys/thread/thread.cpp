// Creates and inspects kernel threads. Threads are made by pthread_create: libc's thread-local
// variables, its caches and user code need a thread that libc knows.
#include "sys/thread/thread.hpp"

#include <bit>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "sys/call/call.hpp"
#include "sys/call/fault.hpp"
#include "sys/call/number.hpp"

namespace rota::rt {

namespace {

// Bytes that glibc puts on a thread's stack: thread-local variables of the libraries that were
// loaded with the program, its own record of the thread, a guard. glibc refuses a stack without
// room for them (EINVAL). A function tells their size, but it is private to glibc's own libraries,
// so a program must not be linked against it. Other C libraries add the bytes themselves: 0.
std::size_t taken_by_library() {
    constexpr std::size_t unknown = ~std::size_t{0};
    static constinit atomic<std::size_t> known{unknown};
    std::size_t n = known.load(memory_order_relaxed);  // relaxed: every thread computes the same
    if (n != unknown) return n;
    using min_stack = std::size_t(const pthread_attr_t*);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    const auto ask = reinterpret_cast<min_stack*>(::dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    n = ask != nullptr ? ask(&attr) : 0;
    pthread_attr_destroy(&attr);
    known.store(n, memory_order_relaxed);  // relaxed: as above
    return n;
}

}  // namespace

std::size_t whole_stack_size(std::size_t stack_size) {
    constexpr std::size_t page = 4096;
    return (stack_size + taken_by_library() + page - 1) / page * page;
}

int thread_create(void* (*start)(void*), void* arg, std::size_t stack_size) {
    if (const int error = fault_at(sys_call::clone)) return error;
    constexpr std::size_t most = std::size_t{1} << 30;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int error = EINVAL;
    // If taken_by_library() knows no size, the C library's refusal shows that the stack is small.
    for (std::size_t size = whole_stack_size(stack_size); error == EINVAL && size <= most;
         size *= 2) {
        pthread_attr_setstacksize(&attr, size);
        pthread_t id;
        error = pthread_create(&id, &attr, start, arg);
    }
    pthread_attr_destroy(&attr);
    return error;
}

void thread_set_name(const char* name) { pthread_setname_np(pthread_self(), name); }

namespace {
sigset_t mask_at_boot;  // written once, before any thread is started
}

void thread_note_signal_mask() { pthread_sigmask(SIG_SETMASK, nullptr, &mask_at_boot); }

void thread_take_signal_mask() { pthread_sigmask(SIG_SETMASK, &mask_at_boot, nullptr); }

void thread_signal_mask_of_boot(sigset_t& mask) { mask = mask_at_boot; }

bool thread_unblock_signal(int signal) {
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, signal);
    pthread_sigmask(SIG_UNBLOCK, &one, &before);
    return sigismember(&before, signal) == 1;
}

void thread_block_signal(int signal) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
}

void thread_block_signals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

void thread_runs_briefly() {
    // sched_attr as the kernel has it; not every C library knows it. `runtime` is the slice that
    // the thread asks for: a thread with a short slice is served early, and gets no more time.
    struct {
        std::uint32_t size, policy;
        std::uint64_t flags;
        std::int32_t nice;
        std::uint32_t priority;
        std::uint64_t runtime, deadline, period;
    } attributes{};
    if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
    if (attributes.policy != SCHED_OTHER) return;
    attributes.runtime = 100'000;  // ns, the least that the kernel takes
    (void)::syscall(SYS_sched_setattr, 0, &attributes, 0);
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
    // Larger than the 1024 bits of a cpu_set_t: the kernel refuses masks shorter than its own.
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

std::uintptr_t frame_with_stack_below(const void* frame, std::size_t stack_size,
                                      std::size_t depth) {
#if defined(__x86_64__)
    // The thread pointer stands at the top. The C library's record of the thread lies above it,
    // thread-local variables and then the frames below.
    constexpr std::size_t record_max = 64 * 1024;
    const auto at = reinterpret_cast<std::uintptr_t>(frame);
    const auto top = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
    return top >= at && top - at + record_max + depth <= whole_stack_size(stack_size) ? at : 0;
#else
    // Thread-local variables lie above the thread pointer, and their size is not known.
    (void)frame, (void)stack_size, (void)depth;
    return 0;
#endif
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

std::uint64_t current_thread_sleeps() {
    rusage used{};
    if (::getrusage(RUSAGE_THREAD, &used) != 0) return ~std::uint64_t{0};
    return static_cast<std::uint64_t>(used.ru_nvcsw);
}

std::int64_t thread_cpu_time(int tid) {
    // The kernel's own encoding: pthread_getcpuclockid needs a pthread_t that still lives.
    constexpr unsigned per_thread = 4, sched_clock = 2;
    const auto id =
        static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 | per_thread | sched_clock);
    timespec spent{};
    if (::clock_gettime(id, &spent) != 0) return -1;
    return std::int64_t{spent.tv_sec} * 1'000'000'000 + spent.tv_nsec;
}

std::int64_t process_cpu_time() {
    timespec spent{};
    if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0) return 0;
    return std::int64_t{spent.tv_sec} * 1'000'000'000 + spent.tv_nsec;
}

namespace {

// "/proc/self/task/TID/stat"
void stat_path(char* out, int tid) {
    const char* const parts[] = {"/proc/self/task/", nullptr, "/stat"};
    for (const char* part : parts) {
        char digits[16];
        if (part == nullptr) {
            char* at = digits + sizeof digits;
            *--at = '\0';
            do {
                *--at = static_cast<char>('0' + tid % 10);
                tid /= 10;
            } while (tid > 0);
            part = at;
        }
        while (*part != '\0') *out++ = *part++;
    }
    *out = '\0';
}

// "TID (name) S ...": the name may hold any character, also a bracket; then numbers follow.
class thread_stat {
  public:
    explicit thread_stat(int tid) {
        char path[64];
        stat_path(path, tid);
        const int fd = open_to_read(path);
        if (fd < 0) return;
        const ssize_t n = plain_read(fd, text_, sizeof text_ - 1);
        plain_close(fd);
        size_ = n > 0 ? n : 0;
        text_[size_] = '\0';
    }

    // The field of that number, from 3 on; null: there is no such field.
    const char* field(int number) const {
        ssize_t at = size_ - 3;
        while (at > 0 && !(text_[at] == ')' && text_[at + 1] == ' ')) --at;
        if (at <= 0) return nullptr;
        at += 2;
        for (int n = 3; n < number; ++at) {
            if (at >= size_) return nullptr;
            n += text_[at] == ' ';
        }
        return at < size_ ? text_ + at : nullptr;
    }

  private:
    char text_[1024];
    ssize_t size_ = 0;
};

std::uint64_t number_at(const char* digits) {
    std::uint64_t n = 0;
    for (; *digits >= '0' && *digits <= '9'; ++digits)
        n = n * 10 + static_cast<std::uint64_t>(*digits - '0');
    return n;
}

}  // namespace

thread_state state_of_thread(int tid) { return place_of_thread(tid).state; }

thread_place place_of_thread(int tid) {
    thread_place place{thread_state::unknown, -1};
    const thread_stat stat(tid);
    const char* at = stat.field(3);
    if (at == nullptr) return place;
    place.state = *at == 'S' || *at == 'D' ? thread_state::asleep : thread_state::awake;
    at = stat.field(39);
    if (at != nullptr) place.processor = static_cast<int>(number_at(at));
    return place;
}

bool is_worker_of_ring(int tid) {
    constexpr std::uint64_t io_worker = 0x10;  // PF_IO_WORKER
    const thread_stat stat(tid);
    const char* const flags = stat.field(9);
    return flags != nullptr && (number_at(flags) & io_worker) != 0;
}

bool thread_signal(int tid, int signal) {
    return ::syscall(SYS_tgkill, ::getpid(), tid, signal) == 0;
}

void thread_sleep_ns(long ns) {
    // Sleeps until a moment, not for a time. The remainder that nanosleep reports includes the
    // timer's slack again, so signals 20 µs apart would keep the thread asleep for ever.
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

uncancelled::uncancelled() { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
uncancelled::~uncancelled() { ::pthread_setcancelstate(before_, nullptr); }

}  // namespace rota::rt
