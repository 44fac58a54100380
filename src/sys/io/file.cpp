// Makes the system calls on files and pipes, and writes to a pipe without raising SIGPIPE.
#include "sys/io/file.hpp"

#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/atomic.hpp"
#include "sys/call/call.hpp"
#include "sys/call/fault.hpp"
#include "sys/call/number.hpp"
#include "sys/io/socket_kernel.hpp"

#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x00000100
#endif

namespace rota::rt {

namespace {

// As in <linux/openat2.h>, which older systems do not have.
struct how {
    std::uint64_t flags, mode, resolve;
};
constexpr std::uint64_t resolve_no_magic = 2, resolve_beneath = 8;
// The same number on every processor architecture.
constexpr long number_of_openat2 = 437, number_of_faccessat2 = 439;

// RWF_NOSIGNAL came with Linux 6.18.
constinit atomic<bool> writes_raise{false};  // relaxed: every thread finds the same

// SIGPIPE comes to the thread that writes. The function blocks it, and takes it if this write has
// raised it. It may come together with a count of bytes written.
template <class Call>
std::int64_t without_sigpipe(std::size_t size, Call write) {
    sigset_t pipe_alone, before, pending;
    ::sigemptyset(&pipe_alone);
    ::sigaddset(&pipe_alone, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_alone, &before);
    ::sigpending(&pending);
    const bool has_come_before = ::sigismember(&pending, SIGPIPE) == 1;
    const std::int64_t n = write();
    if (n != static_cast<std::int64_t>(size) && !has_come_before) {
        const timespec at_once{};
        while (::sigtimedwait(&pipe_alone, nullptr, &at_once) < 0 && errno == EINTR) {
        }
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return n;
}

std::int64_t write_without_sigpipe(int fd, const void* from, std::size_t size) {
    return without_sigpipe(size, [=] { return call(SYS_write, fd, from, size); });
}

// Judges by the bits of the mode alone: access lists and security modules are not asked.
bool may_execute(const struct ::stat& file) {
    const uid_t user = ::geteuid();
    if (user == 0) return (file.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
    if (user == file.st_uid) return (file.st_mode & S_IXUSR) != 0;
    const bool is_of_group = ::getegid() == file.st_gid || ::group_member(file.st_gid) != 0;
    return (file.st_mode & (is_of_group ? S_IXGRP : S_IXOTH)) != 0;
}

}  // namespace

// --- opening -------------------------------------------------------------------------------------

int file_open(const char* path, int flags, unsigned mode) {
    if (const int error = fault_at(sys_call::open)) return -error;
    return above_standard(call_int(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}

int file_open_at(int directory, const char* name, int flags, unsigned mode) {
    if (const int error = fault_at(sys_call::open)) return -error;
    return above_standard(call_int(SYS_openat, directory, name, flags | O_CLOEXEC, mode));
}

int file_open_beneath(int directory, const char* path, int flags, unsigned mode) {
    if (const int error = fault_at(sys_call::open)) return -error;
    // The kernel refuses a mode where no file is made, and bits that are not mode bits.
    const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    const how wanted{static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC)),
                     makes ? mode & 07777 : 0, resolve_no_magic | resolve_beneath};
    const int r =
        above_standard(call_int(number_of_openat2, directory, path, &wanted, sizeof wanted));
    // openat2 itself returns EPERM only where O_NOATIME is asked for, or for an append-only file.
    return is_absent(r) ? -ENOSYS : r;
}

std::int64_t file_read_link(int directory, const char* name, char* to, std::size_t size) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    return call(SYS_readlinkat, directory, name, to, size);
}

int file_pipe(int (&ends)[2]) {
    if (const int error = fault_at(sys_call::pipe)) return -error;
    const int r = call_int(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK);
    if (r < 0) return r;
    for (int& end : ends) end = above_standard(end);
    if (ends[0] >= 0 && ends[1] >= 0) return 0;
    const int error = ends[0] < 0 ? ends[0] : ends[1];
    for (const int end : ends) {
        if (end >= 0) (void)call_int(SYS_close, end);
    }
    return error;
}

int file_copy(int fd) {
    if (const int error = fault_at(sys_call::open)) return -error;
    return call_int(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first_own_number);
}

int file_open_again(int fd, int flags) {
    char path[] = "/proc/self/fd/0123456789";
    char* end = path + sizeof "/proc/self/fd/" - 1;
    char digits[12];
    int n = 0;
    do digits[n++] = static_cast<char>('0' + fd % 10);
    while ((fd /= 10) > 0);
    while (n > 0) *end++ = digits[--n];
    *end = 0;
    return file_open(path, flags, 0);
}

int file_close(int fd) {
    const int result = call_int(SYS_close, fd);
    if (const int error = fault_at(sys_call::close_file)) return -error;
    return result;
}

int file_flags(int fd) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    return call_int(SYS_fcntl, fd, F_GETFL);
}

int file_set_blocking(int fd, bool blocks) {
    const int flags = file_flags(fd);
    if (flags < 0) return flags;
    const int wanted = blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
    if (wanted == flags) return 0;
    if (const int error = fault_at(sys_call::change)) return -error;
    return call_int(SYS_fcntl, fd, F_SETFL, wanted);
}

int file_pipe_size(int fd) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    return call_int(SYS_fcntl, fd, F_GETPIPE_SZ);
}

