// Plants the errors that the kernel may return to each call on a file or for a program:
// interruptions, short counts, refusals.
#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rota/go.hpp>
#include <rota/os.hpp>
#include <rota/sync.hpp>

#include "os/environment.hpp"
#include "sys/call/fault.hpp"
#include "sys/io/process.hpp"

#include "../refusing.hpp"

namespace {

namespace os = rota::os;

TEST(os_environment, keeps_the_last_of_each_name) {
    using list = std::vector<std::string>;
    EXPECT_EQ(os::without_duplicates({"A=1", "B=2", "A=3"}), (list{"B=2", "A=3"}));
    EXPECT_EQ(os::without_duplicates({"A=", "AB=1", "A"}), (list{"A=", "AB=1", "A"}));
    EXPECT_EQ(os::without_duplicates({"=x", "=x", "odd", "odd"}), (list{"=x", "=x", "odd", "odd"}));
    EXPECT_EQ(os::without_duplicates({}), list{});
}

}  // namespace

#if defined(ROTA_DEBUG_CHECKS)

namespace {

using namespace rota::rt;
using rota_test::asked;
using rota_test::refusing;

// A path whose file is removed at the end.
struct temporary {
    std::string path = "/tmp/rota-test-fault-" + std::to_string(::getpid());
    temporary() = default;
    ~temporary() { ::unlink(path.c_str()); }
    temporary(const temporary&) = delete;
    temporary& operator=(const temporary&) = delete;
};

// Sends the text through a file, and through a pipe.
void everything_is_carried(std::string_view text) {
    const temporary file;
    os::write_file(file.path, text);
    EXPECT_TRUE(os::read_file(file.path) == text);
    const os::file f = os::file::open(file.path, O_RDWR);
    f.pwrite("at a place", 3);
    std::string got(10, '\0');
    std::size_t done = 0;
    while (done < got.size()) {
        done += f.pread(std::as_writable_bytes(std::span(got)).subspan(done),
                        3 + static_cast<std::int64_t>(done));
    }
    EXPECT_EQ(got, "at a place");
    auto [reader, writer] = os::pipe();
    rota::wait_group write;
    write.go([&, w = std::move(writer)] { w.write(text); });
    EXPECT_TRUE(reader.read_all() == text);
    write.wait();
}

TEST(kb42_os, interrupted_calls_are_made_again) {
    // An interruption could be reported as an error or as an end, or lose finished work.
    rota::run([] {
        plant_fault([](sys_call call) {
            const bool may_be = call == sys_call::read || call == sys_call::write ||
                                call == sys_call::open || call == sys_call::sync ||
                                call == sys_call::event || call == sys_call::poll_wait;
            return may_be && asked.fetch_add(1) % 2 == 0 ? EINTR : 0;
        });
        everything_is_carried(std::string(100'000, 'x'));
        EXPECT_EQ(os::command({"echo", "said"}).output(), "said\n");
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGUSR1);
        ::raise(SIGUSR1);
        EXPECT_EQ(c.recv(), SIGUSR1);
        os::stop(c);
        plant_fault(nullptr);
        EXPECT_GT(asked.load(), 20U);
    });
}

TEST(os_faults, one_byte_at_a_time_is_enough) {
    // A short count could be taken for the complete count.
    rota::run([] {
        const auto short_counts = [](sys_call call) {
            return call == sys_call::read || call == sys_call::write ? -1 : 0;
        };
        plant_fault(short_counts);
        everything_is_carried(std::string(1000, 'x'));
        plant_fault(nullptr);
    });
}

TEST(kb36_os, refusals_at_each_call_come_out_as_they_are) {
    // A refusal could be lost, be tried for ever, or leave a half-made file or process behind.
    rota::run([] {
        const temporary file;
        std::error_code why;
        {
            const auto poller = os::pipe();
        }
        const auto error_of = [&](sys_call call, int error, auto f) {
            const refusing now(call, error);
            f();
            return why.value();
        };
        const auto write = [&] { os::write_file(file.path, "x", why); };
        const auto read = [&] { (void)os::read_file(file.path, why); };
        const auto pipe = [&] { (void)os::pipe(why); };
        write();
        EXPECT_EQ(why.value(), 0);
        EXPECT_EQ(error_of(sys_call::open, EMFILE, write), EMFILE);
        EXPECT_EQ(error_of(sys_call::open, ENFILE, read), ENFILE);
        EXPECT_EQ(error_of(sys_call::write, ENOSPC, write), ENOSPC);
        EXPECT_EQ(error_of(sys_call::write, EIO, write), EIO);
        // Some file systems report only at the close that they could not keep the bytes.
        EXPECT_EQ(error_of(sys_call::close_file, EDQUOT, write), EDQUOT);
        EXPECT_EQ(error_of(sys_call::close_file, EINTR, write), 0);
        EXPECT_EQ(error_of(sys_call::read, EIO, read), EIO);
        EXPECT_EQ(error_of(sys_call::pipe, EMFILE, pipe), EMFILE);
        EXPECT_EQ(error_of(sys_call::poll_add, ENOSPC, pipe), ENOSPC);
        const os::file f = os::file::open(file.path, O_RDWR);
        EXPECT_EQ(error_of(sys_call::sync, EIO, [&] { f.sync(why); }), EIO);
        const auto run = [&] { (void)os::command({"true"}).run(why); };
        EXPECT_EQ(error_of(sys_call::spawn, EAGAIN, run), EAGAIN);
        EXPECT_EQ(error_of(sys_call::spawn, ETXTBSY, run), ETXTBSY);
        EXPECT_EQ(error_of(sys_call::open, EMFILE, run), EMFILE);
        const auto output = [&] { EXPECT_EQ(os::command({"true"}).output(why), ""); };
        EXPECT_EQ(error_of(sys_call::pipe, EMFILE, output), EMFILE);
    });
}

TEST(kb36_os, process_that_has_no_descriptor_is_waited_for_all_the_same) {
    // Old kernels have no pidfd, sandboxes forbid it, and there may be no descriptor left, while
    // the program runs already. With GOMAXPROCS=1 the second goroutine, which ends the program,
    // must come to run.
    rota::run([] {
        for (const int error : {ENOSYS, EPERM, EMFILE}) {
            const refusing now(sys_call::pidfd, error);
            os::command c({"cat"});
            auto [reader, writer] = os::pipe();
            c.stdin_from(std::move(reader)).start();
            rota::wait_group all;
            for (int i = 0; i < 3; ++i) {
                all.go([&, c]() mutable { EXPECT_TRUE(c.wait().success()); });
            }
            all.go([&] { writer.close(); });
            all.wait();
            EXPECT_EQ(::waitpid(c.pid(), nullptr, WNOHANG), -1) << "a zombie";
            std::error_code why;
            c.kill(SIGTERM, why);
            EXPECT_EQ(why, std::errc::no_such_process);
        }
        const refusing now(sys_call::poll_add, ENOSPC);
        EXPECT_TRUE(os::command({"true"}).run().success());
    });
}

TEST(kb43_os, number_that_is_no_child_s_any_more_gets_no_signal) {
    // If the kernel or the program reaps children, the number soon belongs to another process. Here
    // it is the number of the parent, which certainly exists.
    EXPECT_EQ(::kill(::getppid(), 0), 0);
    EXPECT_EQ(process_signal(::getppid(), -1, 0), -ESRCH);
    rota::run([] {
        const refusing now(sys_call::pidfd, ENOSYS);
        os::command c({"sleep", "1000"});
        c.start();
        std::error_code why;
        c.kill(SIGKILL, why);
        EXPECT_FALSE(why) << why;
        EXPECT_EQ(::waitpid(c.pid(), nullptr, 0), c.pid());
        c.kill(SIGKILL, why);
        EXPECT_EQ(why, std::errc::no_such_process);
        (void)c.wait(why);
        EXPECT_EQ(why, std::errc::no_child_process);
    });
}

TEST(os_faults, refused_writes_of_the_program_leave_the_runtime_s_own_alone) {
    // Writes also wake the poller and report a signal: an error there would end the process.
    rota::run([] {
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGUSR1);
        auto [reader, writer] = os::pipe();
        {
            const refusing now(sys_call::write, ENOSPC);
            std::error_code why;
            (void)writer.write("x", why);
            EXPECT_EQ(why.value(), ENOSPC);
            for (int i = 0; i < 20; ++i) {
                ::raise(SIGUSR1);
                EXPECT_EQ(c.recv(), SIGUSR1);
                rota::sleep_for(std::chrono::microseconds(100));  // breaks the poller's sleep
            }
        }
        os::stop(c);
    });
}

TEST(os_faults, signal_that_cannot_be_told_of_is_refused) {
    // Only the first notify of a process needs a descriptor, so the test runs in a child process.
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        rota::run([] {
            std::error_code why;
            {
                const auto poller = os::pipe(why);
            }
            const auto c = rota::make_chan<int>(1);
            plant_fault([](sys_call call) { return call == sys_call::poll_create ? EMFILE : 0; });
            int failed = 0;
            try {
                os::notify(c, SIGUSR1);
            } catch (const std::system_error& e) {
                failed = e.code().value();
            }
            plant_fault(nullptr);
            os::notify(c, SIGUSR1);
            ::raise(SIGUSR1);
            ::_exit(failed == EMFILE && c.recv() == SIGUSR1 ? 0 : 1);
        }),
        testing::ExitedWithCode(0), "");
}

}  // namespace

#endif
