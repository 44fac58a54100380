// Starting other programs. Go: os/exec.
//
//     os::command list({"ls", "-l"});
//     std::string text = list.dir("/tmp").output();
//     if (!list.wait().success()) ...
//
// As with files, each call that can fail exists twice: it throws std::system_error, whose text
// names the program, or sets a trailing std::error_code&. A program that ends with another status
// than 0 has not failed in this sense: that is its exit_status.
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

/// How a program has ended. Go: os.ProcessState.
struct exit_status {
    bool exited = false;  ///< by itself: code counts; else a signal has ended it
    int code = 0;         ///< 0 to 255
    int signal = 0;       ///< what has ended it, or 0

    bool success() const noexcept { return exited && code == 0; }
    /// "exit status 1", "signal 9".
    std::string to_string() const;
};

/// A program, its arguments and surroundings; once it has been started, the process. A reference:
/// copies share one command. What sets something up comes before start, from one goroutine or
/// thread; wait, kill and pid may be called by any number of them. Go: exec.Cmd.
///
/// Where nothing else is said the program reads from and writes to /dev/null, as in Go. It inherits
/// no descriptor but 0, 1 and 2; its signals have their default action, or are ignored where they
/// are ignored here, and none is blocked that was not when this program began. Its soft limit of
/// descriptors is ours; where net::listen has raised ours, and the program has set none since, it
/// is the one from before.
///
/// If the last handle goes while the process runs, the process goes on, and is waited for in the
/// background: nobody learns how it ends, and no zombie is left.
class command {
  public:
    /// The program and its arguments. A program without a slash in its name is looked for in the
    /// directories that PATH names here, those alone whose names begin with a slash. Go:
    /// exec.Command.
    command(std::vector<std::string> argv) : command(argv.data(), argv.size()) {}

    /// It runs in that directory, to which a program with a slash in its name is relative. PWD is
    /// set to it unless env() gave a whole environment. Go: Cmd.Dir.
    command& dir(const path_text& path);

    /// Its whole environment, as "NAME=value", instead of a copy of ours. Of several of one name
    /// the last counts. Go: Cmd.Env.
    command& env(std::vector<std::string> all) { return env(all.data(), all.size()); }
    /// One variable on top of the others.
    command& env(std::string_view name, std::string_view value);
    /// Several on top of the others.
    command& env(std::initializer_list<std::pair<std::string_view, std::string_view>> more);

    /// What becomes its descriptors 0, 1 and 2. The command lets go of them in start, so that a
    /// pipe ends when the program and whoever else has it have closed it. One that is polled here
    /// is opened anew for the program, which finds it blocking, but for sockets. Go: Cmd.Stdin,
    /// Stdout, Stderr.
    command& stdin_from(file f);
    command& stdout_to(file f);
    command& stderr_to(file f);

    /// How long output() reads on after the program has ended: a process that it has left behind
    /// may hold the pipe for ever. What the pipe holds by then is read. Below 0, and unless this is
    /// called: until all of them have ended. Go: Cmd.WaitDelay.
    command& wait_delay(std::chrono::nanoseconds d);

    /// Starts it, and returns once the program has been loaded. Errors: those of execve, ENOENT
    /// also if it is in no directory of PATH, those of the directory; EMFILE, EAGAIN and the like;
    /// std::errc::invalid_argument for a NUL in a text, no program at all, or a second start.
    /// Blocks the thread for that time, with the processor free for others. Go: Start.
    void start();
    void start(std::error_code& error);

    /// Waits until it has ended, and says how; does not block a thread. Any number of goroutines
    /// may wait, also after the end: all are told the same. Errors: ECHILD if somebody else has
    /// waited for it or SIGCHLD is ignored, std::errc::invalid_argument if it has not been started.
    /// Go: Wait, which may be called once.
    exit_status wait();
    exit_status wait(std::error_code& error);

    /// start and wait. Go: Run.
    exit_status run();
    exit_status run(std::error_code& error);

    /// Starts it, returns all that it writes to its standard output, and waits; wait() says how it
    /// has ended. The form with an error returns what came before the error: std::errc::timed_out
    /// is that of wait_delay. std::errc::invalid_argument after stdout_to. Go: Output.
    std::string output();
    std::string output(std::error_code& error);
    /// The same with standard error, in the order in which it was written. Go: CombinedOutput.
    std::string combined_output();
    std::string combined_output(std::error_code& error);

    /// Sends it a signal. std::errc::no_such_process once it has been waited for: its number may be
    /// another's then, which is never hit. Does not block. Go: Process.Signal, os.ErrProcessDone.
    void kill(int signal = SIGKILL) const;
    void kill(int signal, std::error_code& error) const;

    /// Its number, also after its end; -1 before start. Go: Process.Pid.
    pid_t pid() const noexcept;

  private:
    struct state;
    // A vector is another type for a program with _GLIBCXX_DEBUG. The texts are moved.
    command(std::string* argv, std::size_t count);
    command& env(std::string* all, std::size_t count);
    std::string read_output(bool with_errors, std::error_code& error);
    std::shared_ptr<state> state_;
};

/// Where the program of that name is: the path that start would use. Go: exec.LookPath.
std::string look_path(std::string_view name);
std::string look_path(std::string_view name, std::error_code& error);

}  // namespace rota::os
