// Reads maps, pagemap and mem of /proc/thread-self.
#include "sys/proc/memory_map.hpp"

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/call/call.hpp"
#include "sys/call/number.hpp"

namespace rota::rt {

namespace {

// Bits of an entry of pagemap.
constexpr std::uint64_t present = std::uint64_t{1} << 63, swapped = std::uint64_t{1} << 62;

std::uintptr_t hexadecimal(const char*& at) {
    std::uintptr_t v = 0;
    for (;; ++at) {
        const char c = *at;
        if (c >= '0' && c <= '9') v = v * 16 + static_cast<unsigned>(c - '0');
        else if (c >= 'a' && c <= 'f') v = v * 16 + static_cast<unsigned>(c - 'a') + 10;
        else return v;
    }
}

bool begins_with(const char* text, const char* with) {
    return std::strncmp(text, with, std::strlen(with)) == 0;
}

bool begins_with_one_of(const char* text, std::initializer_list<const char*> all) {
    for (const char* const with : all) {
        if (begins_with(text, with)) return true;
    }
    return false;
}

// Encoded as by makedev(), which parsed() uses too. 0: unknown.
std::uint64_t device_of_own_memory() {
    const int fd = above_standard_or_errno(::memfd_create("rota", MFD_CLOEXEC));
    if (fd < 0) return 0;
    struct stat about{};
    const bool known = ::fstat(fd, &about) == 0;
    plain_close(fd);
    return known ? about.st_dev : 0;
}

std::uint64_t device_of_dev_shm() {
    constexpr long tmpfs = 0x01021994;
    struct statfs kind{};
    struct stat about{};
    const bool is_tmpfs =
        ::statfs("/dev/shm", &kind) == 0 && kind.f_type == tmpfs && ::stat("/dev/shm", &about) == 0;
    return is_tmpfs ? about.st_dev : 0;
}

}  // namespace

memory_map::~memory_map() {
    for (const int fd : {maps_, pages_, memory_}) {
        if (fd >= 0) plain_close(fd);
    }
}

// "55e0c2a00000-55e0c2a21000 rw-p 00000000 00:00 0    [heap]", ended by NUL.
memory_mapping memory_map::parsed(const char* line) const {
    memory_mapping m;
    m.lo = hexadecimal(line);
    ++line;
    m.hi = hexadecimal(line);
    ++line;
    m.readable = line[0] == 'r';
    m.writable = line[1] == 'w';
    m.is_shared = line[3] == 's';
    const auto next_field = [&line] {
        while (*line != ' ' && *line != '\0') ++line;
        while (*line == ' ') ++line;
    };
    next_field();  // the offset
    next_field();  // the device
    const auto major = static_cast<unsigned>(hexadecimal(line));
    ++line;
    const std::uint64_t device = makedev(major, static_cast<unsigned>(hexadecimal(line)));
    m.is_on_disk = major != 0;
    next_field();
    m.is_of_file = *line != '0';  // the inode
    next_field();
    m.is_main_stack = std::strcmp(line, "[stack]") == 0;
    m.is_of_kernel =  // vvar, vdso, vsyscall
        begins_with_one_of(line, {"[v", "anon_inode:[io_uring]", "anon_inode:[perf_event]"});
    // Decides by the device, not by the path: a disk may be mounted there, and huge pages have
    // neither device. The kernel's own device names files /dev/zero, /memfd:... and /SYSV...
    m.is_memory = m.is_shared && m.is_of_file && device != 0 &&
                  (device == memory_devices_[0] || device == memory_devices_[1]);
    m.is_device = !m.is_memory && begins_with_one_of(line, {"/dev/", "/sys/", "anon_inode:"}) &&
                  !begins_with_one_of(line, {"/dev/shm/", "/dev/hugepages/", "/dev/dax"});
    return m;
}

bool memory_map::open() {
    // After a process's main thread has ended, /proc/self shows no memory.
    maps_ = open_to_read("/proc/thread-self/maps");
    pages_ = open_to_read("/proc/thread-self/pagemap");
    memory_ = open_to_read("/proc/thread-self/mem");
    page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    memory_devices_[0] = device_of_own_memory();
    memory_devices_[1] = device_of_dev_shm();
    return maps_ >= 0 && pages_ >= 0 && memory_ >= 0;
}

bool memory_map::for_each(char* text, std::size_t size,
                          bool (*visit)(void* arg, const memory_mapping&), void* arg) const {
    std::size_t have = 0;
    if (::lseek(maps_, 0, SEEK_SET) != 0) return false;
    for (;;) {
        const ssize_t n = plain_read(maps_, text + have, size - have - 1);
        if (n < 0) return false;
        if (n == 0) return have == 0;
        have += static_cast<std::size_t>(n);
        char* line = text;
        while (char* const end = static_cast<char*>(
                   std::memchr(line, '\n', have - static_cast<std::size_t>(line - text)))) {
            *end = '\0';
            if (!visit(arg, parsed(line))) return false;
            line = end + 1;
        }
        have -= static_cast<std::size_t>(line - text);
        if (have + 1 >= size) return false;  // a line is longer than the whole room
        std::memmove(text, line, have);
    }
}

namespace {

// Asks for pages piece by piece: read(first, count, answers) fills the answers, and
// is_there(answer) decides a page's bit.
template <class T, std::size_t at_once, class R, class I>
bool set_bits(std::uint64_t* words, std::size_t n, std::size_t pages, R read, I is_there) {
    if (pages > 64 * n) return false;
    std::memset(words, 0, (pages + 63) / 64 * sizeof *words);
    T answers[at_once];
    for (std::size_t i = 0; i < pages; i += at_once) {
        const std::size_t count = pages - i < at_once ? pages - i : at_once;
        if (!read(i, count, answers)) return false;
        for (std::size_t k = 0; k < count; ++k) {
            if (is_there(answers[k])) words[(i + k) / 64] |= std::uint64_t{1} << ((i + k) % 64);
        }
    }
    return true;
}

}  // namespace

bool memory_map::find_pages(std::uintptr_t lo, std::uintptr_t hi, std::uint64_t* words,
                            std::size_t n) const {
    return set_bits<std::uint64_t, 128>(
        words, n, (hi - lo) / page_,
        [&](std::size_t first, std::size_t count, std::uint64_t* entries) {
            const std::size_t size = count * sizeof *entries;
            const auto at = static_cast<off_t>((lo / page_ + first) * sizeof *entries);
            return ::pread(pages_, entries, size, at) == static_cast<ssize_t>(size);
        },
        [](std::uint64_t entry) { return (entry & (present | swapped)) != 0; });
}

bool memory_map::find_shared_pages(std::uintptr_t lo, std::uintptr_t hi, std::uint64_t* words,
                                   std::size_t n) const {
    return set_bits<unsigned char, 1024>(
        words, n, (hi - lo) / page_,
        [&](std::size_t first, std::size_t count, unsigned char* there) {
            return ::mincore(reinterpret_cast<void*>(lo + first * page_), count * page_, there) ==
                   0;
        },
        [](unsigned char there) { return (there & 1) != 0; });
}

bool memory_map::swap_is_in_use() {
    struct sysinfo machine{};
    return ::sysinfo(&machine) != 0 || machine.freeswap != machine.totalswap;
}

std::size_t memory_map::copy(void* to, std::uintptr_t from, std::size_t size) const {
    std::size_t have = 0;
    while (have < size) {
        const ssize_t n = ::pread(memory_, static_cast<char*>(to) + have, size - have,
                                  static_cast<off_t>(from + have));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        have += static_cast<std::size_t>(n);
    }
    return have;
}

bool memory_map::is_empty(std::uintptr_t address) const {
    constexpr std::uint64_t guard = std::uint64_t{1} << 58;  // Linux 6.15
    std::uint64_t entry = 0;
    if (::pread(pages_, &entry, sizeof entry, static_cast<off_t>(address / page_ * sizeof entry)) !=
        sizeof entry)
        return false;
    if ((entry & present) != 0) return false;
    // Before Linux 6.15, guards look like pages in the swap.
    return (entry & swapped) == 0 || (entry & guard) != 0 || !swap_is_in_use();
}

}  // namespace rota::rt
