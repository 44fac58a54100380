// Runs a small program as a child process: sets its environment and a time limit, and collects its
// output, exit status and signal.
//
// A child that exceeds its limit gets SIGQUIT, so that it can print a report, and SIGKILL two
// seconds later. It dies with its parent and leaves no core file.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../pattern.hpp"
#include "build_kind.hpp"

namespace rota_test {

// NAME=value pairs on top of the parent's environment; an empty value removes the variable. The
// child inherits none of the runtime's own variables. ROTA_TEST_CHILD_PROCS stands for GOMAXPROCS
// if the test does not set it.
using environment = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::chrono::seconds patience{plain_build ? 30 : 90};

// The result of a child.
struct outcome {
    std::string command;
    std::string out, err;
    int status = -1;  // the exit status, or -1
    int signal = 0;   // the signal that ended it, or 0
    bool timed_out = false;
    double seconds = 0;

    std::string first_line() const { return err.substr(0, err.find('\n')); }
    bool says(std::string_view text) const { return err.find(text) != std::string::npos; }

    // The number of lines of stderr that begin with `text`.
    int lines_with(std::string_view text) const {
        int count = 0;
        for (std::size_t at = err.find(text); at != std::string::npos; at = err.find(text, at + 1))
            count += at == 0 || err[at - 1] == '\n' ? 1 : 0;
        return count;
    }

    // The number of times `text` occurs in stderr.
    int times_said(std::string_view text) const {
        int count = 0;
        for (std::size_t at = err.find(text); at != std::string::npos; at = err.find(text, at + 1))
            ++count;
        return count;
    }

    friend std::ostream& operator<<(std::ostream& to, const outcome& o) {
        constexpr std::size_t shown = 6000;
        to << o.command << ": status " << o.status << ", signal " << o.signal << ", " << o.seconds
           << " s" << (o.timed_out ? ", TIMED OUT" : "") << "\n--- stdout\n"
           << o.out.substr(0, shown) << "\n--- stderr\n"
           << o.err.substr(0, shown);
        return to << (o.err.size() > shown ? "\n..." : "") << "\n---\n";
    }
};

class child {
  public:
    explicit child(std::vector<std::string> command, const environment& env = {})
        : began_(std::chrono::steady_clock::now()) {
        std::vector<char*> argv;
        for (std::string& word : command) {
            result_.command += (result_.command.empty() ? "" : " ") + word;
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        const std::vector<std::string> settings = merged(env);
        std::vector<char*> envp;
        for (const std::string& s : settings) envp.push_back(const_cast<char*>(s.c_str()));
        envp.push_back(nullptr);
        for (const auto& [name, value] : env) result_.command.insert(0, name + "=" + value + " ");
        int out[2], err[2];
        if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) std::abort();
        pid_ = ::fork();
        if (pid_ == 0) become(argv.data(), envp.data(), out[1], err[1]);
        ::close(out[1]);
        ::close(err[1]);
        out_ = out[0];
        err_ = err[0];
        if (pid_ < 0) ADD_FAILURE() << "fork failed";
    }
    ~child() {
        if (pid_ > 0) kill_and_finish();
        ::close(out_);
        ::close(err_);
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    pid_t pid() const { return pid_; }
    // The output so far, as far as the parent has read it.
    const outcome& so_far() const { return result_; }

    // Waits until the child has written `line` on stdout; false if it ends or takes too long.
    [[nodiscard]] bool says(std::string_view line, std::chrono::milliseconds limit = patience) {
        const auto until = std::chrono::steady_clock::now() + limit;
        while (result_.out.find(line) == std::string::npos) {
            if (!read_some(until)) return false;
        }
        return true;
    }

    // The same for stderr: waits until `text` begins `times` lines.
    [[nodiscard]] bool complains(std::string_view text, int times,
                                 std::chrono::milliseconds limit = patience) {
        const auto until = std::chrono::steady_clock::now() + limit;
        while (result_.lines_with(text) < times) {
            if (!read_some(until)) return false;
        }
        return true;
    }

    // Waits for the end of the child.
    outcome finish(std::chrono::milliseconds limit = patience) {
        if (!ends_before(std::chrono::steady_clock::now() + limit)) {
            result_.timed_out = true;
            ::kill(pid_, SIGQUIT);
            if (!ends_before(std::chrono::steady_clock::now() + std::chrono::seconds(2)))
                ::kill(pid_, SIGKILL);
        }
        return reaped();
    }

    outcome kill_and_finish() {
        ::kill(pid_, SIGKILL);
        return reaped();
    }

  private:
    static std::vector<std::string> merged(const environment& env) {
        std::vector<std::string> all;
        const auto is_set = [&](std::string_view entry) {
            const std::string_view name = entry.substr(0, entry.find('='));
            if (name == "GOMAXPROCS" || name == "GODEBUG" || name == "GOTRACEBACK") return true;
            for (const auto& [key, value] : env) {
                if (key == name) return true;
            }
            return false;
        };
        for (char** at = environ; *at != nullptr; ++at) {
            if (!is_set(*at)) all.emplace_back(*at);
        }
        bool has_procs = false;
        for (const auto& [name, value] : env) {
            if (!value.empty()) all.push_back(name + "=" + value);
            has_procs = has_procs || name == "GOMAXPROCS";
        }
        const char* const procs = std::getenv("ROTA_TEST_CHILD_PROCS");
        if (procs != nullptr && !has_procs) all.push_back(std::string("GOMAXPROCS=") + procs);
        return all;
    }

    [[noreturn]] static void become(char** argv, char** envp, int out, int err) {
        const int null = ::open("/dev/null", O_RDWR);
        ::dup2(null, STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(err, STDERR_FILENO);
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        // A shell that runs the tests in the background makes them ignore these signals.
        for (const int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_DFL);
        ::execve(argv[0], argv, envp);
        ::_exit(127);
    }

    // Reads the available output; false when both pipes have ended, or at `until`.
    bool read_some(std::chrono::steady_clock::time_point until) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            until - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd fds[2] = {{out_open_ ? out_ : -1, POLLIN, 0}, {err_open_ ? err_ : -1, POLLIN, 0}};
        if (!out_open_ && !err_open_) return false;
        if (::poll(fds, 2, static_cast<int>(left.count())) <= 0) return true;
        if (fds[0].revents != 0) out_open_ = append(out_, result_.out);
        if (fds[1].revents != 0) err_open_ = append(err_, result_.err);
        return true;
    }

    static bool append(int fd, std::string& to) {
        char bytes[65536];
        const ssize_t n = ::read(fd, bytes, sizeof bytes);
        if (n > 0) to.append(bytes, static_cast<std::size_t>(n));
        return n > 0;
    }

    bool ends_before(std::chrono::steady_clock::time_point until) {
        while (read_some(until)) {
        }
        return !out_open_ && !err_open_;
    }

    // A process that has closed its pipes is about to end. If it hangs there, only the caller's own
    // watchdog kills it.
    outcome reaped() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        while (read_some(std::chrono::steady_clock::now() + std::chrono::seconds(1))) {
        }
        result_.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
        if (WIFEXITED(status)) result_.status = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
        return result_;
    }

