// Lists of NAME=value, and PATH.
#include "os/environment.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <unordered_set>

#include <unistd.h>

#include "sys/io/file.hpp"

namespace rota::os {

std::vector<std::string> own_environment() {
    std::vector<std::string> all;
    for (char** at = ::environ; at != nullptr && *at != nullptr; ++at) all.emplace_back(*at);
    return all;
}

std::vector<std::string> without_duplicates(std::vector<std::string> all) {
    std::vector<std::string> kept;
    std::unordered_set<std::string> seen;
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
        const std::size_t end = at->find('=');
        const bool is_variable = end != std::string::npos && end != 0;
        if (is_variable && !seen.insert(at->substr(0, end)).second) continue;
        kept.push_back(std::move(*at));
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
}

std::vector<char*> pointers_to(const std::vector<std::string>& all) {
    std::vector<char*> pointers;
    pointers.reserve(all.size() + 1);
    for (const std::string& text : all) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

bool has_nul(const std::vector<std::string>& all) {
    return std::any_of(all.begin(), all.end(), [](const std::string& text) {
        return text.find('\0') != std::string::npos;
    });
}

namespace {

// 0, or why it is no program.
int program_error(const char* path) { return -rt::file_is_program(path); }

}  // namespace

int find_program(const std::string& name, std::string& path) {
    if (name.find('/') != std::string::npos) {
        path = name;
        return 0;
    }
    if (name.empty()) return ENOENT;
    const char* const set = std::getenv("PATH");
    std::string_view left = set != nullptr ? set : "/bin:/usr/bin";
    int why = ENOENT;
    for (bool more = true; more;) {
        const std::size_t end = left.find(':');
        more = end != std::string_view::npos;
        const std::string_view directory = left.substr(0, end);
        if (more) left.remove_prefix(end + 1);
        // A program of the current directory would be run for one of the system's.
        if (!directory.starts_with('/')) continue;
        path.assign(directory).append("/").append(name);
        const int error = program_error(path.c_str());
        if (error == 0) return 0;
        if (error == EACCES) why = EACCES;
    }
    return why;
}

}  // namespace rota::os
