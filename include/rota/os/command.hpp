// Starts other programs, and talks with them. Go: os/exec.
//
//     os::command list({"ls", "-l"});
//     std::string text = list.dir("/tmp").output();
//     if (!list.wait().success()) ...
//
// As with files, each call that can fail has two forms: it throws std::system_error, whose text
// names the program, or sets a trailing std::error_code&. A program that ends with a status other
// than 0 has not failed in this sense: its exit_status tells.
#pragma once

#include <chrono>
#include <csignal>  // SIGTERM and the like
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/types.h>  // pid_t
#include <rota/os/file.hpp>

namespace rota::os {

/// How a program ended. Go: os.ProcessState.
struct exit_status {
    bool exited = false;  ///< true: by itself, with `code`; false: by `signal`
    int code = 0;         ///< 0 to 255
    int signal = 0;       ///< the signal that ended it, or 0

    bool success() const noexcept { return exited && code == 0; }
    /// "exit status 1", "signal 9".
    std::string to_string() const;
};

/// A program, its arguments and its settings; once it has been started, the process. A reference:
/// copies share one command. Calls that set something up come before start, from one goroutine or
/// thread. Any number of goroutines and threads may call wait, kill and pid. Go: exec.Cmd.
///
/// Without other settings the program reads from and writes to /dev/null, as in Go. It inherits no
/// descriptor but 0, 1 and 2. Its signals have their default action, or are ignored where this
/// process ignores them. It blocks only signals that were blocked when this process began. Its soft
/// limit of descriptors is ours. If net::listen has raised ours, and this process has set none
/// since, it is the earlier limit.
///
/// If the last handle goes while the process runs, the process goes on, and rota waits for it in
/// the background: no caller learns how it ends, and no zombie is left.
class command {
  public:
    /// The program and its arguments. A program without a slash in its name is searched for in this
    /// process's PATH, in directories whose names begin with a slash. Go: exec.Command.
    command(std::vector<std::string> argv) : command(argv.data(), argv.size()) {}

    /// The program runs in that directory, and a program name with a slash is relative to it. PWD
    /// is set to it unless env() gave a whole environment. Go: Cmd.Dir.
    command& dir(const path_text& path);

    /// The whole environment, as "NAME=value", instead of a copy of ours. Of several entries with
    /// the same name the last counts. Go: Cmd.Env.
    command& env(std::vector<std::string> all) { return env(all.data(), all.size()); }
    /// Adds one variable to the environment.
    command& env(std::string_view name, std::string_view value);
    /// Adds several variables to the environment.
    command& env(std::initializer_list<std::pair<std::string_view, std::string_view>> more);

    /// The files that become descriptors 0, 1 and 2. start releases the command's handles, so a
    /// pipe ends when the program and each other holder have closed it. For a file that rota polls,
    /// except a socket, the program gets an open file that blocks. Go: Cmd.Stdin, Stdout, Stderr.
    command& stdin_from(file f);
    command& stdout_to(file f);
    command& stderr_to(file f);

    /// How long output() goes on reading after the program has ended: a process that the program
    /// has left behind may hold the pipe for ever. output() still reads the bytes that the pipe
    /// holds at that moment. Below 0, the default: output() reads until each of these processes has
    /// ended. Go: Cmd.WaitDelay.
    command& wait_delay(std::chrono::nanoseconds d);

    /// Starts the program, and returns once it has been loaded. Errors: those of execve, with
    /// ENOENT also if no directory of PATH has the program; those of the directory; EMFILE, EAGAIN
    /// and the like. std::errc::invalid_argument for a NUL in a string, for no program at all, or
    /// for a second start. Blocks the thread for that time, with the processor free for other
    /// goroutines. Go: Start.
    void start();
    void start(std::error_code& error);

    /// Waits until the process has ended, and tells how; does not block a thread. Any number of
    /// goroutines may wait, also after the end: each gets the same answer. Errors: ECHILD if other
    /// code has waited for the process or SIGCHLD is ignored, std::errc::invalid_argument before
    /// start. Go: Wait, which may be called once.
    exit_status wait();
    exit_status wait(std::error_code& error);

    /// Calls start and wait. Go: Run.
    exit_status run();
    exit_status run(std::error_code& error);

    /// Starts the program, returns its standard output, and waits; wait() tells how it ended. The
    /// form with an error returns the output before the error. std::errc::timed_out is the error of
    /// wait_delay; std::errc::invalid_argument comes after stdout_to. Go: Output.
    std::string output();
    std::string output(std::error_code& error);
    /// The same with standard error, in the order of the writes. Go: CombinedOutput.
    std::string combined_output();
    std::string combined_output(std::error_code& error);

    /// Sends a signal to the process. std::errc::no_such_process once it has been waited for: its
    /// number may belong to another process then, which never gets the signal. Does not block. Go:
    /// Process.Signal, os.ErrProcessDone.
    void kill(int signal = SIGKILL) const;
    void kill(int signal, std::error_code& error) const;

    /// The process's number, also after its end; -1 before start. Go: Process.Pid.
    pid_t pid() const noexcept;

  private:
    struct state;
    // Pointers, because a vector is another type for a program with _GLIBCXX_DEBUG. The strings are
    // moved.
    command(std::string* argv, std::size_t count);
    command& env(std::string* all, std::size_t count);
    std::string read_output(bool with_errors, std::error_code& error);
    std::shared_ptr<state> state_;
};

/// The path of the program that start would use for that name. Go: exec.LookPath.
std::string look_path(std::string_view name);
std::string look_path(std::string_view name, std::error_code& error);

}  // namespace rota::os
