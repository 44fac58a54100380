// Checks calls on regular files by the ring (GODEBUG=netpoll=uring): which callers park, which are
// handed off, which calls may run meanwhile, and what happens to calls that the ring refuses.
#include "fd/regular.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <rota/rota.hpp>

#include "fd/fd.hpp"
#include "netpoll/poller.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/fault.hpp"
#include "sys/io/file.hpp"

#include "../refusing.hpp"

namespace {

using namespace rota::rt;
namespace os = rota::os;

constexpr std::int64_t patience_ns = 20'000'000'000;

// Boots the runtime. False: this run makes no file calls by the ring, and there is nothing to test.
bool is_by_ring() {
    rota::run([] {});
    if (net_poller.makes_file_calls()) return true;
    std::printf(
        "files are handed off in this run: GODEBUG=netpoll=uring is not set, or there is no "
        "io_uring (errno %d)\n",
        net_poller.refusal());
    return false;
}

template <class C>
bool eventually(C condition) {
    const std::int64_t until = nanotime() + patience_ns;
    while (!condition()) {
        if (nanotime() > until) return false;
        rota::runtime::gosched();
    }
    return true;
}

// A path whose file is removed at the end.
struct regular_at {
    std::string path = "/tmp/rota-test-regular-" + std::to_string(::getpid());
    regular_at() = default;
    ~regular_at() { ::unlink(path.c_str()); }
    regular_at(const regular_at&) = delete;
    regular_at& operator=(const regular_at&) = delete;
};

// A file whose disk delivers when the test says so: the end of a pipe, which rota takes for a file.
struct slow_file {
    int ends[2] = {};
    fd* file = nullptr;
    slow_file() {
        if (::pipe2(ends, O_CLOEXEC) != 0 ||
            fd::open_blocking(ends[0], fd::kind::regular, file) != 0)
            std::abort();
    }
    ~slow_file() {
        if (file != nullptr) file->release();
        ::close(ends[1]);
    }
    slow_file(const slow_file&) = delete;
    slow_file& operator=(const slow_file&) = delete;

