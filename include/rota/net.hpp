// Networks: TCP, UDP and Unix sockets, as streams and as messages. Go: package net.
//
// Every call here blocks the goroutine, not the thread; called by a thread that rota did not start,
// it blocks that thread. Each call exists twice: one form throws std::system_error, one takes a
// trailing std::error_code& and throws nothing but std::bad_alloc. Errors are those of the
// operating system and:
//   * net_errc::closed from an object that is closed, also if that happens during the call; a
//     second close is no error;
//   * std::errc::timed_out where a deadline has passed;
//   * the error of a context that has ended.
// Objects are references: copies share one connection, which is closed when the last copy goes. Any
// number of goroutines and threads may call their operations at once. Reads are served one at a
// time, and so are writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <rota/context.hpp>
#include <rota/detail/io_error.hpp>
#include <rota/detail/vector.hpp>
#include <rota/time.hpp>

namespace rota::rt {
class fd;
}

namespace rota::net {

/// An address of a socket: of IPv4, IPv6, or a path. A plain value. Go: net.Addr, netip.AddrPort.
class endpoint {
  public:
    /// No address, as of a Unix socket without a name.
    endpoint() noexcept = default;

    /// "127.0.0.1:80", "[::1]:80", "[fe80::1%eth0]:80"; the path of a Unix socket, with an @ in
    /// front of an abstract one; "" for no address. Go: String.
    std::string to_string() const;

    /// The address without the port and brackets; as to_string for a Unix socket.
    std::string host() const;

    /// The port; 0 for a Unix socket.
    std::uint16_t port() const noexcept;

    friend bool operator==(const endpoint& a, const endpoint& b) noexcept;

    /// For code that calls the kernel itself: a sockaddr, of `size` bytes of the `capacity`.
    static constexpr std::uint32_t capacity = 112;
    const void* data() const noexcept { return bytes_; }
    void* data() noexcept { return bytes_; }
    std::uint32_t size() const noexcept { return size_; }
    void resize(std::uint32_t size) noexcept { size_ = size < capacity ? size : capacity; }

  private:
    alignas(8) unsigned char bytes_[capacity] = {};
    std::uint32_t size_ = 0;
};

namespace detail {

// The common base of the handles: the reference, and the operations of every socket.
class socket {
  public:
    /// Whether the handle refers to a socket, open or closed.
    explicit operator bool() const noexcept { return fd_ != nullptr; }
    friend bool operator==(const socket& a, const socket& b) noexcept { return a.fd_ == b.fd_; }

    /// Closes it: calls in progress, and all later calls, end with net_errc::closed. Returns when
    /// the last of them has left and the descriptor's number is the kernel's again. Closing twice
    /// is no error. Blocks for as long as those calls need to leave; may migrate. Go: Close.
    void close() const;
    void close(std::error_code& error) const;

    /// The descriptor's number, or -1 if it is closed. It stays rota's: it must not be closed, made
    /// to block, or used after the socket has been closed. Go: SyscallConn.
    int fd() const noexcept;

    /// For rota's libraries: takes over one handle; the descriptor that the handles share.
    explicit socket(rt::fd* adopted) noexcept : fd_(adopted) {}
    rt::fd* descriptor() const noexcept { return fd_; }

  protected:
    socket() noexcept = default;
    socket(const socket& other) noexcept;
    socket(socket&& other) noexcept : fd_(std::exchange(other.fd_, nullptr)) {}
    socket& operator=(const socket& other) noexcept {
        socket(other).swap(*this);
        return *this;
    }
    socket& operator=(socket&& other) noexcept {
        socket(std::move(other)).swap(*this);
        return *this;
    }
    ~socket();

    void set_deadline(bool of_reads, bool of_writes, clock::time_point when,
                      std::error_code& error) const;
    endpoint address(bool remote, std::error_code& error) const;
    void swap(socket& other) noexcept { std::swap(fd_, other.fd_); }

    rt::fd* fd_ = nullptr;
};

// A socket that reads and writes.
class data_socket : public socket {
  public:
    using socket::socket;

