// Takes an execution trace for a debug client. The trace goes to a nameless file in memory: the
// client may be far away and slow, and the session must never wait for a socket.
#include "diag/trace/debug_trace.hpp"

#include <cerrno>
#include <cstddef>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rota/trace.hpp>

#include "sys/call/call.hpp"
#include "sys/call/number.hpp"

namespace rota::rt {

namespace {

class nameless_file {
  public:
    nameless_file()
        : fd_(above_standard_or_errno(::memfd_create("rota trace", MFD_CLOEXEC))),
          error_(fd_ < 0 ? errno : 0) {}
    ~nameless_file() {
        if (fd_ >= 0) plain_close(fd_);
    }
    nameless_file(const nameless_file&) = delete;
    nameless_file& operator=(const nameless_file&) = delete;

    int error() const { return error_; }
    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
    // Returns the file's content, except bytes that cannot be read.
    std::string bytes() const {
        struct stat about{};
        std::string all;
        if (::fstat(fd_, &about) != 0) return all;
        all.resize(static_cast<std::size_t>(about.st_size));
        std::size_t at = 0;
        while (at < all.size()) {
            const ssize_t n =
                ::pread(fd_, all.data() + at, all.size() - at, static_cast<off_t>(at));
            if (n <= 0) break;
            at += static_cast<std::size_t>(n);
        }
        all.resize(at);
        return all;
    }

  private:
    int fd_;
    int error_;
};

// Ends the trace at the end of the scope, also by an exception.
struct running_trace {
    running_trace() = default;
    ~running_trace() {
        std::error_code ignored;  // a trace that has begun is complete
        trace::stop(ignored);
    }
    running_trace(const running_trace&) = delete;
    running_trace& operator=(const running_trace&) = delete;
};

}  // namespace

std::string trace_for(const context& ctx, std::chrono::nanoseconds duration, std::error_code& ec) {
    const nameless_file file;
    if (file.error() != 0) {
        ec.assign(file.error(), std::system_category());
        return {};
    }
    trace::start(file.path(), {}, ec);
    if (ec) return {};
    {
        const running_trace until_here;
        (void)sleep_for(ctx, duration);
    }
    return file.bytes();
}

}  // namespace rota::rt
