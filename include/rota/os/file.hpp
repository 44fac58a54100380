// Reads and writes files, pipes and terminals. Go: os.File.
//
// Each call here blocks the goroutine, not the thread; a call by a thread that rota did not start
// blocks that thread. Pipes, terminals and other files that can be polled wait in the poller, as
// sockets do. Calls on regular files, and on files that cannot be polled, are made as by
// rota::blocking: the processor is free for other goroutines meanwhile. With GODEBUG=netpoll=uring,
// io_uring makes the calls on regular files. After any call the goroutine may be on another thread.
//
// Each call has two forms: the first throws std::system_error, the second takes a trailing
// std::error_code& and throws only std::bad_alloc. Errors are those of the operating system and:
//   * net::net_errc::closed from a file that is closed, also if that happens during the call; a
//     second close is no error;
//   * std::errc::timed_out where a deadline has passed.
// Programs that this process starts inherit no descriptor that is opened here.
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

/// The name of a file, from a string of any type or from std::filesystem::path.
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

/// An open file. A reference: copies share one open file, which is closed when the last copy goes.
/// Any number of goroutines and threads may call its operations at once. One read and one write at
/// a time are served; pread and pwrite wait for no other call. Go: *os.File.
class file {
  public:
    /// No file: every operation fails with net_errc::closed.
    file() noexcept = default;

    /// Opens a file: flags as for open(2), and mode for a file that is created. Opening a FIFO
    /// waits for the other side. O_CLOEXEC is always set. Go: os.OpenFile.
    static file open(const path_text& path, int flags = O_RDONLY, mode_t mode = 0666);
    static file open(const path_text& path, int flags, mode_t mode, std::error_code& error);
    static file open(const path_text& path, int flags, std::error_code& error) {
        return open(path, flags, 0666, error);
    }
    static file open(const path_text& path, std::error_code& error) {
        return open(path, O_RDONLY, 0666, error);
    }

    /// Takes over a descriptor that is open already. A descriptor that does not block (O_NONBLOCK)
    /// and can be polled is polled. Otherwise calls are handed off and have no deadline, and a
    /// close does not end the calls under way. Go: os.NewFile.
    static file from_fd(int number, std::string_view name = {});
    static file from_fd(int number, std::string_view name, std::error_code& error);

    /// Whether the handle names a file; also true for a closed file.
    explicit operator bool() const noexcept { return fd_ != nullptr; }
    friend bool operator==(const file& a, const file& b) noexcept { return a.fd_ == b.fd_; }

    /// Reads at most to.size() bytes from the current position, and waits for the first byte.
    /// Returns the count; 0 at the end, and for an empty buffer. Go: Read.
    std::size_t read(std::span<std::byte> to) const;
    std::size_t read(std::span<std::byte> to, std::error_code& error) const;
    /// Reads until the buffer is full; a smaller count means the end. Go: io.ReadFull.
    std::size_t read_full(std::span<std::byte> to) const;
    std::size_t read_full(std::span<std::byte> to, std::error_code& error) const;
    /// Reads up to the end. The form with an error returns the bytes before the error. Go:
    /// io.ReadAll.
    std::string read_all() const;
    std::string read_all(std::error_code& error) const;

    /// Writes the whole buffer and returns from.size(), or fails: then a part may have been
    /// written. A pipe whose reader has closed gives EPIPE; SIGPIPE is raised for descriptors 1 and
    /// 2 alone. Go: Write.
    std::size_t write(std::span<const std::byte> from) const;
    std::size_t write(std::span<const std::byte> from, std::error_code& error) const;
    std::size_t write(std::string_view text) const { return write(std::as_bytes(std::span(text))); }
    std::size_t write(std::string_view text, std::error_code& error) const {
        return write(std::as_bytes(std::span(text)), error);
    }

    /// As read, at `offset` bytes from the file's beginning; the current position stays. Go:
    /// ReadAt, but a count below to.size() may come before the end.
    std::size_t pread(std::span<std::byte> to, std::int64_t offset) const;
    std::size_t pread(std::span<std::byte> to, std::int64_t offset, std::error_code& error) const;
    /// As write, at `offset`. Go: WriteAt.
    std::size_t pwrite(std::span<const std::byte> from, std::int64_t offset) const;
    std::size_t pwrite(std::span<const std::byte> from, std::int64_t offset,
                       std::error_code& error) const;
    std::size_t pwrite(std::string_view text, std::int64_t offset) const {
        return pwrite(std::as_bytes(std::span(text)), offset);
    }
    std::size_t pwrite(std::string_view text, std::int64_t offset, std::error_code& error) const {
        return pwrite(std::as_bytes(std::span(text)), offset, error);
    }

