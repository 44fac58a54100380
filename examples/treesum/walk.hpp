// Walks a directory tree: a goroutine per directory, with a bound on their number.
//
// It finds what `find -type f` finds: regular files, under any name, across mounts. It does not
// follow symbolic links, and skips sockets, FIFOs and devices. DIR itself may be a link. It also
// checks symbolic links: a link that can never be resolved, or that leads back to a directory above
// it, would trap every program that follows links. It reports such a link.
//
// The bound. Directories that wait for their turn are records on a last-in-first-out list, not
// goroutines: a list entry costs a string, a goroutine costs a stack. Last in, first out keeps the
// walk deep rather than wide. A walker that ends starts the goroutine of the next directory itself.
//
// The paths of a directory's files lie in a single block of text, each with its NUL; file records
// point into it.
#pragma once

#include <rota/go.hpp>
#include <rota/sync.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "account.hpp"
#include "console.hpp"
#include "hasher.hpp"
#include "progress.hpp"

namespace treesum {

// Identifies a directory, whatever path leads to it.
struct inode_id {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const inode_id&) const = default;
};

class tree_walk {
  public:
    // `sizes` asks for the size of every file; only the progress bar's estimate needs it.
    tree_walk(std::string root, std::size_t walkers, bool sizes, work_ahead& ahead,
              console& messages, account& books)
        : prefix_(std::move(root)),
          walkers_max_(walkers),
          sizes_(sizes),
          ahead_(ahead),
          console_(messages),
          account_(books) {}

    ~tree_walk() {
        if (root_fd_ >= 0) rota::blocking([&] { ::close(root_fd_); });
    }
    tree_walk(const tree_walk&) = delete;
    tree_walk& operator=(const tree_walk&) = delete;

    // Finds the files; returns when the last directory has been read. A goroutine calls it once,
    // and parks in it.
    void run();

    // The directory at which file_job::open_path starts; valid as long as this object.
    int root_fd() const { return root_fd_; }

    // A record per file, in no particular order. Their paths live as long as this object.
    std::vector<file_job> take_files() { return std::move(files_); }

  private:
    // Kept until the end of the walk, since a directory compares links with the ids of the
    // directories above it. The path is dropped as soon as the directory has been read.
    struct directory {
        const directory* parent = nullptr;
        std::string path;  // relative to the root; empty for the root itself
        inode_id id;
    };

    struct listed_file {
        std::size_t offset;  // bytes, of its path in the block
        std::size_t length;
        std::uint64_t size;
    };

    // The result of reading a directory.
    struct listing {
        std::unique_ptr<std::string> block = std::make_unique<std::string>();
        std::vector<listed_file> files;
        std::vector<std::string> below;
        std::vector<problem> problems;
        std::uint64_t bytes = 0;
    };

    void visit(directory& dir);
    void read_directory(directory& dir, listing& found);
    void add_entry(const directory& dir, int fd, const dirent& entry, listing& found);
    void look_at_link(const directory& dir, int fd, const char* name, listing& found);
    bool is_above(const directory& dir, const inode_id& id) const;
    void open_root();
    void adopt(const directory& dir, listing& found);
    void start(directory& dir);
    void finished();

    std::string shown(const std::string& relative) const { return prefix_ + relative; }

    std::string prefix_;  // DIR, with a slash at its end once it is known to be a directory
    const std::size_t walkers_max_;
    const bool sizes_;
    work_ahead& ahead_;
    console& console_;
    account& account_;
    int root_fd_ = -1;

    rota::wait_group left_;  // directories found and not yet read

    // --- guarded by lock_ while walkers run ---
    rota::mutex lock_;
    std::vector<std::unique_ptr<directory>> directories_;
    std::vector<directory*> waiting_;
    std::size_t walkers_ = 0;
    std::vector<std::unique_ptr<std::string>> blocks_;
    std::vector<file_job> files_;
};

inline void tree_walk::run() {
    open_root();
    if (root_fd_ < 0 || !files_.empty()) return;
    directories_.push_back(std::make_unique<directory>());
    left_.add(1);
    walkers_ = 1;
    start(*directories_.front());
    left_.wait();
}

// A DIR that is a regular file counts as a tree of a single file, as for find.
inline void tree_walk::open_root() {
    constexpr int flags = O_PATH | O_CLOEXEC;
    struct stat about{};
    const int error = rota::blocking([&] {
        root_fd_ = ::open(prefix_.c_str(), flags);
        return root_fd_ >= 0 && ::fstat(root_fd_, &about) == 0 ? 0 : errno;
    });
    if (error != 0) return console_.complain(prefix_, error_text(error));
    if (S_ISDIR(about.st_mode)) {
        if (!prefix_.ends_with('/')) prefix_ += '/';
        return;
    }
    rota::blocking([&] { ::close(std::exchange(root_fd_, AT_FDCWD)); });
    if (S_ISREG(about.st_mode)) {
        file_job job;
        job.path = prefix_;
        job.open_path = prefix_.c_str();
        job.size_hint = static_cast<std::uint64_t>(about.st_size);
        files_.push_back(job);
        ahead_.files = 1;
        ahead_.bytes = job.size_hint;
    }
}

inline void tree_walk::start(directory& dir) {
    rota::go([this, &dir] { visit(dir); });
    account_.note_goroutines();
}

