// Implements os::file: opening, and each operation on an open file.
#include <rota/os/file.hpp>

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd/errors.hpp"
#include "fd/turn.hpp"
#include "os/beneath.hpp"
#include "os/open_file.hpp"
#include "sys/io/file.hpp"

namespace rota::os {

using rt::checked;
using rt::throwing;

namespace {

constexpr std::int64_t none = -rt::error_closed;  // the result of each call on no file

std::string_view name_of(const rt::fd* f) { return f != nullptr ? f->name() : std::string_view(); }

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// A kind of file whose calls never wait for another process, or that no poller takes.
bool is_plain(mode_t mode) { return S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode); }

// 0 and the object, which owns the number; or an error value, and the caller keeps the number.
int object_of(int number, bool may_be_made_unblocking, rt::fd*& made) {
    struct ::stat status{};
    if (const int r = rt::file_stat(number, status); r < 0) return -r;
    if (is_plain(status.st_mode)) return rt::fd::open_blocking(number, rt::fd::kind::regular, made);
    const int flags = rt::file_flags(number);
    const bool was_blocking = flags >= 0 && (flags & O_NONBLOCK) == 0;
    if (was_blocking && !may_be_made_unblocking)
        return rt::fd::open_blocking(number, rt::fd::kind::file, made);
    if (const int r = rt::file_set_blocking(number, false); r < 0) return -r;
    const int failed = rt::fd::open(number, rt::fd::kind::file, made);
    if (failed != EPERM) return failed;
    if (was_blocking) (void)rt::file_set_blocking(number, true);
    return rt::fd::open_blocking(number, rt::fd::kind::file, made);
}

}  // namespace

file adopted_file(int number, bool is_our_own, std::string_view name, std::error_code& error) {
    rt::fd* made = nullptr;
    if (const int failed = object_of(number, is_our_own, made)) {
        error = rt::error_of(-failed);
        return {};
    }
    error.clear();
    if (!is_our_own) made->share_position();
    file f(made);
    if (!name.empty()) made->set_name(name);
    return f;
}

// --- opening -------------------------------------------------------------------------------------

namespace {

// `number`: the result of an open, a descriptor or a negative errno value.
file opened_file(int number, std::string_view name, std::error_code& error) {
    if (number < 0) {
        error = rt::error_of(number);
        return {};
    }
    file f = adopted_file(number, true, name, error);
    if (error) (void)rt::file_close(number);
    return f;
}

}  // namespace

file file::open(const path_text& path, int flags, mode_t mode, std::error_code& error) {
    if (has_nul(path.text())) {
        error = std::make_error_code(std::errc::invalid_argument);
        return {};
    }
    int number = 0;
    {
        const rt::blocking_call handed_off;
        do number = rt::file_open(path.text().c_str(), flags, mode);
        while (number == -EINTR);
    }
    return opened_file(number, path.text(), error);
}
file file::open(const path_text& path, int flags, mode_t mode) {
    return throwing(
        "os", "open", [&](std::error_code& error) { return open(path, flags, mode, error); },
        path.text());
}

file open_beneath(const path_text& directory, const path_text& path, int flags, mode_t mode,
                  std::error_code& error) {
    if (has_nul(directory.text()) || has_nul(path.text())) {
        error = std::make_error_code(std::errc::invalid_argument);
        return {};
    }
    int number = 0;
    {
        const rt::blocking_call handed_off;
        int top = 0;
        do top = rt::file_open(directory.text().c_str(), O_PATH | O_DIRECTORY, 0);
        while (top == -EINTR);
        number = top < 0 ? top : open_beneath(top, path.text().c_str(), flags, mode);
        if (top >= 0) (void)rt::file_close(top);
    }
    return opened_file(number, path.text(), error);
}
file open_beneath(const path_text& directory, const path_text& path, int flags, mode_t mode) {
    return throwing(
        "os", "open_beneath",
        [&](std::error_code& error) { return open_beneath(directory, path, flags, mode, error); },
        path.text());
}

file file::from_fd(int number, std::string_view name, std::error_code& error) {
    return adopted_file(number, false, name, error);
}
file file::from_fd(int number, std::string_view name) {
    return throwing(
        "os", "from_fd", [&](std::error_code& error) { return from_fd(number, name, error); },
        name);
}