    void deliver(std::string_view text) const {
        ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
};

std::uint64_t threads_so_far() { return rota::runtime::read_sched_stats().threads_created; }
std::uint64_t parks_of_all() { return rota::runtime::read_sched_stats().parks; }

TEST(regular_file, read_that_waits_keeps_no_thread) {
    // If the calls were handed off, each would hold a thread of its own.
    if (!is_by_ring()) return;
    rota::run([] {
        constexpr std::size_t count = 100;
        std::vector<slow_file> files(count);
        const std::uint64_t before = threads_so_far();
        const std::uint64_t parked = parks_of_all();
        rota::wait_group all;
        std::atomic<int> right{0};
        for (const slow_file& f : files) {
            all.go([&f, &right] {
                char bytes[5] = {};
                if (f.file->read_file(bytes, 5) == 5 && std::string_view(bytes, 5) == "bytes")
                    ++right;
            });
        }
        EXPECT_TRUE(eventually([&] { return parks_of_all() >= parked + count; }));
        EXPECT_LT(threads_so_far(), before + 20);
        for (const slow_file& f : files) f.deliver("bytes");
        all.wait();
        EXPECT_EQ(right, static_cast<int>(count));
    });
}

TEST(kb34_regular_file, close_waits_for_nobody_and_ends_no_call) {
    // Otherwise the number would be given to another file, or the buffer would be reused, while the
    // kernel still reads into it.
    if (!is_by_ring()) return;
    rota::run([] {
        for (int i = 0; i < 50; ++i) {
            slow_file f;
            std::atomic<bool> ended{false};
            std::string got;
            rota::wait_group reader;
            const std::uint64_t parked = parks_of_all();
            reader.go([&] {
                char bytes[3] = {};  // ends with this function
                const std::int64_t n = f.file->read_file(bytes, 3);
                ended = true;
                if (n == 3) got.assign(bytes, 3);
            });
            ASSERT_TRUE(eventually([&] { return parks_of_all() > parked; }));
            EXPECT_EQ(f.file->close(), 0);
            EXPECT_FALSE(ended);
            EXPECT_GE(::fcntl(f.ends[0], F_GETFD), 0) << "the call keeps the number";
            char byte = 0;
            EXPECT_EQ(f.file->read_file_at(&byte, 1, 0), -error_closed);
            f.deliver("abc");
            reader.wait();
            EXPECT_EQ(got, "abc");
            EXPECT_LT(::fcntl(f.ends[0], F_GETFD), 0) << "the last call gives it back";
        }
    });
}

TEST(regular_file, position_is_moved_by_one_call_at_a_time) {
    // The ring reads the position at the beginning and writes it at the end: a seek or a write in
    // between would be lost.
    if (!is_by_ring()) return;
    rota::run([] {
        const slow_file f;
        std::atomic<int> others{0};
        rota::wait_group all;
        std::uint64_t parked = parks_of_all();
        all.go([&] {
            char bytes[2];
            EXPECT_EQ(f.file->read_file(bytes, 2), 2);
        });
        ASSERT_TRUE(eventually([&] { return parks_of_all() > parked; }));
        parked = parks_of_all();
        all.go([&] {
            (void)f.file->seek(0, SEEK_SET);
            ++others;
        });
        all.go([&] {
            (void)f.file->write_file("x", 1);
            ++others;
        });
        EXPECT_TRUE(eventually([&] { return parks_of_all() >= parked + 2; }));
        EXPECT_EQ(others, 0);
        f.deliver("ab");
        all.wait();
        EXPECT_EQ(others, 2);
    });
}

TEST(regular_file, write_that_a_limit_cuts_short_is_not_made_again_at_its_beginning) {
    // If the position stayed where it was, the rest would overwrite the written bytes, and the call
    // would report success.
    const regular_at f;
    struct limit {
        rlimit before{};
        void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
        explicit limit(rlim_t bytes) {
            ::getrlimit(RLIMIT_FSIZE, &before);
            const rlimit now{bytes, before.rlim_max};
            ::setrlimit(RLIMIT_FSIZE, &now);
        }
        ~limit() {
            ::setrlimit(RLIMIT_FSIZE, &before);
            std::signal(SIGXFSZ, handler);
        }
    };
    rota::run([&] {
        constexpr std::size_t allowed = 300'000;
        std::string text(1 << 20, 'A');
        std::fill(text.begin() + allowed, text.end(), 'B');
        {
            const os::file out = os::file::open(f.path, O_WRONLY | O_CREAT);
            const limit there(allowed);
            std::error_code error;
            out.write(text, error);
            EXPECT_EQ(error, std::errc::file_too_large);
        }
        const std::string written = os::read_file(f.path);
        EXPECT_EQ(written.size(), allowed);
        EXPECT_EQ(written.find('B'), written.npos);
    });
}

TEST(regular_file, position_moves_on_where_the_cache_is_gone_past) {
    // Direct transfers report how much they have done, and leave the position to their caller.
    const regular_at f;
    rota::run([&] {
        std::error_code error;
        const os::file direct = os::file::open(f.path, O_RDWR | O_CREAT | O_DIRECT, 0600, error);
        if (error) {
            std::printf("no direct transfers here: %s\n", error.message().c_str());
            return;
        }
        constexpr std::size_t block = 4096;
        alignas(block) static char blocks[3][block];
        for (int i = 0; i < 3; ++i) std::memset(blocks[i], 'a' + i, block);
        for (const auto& b : blocks) direct.write(std::string_view(b, block));
        EXPECT_EQ(os::read_file(f.path).size(), 3 * block);
        direct.seek(0, SEEK_SET);
        alignas(block) static char got[block];
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(direct.read(std::as_writable_bytes(std::span(got))), block);
            EXPECT_EQ(got[0], 'a' + i);
        }
    });
}

TEST(regular_file, is_appended_to_line_by_line) {
    // A line written in pieces would mingle with lines that other writers append.
    if (!is_by_ring()) return;
    const regular_at at;
    rota::run([&] {
        constexpr int writers = 8, lines = 50;
        constexpr std::size_t length = 20'000;
        rota::wait_group all;
        for (int w = 0; w < writers; ++w) {
            all.go([&, w] {
                const os::file f = os::file::open(at.path, O_WRONLY | O_APPEND | O_CREAT, 0600);
                std::string line(length, static_cast<char>('a' + w));
                line.back() = '\n';
                for (int i = 0; i < lines; ++i) f.write(line);
            });
        }
        all.wait();
        const std::string text = os::read_file(at.path);
        ASSERT_EQ(text.size(), writers * lines * length);
        for (std::size_t i = 0; i < text.size(); i += length)
            ASSERT_EQ(text.find_first_not_of(text[i], i), i + length - 1) << "a torn line";
    });
}

#if defined(ROTA_DEBUG_CHECKS)

using rota_test::asked;

int count_ring_calls(sys_call call) {
    if (call == sys_call::ring_file) ++asked;
    return 0;
}

// How many calls f() gives to the ring.
template <class F>
unsigned ring_calls(F f) {
    asked = 0;
    plant_fault(count_ring_calls);
    f();
    plant_fault(nullptr);
    return asked;
}

TEST(regular_file, is_left_to_the_ring_where_that_frees_a_thread) {
    // A caller that cannot park would hang; a caller that need not would pay for nothing. And where
    // another process may move the position, the kernel must lock it.
    if (!is_by_ring()) return;
    const regular_at at;
    rota::run([&] {
        os::write_file(at.path, "some text");
        const os::file f = os::file::open(at.path, O_RDWR);
        const auto use_all = [](const os::file& file) {
            file.pwrite("S", 0);
            file.seek(0, SEEK_SET);
            file.write("s");
            file.sync();
        };
        EXPECT_EQ(ring_calls([&] { use_all(f); }), 3U);
        std::byte bytes[9];
        EXPECT_EQ(ring_calls([&] { EXPECT_EQ(f.pread(bytes, 0), 9U); }), 0U)
            << "what is cached is read at once";
        EXPECT_EQ(ring_calls([&] { std::thread([&] { use_all(f); }).join(); }), 0U) << "a thread";
        EXPECT_EQ(ring_calls([&] { rota::blocking([&] { f.pwrite("S", 0); }); }), 0U)
            << "blocking()";
        EXPECT_EQ(ring_calls([&] {
                      rota::runtime::lock_os_thread();
                      use_all(f);
                      rota::runtime::unlock_os_thread();
                  }),
                  0U)
            << "a locked thread";
        EXPECT_EQ(ring_calls([&] { use_all(f); }), 3U);
        const os::file copy = os::file::from_fd(::dup(f.fd()));
        EXPECT_EQ(ring_calls([&] { use_all(f); }), 2U) << "somebody has its number";
        EXPECT_EQ(ring_calls([&] { use_all(copy); }), 2U) << "it comes from elsewhere";
        f.pwrite("s", 0);
        EXPECT_EQ(os::read_file(at.path), "some text");
    });
}

TEST(kb42_regular_file, what_the_ring_refuses_is_handed_off) {
    // A refusal could be reported as an error of the file, or lose the bytes read before it.
    if (!is_by_ring()) return;
    const regular_at at;
    rota::run([&] {
        std::string text(300'000, '\0');
        for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 >> 7);
        for (const int error : {EINTR, EAGAIN, ECANCELED, ENOMEM, EINVAL, EOPNOTSUPP, -1000}) {
            const rota_test::refusing now(sys_call::ring_file, error);
            const os::file f = os::file::open(at.path, O_RDWR | O_CREAT | O_TRUNC, 0600);
            EXPECT_EQ(f.write(text), text.size()) << error;
            EXPECT_EQ(f.seek(0, SEEK_CUR), static_cast<std::int64_t>(text.size())) << error;
            EXPECT_EQ(f.pwrite("x", 0), 1U) << error;
            EXPECT_EQ(f.pwrite(text, 0), text.size()) << error;
            f.sync();
            EXPECT_TRUE(os::read_file(at.path) == text) << error;
            const slow_file slow;
            slow.deliver("abc");
            char bytes[3];
            EXPECT_EQ(slow.file->read_file(bytes, 3), 3) << error;
        }
        const rota_test::refusing now(sys_call::ring_file, EIO);
        std::error_code why;
        const os::file f = os::file::open(at.path, O_RDWR);
        f.write("x", why);
        EXPECT_EQ(why.value(), EIO);
        f.sync(why);
        EXPECT_EQ(why.value(), EIO);
    });
}

std::atomic<int> looks{0};

TEST(regular_file, is_read_on_where_a_look_has_stopped) {
    // The kernel gives the cached bytes; a result shorter than asked for then says nothing about
    // the end. The rest, or the end, must be fetched. A look that stops early stands for a page
    // that is not cached.
    if (!is_by_ring()) return;
    const regular_at at;
    rota::run([&] {
        std::string text(200'000, '\0');
        for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 >> 7);
        os::write_file(at.path, text);
        const os::file f = os::file::open(at.path);
        for (const std::size_t size : {std::size_t{1}, std::size_t{60'000}, text.size()}) {
            looks = 0;
            // The first look has 1000 bytes, the second none; the ring then has 3000 at a time.
            plant_fault([](sys_call call) {
                if (call == sys_call::ring_file) return -3000;
                if (call != sys_call::read) return 0;
                const int n = looks.fetch_add(1);
                return n == 0 ? -1000 : n == 1 ? EAGAIN : 0;
            });
            std::string got(size, '?');
            f.seek(0, SEEK_SET);
            const std::size_t n = f.read(std::as_writable_bytes(std::span(got)));
            plant_fault(nullptr);
            EXPECT_EQ(n, size);
            EXPECT_TRUE(got == text.substr(0, size)) << size;
            EXPECT_EQ(f.seek(0, SEEK_CUR), static_cast<std::int64_t>(size));
        }
        looks = 0;
        plant_fault([](sys_call call) {
            return call == sys_call::read && looks.fetch_add(1) == 0 ? EAGAIN : 0;
        });
        std::byte bytes[100];
        EXPECT_EQ(f.pread(bytes, static_cast<std::int64_t>(text.size()) - 40), 40U) << "the end";
        plant_fault(nullptr);
    });
}

#endif

}  // namespace