// The goroutine of a directory.
inline void tree_walk::visit(directory& dir) {
    const rota::defer release([this] { finished(); });
    listing found;
    rota::blocking([&] { read_directory(dir, found); });
    for (const problem& p : found.problems) console_.complain(p.path, p.text);
    ahead_.files.fetch_add(found.files.size(), std::memory_order_relaxed);
    ahead_.bytes.fetch_add(found.bytes, std::memory_order_relaxed);
    adopt(dir, found);
    dir.path = std::string();
}

// Stores the listing and starts a goroutine for each directory below, as far as the bound allows.
inline void tree_walk::adopt(const directory& dir, listing& found) {
    std::vector<directory*> to_start;
    {
        const std::lock_guard hold(lock_);
        for (std::string& path : found.below) {
            directories_.push_back(std::make_unique<directory>());
            directory& below = *directories_.back();
            below.parent = &dir;
            below.path = std::move(path);
            left_.add(1);
            if (walkers_ < walkers_max_) {
                ++walkers_;
                to_start.push_back(&below);
            } else {
                waiting_.push_back(&below);
            }
        }
        for (const listed_file& file : found.files) {
            file_job job;
            const char* path = found.block->data() + file.offset;
            job.path = {path, file.length};
            job.open_path = path + prefix_.size();
            job.size_hint = file.size;
            files_.push_back(job);
        }
        if (!found.files.empty()) blocks_.push_back(std::move(found.block));
    }
    for (directory* below : to_start) start(*below);
}

// A walker has ended: its place goes to the directory found last.
inline void tree_walk::finished() {
    directory* next = nullptr;
    {
        const std::lock_guard hold(lock_);
        if (waiting_.empty()) {
            --walkers_;
        } else {
            next = waiting_.back();
            waiting_.pop_back();
        }
    }
    if (next != nullptr) start(*next);
    left_.done();
}

// Runs inside rota::blocking: reads every entry of a directory. A directory that becomes unreadable
// midway keeps the entries read so far.
inline void tree_walk::read_directory(directory& dir, listing& found) {
    // The caller named the root, which may be a link; every path below must still be what readdir
    // said.
    const char* path = dir.path.empty() ? "." : dir.path.c_str();
    const int fd = open_any_length(root_fd_, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (fd < 0) {
        found.problems.push_back({shown(dir.path), error_text(-fd)});
        return;
    }
    struct stat about{};
    if (::fstat(fd, &about) == 0) dir.id = {about.st_dev, about.st_ino};
    DIR* stream = ::fdopendir(fd);
    if (stream == nullptr) {
        found.problems.push_back({shown(dir.path), error_text(errno)});
        ::close(fd);
        return;
    }
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(stream);
        if (entry == nullptr) break;
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") add_entry(dir, fd, *entry, found);
    }
    if (errno != 0) found.problems.push_back({shown(dir.path), error_text(errno)});
    ::closedir(stream);
}

inline void tree_walk::add_entry(const directory& dir, int fd, const dirent& entry,
                                 listing& found) {
    auto kind = entry.d_type;
    std::uint64_t size = 0;
    const bool ask_size = sizes_ && kind == DT_REG;
    if (kind == DT_UNKNOWN || ask_size) {
        struct stat about{};
        if (::fstatat(fd, entry.d_name, &about, AT_SYMLINK_NOFOLLOW) == 0) {
            kind = static_cast<unsigned char>(IFTODT(about.st_mode));
            size = static_cast<std::uint64_t>(about.st_size);
        } else if (!ask_size) {
            found.problems.push_back(
                {shown(dir.path + (dir.path.empty() ? "" : "/") + entry.d_name),
                 error_text(errno)});
            return;
        }
    }
    if (kind == DT_REG) {
        std::string& block = *found.block;
        const std::size_t offset = block.size();
        block.append(prefix_).append(dir.path);
        if (!dir.path.empty()) block.push_back('/');
        block.append(entry.d_name);
        found.files.push_back({offset, block.size() - offset, size});
        block.push_back('\0');
        found.bytes += size;
    } else if (kind == DT_DIR) {
        found.below.push_back(dir.path);
        if (!dir.path.empty()) found.below.back().push_back('/');
        found.below.back().append(entry.d_name);
    } else if (kind == DT_LNK) {
        look_at_link(dir, fd, entry.d_name, found);
    }
}

// The walk does not follow links; this only checks where they lead. A dangling link leads nowhere,
// which is no fault.
inline void tree_walk::look_at_link(const directory& dir, int fd, const char* name,
                                    listing& found) {
    struct stat about{};
    std::string_view text;
    if (::fstatat(fd, name, &about, 0) != 0) {
        if (errno != ELOOP) return;
        text = "symbolic links in a loop: not followed";
    } else if (S_ISDIR(about.st_mode) && is_above(dir, {about.st_dev, about.st_ino})) {
        text = "symbolic link to a directory above it, a loop: not followed";
    } else {
        return;
    }
    std::string path = dir.path;
    if (!path.empty()) path.push_back('/');
    found.problems.push_back({shown(path + name), std::string(text)});
}

// True for `dir` itself, the directories between it and the root, and the directories that contain
// the root.
inline bool tree_walk::is_above(const directory& dir, const inode_id& id) const {
    for (const directory* at = &dir; at != nullptr; at = at->parent) {
        if (at->id == id) return true;
    }
    std::string up = "..";
    inode_id last;
    for (;;) {
        struct stat about{};
        if (::fstatat(root_fd_, up.c_str(), &about, 0) != 0) return false;
        const inode_id here{about.st_dev, about.st_ino};
        if (here == id) return true;
        if (here == last) return false;  // the root of the file system is its own parent
        last = here;
        up += "/..";
    }
}

}  // namespace treesum