    /// From this moment on reads and writes fail with std::errc::timed_out, calls in progress
    /// included; clock::time_point{} removes the deadline. A read that fails by it has consumed
    /// nothing; a write may have sent a part. Does not block. Go: SetDeadline.
    void set_deadline(clock::time_point when) const;
    void set_deadline(clock::time_point when, std::error_code& error) const;
    /// As set_deadline, for reads alone. Go: SetReadDeadline.
    void set_read_deadline(clock::time_point when) const;
    void set_read_deadline(clock::time_point when, std::error_code& error) const;
    /// As set_deadline, for writes alone. Go: SetWriteDeadline.
    void set_write_deadline(clock::time_point when) const;
    void set_write_deadline(clock::time_point when, std::error_code& error) const;

    /// Its own address. Does not block. Go: LocalAddr.
    endpoint local_addr() const;
    endpoint local_addr(std::error_code& error) const;
};

}  // namespace detail

/// A connection: a stream of bytes in both directions, or, for "udp" and "unixgram", of messages to
/// and from one address. Go: net.Conn.
class conn : public detail::data_socket {
  public:
    /// No connection: every operation fails with net_errc::closed.
    conn() noexcept = default;
    using data_socket::data_socket;

    /// Reads the available bytes, at most to.size(), waiting for the first. Returns their number; 0
    /// at the peer's orderly end, and for an empty buffer. With messages it reads one message;
    /// bytes that do not fit are lost. Go: Read.
    std::size_t read(std::span<std::byte> to) const;
    std::size_t read(std::span<std::byte> to, std::error_code& error) const;
    std::size_t read_some(std::span<std::byte> to) const { return read(to); }
    std::size_t read_some(std::span<std::byte> to, std::error_code& error) const {
        return read(to, error);
    }
    /// Reads until the buffer is full; returns less only at the peer's end. Go: io.ReadFull.
    std::size_t read_full(std::span<std::byte> to) const;
    std::size_t read_full(std::span<std::byte> to, std::error_code& error) const;

    /// Writes all of it and returns from.size(), or fails: then a part may have been sent. No
    /// SIGPIPE is raised. Go: Write.
    std::size_t write(std::span<const std::byte> from) const;
    std::size_t write(std::span<const std::byte> from, std::error_code& error) const;
    std::size_t write(std::string_view text) const { return write(std::as_bytes(std::span(text))); }
    std::size_t write(std::string_view text, std::error_code& error) const {
        return write(std::as_bytes(std::span(text)), error);
    }
    /// As above for several pieces, one after another, with few system calls; together they are one
    /// message on a connection of messages. Throws std::bad_alloc. Go: net.Buffers.
    std::size_t write(std::span<const std::span<const std::byte>> pieces) const;
    std::size_t write(std::span<const std::span<const std::byte>> pieces,
                      std::error_code& error) const;

    /// Sends `count` bytes of a regular file, from `offset` on, without copying them through the
    /// program. Returns the number of bytes sent: fewer only if the file ends before. Blocks; it
    /// waits for the disk as rota::blocking does. `from` is an os::file. Throws as write does;
    /// std::errc::invalid_argument if `from` is no regular file, for messages, and if the file
    /// system cannot do it: nothing has been sent then. Go: TCPConn.ReadFrom.
    template <class File>
    std::uint64_t send_file(const File& from, std::int64_t offset, std::uint64_t count) const {
        return send_from(from.descriptor(), offset, count);
    }
    template <class File>
    std::uint64_t send_file(const File& from, std::int64_t offset, std::uint64_t count,
                            std::error_code& error) const {
        return send_from(from.descriptor(), offset, count, error);
    }

    /// Ends the written stream: the peer reads its rest and then 0 bytes. Reading continues. Go:
    /// CloseWrite.
    void close_write() const;
    void close_write(std::error_code& error) const;

    /// The peer's address. Does not block. Go: RemoteAddr.
    endpoint remote_addr() const;
    endpoint remote_addr(std::error_code& error) const;

    /// Whether TCP sends small pieces at once, which is the default. Go: SetNoDelay.
    void set_no_delay(bool on) const;
    void set_no_delay(bool on, std::error_code& error) const;

  private:
    std::uint64_t send_from(rt::fd* from, std::int64_t offset, std::uint64_t count) const;
    std::uint64_t send_from(rt::fd* from, std::int64_t offset, std::uint64_t count,
                            std::error_code& error) const;
};

/// Accepts connections. Go: net.Listener.
class listener : public detail::socket {
  public:
    /// No listener: every operation fails with net_errc::closed.
    listener() noexcept = default;
    using socket::socket;

