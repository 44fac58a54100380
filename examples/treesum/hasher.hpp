// Hashes files: system calls inside rota::blocking, SHA-256 outside it, at most `jobs` files at
// once.
//
// The bound and the working memory are one thing. A buffered channel holds `jobs` slots, each with
// its libcrypto context and its read buffer; whoever starts a file takes a slot out, the goroutine
// of that file puts it back. So the number of open files, of buffers and of file goroutines is
// `jobs`, however large the tree, and neither contexts nor buffers are allocated per file.
//
// A small file costs four system calls (open, fstat, read, close) in one blocking section: entering
// and leaving one is cheap, but each is a chance that sysmon hands the P off, and four chances buy
// nothing. A large file alternates: read a piece (the P is free), hash it (the P is ours).
//
// Read buffers are on the heap: a goroutine's stack costs memory page by page as it is touched.
#pragma once

#include <rota/chan.hpp>
#include <rota/go.hpp>

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"

namespace treesum {

// --- opening ------------------------------------------------------------------------------------

// openat() for a path of any length. The kernel refuses more than PATH_MAX bytes at once, and trees
// can be deeper than that; such a path is walked in pieces that it accepts. Plain system calls;
// returns the descriptor or -errno.
inline int open_long_path(int directory, std::string path, int flags) {
    int base = directory;
    std::size_t from = 0;
    int fd = 0;
    while (fd >= 0 && path.size() - from >= PATH_MAX) {
        const std::size_t cut = path.rfind('/', from + PATH_MAX - 1);
        if (cut == std::string::npos || cut <= from) {
            fd = -ENAMETOOLONG;  // one name longer than any file system has
            break;
        }
        path[cut] = '\0';
        fd = ::openat(base, path.c_str() + from, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) fd = -errno;
        if (base != directory) ::close(base);
        base = fd >= 0 ? fd : directory;
        from = std::min(path.find_first_not_of('/', cut + 1), path.size());
    }
    if (fd >= 0) {
        fd = ::openat(base, from == path.size() ? "." : path.c_str() + from, flags);
        if (fd < 0) fd = -errno;
    }
    if (base != directory) ::close(base);
    return fd;
}

inline int open_any_length(int directory, const char* path, int flags) {
    const int all_flags = flags | O_CLOEXEC | O_NOCTTY;
    if (std::strlen(path) >= PATH_MAX) return open_long_path(directory, path, all_flags);
    const int fd = ::openat(directory, path, all_flags);
    return fd < 0 ? -errno : fd;
}

// --- what is to be hashed, and what came of it --------------------------------------------------

struct file_job {
    std::string_view path;            // as printed
    const char* open_path = nullptr;  // the same file, seen from open_rules::directory
    std::uint64_t size_hint = 0;

    // The results, valid once the goroutine of this file has ended.
    digest sum{};
    std::uint64_t bytes = 0;
    int error = 0;              // errno of the call that failed, 0 if the digest is good
    bool changed_kind = false;  // it was a regular file when listed, and is none now
};

struct open_rules {
    int directory = AT_FDCWD;  // where the relative paths start
    bool regular_only =
        true;  // false: whatever can be read, as sha256sum does with names it is given
};

// Counters that the progress bar reads while the work goes on.
struct work_done {
    std::atomic<std::uint64_t> files{0};
    std::atomic<std::uint64_t> bytes{0};
};

// --- slots --------------------------------------------------------------------------------------

struct evp_context_free {
    void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
};
struct evp_digest_free {
    void operator()(EVP_MD* algorithm) const { ::EVP_MD_free(algorithm); }
};

struct hash_slot {
    static constexpr std::size_t buffer_bytes = std::size_t{128} * 1024;

    std::unique_ptr<EVP_MD_CTX, evp_context_free> context;
    std::unique_ptr<unsigned char[]> buffer;  // made by the first file that uses the slot
};

class slot_pool {
  public:
    explicit slot_pool(std::size_t jobs)
        : algorithm_(::EVP_MD_fetch(nullptr, "SHA256", nullptr)),
          slots_(jobs),
          free_(rota::make_chan<hash_slot*>(jobs)) {
        if (!algorithm_) throw std::runtime_error("libcrypto offers no SHA-256: see openssl.cnf");
        for (hash_slot& slot : slots_) free_.send(&slot);
    }

    // Waits until fewer than `jobs` files are in work.
    hash_slot& take() { return **free_.recv(); }
    void give_back(hash_slot& slot) { free_.send(&slot); }

    void begin(hash_slot& slot) {
        if (!slot.buffer) {
            slot.context.reset(::EVP_MD_CTX_new());
            if (!slot.context) throw std::bad_alloc();
            slot.buffer.reset(new unsigned char[hash_slot::buffer_bytes]);
        }
        if (::EVP_DigestInit_ex2(slot.context.get(), algorithm_.get(), nullptr) != 1) broken();
    }

    static void update(hash_slot& slot, std::size_t bytes) {
        if (::EVP_DigestUpdate(slot.context.get(), slot.buffer.get(), bytes) != 1) broken();
    }

