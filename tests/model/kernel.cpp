// The kernel, the clock and the heap of explored schedules.
//
// The linker sends the program's calls of syscall, clock_gettime and pthread_create here (--wrap in
// tests/CMakeLists.txt), so the library itself is the one that everybody runs. While no schedule
// runs they pass through.
//
// Memory that a schedule frees is overwritten and kept until its end: whoever uses it once more
// meets a value that no program expects, and a second delete is found. New memory holds 0xcd, by
// which an atomic that nobody has constructed is known.
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

}  // extern "C"

// --- the heap
// -------------------------------------------------------------------------------------

namespace model::heap {

namespace {

constexpr unsigned char fresh_byte = 0xcd, freed_byte = 0xdb;
constexpr unsigned kept_max = 4096;
constexpr std::uint64_t live_mark = 0x11febeef0badcafe, freed_mark = 0xdeadbeef0badcafe;

// Before each block. Its size keeps blocks aligned as malloc does.
struct alignas(64) header {
    std::uint64_t mark;
    std::size_t size;
    std::uint64_t schedule;  // that allocated it, 0: none
};

header* kept[kept_max];
unsigned kept_count = 0;
std::uint64_t schedule = 0;
bool open = false;
long live = 0;

void* allocate(std::size_t size) {
    void* const memory = std::aligned_alloc(64, (sizeof(header) + size + 63) / 64 * 64);
    if (memory == nullptr) std::abort();
    auto* const h = new (memory) header{live_mark, size, open ? schedule : 0};
    if (open) {
        ++live;
        std::memset(static_cast<void*>(h + 1), fresh_byte, size);
    }
    return h + 1;
}

void release(void* at) {
    if (at == nullptr) return;
    header* const h = static_cast<header*>(at) - 1;
    if (h->mark != live_mark) {
        if (running() != nullptr) running()->fail("memory is freed twice, or was never allocated");
        std::abort();
    }
    if (!open || h->schedule != schedule) return std::free(h);
    --live;
    h->mark = freed_mark;
    std::memset(at, freed_byte, h->size);
    if (kept_count < kept_max) kept[kept_count++] = h;
    else std::free(h);
}

}  // namespace

void begin_schedule() {
    ++schedule;
    live = 0;
    open = true;
}

outside::outside() : before_(open) { open = false; }
outside::~outside() { open = before_; }

long end_schedule() {
    open = false;
    for (unsigned i = 0; i < kept_count; ++i) std::free(kept[i]);
    kept_count = 0;
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
