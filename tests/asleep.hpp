// Whether a process rests, asked of the kernel: rota is not touched by the question.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>

#include <dirent.h>
#include <unistd.h>

namespace rota_test {

// Whether the thread sleeps in the kernel.
inline bool does_thread_sleep(pid_t process, const std::string& thread) {
    const std::string name = "/proc/" + std::to_string(process) + "/task/" + thread + "/stat";
    char line[512] = {};
    if (std::FILE* const stat = std::fopen(name.c_str(), "re")) {
        if (std::fgets(line, sizeof line, stat) == nullptr) line[0] = 0;
        std::fclose(stat);
    }
    const char* const name_end = std::strrchr(line, ')');
    return name_end != nullptr && name_end[1] == ' ' && name_end[2] == 'S';
}

// Whether every thread of the process does; `except` is not looked at.
inline bool do_threads_sleep(pid_t process, pid_t except = 0) {
    const std::string folder = "/proc/" + std::to_string(process) + "/task/";
    DIR* const tasks = ::opendir(folder.c_str());
    if (tasks == nullptr) return false;
    const std::string left_out = std::to_string(except);
    bool all = true;
    while (const dirent* entry = ::readdir(tasks)) {
        if (entry->d_name[0] == '.' || left_out == entry->d_name) continue;
        all = all && does_thread_sleep(process, entry->d_name);
    }
    ::closedir(tasks);
    return all;
}

inline bool do_the_others_sleep() { return do_threads_sleep(::getpid(), ::gettid()); }

}  // namespace rota_test