std::pair<file, file> pipe(std::error_code& error) {
    int numbers[2] = {};
    if (const int r = rt::file_pipe(numbers); r < 0) {
        error = rt::error_of(r);
        return {};
    }
    rt::fd* made[2] = {};
    for (int i = 0; i < 2; ++i) {
        const int failed = rt::fd::open(numbers[i], rt::fd::kind::file, made[i]);
        if (failed == 0) continue;
        if (i == 1) made[0]->release();
        for (int j = i; j < 2; ++j) (void)rt::file_close(numbers[j]);
        error = rt::error_of(-failed);
        return {};
    }
    error.clear();
    return {file(made[0]), file(made[1])};
}
std::pair<file, file> pipe() {
    return throwing("os", "pipe", [](std::error_code& error) { return pipe(error); });
}

// --- handles -------------------------------------------------------------------------------------

file::file(const file& other) noexcept : fd_(other.fd_) {
    if (fd_ != nullptr) fd_->retain();
}

file::~file() {
    if (fd_ != nullptr) fd_->release();
}

void file::close(std::error_code& error) const {
    const std::int64_t r = fd_ != nullptr ? fd_->close() : 0;
    (void)checked(r == none ? 0 : r, error);
}
void file::close() const {
    throwing("os", "close", [&](std::error_code& error) { close(error); }, name_of(fd_));
}

int file::fd() const noexcept {
    if (fd_ == nullptr) return -1;
    fd_->share_position();  // the caller can copy the number, and move the position
    return fd_->number();
}

std::string file::name() const { return std::string(name_of(fd_)); }

// --- bytes ---------------------------------------------------------------------------------------

std::size_t file::read(std::span<std::byte> to, std::error_code& error) const {
    return checked(fd_ != nullptr ? fd_->read_file(to.data(), to.size()) : none, error);
}
std::size_t file::read(std::span<std::byte> to) const {
    return throwing(
        "os", "read", [&](std::error_code& error) { return read(to, error); }, name_of(fd_));
}

std::size_t file::read_full(std::span<std::byte> to, std::error_code& error) const {
    error.clear();
    std::size_t done = 0;
    while (done < to.size()) {
        const std::size_t n = read(to.subspan(done), error);
        if (n == 0) break;
        done += n;
    }
    return done;
}
std::size_t file::read_full(std::span<std::byte> to) const {
    return throwing(
        "os", "read_full", [&](std::error_code& error) { return read_full(to, error); },
        name_of(fd_));
}

std::string file::read_all(std::error_code& error) const {
    constexpr std::size_t least = 4096, most = 1 << 20;  // bytes; the room for each read
    std::string all;
    // One byte more than the file's size, so that the end is seen without growing.
    std::error_code no_size;
    const std::int64_t known = fd_ != nullptr && fd_->is_regular() ? size(no_size) : 0;
    std::size_t room =
        std::max(least, static_cast<std::size_t>(std::max<std::int64_t>(known, 0)) + 1);
    std::size_t done = 0;
    for (;;) {
        if (all.size() - done < least / 4 || all.empty()) all.resize(done + room);
        const std::size_t n = read(std::as_writable_bytes(std::span(all)).subspan(done), error);
        done += n;
        if (n == 0) break;
        room = std::clamp(done, least, most);
    }
    all.resize(done);
    return all;
}
std::string file::read_all() const {
    return throwing(
        "os", "read_all", [&](std::error_code& error) { return read_all(error); }, name_of(fd_));
}

std::size_t file::write(std::span<const std::byte> from, std::error_code& error) const {
    return checked(fd_ != nullptr ? fd_->write_file(from.data(), from.size()) : none, error);
}
std::size_t file::write(std::span<const std::byte> from) const {
    return throwing(
        "os", "write", [&](std::error_code& error) { return write(from, error); }, name_of(fd_));
}

std::size_t file::pread(std::span<std::byte> to, std::int64_t offset,
                        std::error_code& error) const {
    return checked(fd_ != nullptr ? fd_->read_file_at(to.data(), to.size(), offset) : none, error);
}
std::size_t file::pread(std::span<std::byte> to, std::int64_t offset) const {
    return throwing(
        "os", "pread", [&](std::error_code& error) { return pread(to, offset, error); },
        name_of(fd_));
}

std::size_t file::pwrite(std::span<const std::byte> from, std::int64_t offset,
                         std::error_code& error) const {
    return checked(fd_ != nullptr ? fd_->write_file_at(from.data(), from.size(), offset) : none,
                   error);
}
std::size_t file::pwrite(std::span<const std::byte> from, std::int64_t offset) const {
    return throwing(
        "os", "pwrite", [&](std::error_code& error) { return pwrite(from, offset, error); },
        name_of(fd_));
}

// --- the file ------------------------------------------------------------------------------------

