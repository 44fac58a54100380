// How much memory the process has in use, for tests of what must not grow.
#pragma once

#include <cstdio>

#include <unistd.h>

namespace rota_test {

// Resident memory of this process in KiB; 0 if the kernel does not tell.
inline long resident_kib() {
    long total = 0;
    long resident = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace rota_test
