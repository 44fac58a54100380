// Other programs: how they start, what they inherit, how they end.
#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>

#include <rota/synctest.hpp>

#include "os_support.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> shell(std::string script) { return {"/bin/sh", "-c", std::move(script)}; }

// Whether that process exists, a zombie included.
bool is_there(pid_t pid) { return ::kill(pid, 0) == 0; }

}  // namespace

TEST_ANYWHERE(os_command, tells_how_the_program_has_ended) {
    // A status could be taken for a signal, or come from an unrelated process.
    os::exit_status s = os::command({"true"}).run();
    EXPECT_TRUE(s.exited && s.success());
    s = os::command(shell("exit 7")).run();
    EXPECT_TRUE(s.exited);
    EXPECT_EQ(s.code, 7);
    EXPECT_FALSE(s.success());
    EXPECT_EQ(s.to_string(), "exit status 7");
    s = os::command(shell("kill -TERM $$")).run();
    EXPECT_FALSE(s.exited || s.success());
    EXPECT_EQ(s.signal, SIGTERM);
    EXPECT_EQ(s.to_string(), "signal 15");
}

TEST_ANYWHERE(os_command, output_is_all_that_it_writes) {
    EXPECT_EQ(os::command({"echo", "two words", "$HOME"}).output(), "two words $HOME\n");
    os::command c(shell("echo out; echo err >&2; exit 3"));
    EXPECT_EQ(c.output(), "out\n");
    EXPECT_EQ(c.wait().code, 3);
    EXPECT_EQ(os::command(shell("echo out; echo err >&2")).combined_output(), "out\nerr\n");
}

TEST_ANYWHERE(os_command, that_writes_much_to_both_is_read_to_the_end) {
    // A caller that reads one pipe to its end while the program waits for room in the other pipe
    // waits for ever.
    const std::string much = "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890; "
                             "echo 0123456789012345678901234567890 >&2; i=$((i+1)); done";
    EXPECT_EQ(os::command(shell(much)).output().size(), 3000U * 32);
    EXPECT_EQ(os::command(shell(much)).combined_output().size(), 2 * 3000U * 32);
}

TEST_ANYWHERE(os_command, runs_where_and_with_what_it_is_told) {
    EXPECT_EQ(os::command({"pwd"}).dir("/usr/lib").output(), "/usr/lib\n");
    EXPECT_EQ(os::command(shell("echo $PWD")).dir("/usr/lib").output(), "/usr/lib\n");
    ::setenv("ROTA_OS_TEST", "ours", 1);
    EXPECT_EQ(os::command(shell("echo $ROTA_OS_TEST")).output(), "ours\n");
    EXPECT_EQ(os::command(shell("echo $ROTA_OS_TEST")).env("ROTA_OS_TEST", "its").output(),
              "its\n");
    EXPECT_EQ(os::command(shell("echo $A$B")).env({{"A", "1"}, {"B", "2"}}).output(), "12\n");
    EXPECT_EQ(os::command({"/usr/bin/env"}).env({"A=1", "B=2"}).output(), "A=1\nB=2\n");
    ::unsetenv("ROTA_OS_TEST");
}

TEST_ANYWHERE(os_command, of_several_variables_of_one_name_has_the_last) {
    // The C library's getenv finds the first, so the program would see the replaced value.
    EXPECT_EQ(os::command({"/usr/bin/env"}).env({"A=1", "B=2", "A=3"}).env("B", "4").output(),
              "A=3\nB=4\n");
}

TEST_ANYWHERE(os_command, reads_and_writes_the_files_that_it_is_given) {
    const scratch dir;
    os::write_file(dir / "in", "from a file");
    const auto out = os::file::open(dir / "out", O_WRONLY | O_CREAT | O_TRUNC);
    const auto err = os::file::open(dir / "err", O_WRONLY | O_CREAT | O_TRUNC);
    const os::exit_status s = os::command(shell("cat; echo hm >&2"))
                                  .stdin_from(os::file::open(dir / "in"))
                                  .stdout_to(out)
                                  .stderr_to(err)
                                  .run();
    EXPECT_TRUE(s.success());
    EXPECT_EQ(os::read_file(dir / "out"), "from a file");
    EXPECT_EQ(os::read_file(dir / "err"), "hm\n");
    // Without a redirection there is no input.
    EXPECT_EQ(os::command({"cat"}).output(), "");
}

