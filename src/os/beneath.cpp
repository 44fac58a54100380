// By the kernel where it can (Linux 5.6), else a segment at a time.
//
// By hand, every directory on the way is held open, so whoever renames one meanwhile moves us with
// it: `..` goes back to the one we have come from, and never above the first.
#include "os/beneath.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <limits.h>

#include "sys/file.hpp"

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
    std::vector<int> below_;  // the directories on the way to where we are
    std::string left_;        // what is still to be walked
    int links_ = 0;
};

// One step, made again where it is interrupted: who began anew might never arrive.
int step(int directory, const char* name, int flags, unsigned mode = 0) {
    int r = 0;
    do r = rt::file_open_at(directory, name, flags, mode);
    while (r == -EINTR);
    return r;
}

// Into a directory, or along a link. 0, or why not.
int walk::enter(const std::string& name) {
    const int next = step(here(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (next >= 0) {
        below_.push_back(next);
        return 0;
    }
    return next == -ENOTDIR || next == -ELOOP ? follow(name) : next;
}

// -ENOTDIR: it is no link.
int walk::follow(const std::string& name) {
    constexpr int most = 40;  // as the kernel
    char target[PATH_MAX];
    const std::int64_t n = rt::file_read_link(here(), name.c_str(), target, sizeof target);
    if (n < 0) return n == -EINVAL ? -ENOTDIR : static_cast<int>(n);
    if (++links_ > most) return -ELOOP;
    if (static_cast<std::size_t>(n) == sizeof target || left_.size() > PATH_MAX)
        return -ENAMETOOLONG;
    if (n == 0 || target[0] == '/') return -EXDEV;
    left_.insert(0, target, static_cast<std::size_t>(n));  // which is empty or begins with a slash
    return 0;
}

// Each segment is walked once, but for those of links, which are bounded.
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
    constexpr int tries = 32;  // while somebody renames
    int r = 0;
    for (int i = 0; i < tries; ++i) {
        r = rt::file_open_beneath(directory, path, flags, mode);
        if (r != -EAGAIN && r != -EINTR) break;
    }
    return r == -ENOSYS ? walk(directory).open(path, flags, mode) : r;
}

}  // namespace rota::os
