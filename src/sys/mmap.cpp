// The mmap family.
#include "sys/mmap.hpp"

#include <cerrno>
#include <cstdlib>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "base/env.hpp"
#include "sys/call.hpp"
#include "sys/fault.hpp"
#include "sys/number.hpp"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace rota::rt {

namespace {

// A kernel refuses an advice that it does not know. qemu-user accepts every one and does nothing,
// so that its "yes" to a guard is none.
bool advice_is_heeded(void* start, std::size_t size) {
    enum : unsigned char { unknown, yes, no };
    static constinit atomic<unsigned char> known{unknown};
    unsigned char answer =
        known.load(memory_order_relaxed);  // relaxed: every thread finds the same
    if (answer == unknown) {
        constexpr int no_such_advice = 0x7fff;
        answer = ::madvise(start, size, no_such_advice) == 0 ? no : yes;
        known.store(answer, memory_order_relaxed);  // relaxed: as above
    }
    return answer == yes;
}

// One call for `count` ranges.
int advise_many(void* first, std::size_t stride, std::size_t size, std::size_t count, int advice) {
    constexpr int own_process = -10000;  // PIDFD_SELF
    if (count > advice_batch_max) return EINVAL;
    iovec ranges[advice_batch_max];
    for (std::size_t i = 0; i < count; ++i)
        ranges[i] = {static_cast<char*>(first) + i * stride, size};
    const long done = ::syscall(SYS_process_madvise, own_process, ranges, count, advice, 0);
    if (done < 0) return errno;
    return static_cast<std::size_t>(done) == count * size ? 0 : EAGAIN;
}

}  // namespace

void* mmap_reserve(std::size_t size) {
    if (fault_at(sys_call::mmap) != 0) return nullptr;
    void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return nullptr;
    // A kernel without huge pages refuses the advice, and then there is nothing to avoid.
    (void)::madvise(start, size, MADV_NOHUGEPAGE);
    return start;
}

void mmap_free(void* start, std::size_t size) { ::munmap(start, size); }

void mmap_decommit(void* start, std::size_t size) { (void)::madvise(start, size, MADV_DONTNEED); }

int mmap_guard(void* start, std::size_t size) {
    if (const int error = fault_at(sys_call::madvise)) return error;
    if (!advice_is_heeded(start, size)) return ENOSYS;
    return ::madvise(start, size, MADV_GUARD_INSTALL) == 0 ? 0 : errno;
}

int mmap_guard_many(void* first, std::size_t stride, std::size_t size, std::size_t count) {
    if (const int error = fault_at(sys_call::madvise)) return error;
    return advise_many(first, stride, size, count, MADV_GUARD_INSTALL);
}

int mmap_populate_many(void* first, std::size_t stride, std::size_t size, std::size_t count) {
    return advise_many(first, stride, size, count, MADV_POPULATE_WRITE);
}

int mmap_protect_none(void* start, std::size_t size) {
    if (const int error = fault_at(sys_call::mprotect)) return error;
    return ::mprotect(start, size, PROT_NONE) == 0 ? 0 : errno;
}

long max_map_count() {
    constexpr long kernel_default = 65530;
    char text[32];
    const int fd = open_to_read("/proc/sys/vm/max_map_count");
    if (fd < 0) return kernel_default;
    const ssize_t n = plain_read(fd, text, sizeof text);
    plain_close(fd);
    int count = 0;
    const char* end = text;
    while (end < text + (n > 0 ? n : 0) && *end >= '0' && *end <= '9') ++end;
    return parse_int(text, end, 1, 1 << 30, count) ? count : kernel_default;
}

}  // namespace rota::rt