TEST_ANYWHERE(os_command, lets_go_of_its_files_when_it_has_started) {
    // A command that kept the writing end would keep the reader from ever seeing the end.
    auto [reader, writer] = os::pipe();
    auto [in_reader, in_writer] = os::pipe();
    os::command c({"cat"});
    c.stdin_from(std::move(in_reader)).stdout_to(std::move(writer));
    c.start();
    in_writer.write("through two pipes");
    in_writer.close();
    EXPECT_EQ(reader.read_all(), "through two pipes");
    EXPECT_TRUE(c.wait().success());
    std::error_code error;
    auto [r, w] = os::pipe();
    os::command failed({"/nowhere/at/all"});
    failed.stdout_to(std::move(w)).start(error);
    EXPECT_TRUE(error);
    EXPECT_EQ(r.read_all(), "");
}

TEST_ANYWHERE(os_command, finds_its_pipes_blocking_while_ours_are_not) {
    // Programs do not expect EAGAIN; and if rota's end blocked, it could not be closed (kb34).
    auto [reader, writer] = os::pipe();
    auto [out_reader, out_writer] = os::pipe();
    os::command c(shell("cat; grep flags /proc/self/fdinfo/0 /proc/self/fdinfo/1 >&2"));
    auto [err_reader, err_writer] = os::pipe();
    c.stdin_from(reader).stdout_to(std::move(out_writer)).stderr_to(std::move(err_writer)).start();
    EXPECT_NE(::fcntl(reader.fd(), F_GETFL) & O_NONBLOCK, 0);
    reader.close();
    writer.write("x");
    writer.close();
    EXPECT_EQ(out_reader.read_all(), "x");
    const std::string flags = err_reader.read_all();
    EXPECT_TRUE(c.wait().success());
    EXPECT_EQ(flags.find("4000"), std::string::npos) << flags;  // O_NONBLOCK, in octal
}

TEST_ANYWHERE(os_command, may_have_a_terminal_that_is_polled_here) {
    // If either end were opened anew, it could belong to another terminal in the program.
    const int number = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (number < 0 || ::grantpt(number) != 0 || ::unlockpt(number) != 0) {
        std::puts("no terminals here: this test shows nothing");
        if (number >= 0) ::close(number);
        return;
    }
    const std::string name = ::ptsname(number);
    ASSERT_EQ(::fcntl(number, F_SETFL, O_RDWR | O_NONBLOCK), 0);
    const os::file screen = os::file::from_fd(number);
    const os::file tty = os::file::open(name, O_RDWR | O_NOCTTY);
    EXPECT_EQ(os::command({"tty"}).stdin_from(tty).output(), name + "\n");
    EXPECT_TRUE(os::command({"echo", "typed"}).stdout_to(screen).run().success());
    EXPECT_EQ(read_some(tty), "typed\n");
    tty.set_read_deadline(rota::clock::now() + 5ms);
    EXPECT_EQ(read_error(tty), std::errc::timed_out);
}

TEST_ANYWHERE(os_command, terminal_that_it_shares_blocks_here_as_well) {
    // O_NONBLOCK belongs to the open file. A read that relies on it would keep its processor, and a
    // close would wait for that read.
    const int number = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (number < 0 || ::grantpt(number) != 0 || ::unlockpt(number) != 0) {
        std::puts("no terminals here: this test shows nothing");
        if (number >= 0) ::close(number);
        return;
    }
    const std::string name = ::ptsname(number);
    ASSERT_EQ(::fcntl(number, F_SETFL, O_RDWR | O_NONBLOCK), 0);
    const os::file screen = os::file::from_fd(number),
                   tty = os::file::open(name, O_RDWR | O_NOCTTY);
    EXPECT_TRUE(os::command({"echo", "typed"}).stdout_to(screen).run().success());
    std::string shown;  // the terminal's output, in pieces of any size
    while (shown.size() < 7) shown += read_some(screen);
    EXPECT_EQ(shown, "typed\r\n");
    std::error_code error;
    screen.set_read_deadline(rota::clock::now() + 1h, error);
    EXPECT_EQ(error, std::errc::operation_not_supported);
    rota::wait_group readers;
    readers.go([&] { shown = read_some(screen); });
    EXPECT_TRUE(eventually([] { return somebody_is_in("syscall"); })) << scheduler_state();
    screen.close();
    tty.write("shown");
    readers.wait();
    EXPECT_EQ(shown, "shown");
}

