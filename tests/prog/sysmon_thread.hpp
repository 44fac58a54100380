// The thread of rota's that watches the others, as the kernel sees it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "program.hpp"

namespace rota_test {

// How often the thread has gone to sleep; -1: not known.
inline long sleeps_of(int tid) {
    char line[256] = {};
    long n = -1;
    const std::string path = "/proc/self/task/" + std::to_string(tid) + "/status";
    std::FILE* const status = std::fopen(path.c_str(), "re");
    if (status == nullptr) return n;
    while (std::fgets(line, sizeof line, status) != nullptr)
        (void)std::sscanf(line, "voluntary_ctxt_switches: %ld", &n);
    std::fclose(status);
    return n;
}

// Its number; waits until there is one.
inline int sysmon_thread() {
    int found = -1;
    await([&] {
        std::error_code error;  // a thread may end meanwhile
        for (std::filesystem::directory_iterator task("/proc/self/task", error), end;
             !error && task != end; task.increment(error)) {
            std::ifstream comm(task->path() / "comm");
            std::string name;
            if (std::getline(comm, name) && name == "rota-sysmon")
                found = std::stoi(task->path().filename());
        }
        return found > 0;
    });
    return found;
}

// Waits until it has not woken for a tenth of a second.
inline void await_rest_of(int sysmon) {
    using clock = std::chrono::steady_clock;
    long seen = -1;
    clock::time_point since;
    await([&] {
        const long n = sleeps_of(sysmon);
        if (n != seen) since = clock::now();
        seen = n;
        return n >= 0 && clock::now() - since >= std::chrono::milliseconds(100);
    });
}

}  // namespace rota_test
