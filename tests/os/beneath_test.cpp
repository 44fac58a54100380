// Checks paths that stay below a directory: the kernel and the walk by hand must agree.
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/beneath.hpp"
#include "sys/call/fault.hpp"

#if defined(ROTA_DEBUG_CHECKS)

namespace {

using namespace rota::rt;

std::atomic<bool> first_open{false};

// The number of the opened file, or the error.
std::string outcome(int directory, const char* path, bool by_hand) {
    first_open = by_hand;
    plant_fault([](sys_call call) {
        return call == sys_call::open && first_open.exchange(false) ? ENOSYS : 0;
    });
    const int number = rota::os::open_beneath(directory, path, O_RDONLY | O_NONBLOCK);
    plant_fault(nullptr);
    if (number < 0) return std::strerror(-number);
    struct ::stat s{};
    EXPECT_EQ(::fstat(number, &s), 0);
    EXPECT_EQ(::fcntl(number, F_GETFD), FD_CLOEXEC);
    ::close(number);
    return "file " + std::to_string(s.st_ino);
}

// A directory with links of each kind, below a directory with a secret.
struct maze {
    static constexpr const char* links[][2] = {{"../secret", "out"},
                                               {"a/b", "in"},
                                               {"a/b/g", "to_g"},
                                               {"../f", "a/back"},
                                               {"../../secret", "a/far"},
                                               {"/etc", "absolute"},
                                               {"loop", "loop"},
                                               {"x2", "x1"},
                                               {"x1", "x2"},
                                               {"f/", "f_slash"},
                                               {"../top/f", "round"}};

    maze() {
        char name[] = "/tmp/rota-test-XXXXXX";
        if (::mkdtemp(name) != nullptr) outside = name;
        top = outside + "/top";
        for (const std::string& each : {top, top + "/a", top + "/a/b"}) ::mkdir(each.c_str(), 0777);
        for (const std::string& each : {outside + "/secret", top + "/f", top + "/a/b/g"})
            ::close(::open(each.c_str(), O_CREAT | O_WRONLY, 0666));
        for (const auto& [to, at] : links) EXPECT_EQ(::symlink(to, (top + "/" + at).c_str()), 0);
        directory = ::open(top.c_str(), O_PATH | O_DIRECTORY);
    }
    ~maze() {
        ::close(directory);
        for (const auto& [to, at] : links) ::unlink((top + "/" + at).c_str());
        for (const char* const each : {"/f", "/a/b/g", "/../secret"})
            ::unlink((top + each).c_str());
        for (const std::string& each : {top + "/a/b", top + "/a", top, outside})
            EXPECT_EQ(::rmdir(each.c_str()), 0) << each << ": " << std::strerror(errno);
    }

    std::string outside, top;
    int directory = -1;
};

TEST(os_open_beneath, by_hand_finds_what_the_kernel_finds) {
    const maze m;
    ASSERT_GE(m.directory, 0);
    for (const char* const path : {".",          "f",
                                   "./f",        "f/",
                                   "f/x",        "a",
                                   "a/",         "a//b/g",
                                   "a/b/../b/g", "a/../f",
                                   "a/..",       "..",
                                   "../top/f",   "in",
                                   "in/",        "in/g",
                                   "in/../b/g",  "to_g",
                                   "to_g/",      "a/back",
                                   "absolute",   "absolute/passwd",
                                   "loop",       "x1",
                                   "x1/y",       "f_slash",
                                   "round",      "none",
                                   "none/x",     "a/none",
                                   "in/..",      "",
                                   "/",          "/f"})
        EXPECT_EQ(outcome(m.directory, path, true), outcome(m.directory, path, false)) << path;
    for (const char* const path :
         {"out", "a/far", "../secret", "a/../../secret", "absolute/passwd", "/f"})
        EXPECT_EQ(outcome(m.directory, path, true), std::strerror(EXDEV)) << path;
    const std::string too_long(5000, 'x');
    EXPECT_EQ(outcome(m.directory, too_long.c_str(), true), std::strerror(ENAMETOOLONG));
}

}  // namespace

#endif
