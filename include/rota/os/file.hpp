// Files, pipes and terminals. Go: os.File.
//
// Everything here blocks the goroutine, not the thread; called by a thread that rota did not start,
// it blocks that thread. Pipes, terminals and whatever else can be polled wait in the poller, as
// sockets do. Calls on regular files, and on what cannot be polled, are made as by
// rota::blocking, those on regular files by io_uring where GODEBUG=netpoll=uring asks for it: the
// processor is free for others meanwhile. After any call the goroutine may be on another thread.
//
// Each call exists twice: one throws std::system_error, one takes a trailing std::error_code& and
// throws nothing but std::bad_alloc. Errors are those of the operating system and:
//   * net::net_errc::closed from a file that is closed, also if that happens during the call; a
//     second close is no error;
//   * std::errc::timed_out where a deadline has passed.
// No descriptor that is opened here is inherited by other programs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>      // O_RDONLY and the like
#include <sys/types.h>  // mode_t
#include <rota/detail/io_error.hpp>
#include <rota/time.hpp>

struct stat;

namespace rota::rt {
class fd;
}

namespace rota::os {

/// The name of a file, from any kind of string and from std::filesystem::path.
class path_text {
  public:
    template <class P>
        requires(std::convertible_to<const P&, std::string_view>)
    path_text(const P& p) : text_(std::string_view(p)) {}
    template <class P>
        requires(!std::convertible_to<const P&, std::string_view> &&
                 std::convertible_to<const P&, std::string>)
    path_text(const P& p) : text_(p) {}

    const std::string& text() const noexcept { return text_; }

  private:
    std::string text_;
};

/// An open file. A reference: copies share one open file, which is closed when the last of them
/// goes. Its operations may be called by any number of goroutines and threads at once; of those
/// that read, one at a time is served, as of those that write. pread and pwrite wait for nobody.
/// Go: *os.File.
class file {
  public:
    /// No file: every operation fails with net_errc::closed.
    file() noexcept = default;

    /// Opens a file: flags as for open(2), mode as there for a file that is made. Opening a FIFO
    /// waits for the other side. O_CLOEXEC is always set. Go: os.OpenFile.
    static file open(const path_text& path, int flags = O_RDONLY, mode_t mode = 0666);
    static file open(const path_text& path, int flags, mode_t mode, std::error_code& error);
    static file open(const path_text& path, int flags, std::error_code& error) {
        return open(path, flags, 0666, error);
    }
    static file open(const path_text& path, std::error_code& error) {
        return open(path, O_RDONLY, 0666, error);
    }

    /// Takes over a descriptor that is open already. If it does not block (O_NONBLOCK) and can be
    /// polled, it is; otherwise calls are handed off and have no deadline, and a close does not end
    /// those under way. Go: os.NewFile.
    static file from_fd(int number, std::string_view name = {});
    static file from_fd(int number, std::string_view name, std::error_code& error);

    /// Whether this is a file at all; a closed one is.
    explicit operator bool() const noexcept { return fd_ != nullptr; }
    friend bool operator==(const file& a, const file& b) noexcept { return a.fd_ == b.fd_; }

    /// Reads what is there, at most to.size() bytes, from where the last read or write has ended,
    /// waiting for the first: returns how many; 0 at the end, and for an empty buffer. Go: Read.
    std::size_t read(std::span<std::byte> to) const;
    std::size_t read(std::span<std::byte> to, std::error_code& error) const;
    /// Reads until the buffer is full; returns less only at the end. Go: io.ReadFull.
    std::size_t read_full(std::span<std::byte> to) const;
    std::size_t read_full(std::span<std::byte> to, std::error_code& error) const;
    /// Reads all that there is up to the end. The form with an error returns what came before it.
    /// Go: io.ReadAll.
    std::string read_all() const;
    std::string read_all(std::error_code& error) const;

    /// Writes all of it and returns from.size(), or fails: then a part may have been written. A
    /// pipe whose reader is gone gives EPIPE; SIGPIPE is raised for descriptors 1 and 2 alone. Go:
    /// Write.
    std::size_t write(std::span<const std::byte> from) const;
    std::size_t write(std::span<const std::byte> from, std::error_code& error) const;
    std::size_t write(std::string_view text) const { return write(std::as_bytes(std::span(text))); }
    std::size_t write(std::string_view text, std::error_code& error) const {
        return write(std::as_bytes(std::span(text)), error);
    }

    /// As read, from a place in the file, in bytes; that of the next read stays. Go: ReadAt, but
    /// for the end: less than asked for may come before it.
    std::size_t pread(std::span<std::byte> to, std::int64_t offset) const;
    std::size_t pread(std::span<std::byte> to, std::int64_t offset, std::error_code& error) const;
    /// As write, to a place in the file. Go: WriteAt.
    std::size_t pwrite(std::span<const std::byte> from, std::int64_t offset) const;
    std::size_t pwrite(std::span<const std::byte> from, std::int64_t offset,
                       std::error_code& error) const;
    std::size_t pwrite(std::string_view text, std::int64_t offset) const {
        return pwrite(std::as_bytes(std::span(text)), offset);
    }
    std::size_t pwrite(std::string_view text, std::int64_t offset, std::error_code& error) const {
        return pwrite(std::as_bytes(std::span(text)), offset, error);
    }

