// Reads the process's figures from /proc/self and getrusage.
#include "sys/proc/process_figures.hpp"

#include <cstdio>
#include <cstring>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/call/number.hpp"

namespace rota::rt {

namespace {

double seconds(const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

std::uint64_t count_descriptors() {
    const int list = open_to_read("/proc/self/fd", O_DIRECTORY);
    DIR* const all = list < 0 ? nullptr : ::fdopendir(list);
    if (all == nullptr) {
        if (list >= 0) ::close(list);
        return 0;
    }
    std::uint64_t n = 0;
    while (const dirent* const entry = ::readdir(all)) n += entry->d_name[0] != '.' ? 1 : 0;
    ::closedir(all);
    return n > 0 ? n - 1 : 0;  // less the runtime's own
}

void read_memory(process_figures& out) {
    std::FILE* const file = stream_to_read("/proc/self/statm");
    if (file == nullptr) return;
    unsigned long size = 0, resident = 0;
    if (std::fscanf(file, "%lu %lu", &size, &resident) == 2) {
        const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        out.virtual_bytes = size * page;
        out.resident_bytes = resident * page;
    }
    std::fclose(file);
}

// Clock ticks from the machine's start to the process's: the 22nd field, the 20th after the name,
// which may hold any bytes.
bool read_start(unsigned long long& ticks) {
    std::FILE* const file = stream_to_read("/proc/self/stat");
    if (file == nullptr) return false;
    char text[1024];
    const std::size_t n = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[n] = '\0';
    const char* at = std::strrchr(text, ')');
    for (int field = 0; at != nullptr && field < 20; ++field) at = std::strchr(at + 1, ' ');
    return at != nullptr && std::sscanf(at, "%llu", &ticks) == 1;
}

double find_start_of_process() {
    unsigned long long ticks = 0;
    timespec since_boot{}, wall{};
    if (!read_start(ticks) || ::clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0 ||
        ::clock_gettime(CLOCK_REALTIME, &wall) != 0)
        return 0;
    const double boot = static_cast<double>(wall.tv_sec - since_boot.tv_sec) +
                        static_cast<double>(wall.tv_nsec - since_boot.tv_nsec) / 1e9;
    return boot + static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// Computed once: two clocks that are read one after the other give another figure each time.
double start_of_process() {
    static const double start = find_start_of_process();
    return start;
}

}  // namespace

process_figures read_process_figures() {
    process_figures out;
    rusage used{};
    if (::getrusage(RUSAGE_SELF, &used) == 0)
        out.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) out.max_descriptors = limit.rlim_cur;
    out.open_descriptors = count_descriptors();
    read_memory(out);
    out.start_seconds = start_of_process();
    return out;
}

}  // namespace rota::rt