// --- bytes ---------------------------------------------------------------------------------------

std::int64_t file_read(int fd, void* to, std::size_t size) {
    if (const int error = faulty_size(sys_call::read, size)) return -error;
    return call(SYS_read, fd, to, size);
}

std::int64_t file_read_now(int fd, void* to, std::size_t size, std::int64_t offset) {
    if (const int error = faulty_size(sys_call::read, size)) return -error;
    const iovec part{to, size};
    const auto place = static_cast<long>(offset);
    static_assert(sizeof place == sizeof offset,
                  "where a place is one word, the other is not read");
    return call(SYS_preadv2, fd, &part, 1UL, place, 0L, RWF_NOWAIT);
}

std::int64_t file_write(int fd, const void* from, std::size_t size) {
    if (const int error = faulty_size(sys_call::write, size)) return -error;
    return call(SYS_write, fd, from, size);
}

std::int64_t file_write_quietly(int fd, const void* from, std::size_t size) {
    if (const int error = faulty_size(sys_call::write, size)) return -error;
    if (!writes_raise.load(memory_order_relaxed)) {  // relaxed: see the declaration
        const iovec part{const_cast<void*>(from), size};
        const std::int64_t n =
            call(SYS_pwritev2, fd, &part, 1UL, -1L, -1L, RWF_NOSIGNAL);  // -1: at the file's own
                                                                         // position
        if (n != -EOPNOTSUPP && !is_absent(n)) return n;
        const std::int64_t again = write_without_sigpipe(fd, from, size);
        if (n != -EPERM || again != -EPERM)                  // both EPERM: the file itself may be
                                                             // sealed
            writes_raise.store(true, memory_order_relaxed);  // relaxed: see the declaration
        return again;
    }
    return write_without_sigpipe(fd, from, size);
}

std::int64_t file_read_at(int fd, void* to, std::size_t size, std::int64_t offset) {
    if (const int error = faulty_size(sys_call::read, size)) return -error;
    return call(SYS_pread64, fd, to, size, offset);
}

std::int64_t file_write_at(int fd, const void* from, std::size_t size, std::int64_t offset) {
    if (const int error = faulty_size(sys_call::write, size)) return -error;
    return call(SYS_pwrite64, fd, from, size, offset);
}

std::int64_t file_send(int to, int from, std::int64_t& offset, std::size_t size) {
    if (const int error = faulty_size(sys_call::send_file, size)) return -error;
    static_assert(sizeof(off_t) == sizeof offset);
    if (kernel_of(to) != nullptr) return -EINVAL;
    const std::int64_t n =
        without_sigpipe(size, [&] { return call(SYS_sendfile, to, from, &offset, size); });
    return is_absent(n) ? -ENOSYS : n;
}

std::int64_t file_seek(int fd, std::int64_t offset, int whence) {
    if (const int error = fault_at(sys_call::change)) return -error;
    return call(SYS_lseek, fd, offset, whence);
}

// --- files ---------------------------------------------------------------------------------------

int file_stat(int fd, struct ::stat& to) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    // Not the C library's function, just as for close. A tool that intercepts only one of the two
    // would take the next file of the same number for this one.
    return call_int(SYS_fstat, fd, &to);
}

int file_is_program(const char* path) {
    if (const int error = fault_at(sys_call::ask)) return -error;
    struct ::stat status{};
    if (::stat(path, &status) != 0) return -errno;
    if (S_ISDIR(status.st_mode)) return -EISDIR;
    int r = call_int(number_of_faccessat2, AT_FDCWD, path, X_OK, AT_EACCESS);
    if (is_absent(r)) {
        const bool has_one_identity = ::getuid() == ::geteuid() && ::getgid() == ::getegid();
        if (has_one_identity) r = call_int(SYS_faccessat, AT_FDCWD, path, X_OK);
        else r = may_execute(status) ? 0 : -EACCES;
    }
    return r == 0 ? 0 : -EACCES;
}

int file_sync(int fd) {
    if (const int error = fault_at(sys_call::sync)) return -error;
    return call_int(SYS_fsync, fd);
}

int file_truncate(int fd, std::int64_t size) {
    if (const int error = fault_at(sys_call::change)) return -error;
    return call_int(SYS_ftruncate, fd, size);
}

}  // namespace rota::rt