    /// Moves the place of the next read or write: whence is SEEK_SET, SEEK_CUR or SEEK_END. Returns
    /// the new place. Go: Seek.
    std::int64_t seek(std::int64_t offset, int whence) const;
    std::int64_t seek(std::int64_t offset, int whence, std::error_code& error) const;

    /// The length in bytes. Go: Stat().Size().
    std::int64_t size() const;
    std::int64_t size(std::error_code& error) const;
    /// All that fstat(2) tells. Go: Stat.
    void stat(struct ::stat& to) const;
    void stat(struct ::stat& to, std::error_code& error) const;

    /// Makes it that long: what is beyond is lost, what is new is zero. Go: Truncate.
    void truncate(std::int64_t size) const;
    void truncate(std::int64_t size, std::error_code& error) const;
    /// Returns when all that has been written is on the disk. Go: Sync.
    void sync() const;
    void sync(std::error_code& error) const;

    /// From this moment on reads and writes fail with std::errc::timed_out, those under way
    /// included; clock::time_point{} takes the deadline back. A read that fails by it has consumed
    /// nothing. EOPNOTSUPP for what cannot be polled. Does not block. Go: SetDeadline.
    void set_deadline(clock::time_point when) const;
    void set_deadline(clock::time_point when, std::error_code& error) const;
    /// The same for reads alone. Go: SetReadDeadline.
    void set_read_deadline(clock::time_point when) const;
    void set_read_deadline(clock::time_point when, std::error_code& error) const;
    /// The same for writes alone. Go: SetWriteDeadline.
    void set_write_deadline(clock::time_point when) const;
    void set_write_deadline(clock::time_point when, std::error_code& error) const;

    /// Closes it, for all handles: calls that wait in the poller, and all later ones, end with
    /// net_errc::closed. Returns when the last of them has left and the number is the kernel's
    /// again; it does not wait for a call that is handed off, which keeps the number until its end.
    /// The error is what the kernel says of data that could not be written. Closing twice is no
    /// error. Go: Close.
    void close() const;
    void close(std::error_code& error) const;

    /// The descriptor's number, or -1 if it is closed. It stays rota's: it must not be closed, made
    /// to block, or used after the file has been closed. Go: Fd.
    int fd() const noexcept;
    /// The name that it was opened by; "" for none. Go: Name.
    std::string name() const;

    /// For rota's libraries: takes over one handle, and lends it.
    explicit file(rt::fd* adopted) noexcept : fd_(adopted) {}
    rt::fd* descriptor() const noexcept { return fd_; }

    file(const file& other) noexcept;
    file(file&& other) noexcept : fd_(std::exchange(other.fd_, nullptr)) {}
    file& operator=(const file& other) noexcept {
        file(other).swap(*this);
        return *this;
    }
    file& operator=(file&& other) noexcept {
        file(std::move(other)).swap(*this);
        return *this;
    }
    ~file();

  private:
    void set_deadline(bool of_reads, bool of_writes, clock::time_point when, const char* what,
                      std::error_code* error) const;
    void swap(file& other) noexcept { std::swap(fd_, other.fd_); }

    rt::fd* fd_ = nullptr;
};

/// Opens a file at or below a directory, flags and mode as for file::open. No part of `path` leads
/// out of the directory: a `..` or a symbolic link that does, and an absolute link, fail with
/// errc::cross_device_link, also while others rename. `path` is relative; a slash at its beginning
/// is that error too. For names that strangers choose: `open_beneath("/srv/files",
/// r.path_value("name"))`.
///
/// What lies below the directory by mounts counts as below. Blocks the goroutine. Go:
/// os.OpenInRoot.
file open_beneath(const path_text& directory, const path_text& path, int flags = O_RDONLY,
                  mode_t mode = 0666);
file open_beneath(const path_text& directory, const path_text& path, int flags, mode_t mode,
                  std::error_code& error);

/// Two ends of a pipe: what is written to the second can be read from the first. Go: os.Pipe.
std::pair<file, file> pipe();
std::pair<file, file> pipe(std::error_code& error);

/// The whole content of a file. Go: os.ReadFile.
std::string read_file(const path_text& path);
std::string read_file(const path_text& path, std::error_code& error);

/// Makes a file of that content, or gives an existing one that content instead of its own; mode is
/// that of a new one. An error may have left a part of it. Go: os.WriteFile.
void write_file(const path_text& path, std::string_view content, mode_t mode = 0666);
void write_file(const path_text& path, std::string_view content, mode_t mode,
                std::error_code& error);
inline void write_file(const path_text& path, std::string_view content, std::error_code& error) {
    write_file(path, content, 0666, error);
}

/// The process's own descriptors 0, 1 and 2, which other programs may share: they are not polled
/// unless they are non-blocking already. Go: os.Stdin, os.Stdout, os.Stderr.
file standard_input();
file standard_output();
file standard_error();

}  // namespace rota::os