TEST_ANYWHERE(os_command, that_is_left_behind_is_in_no_bubble) {
    // The goroutine that waits for the program's end would keep the bubble alive as long.
    pid_t pid = -1;
    rota::synctest::test([&] {
        os::command c({"sleep", "1000"});
        c.start();
        pid = c.pid();
    });
    EXPECT_TRUE(is_there(pid));
    ::kill(pid, SIGKILL);
    EXPECT_TRUE(eventually([&] { return !is_there(pid); })) << scheduler_state();
    EXPECT_TRUE(eventually_alone());
}

TEST_ANYWHERE(os_command, that_cannot_be_started_names_itself) {
    std::error_code error;
    const auto error_of = [&](os::command c) {
        c.start(error);
        EXPECT_EQ(c.pid(), -1);
        return error;
    };
    const scratch dir;
    os::write_file(dir / "text", "no program", 0644);
    EXPECT_EQ(error_of({{"no-such-program-of-rota"}}), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error_of({{"/nowhere/at/all"}}), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error_of({{dir / "text"}}), std::errc::permission_denied);
    EXPECT_EQ(error_of(os::command({"true"}).dir("/nowhere")),
              std::errc::no_such_file_or_directory);
    EXPECT_EQ(error_of(std::vector<std::string>()), std::errc::invalid_argument);
    EXPECT_EQ(error_of({{"true", std::string("a\0b", 3)}}), std::errc::invalid_argument);
    try {
        os::command({"no-such-program-of-rota"}).run();
        ADD_FAILURE() << "it has been started";
    } catch (const std::system_error& e) {
        EXPECT_NE(std::string(e.what()).find("no-such-program-of-rota"), std::string::npos)
            << e.what();
    }
    os::command twice({"true"});
    twice.start();
    twice.start(error);
    EXPECT_EQ(error, std::errc::invalid_argument);
    EXPECT_TRUE(twice.wait().success());
    EXPECT_EQ(os::look_path("sh").substr(0, 1), "/");
    EXPECT_EQ(os::look_path("no-such-program-of-rota", error), "");
}

TEST_ANYWHERE(os_command, that_has_not_been_started_can_be_neither_waited_for_nor_killed) {
    std::error_code error;
    os::command c({"true"});
    (void)c.wait(error);
    EXPECT_EQ(error, std::errc::invalid_argument);
    c.kill(SIGTERM, error);
    EXPECT_EQ(error, std::errc::invalid_argument);
    EXPECT_THROW(c.wait(), std::system_error);
}

TEST_ANYWHERE(os_command, may_be_waited_for_by_many_and_again) {
    // The kernel reports the end once: the remaining waiters could wait for ever, or get an error.
    os::command c(shell("read x; exit 5"));
    auto [reader, writer] = os::pipe();
    c.stdin_from(std::move(reader)).start();
    std::atomic<int> told{0};
    rota::wait_group waiting;
    for (int i = 0; i < 4; ++i) {
        waiting.go([&, c]() mutable { told += c.wait().code == 5 ? 1 : 0; });
    }
    EXPECT_TRUE(eventually([] { return somebody_is_in("IO wait"); })) << scheduler_state();
    writer.close();
    waiting.wait();
    EXPECT_EQ(told, 4);
    EXPECT_EQ(c.wait().code, 5);
}

TEST_ANYWHERE(os_command, is_killed_while_it_runs_and_never_after) {
    // After the end the number may belong to another process.
    os::command c({"sleep", "1000"});
    c.start();
    EXPECT_TRUE(is_there(c.pid()));
    c.kill(SIGTERM);
    EXPECT_EQ(c.wait().signal, SIGTERM);
    EXPECT_FALSE(is_there(c.pid()));
    std::error_code error;
    c.kill(SIGKILL, error);
    EXPECT_EQ(error, std::errc::no_such_process);
    EXPECT_THROW(c.kill(), std::system_error);
}

