// A process without free descriptors, for tests of calls that need one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "anywhere.hpp"

namespace rota_test {

// While it lives no descriptor is free: every number below the limit is in use, by files that stay
// open. The runtime's own threads open files in /proc for a moment (see open_descriptors), and such
// a number would be free again after the first look. Once every other number is taken, these
// threads can open none either.
class no_descriptors {
  public:
    no_descriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit now = before_;
        now.rlim_cur = static_cast<rlim_t>(highest_open() + 1);
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &now), 0);
        EXPECT_TRUE(eventually([&] {
            for (int fd; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
                held_.push_back(fd);
            for (rlim_t n = 0; n < now.rlim_cur; ++n)
                if (!stays(n)) return false;
            return true;
        }));
    }
    ~no_descriptors() {
        ::setrlimit(RLIMIT_NOFILE, &before_);
        for (const int fd : held_) ::close(fd);
    }
    no_descriptors(const no_descriptors&) = delete;
    no_descriptors& operator=(const no_descriptors&) = delete;

  private:
    static int highest_open() {
        int highest = 0;
        DIR* const all = ::opendir("/proc/self/fd");
        while (const dirent* entry = ::readdir(all))
            highest = std::max(highest, std::atoi(entry->d_name));
        ::closedir(all);
        return highest;
    }
    // Whether the number is in use, and not only for a moment. The question takes no descriptor.
    static bool stays(rlim_t number) {
        const std::string name = "/proc/self/fd/" + std::to_string(number);
        std::array<char, 64> at;
        const ssize_t size = ::readlink(name.c_str(), at.data(), at.size());
        return size >= 0 &&
               !std::string_view(at.data(), static_cast<std::size_t>(size)).starts_with("/proc/");
    }

    rlimit before_{};
    std::vector<int> held_;
};

}  // namespace rota_test
