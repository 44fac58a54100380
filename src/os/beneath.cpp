// Opens a path that must stay below a directory: by openat2 (Linux 5.6), else segment by segment.
//
// The walk by segments holds each directory on the way open, so a directory that another process
// renames meanwhile takes the walk with it. `..` goes back to the directory that the walk came
// from, and never above the first.
#include "os/beneath.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <limits.h>

#include "sys/io/file.hpp"

namespace rota::os {

namespace {

class walk {
  public:
    explicit walk(int directory) : first_(directory) {}
    ~walk() {
        for (const int each : below_) (void)rt::file_close(each);
    }
    walk(const walk&) = delete;
    walk& operator=(const walk&) = delete;

    int open(std::string_view path, int flags, unsigned mode);

  private:
    int here() const { return below_.empty() ? first_ : below_.back(); }
    int enter(const std::string& name);
    int follow(const std::string& name);

    const int first_;
    std::vector<int> below_;  // descriptors; the directories from the first to the current one
    std::string left_;        // the rest of the path
    int links_ = 0;
};

// Opens one segment, and repeats an interrupted call: to begin the whole walk again might never
// end.
int step(int directory, const char* name, int flags, unsigned mode = 0) {
    int r = 0;
    do r = rt::file_open_at(directory, name, flags, mode);
    while (r == -EINTR);
    return r;
}

// Enters a directory, or follows a link. Returns 0 or a negative errno value.
int walk::enter(const std::string& name) {
    const int next = step(here(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (next >= 0) {
        below_.push_back(next);
        return 0;
    }
    return next == -ENOTDIR || next == -ELOOP ? follow(name) : next;
}

// Returns -ENOTDIR if the segment is not a link.
int walk::follow(const std::string& name) {
    constexpr int most = 40;  // the kernel's limit
    char target[PATH_MAX];
    const std::int64_t n = rt::file_read_link(here(), name.c_str(), target, sizeof target);
    if (n < 0) return n == -EINVAL ? -ENOTDIR : static_cast<int>(n);
    if (++links_ > most) return -ELOOP;
    if (static_cast<std::size_t>(n) == sizeof target || left_.size() > PATH_MAX)
        return -ENAMETOOLONG;
    if (n == 0 || target[0] == '/') return -EXDEV;
    left_.insert(0, target, static_cast<std::size_t>(n));  // left_ is empty or begins with a slash
    return 0;
}

// Each segment is walked once; links add segments, and the number of links is bounded.
int walk::open(std::string_view path, int flags, unsigned mode) {
    left_ = path;
    for (;;) {
        const std::size_t begin = left_.find_first_not_of('/');
        if (begin == left_.npos) return step(here(), ".", flags, mode);
        const std::size_t end = std::min(left_.find('/', begin), left_.size());
        const std::string name = left_.substr(begin, end - begin);
        left_.erase(0, end);
        const bool is_last = left_.find_first_not_of('/') == left_.npos;
        if (name == ".") continue;
        if (name == "..") {
            if (below_.empty()) return -EXDEV;
            (void)rt::file_close(below_.back());
            below_.pop_back();
            continue;
        }
        int r = 0;
        if (is_last && left_.empty()) {
            r = step(here(), name.c_str(), flags | O_NOFOLLOW, mode);
            if (r != -ELOOP) return r;
            r = follow(name);
        } else {
            r = enter(name);
        }
        if (r < 0) return r;
    }
}

}  // namespace

int open_beneath(int directory, const char* path, int flags, unsigned mode) {
    if (path[0] == '\0') return -ENOENT;
    if (path[0] == '/') return -EXDEV;
    constexpr int tries = 32;  // for -EAGAIN, while another process renames
    int r = 0;
    for (int i = 0; i < tries; ++i) {
        r = rt::file_open_beneath(directory, path, flags, mode);
        if (r != -EAGAIN && r != -EINTR) break;
    }
    return r == -ENOSYS ? walk(directory).open(path, flags, mode) : r;
}

}  // namespace rota::os
