// Counts the open descriptors, so that a test can show that each descriptor is closed.
#pragma once

#include <array>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace rota_test {

// Open descriptors of this process, without files in /proc. The runtime's own threads open such
// files for a moment at any time (to see how threads of the process are), and no test keeps such a
// file.
inline int open_descriptors() {
    DIR* const all = ::opendir("/proc/self/fd");
    if (all == nullptr) return -1;
    int n = 0;
    while (const dirent* entry = ::readdir(all)) {
        std::array<char, 64> at;
        const ssize_t size = ::readlinkat(::dirfd(all), entry->d_name, at.data(), at.size());
        if (size < 0) continue;  // "." and "..", or closed meanwhile
        const std::string_view what(at.data(), static_cast<std::size_t>(size));
        n += what.substr(0, 6) == "/proc/" ? 0 : 1;
    }
    ::closedir(all);
    return n;
}

}  // namespace rota_test
