// How much memory a process has, as the kernel counts it.
#pragma once

#include <cstdio>
#include <string>

#include <unistd.h>

namespace rota_test {

// KiB; -1: not known. `pid`: a number, or "self".
inline long resident_kib(const std::string& pid = "self") {
    std::FILE* const statm = std::fopen(("/proc/" + pid + "/statm").c_str(), "re");
    if (statm == nullptr) return -1;
    long all = -1, resident = -1;
    if (std::fscanf(statm, "%ld %ld", &all, &resident) != 2) resident = -1;
    std::fclose(statm);
    return resident < 0 ? -1 : resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace rota_test