TEST_ANYWHERE(os_command, that_nobody_waits_for_leaves_no_zombie) {
    pid_t pid = -1, ended = -1;
    {
        os::command c({"sleep", "1000"});
        c.start();
        pid = c.pid();
        os::command quick({"true"});
        quick.start();
        ended = quick.pid();
    }
    EXPECT_TRUE(is_there(pid));
    ::kill(pid, SIGKILL);
    EXPECT_TRUE(eventually([&] { return !is_there(pid) && !is_there(ended); }))
        << scheduler_state();
    EXPECT_TRUE(eventually_alone());
}

TEST_ANYWHERE(os_command, grandchild_that_keeps_the_pipe_holds_nobody_up_for_longer_than_asked) {
    // The end of the pipe comes with the last process that has it.
    std::error_code error;
    os::command c(shell("sleep 1000 & echo $!"));
    const std::string text = c.wait_delay(0ms).output(error);  // text that is there already is read
    EXPECT_EQ(error, std::errc::timed_out);
    ASSERT_NE(text, "");
    ::kill(static_cast<pid_t>(std::stol(text)), SIGKILL);
    EXPECT_TRUE(c.wait().success());
    // No other process has the pipe: its end is read too, whichever event was first.
    EXPECT_EQ(os::command({"echo", "said"}).wait_delay(0ms).output(), "said\n");
    // run() waits for the process, not for the pipe.
    auto [reader, writer] = os::pipe();
    os::command other(shell("sleep 1000 & echo $!"));
    EXPECT_TRUE(other.stdout_to(std::move(writer)).run().success());
    ::kill(static_cast<pid_t>(std::stol(read_some(reader))), SIGKILL);
    EXPECT_EQ(read_some(reader), "");
    // Without a bound no later text is lost.
    EXPECT_EQ(os::command(shell("(sleep 0.05; echo late) & echo soon")).output(), "soon\nlate\n");
}

TEST_ANYWHERE(kb43_os_command, inherits_three_descriptors_and_no_more) {
    // A descriptor of this program without O_CLOEXEC would stay open in every child.
    const int leaky = ::open("/dev/null", O_RDONLY);
    ASSERT_GE(leaky, 3);
    const os::file ours = os::file::open("/dev/zero");
    rota::wait_group spawners;
    for (int i = 0; i < 4; ++i) {
        spawners.go([] {
            // The fourth is the directory that ls reads.
            for (int j = 0; j < 5; ++j)
                EXPECT_EQ(os::command({"ls", "/proc/self/fd"}).output(), "0\n1\n2\n3\n");
        });
    }
    spawners.wait();
    ::close(leaky);
}

TEST_ANYWHERE(kb43_os_command, starts_with_the_masks_and_actions_of_a_fresh_program) {
    // The runtime's handlers, and the signals that its threads block, must not show.
    const std::string status =
        os::command({"grep", "^Sig\\(Blk\\|Ign\\|Cgt\\)", "/proc/self/status"}).output();
    const std::string own = os::read_file("/proc/self/status");
    const auto line_of = [](const std::string& all, const char* name) {
        const std::size_t at = all.find(name);
        return all.substr(at, all.find('\n', at) - at);
    };
    EXPECT_EQ(line_of(status, "SigBlk"), "SigBlk:\t0000000000000000");
    EXPECT_EQ(line_of(status, "SigIgn"), line_of(own, "SigIgn"));
    EXPECT_EQ(line_of(status, "SigCgt").substr(0, 8), "SigCgt:\t");
}

TEST_ANYWHERE(kb43_os_command, may_have_been_written_a_moment_ago) {
    // A further child that has not been loaded yet has a copy of the descriptor by which a program
    // was written: the kernel reports ETXTBSY until it has been loaded.
    const scratch dir;
    std::atomic<bool> stop{false};
    rota::wait_group others;
    others.go([&] {
        while (!stop) (void)os::command({"true"}).run();
    });
    for (int i = 0; i < 10; ++i) {
        const std::string path = dir / ("program" + std::to_string(i));
        os::write_file(path, "#!/bin/sh\nexit 9\n", 0755);
        std::error_code error;
        EXPECT_EQ(os::command({path}).run(error).code, 9) << error.message();
    }
    stop = true;
    others.wait();
}