    /// Waits for the next connection. EMFILE and ENFILE, if no descriptor is free, are reported to
    /// the caller; the connection keeps waiting. Go: Accept.
    conn accept() const;
    conn accept(std::error_code& error) const;
    /// As above; `peer` becomes the remote address, without a further system call.
    conn accept(endpoint& peer, std::error_code& error) const;

    /// Where it listens, with the port that the kernel has chosen for port 0. Go: Addr.
    endpoint addr() const;
    endpoint addr(std::error_code& error) const;

    /// From this moment on accept fails with std::errc::timed_out; clock::time_point{} removes the
    /// deadline. Go: SetDeadline.
    void set_deadline(clock::time_point when) const;
    void set_deadline(clock::time_point when, std::error_code& error) const;
};

/// Sends and receives messages to and from any address. Go: net.PacketConn.
class packet_conn : public detail::data_socket {
  public:
    packet_conn() noexcept = default;
    using data_socket::data_socket;

    /// Receives one message; bytes that do not fit are lost. Returns its length in the buffer,
    /// which may be 0, and the sender's address. Go: ReadFrom.
    std::pair<std::size_t, endpoint> read_from(std::span<std::byte> to) const;
    std::pair<std::size_t, endpoint> read_from(std::span<std::byte> to,
                                               std::error_code& error) const;

    /// Sends one message. Go: WriteTo.
    std::size_t write_to(std::span<const std::byte> from, const endpoint& to) const;
    std::size_t write_to(std::span<const std::byte> from, const endpoint& to,
                         std::error_code& error) const;

    /// As local_addr.
    endpoint addr() const { return local_addr(); }
};

/// Listens at an address. `network` is "tcp", "tcp4", "tcp6" or "unix"; `address` is host:port for
/// the first three, where an empty host means every address of this machine and port 0 a free port
/// ("127.0.0.1:0", ":8080", "[::1]:0"), or a path. A name as the host is looked up, which blocks.
/// When a Unix listener is closed, its path is removed, unless another file (by device and inode)
/// is there by then.
///
/// The first listener of the process raises the soft limit of descriptors (RLIMIT_NOFILE) to the
/// hard one, as a Go program does at its start; a limit that the program sets later stays. Programs
/// that os::command starts get the limit from before. Go: net.Listen.
listener listen(std::string_view network, std::string_view address);
listener listen(std::string_view network, std::string_view address, std::error_code& error);

/// Connects to an address: the networks of listen, and "udp", "udp4", "udp6", "unixgram". The
/// several addresses of a name are tried in turn. Once 300 ms have passed without success, the
/// addresses of the second family are tried as well, and the first connection wins. The error is
/// that of the first address. Go: net.Dial.
conn dial(std::string_view network, std::string_view address);
conn dial(std::string_view network, std::string_view address, std::error_code& error);

/// As above for no longer than the context; then the error is ctx.err(). Each of several addresses
/// gets its share of the remaining time. Go: Dialer.DialContext.
conn dial(context ctx, std::string_view network, std::string_view address);
conn dial(context ctx, std::string_view network, std::string_view address, std::error_code& error);

/// Opens a socket for messages: "udp", "udp4", "udp6" or "unixgram", the address as for listen. Go:
/// net.ListenPacket.
packet_conn listen_packet(std::string_view network, std::string_view address);
packet_conn listen_packet(std::string_view network, std::string_view address,
                          std::error_code& error);

/// The address of that name for that network, the first that dial would try. Go: net.ResolveTCPAddr
/// and similar functions.
endpoint resolve(std::string_view network, std::string_view address);
endpoint resolve(std::string_view network, std::string_view address, std::error_code& error);

/// The addresses of a name, by the C library's lookup, in its order and without duplicates. At most
/// 64 lookups run at once, each on its own thread meanwhile; further lookups wait. Go:
/// net.LookupHost.
rota::detail::vector<std::string> lookup_host(std::string_view name);
rota::detail::vector<std::string> lookup_host(std::string_view name, std::error_code& error);

}  // namespace rota::net