    static void end(hash_slot& slot, digest& sum) {
        unsigned length = 0;
        if (::EVP_DigestFinal_ex(slot.context.get(), sum.data(), &length) != 1) broken();
    }

  private:
    [[noreturn]] static void broken() {
        throw std::runtime_error("libcrypto failed to compute SHA-256");
    }

    std::unique_ptr<EVP_MD, evp_digest_free>
        algorithm_;  // fetched once: a fetch takes locks and a search
    std::vector<hash_slot> slots_;
    rota::chan<hash_slot*> free_;
};

// --- reading ------------------------------------------------------------------------------------

// What the first blocking section found: the file, if it was small, is closed already.
struct first_look {
    int fd = -1;  // open only if there is more to read
    int error = 0;
    std::size_t got = 0;  // bytes in the buffer
    bool changed_kind = false;
};

// read() until bytes come; returns their number, 0 at the end, or -errno.
inline ssize_t read_some(int fd, unsigned char* buffer, std::size_t room) {
    for (;;) {
        const ssize_t got = ::read(fd, buffer, room);
        if (got >= 0) return got;
        if (errno != EINTR) return -errno;
    }
}

// O_NOATIME spares the inode writes, but only the owner of a file (or root) may ask for it. The
// first refusal ends the attempts: a tree full of other people's files would otherwise pay two
// calls for each.
inline int open_for_reading(const open_rules& rules, const char* path) {
    static std::atomic<int> atime_flag{O_NOATIME};
    // A FIFO that took the place of a listed file must not block us: O_NONBLOCK means nothing to
    // regular files.
    const int kind_flags = rules.regular_only ? O_NOFOLLOW | O_NONBLOCK : 0;
    const int atime = atime_flag.load(std::memory_order_relaxed);
    int fd = open_any_length(rules.directory, path, O_RDONLY | kind_flags | atime);
    if (fd == -EPERM && atime != 0) {
        fd = open_any_length(rules.directory, path, O_RDONLY | kind_flags);
        if (fd >= 0) atime_flag.store(0, std::memory_order_relaxed);
    }
    return fd;
}

// Opens the file and reads its first piece; a file that ends within it is closed again. Runs inside
// blocking.
inline first_look look_at(const open_rules& rules, const char* path, hash_slot& slot) {
    first_look look;
    const bool standard_input = !rules.regular_only && std::strcmp(path, "-") == 0;
    look.fd = standard_input ? ::dup(STDIN_FILENO) : open_for_reading(rules, path);
    if (look.fd < 0) {
        look.error = standard_input ? errno : -look.fd;
        look.fd = -1;
        return look;
    }
    struct stat about{};
    const bool known = ::fstat(look.fd, &about) == 0;
    const bool regular = known && S_ISREG(about.st_mode);
    look.changed_kind = rules.regular_only && !regular;
    bool more = false;
    if (!look.changed_kind) {
        const ssize_t got = read_some(look.fd, slot.buffer.get(), hash_slot::buffer_bytes);
        look.error = got < 0 ? static_cast<int>(-got) : 0;
        look.got = got < 0 ? 0 : static_cast<std::size_t>(got);
        // The size is trusted only where it says that nothing is left: files of /proc claim to be
        // empty.
        const bool whole = regular && got > 0 && static_cast<off_t>(look.got) == about.st_size;
        more = got > 0 && !whole;
    }
    if (!more) {
        ::close(look.fd);
        look.fd = -1;
    } else if (about.st_size > static_cast<off_t>(hash_slot::buffer_bytes)) {
        ::posix_fadvise(look.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return look;
}

// Reads and hashes one file into `job`. Any goroutine; parks (every read is a blocking section).
inline void hash_file(slot_pool& pool, hash_slot& slot, const open_rules& rules, file_job& job,
                      work_done& done) {
    pool.begin(slot);
    const first_look look = rota::blocking([&] { return look_at(rules, job.open_path, slot); });
    job.error = look.error;
    job.changed_kind = look.changed_kind;
    if (look.error != 0 || look.changed_kind) return;

    std::size_t got = look.got;
    slot_pool::update(slot, got);
    job.bytes = got;
    done.bytes.fetch_add(got, std::memory_order_relaxed);
    if (look.fd >= 0) {
        const rota::defer close_it([&] { rota::blocking([&] { ::close(look.fd); }); });
        for (;;) {
            const ssize_t piece = rota::blocking(
                [&] { return read_some(look.fd, slot.buffer.get(), hash_slot::buffer_bytes); });
            if (piece < 0) job.error = static_cast<int>(-piece);
            if (piece <= 0) break;
            got = static_cast<std::size_t>(piece);
            slot_pool::update(slot, got);
            job.bytes += got;
            done.bytes.fetch_add(got, std::memory_order_relaxed);
        }
    }
    if (job.error == 0) slot_pool::end(slot, job.sum);
}

}  // namespace treesum