    /// Moves the current position: whence is SEEK_SET, SEEK_CUR or SEEK_END. Returns the new
    /// position. Go: Seek.
    std::int64_t seek(std::int64_t offset, int whence) const;
    std::int64_t seek(std::int64_t offset, int whence, std::error_code& error) const;

    /// The length in bytes. Go: Stat().Size().
    std::int64_t size() const;
    std::int64_t size(std::error_code& error) const;
    /// Fills in the result of fstat(2). Go: Stat.
    void stat(struct ::stat& to) const;
    void stat(struct ::stat& to, std::error_code& error) const;

    /// Sets the length: bytes beyond it are lost, new bytes are zero. Go: Truncate.
    void truncate(std::int64_t size) const;
    void truncate(std::int64_t size, std::error_code& error) const;
    /// Returns when the written data is on the disk. Go: Sync.
    void sync() const;
    void sync(std::error_code& error) const;

    /// From `when` on, reads and writes fail with std::errc::timed_out, also calls under way;
    /// clock::time_point{} removes the deadline. A read that fails by it has consumed nothing.
    /// EOPNOTSUPP for a file that cannot be polled. Does not block. Go: SetDeadline.
    void set_deadline(clock::time_point when) const;
    void set_deadline(clock::time_point when, std::error_code& error) const;
    /// The same for reads alone. Go: SetReadDeadline.
    void set_read_deadline(clock::time_point when) const;
    void set_read_deadline(clock::time_point when, std::error_code& error) const;
    /// The same for writes alone. Go: SetWriteDeadline.
    void set_write_deadline(clock::time_point when) const;
    void set_write_deadline(clock::time_point when, std::error_code& error) const;

    /// Closes the file, for each handle: calls that wait in the poller, and later calls, end with
    /// net_errc::closed. Returns when the last waiting call has left and the number is the kernel's
    /// again. It does not wait for a call that is handed off, which keeps the number until its end.
    /// The error is the kernel's report of data that could not be written. A second close is no
    /// error. Go: Close.
    void close() const;
    void close(std::error_code& error) const;

    /// The descriptor's number, or -1 if it is closed. The number stays rota's: the caller must not
    /// close it, make it block, or use it after the file has been closed. Go: Fd.
    int fd() const noexcept;
    /// The name by which the file was opened; "" for none. Go: Name.
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
/// out of the directory. A `..` or a symbolic link that leads out, and an absolute link, fail with
/// errc::cross_device_link, also while another process renames. `path` is relative; a slash at its
/// beginning is that error too. For names that strangers choose: `open_beneath("/srv/files",
/// r.path_value("name"))`.
///
/// File systems that are mounted below the directory count as below. Blocks the goroutine. Go:
/// os.OpenInRoot.
file open_beneath(const path_text& directory, const path_text& path, int flags = O_RDONLY,
                  mode_t mode = 0666);
file open_beneath(const path_text& directory, const path_text& path, int flags, mode_t mode,
                  std::error_code& error);

/// Makes a pipe; bytes written to the second end can be read from the first. Go: os.Pipe.
std::pair<file, file> pipe();
std::pair<file, file> pipe(std::error_code& error);

/// Returns the whole content of a file. Go: os.ReadFile.
std::string read_file(const path_text& path);
std::string read_file(const path_text& path, std::error_code& error);

/// Creates a file with that content, or replaces the content of an existing file; mode is that of a
/// new file. After an error a part may have been written. Go: os.WriteFile.
void write_file(const path_text& path, std::string_view content, mode_t mode = 0666);
void write_file(const path_text& path, std::string_view content, mode_t mode,
                std::error_code& error);
inline void write_file(const path_text& path, std::string_view content, std::error_code& error) {
    write_file(path, content, 0666, error);
}

/// The process's own descriptors 0, 1 and 2, which other programs may share: they are polled only
/// if they are non-blocking already. Go: os.Stdin, os.Stdout, os.Stderr.
file standard_input();
file standard_output();
file standard_error();

}  // namespace rota::os