    std::chrono::steady_clock::time_point began_;
    outcome result_;
    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;
    bool out_open_ = true, err_open_ = true;
};

// Appends these options to the given options of a sanitizer's variable.
inline std::pair<std::string, std::string> with_options(const char* variable,
                                                        const std::string& options) {
    const char* const given = std::getenv(variable);
    return {variable, given != nullptr ? given + (":" + options) : options};
}

#ifdef ROTA_PROG_DIR
// The command for the program tests/prog/NAME.cpp.
inline std::vector<std::string> program(const std::string& name, std::vector<std::string> args) {
    args.insert(args.begin(), ROTA_PROG_DIR "/prog_" + name);
    return args;
}

inline outcome run_program(const std::string& name, std::vector<std::string> args,
                           environment env = {}) {
    // tsan waits for a second at the end of each process.
    if (under_tsan) env.push_back(with_options("TSAN_OPTIONS", "atexit_sleep_ms=50"));
    return child(program(name, std::move(args)), env).finish();
}
#endif

// Whether the child has ended by itself with that status.
inline testing::AssertionResult ended_with(const outcome& o, int status) {
    if (!o.timed_out && o.status == status) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected exit status " << status << " from " << o;
}

// Status 0 and nothing on stderr.
inline testing::AssertionResult went_well(const outcome& o) {
    if (!o.timed_out && o.status == 0 && o.err.empty()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected a silent success from " << o;
}

// Whether the child has ended with status 2 and a report on stderr whose first line is exactly
// this.
inline testing::AssertionResult reported(const outcome& o, std::string_view line) {
    if (!o.timed_out && o.status == 2 && o.first_line() == line) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected \"" << line << "\" and status 2 from " << o;
}

}  // namespace rota_test
