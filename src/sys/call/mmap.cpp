// Makes the system calls of the mmap family, and reads the limits of the address space.
#include "sys/call/mmap.hpp"

#include <cerrno>
#include <cstdlib>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "base/env.hpp"
#include "sys/call/call.hpp"
#include "sys/call/fault.hpp"
#include "sys/call/number.hpp"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace rota::rt {

namespace {

// A kernel refuses an advice that it does not know. qemu-user accepts every advice and does
// nothing, so its success for a guard proves nothing.
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

// Gives one advice for `count` ranges in one call.
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

std::size_t mmap_untouched(void* start, std::size_t size) {
    unsigned char in_memory[256];
    for (std::size_t at = 0; at < size;) {
        const std::size_t rest = (size - at) / page_size;
        const std::size_t n = rest < sizeof in_memory ? rest : sizeof in_memory;
        if (n == 0 || ::mincore(static_cast<char*>(start) + at, n * page_size, in_memory) != 0)
            return size;
        for (std::size_t i = 0; i < n; ++i, at += page_size) {
            if ((in_memory[i] & 1) != 0) return at;
        }
    }
    return size;
}

int mmap_protect_none(void* start, std::size_t size) {
    if (const int error = fault_at(sys_call::mprotect)) return error;
    return ::mprotect(start, size, PROT_NONE) == 0 ? 0 : errno;
}

namespace {

// Reads the beginning of a small file of /proc, ended by NUL. False: it cannot be read.
template <std::size_t N>
bool read_beginning(const char* path, char (&text)[N]) {
    const int fd = open_to_read(path);
    if (fd < 0) return false;
    const ssize_t n = plain_read(fd, text, N - 1);
    plain_close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

// Pages of the whole process, and pages that RLIMIT_DATA counts. Zeros if /proc is not there.
struct pages_in_use {
    std::size_t all = 0, data = 0;
};

// "size resident shared text lib data dt"
pages_in_use read_pages_in_use() {
    char text[128];
    std::size_t field[6] = {};
    if (!read_beginning("/proc/self/statm", text)) return {};
    const char* at = text;
    for (std::size_t& f : field) {
        for (; *at >= '0' && *at <= '9'; ++at) f = f * 10 + static_cast<std::size_t>(*at - '0');
        if (*at == ' ') ++at;
    }
    return {field[0], field[5]};
}

}  // namespace

address_space read_address_space() {
    rlimit whole{}, data{};
    const bool is_whole = ::getrlimit(RLIMIT_AS, &whole) == 0 && whole.rlim_cur != RLIM_INFINITY;
    const bool is_data = ::getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY;
    if (!is_whole && !is_data) return {};
    const pages_in_use used = read_pages_in_use();
    const auto rest = [](rlim_t limit, std::size_t pages) {
        const std::size_t bytes = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        return address_space{true, limit, limit > bytes ? limit - bytes : 0};
    };
    const address_space of_whole = rest(whole.rlim_cur, used.all);
    const address_space of_data = rest(data.rlim_cur, used.data);
    if (!is_whole) return of_data;
    return is_data && of_data.left < of_whole.left ? of_data : of_whole;
}

long max_map_count() {
    constexpr long kernel_default = 65530;
    char text[32];
    if (!read_beginning("/proc/sys/vm/max_map_count", text)) return kernel_default;
    int count = 0;
    const char* end = text;
    while (*end >= '0' && *end <= '9') ++end;
    return parse_int(text, end, 1, 1 << 30, count) ? count : kernel_default;
}

}  // namespace rota::rt
