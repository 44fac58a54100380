// System calls without the C library between (sys/call/call).
#include "sys/call/call.hpp"

#include <cerrno>
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace {

using rota::rt::call;
using rota::rt::call_int;

TEST(sys_call, returns_what_the_kernel_gives_and_leaves_errno_alone) {
    errno = EXDEV;
    EXPECT_EQ(call_int(SYS_getpid), ::getpid());
    EXPECT_EQ(call(SYS_close, -1), -EBADF);
    EXPECT_EQ(call(SYS_read, -1, nullptr, 0UL), -EBADF);
    EXPECT_EQ(errno, EXDEV);
}

TEST(sys_call, passes_six_arguments_in_their_places) {
    // copy_file_range's flags are the sixth, and must be 0; its length is the fifth.
    const int from = ::memfd_create("from", MFD_CLOEXEC), to = ::memfd_create("to", MFD_CLOEXEC);
    ASSERT_GE(from, 0);
    ASSERT_GE(to, 0);
    ASSERT_EQ(::write(from, "abcdef", 6), 6);
    std::int64_t in = 1, out = 0;
    EXPECT_EQ(call(SYS_copy_file_range, from, &in, to, &out, 4UL, 1U), -EINVAL);
    EXPECT_EQ(call(SYS_copy_file_range, from, &in, to, &out, 4UL, 0U), 4);
    EXPECT_EQ(in, 5);
    EXPECT_EQ(out, 4);
    char text[8] = {};
    // A negative number is one in all its bits: the place is the fourth argument.
    EXPECT_EQ(call(SYS_pread64, to, text, sizeof text, std::int64_t{-1}), -EINVAL);
    EXPECT_EQ(call(SYS_pread64, to, text, sizeof text, std::int64_t{0}), 4);
    EXPECT_STREQ(text, "bcde");
    ::close(from);
    ::close(to);
}

}  // namespace