std::int64_t file::seek(std::int64_t offset, int whence, std::error_code& error) const {
    const std::int64_t r = fd_ != nullptr ? fd_->seek(offset, whence) : none;
    return static_cast<std::int64_t>(checked(r, error));
}
std::int64_t file::seek(std::int64_t offset, int whence) const {
    return throwing(
        "os", "seek", [&](std::error_code& error) { return seek(offset, whence, error); },
        name_of(fd_));
}

void file::stat(struct ::stat& to, std::error_code& error) const {
    const auto call = [&](int number) { return rt::file_stat(number, to); };
    (void)checked(fd_ != nullptr ? fd_->use_blocking(call) : none, error);
}
void file::stat(struct ::stat& to) const {
    throwing("os", "stat", [&](std::error_code& error) { stat(to, error); }, name_of(fd_));
}

std::int64_t file::size(std::error_code& error) const {
    struct ::stat status{};
    stat(status, error);
    return error ? 0 : std::int64_t{status.st_size};
}
std::int64_t file::size() const {
    return throwing(
        "os", "size", [&](std::error_code& error) { return size(error); }, name_of(fd_));
}

void file::truncate(std::int64_t size, std::error_code& error) const {
    const auto call = [=](int number) { return rt::file_truncate(number, size); };
    (void)checked(fd_ != nullptr ? fd_->use_blocking(call) : none, error);
}
void file::truncate(std::int64_t size) const {
    throwing(
        "os", "truncate", [&](std::error_code& error) { truncate(size, error); }, name_of(fd_));
}

void file::sync(std::error_code& error) const {
    (void)checked(fd_ != nullptr ? fd_->sync() : none, error);
}
void file::sync() const {
    throwing("os", "sync", [&](std::error_code& error) { sync(error); }, name_of(fd_));
}

// --- deadlines -----------------------------------------------------------------------------------

void file::set_deadline(bool of_reads, bool of_writes, clock::time_point when, const char* what,
                        std::error_code* error) const {
    const std::int64_t ns = when.time_since_epoch().count();
    const auto call = [&](std::error_code& e) {
        (void)checked(fd_ != nullptr ? fd_->set_deadline(of_reads, of_writes, ns) : none, e);
    };
    if (error != nullptr) call(*error);
    else throwing("os", what, call, name_of(fd_));
}
void file::set_deadline(clock::time_point when, std::error_code& error) const {
    set_deadline(true, true, when, nullptr, &error);
}
void file::set_deadline(clock::time_point when) const {
    set_deadline(true, true, when, "set_deadline", nullptr);
}
void file::set_read_deadline(clock::time_point when, std::error_code& error) const {
    set_deadline(true, false, when, nullptr, &error);
}
void file::set_read_deadline(clock::time_point when) const {
    set_deadline(true, false, when, "set_read_deadline", nullptr);
}
void file::set_write_deadline(clock::time_point when, std::error_code& error) const {
    set_deadline(false, true, when, nullptr, &error);
}
void file::set_write_deadline(clock::time_point when) const {
    set_deadline(false, true, when, "set_write_deadline", nullptr);
}

// --- whole files ---------------------------------------------------------------------------------

std::string read_file(const path_text& path, std::error_code& error) {
    const file f = file::open(path, O_RDONLY, 0, error);
    return error ? std::string() : f.read_all(error);
}
std::string read_file(const path_text& path) {
    return throwing(
        "os", "read_file", [&](std::error_code& error) { return read_file(path, error); },
        path.text());
}

void write_file(const path_text& path, std::string_view content, mode_t mode,
                std::error_code& error) {
    const file f = file::open(path, O_WRONLY | O_CREAT | O_TRUNC, mode, error);
    if (error) return;
    (void)f.write(content, error);
    // A file system may report only at close that it could not keep the data.
    std::error_code at_end;
    f.close(at_end);
    if (!error) error = at_end;
}
void write_file(const path_text& path, std::string_view content, mode_t mode) {
    throwing(
        "os", "write_file", [&](std::error_code& error) { write_file(path, content, mode, error); },
        path.text());
}

// --- the process's own ---------------------------------------------------------------------------

namespace {

// Never closed by us: other code of the process writes to the standard descriptors.
file standard(int number, std::string_view name) {
    std::error_code error;
    file f = file::from_fd(number, name, error);
    if (f) f.descriptor()->retain();
    return f;
}

}  // namespace

file standard_input() {
    static const file f = standard(STDIN_FILENO, "/dev/stdin");
    return f;
}
file standard_output() {
    static const file f = standard(STDOUT_FILENO, "/dev/stdout");
    return f;
}
file standard_error() {
    static const file f = standard(STDERR_FILENO, "/dev/stderr");
    return f;
}

}  // namespace rota::os
