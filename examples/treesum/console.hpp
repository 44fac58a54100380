// Prints treesum's messages: complaints on stderr, and results on stdout through a writer that
// reports every error.
//
// Goroutines complain from any thread while a goroutine redraws the progress bar. A single lock
// orders both, so every complaint is a whole line. The writes run inside rota::blocking: a slow
// terminal or a full pipe delays the writer, never a P.
#pragma once

#include <rota/go.hpp>
#include <rota/sync.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"

namespace treesum {

// Writes the whole `text` to `fd`; returns 0 or the errno value of the failed write. Waits for a
// non-blocking descriptor. Plain system calls: the caller decides whether a P waits for them.
inline int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(fd, text.data(), text.size());
        if (put >= 0) {
            text.remove_prefix(static_cast<std::size_t>(put));
        } else if (errno == EAGAIN) {
            pollfd ready{fd, POLLOUT, 0};
            ::poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

// The text of an errno value. strerror itself shares a buffer among the threads for unknown
// numbers.
inline std::string error_text(int error) {
    char buffer[128];
    return ::strerror_r(error, buffer, sizeof buffer);
}

// Makes descriptors 0 to 2 safe to use: opens a closed descriptor on /dev/null in the direction
// that makes its use fail (EBADF). Otherwise the next open() would get its number, and results
// would go into that file. The caller calls it first, before any file is opened.
inline void occupy_standard_descriptors() {
    constexpr int wrong_way[3] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; ++fd) {
        if (::fcntl(fd, F_GETFD) >= 0) continue;
        if (::open("/dev/null", wrong_way[fd]) != fd) ::_exit(1);
    }
    std::signal(SIGPIPE,
                SIG_IGN);  // a reader that has left is an error to report, not a reason to end
}

struct problem {
    std::string path;
    std::string text;
};

class console {
  public:
    // Prints a line on stderr and keeps it for the JSON account; the exit status becomes 1. Any
    // goroutine may call it; it may park.
    void complain(std::string_view path, std::string_view text) {
        std::string line = "treesum: ";
        line += path.empty() ? "''" : printable(path);
        line += ": ";
        line += text;
        line += '\n';
        const std::lock_guard hold(lock_);
        problems_.push_back({std::string(path), std::string(text)});
        emit(line);
    }

    // Prints a line on stderr that reports no fault: the account, the warnings of --check.
    void say(std::string_view text) {
        std::string line(text);
        line += '\n';
        const std::lock_guard hold(lock_);
        emit(line);
    }

    // Draws the progress bar over the former bar. After end_bar() it draws nothing and returns
    // false.
    bool draw_bar(std::string_view bar) {
        const std::lock_guard hold(lock_);
        if (bar_ended_) return false;
        std::string text = "\r";
        text += bar;
        text += "\x1b[K";
        bar_shown_ = true;
        rota::blocking([&] { write_all(STDERR_FILENO, text); });
        return true;
    }

    void end_bar() {
        const std::lock_guard hold(lock_);
        bar_ended_ = true;
        emit("");
    }

    // Stable once every goroutine that complains has ended.
    const std::vector<problem>& problems() const { return problems_; }

  private:
    // Caller: holds lock_. Erases the bar first, so that the line stands alone.
    void emit(std::string_view line) {
        std::string text;
        if (bar_shown_) text = "\r\x1b[K";
        bar_shown_ = false;
        text += line;
        if (text.empty()) return;
        rota::blocking([&] { write_all(STDERR_FILENO, text); });
    }

    rota::mutex lock_;
    bool bar_shown_ = false;
    bool bar_ended_ = false;
    std::vector<problem> problems_;
};

// Collects the results and writes them to stdout in large pieces. After the first failed write it
// drops the rest: the program still completes the work and reports every unreadable file, but the
// results go nowhere.
class result_writer {
  public:
    // The buffer for results; the caller calls flush_if_large() regularly.
    std::string& text() { return text_; }

    void flush_if_large() {
        if (text_.size() >= piece_bytes) flush();
    }

    // Writes the rest and closes stdout, since some file systems report a failed write only then.
    // Returns 0 or the errno value of the first failure.
    int finish() {
        flush();
        const int closing = rota::blocking([] { return ::close(STDOUT_FILENO) == 0 ? 0 : errno; });
        if (error_ == 0 && closing != EBADF && closing != EINTR) error_ = closing;
        return error_;
    }

  private:
    static constexpr std::size_t piece_bytes = std::size_t{256} * 1024;

    void flush() {
        if (error_ == 0 && !text_.empty()) {
            error_ = rota::blocking([&] { return write_all(STDOUT_FILENO, text_); });
        }
        text_.clear();
    }

    std::string text_;
    int error_ = 0;
};

}  // namespace treesum
