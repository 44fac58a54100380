// Stands in for the kernel, the clock and the heap of explored schedules.
//
// The linker sends the program's calls of syscall, clock_gettime and pthread_create here, and the
// calls of the library's own naps and of its list of stacks (--wrap in tests/CMakeLists.txt). So
// the library itself is the released library. While no schedule runs the calls pass through.
//
// Memory that a schedule frees is overwritten, and not used again before the end of the schedule. A
// thread that touches it again meets a value that no program expects, and a second delete is found.
// New memory holds 0xcd, by which the explorer recognises an atomic that was never constructed.
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "engine.hpp"
#include "explore.hpp"
#include "heap.hpp"

namespace {

model::engine* running() {
    return model::the_engine != nullptr && model::the_engine->is_running() ? model::the_engine
                                                                           : nullptr;
}

long with_errno(long result) {
    if (result >= 0) return result;
    errno = static_cast<int>(-result);
    return -1;
}

std::int64_t nanoseconds(const timespec* t) {
    return t == nullptr ? -1 : t->tv_sec * std::int64_t{1'000'000'000} + t->tv_nsec;
}

}  // namespace

extern "C" {

long __real_syscall(long number, ...);
int __real_clock_gettime(clockid_t id, timespec* now);
int __real_pthread_create(pthread_t* id, const pthread_attr_t* attr, void* (*start)(void*),
                          void* arg);

long __wrap_syscall(long number, ...) {
    long a[6];
    va_list args;
    va_start(args, number);
    for (long& each : a) each = va_arg(args, long);
    va_end(args);
    model::engine* const e = running();
    if (e == nullptr) return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    const void* const at = reinterpret_cast<const void*>(a[0]);
    if (number == SYS_futex) {
        const auto value = static_cast<std::uint32_t>(a[2]);
        switch (a[1] & FUTEX_CMD_MASK) {
            case FUTEX_WAKE: return e->futex_wake(at, value);
            case FUTEX_WAIT_BITSET:
                return with_errno(
                    e->futex_wait(at, value, nanoseconds(reinterpret_cast<const timespec*>(a[3]))));
            default: break;
        }
    }
    if (number == SYS_membarrier) {
        e->membarrier(a[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
        return 0;
    }
    // Threads of a schedule may run on two processors, and it does not matter on which they do.
    if (number == SYS_sched_getaffinity) {
        *reinterpret_cast<unsigned long*>(a[2]) = 3;
        return sizeof(unsigned long);
    }
    if (number == SYS_sched_setaffinity || number == SYS_sched_getscheduler) return 0;
    // Tests call the signal handler themselves, on the thread and at the moments that they choose.
    if (number == SYS_tgkill) return 0;
    e->fail("a system call that the explorer does not know");
}

int __wrap_clock_gettime(clockid_t id, timespec* now) {
    model::engine* const e = running();
    if (e == nullptr) return __real_clock_gettime(id, now);
    const std::int64_t ns = e->clock();
    now->tv_sec = static_cast<time_t>(ns / 1'000'000'000);
    now->tv_nsec = static_cast<long>(ns % 1'000'000'000);
    return 0;
}

int __wrap_pthread_create(pthread_t* id, const pthread_attr_t* attr, void* (*start)(void*),
                          void* arg) {
    model::engine* const e = running();
    if (e == nullptr) return __real_pthread_create(id, attr, start, arg);
    e->fail("the scheduler starts a thread: give the rig one m more");
}

// rota::rt::signal_stack_install: the threads of a schedule are fibers of one thread, which has a
// signal stack.
void* __real__ZN4rota2rt20signal_stack_installEv();

void* __wrap__ZN4rota2rt20signal_stack_installEv() {
    return running() != nullptr ? nullptr : __real__ZN4rota2rt20signal_stack_installEv();
}

// rota::rt::thread_sleep_ns: naps pass in the time of the schedule.
void __real__ZN4rota2rt15thread_sleep_nsEl(long ns);

void __wrap__ZN4rota2rt15thread_sleep_nsEl(long ns) {
    model::engine* const e = running();
    if (e == nullptr) return __real__ZN4rota2rt15thread_sleep_nsEl(ns);
    model::sleep_until(e->clock() + ns);
}

}  // extern "C"

// --- the heap ------------------------------------------------------------------------------------

namespace model::heap {

namespace {

constexpr unsigned char fresh_byte = 0xcd, freed_byte = 0xdb;
constexpr std::size_t arena_size = 4 << 20, alignment = 64;
constexpr std::uint64_t live_mark = 0x11febeef0badcafe, freed_mark = 0xdeadbeef0badcafe;

// Stands before each block of a schedule.
struct alignas(alignment) header {
    std::uint64_t mark;
    std::size_t size;
};

// The blocks of a schedule lie one behind the other. They have the same addresses in each schedule
// that allocates the same: the explorer identifies shared locations by their addresses.
alignas(alignment) std::byte arena[arena_size];
std::size_t used = 0;
bool open = false;
long live = 0;

std::size_t rounded(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

bool is_in_arena(const void* at) {
    const auto* const byte = static_cast<const std::byte*>(at);
    return byte >= arena && byte < arena + arena_size;
}

void* allocate(std::size_t size) {
    if (!open) {
        void* const memory = std::aligned_alloc(alignment, rounded(size));
        if (memory == nullptr) std::abort();
        return memory;
    }
    const std::size_t whole = sizeof(header) + rounded(size);
    if (arena_size - used < whole) running()->fail("a schedule allocates more than the arena has");
    auto* const h = new (arena + used) header{live_mark, size};
    used += whole;
    ++live;
    std::memset(static_cast<void*>(h + 1), fresh_byte, size);
    return h + 1;
}

void release(void* at) {
    if (!is_in_arena(at)) return std::free(at);
    header* const h = static_cast<header*>(at) - 1;
    if (h->mark != live_mark) {
        if (running() != nullptr) running()->fail("memory is freed twice, or was never allocated");
        std::abort();
    }
    --live;
    h->mark = freed_mark;
    std::memset(at, freed_byte, h->size);
}

}  // namespace

void begin_schedule() {
    used = 0;
    live = 0;
    open = true;
}

outside::outside() : before_(open) { open = false; }
outside::~outside() { open = before_; }

long end_schedule() {
    open = false;
    return live;
}

}  // namespace model::heap

void* operator new(std::size_t size) { return model::heap::allocate(size); }
void* operator new[](std::size_t size) { return model::heap::allocate(size); }
void* operator new(std::size_t size, std::align_val_t) { return model::heap::allocate(size); }
void operator delete(void* at) noexcept { model::heap::release(at); }
void operator delete[](void* at) noexcept { model::heap::release(at); }
void operator delete(void* at, std::size_t) noexcept { model::heap::release(at); }
void operator delete[](void* at, std::size_t) noexcept { model::heap::release(at); }
void operator delete(void* at, std::align_val_t) noexcept { model::heap::release(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { model::heap::release(at); }
