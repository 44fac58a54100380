// Networks: TCP, UDP and Unix sockets, as streams and as messages. Go: package net.
//
// Everything here blocks the goroutine, not the thread; called by a thread that rota did not start,
// it blocks that thread. Each call exists twice: one throws std::system_error, one takes a trailing
// std::error_code& and throws nothing but std::bad_alloc. Errors are those of the operating system
// and:
//   * net_errc::closed from an object that is closed, also if that happens during the call; a
//     second close is no error;
//   * std::errc::timed_out where a deadline has passed;
//   * what a context says that has ended.
// Objects are references: copies share one connection, which is closed when the last of them goes.
// Their operations may be called by any number of goroutines and threads at once; of those that
// read, one at a time is served, as of those that write.
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
    /// No address: of a Unix socket that has no name, for example.
    endpoint() noexcept = default;

    /// "127.0.0.1:80", "[::1]:80", "[fe80::1%eth0]:80"; the path of a Unix socket, with an @ in
    /// front of an abstract one; "" for no address. Go: String.
    std::string to_string() const;

    /// The address without the port and brackets; as to_string for a Unix socket.
    std::string host() const;

    /// The port; 0 for a Unix socket.
    std::uint16_t port() const noexcept;

    friend bool operator==(const endpoint& a, const endpoint& b) noexcept;

    /// For those who speak to the kernel themselves: a sockaddr, of `size` bytes of the `capacity`.
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

// What handles share: the reference, and what all sockets can do.
class socket {
  public:
    /// Whether this is a socket at all; a closed one is.
    explicit operator bool() const noexcept { return fd_ != nullptr; }
    friend bool operator==(const socket& a, const socket& b) noexcept { return a.fd_ == b.fd_; }

    /// Closes it: calls that are under way, and all later ones, end with net_errc::closed. Returns
    /// when the last of them has left and the number is the kernel's again. Closing twice is no
    /// error. Blocks for as long as those calls need to leave; may migrate. Go: Close.
    void close() const;
    void close(std::error_code& error) const;

    /// The descriptor's number, or -1 if it is closed. It stays rota's: it must not be closed, made
    /// to block, or used after the socket has been closed. Go: SyscallConn.
    int fd() const noexcept;

    /// For rota's libraries: takes over one handle; what the handles share.
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

    /// From this moment on reads and writes fail with std::errc::timed_out, those under way
    /// included; clock::time_point{} takes the deadline back. A call that fails by it has consumed
    /// nothing, a write may have sent a part. Does not block. Go: SetDeadline.
    void set_deadline(clock::time_point when) const;
    void set_deadline(clock::time_point when, std::error_code& error) const;
    /// The same for reads alone. Go: SetReadDeadline.
    void set_read_deadline(clock::time_point when) const;
    void set_read_deadline(clock::time_point when, std::error_code& error) const;
    /// The same for writes alone. Go: SetWriteDeadline.
    void set_write_deadline(clock::time_point when) const;
    void set_write_deadline(clock::time_point when, std::error_code& error) const;

    /// Its own address. Does not block. Go: LocalAddr.
    endpoint local_addr() const;
    endpoint local_addr(std::error_code& error) const;
};

}  // namespace detail

/// A connection: a stream of bytes in both directions, or, if it is one of "udp" or "unixgram", of
/// messages to and from one address. Go: net.Conn.
class conn : public detail::data_socket {
  public:
    /// No connection: every operation fails with net_errc::closed.
    conn() noexcept = default;
    using data_socket::data_socket;

    /// Reads what is there, at most to.size() bytes, waiting for the first: returns how many, 0 at
    /// the peer's orderly end, and for an empty buffer. Of messages, one: what does not fit is
    /// lost. Go: Read.
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
    /// The same for several pieces, one behind the other, with few system calls; one message, of
    /// messages. Throws std::bad_alloc. Go: net.Buffers.
    std::size_t write(std::span<const std::span<const std::byte>> pieces) const;
    std::size_t write(std::span<const std::span<const std::byte>> pieces,
                      std::error_code& error) const;

    /// Sends `count` bytes of a regular file, from `offset` on, without copying them through the
    /// program. Returns how many have been sent: fewer only if the file ends before. Blocks; the
    /// disk is waited for as by rota::blocking. `from` is an os::file. Throws as write does;
    /// std::errc::invalid_argument for what is no regular file, for messages, and where the file
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

    /// Ends what is written: the peer reads to the end of it and then 0 bytes. Reading goes on. Go:
    /// CloseWrite.
    void close_write() const;
    void close_write(std::error_code& error) const;

    /// The peer's address. Does not block. Go: RemoteAddr.
    endpoint remote_addr() const;
    endpoint remote_addr(std::error_code& error) const;

    /// Whether TCP sends small pieces at once, which is so unless somebody says otherwise. Go:
    /// SetNoDelay.
    void set_no_delay(bool on) const;
    void set_no_delay(bool on, std::error_code& error) const;

  private:
    std::uint64_t send_from(rt::fd* from, std::int64_t offset, std::uint64_t count) const;
    std::uint64_t send_from(rt::fd* from, std::int64_t offset, std::uint64_t count,
                            std::error_code& error) const;
};

/// Takes connections. Go: net.Listener.
class listener : public detail::socket {
  public:
    /// No listener: every operation fails with net_errc::closed.
    listener() noexcept = default;
    using socket::socket;

    /// Waits for the next connection. EMFILE and ENFILE, where there is no descriptor to be had,
    /// are the caller's to see: the connection waits. Go: Accept.
    conn accept() const;
    conn accept(std::error_code& error) const;
    /// The same; `peer` becomes the other side's address, without a call of its own.
    conn accept(endpoint& peer, std::error_code& error) const;

    /// Where it listens, with the port that the kernel has chosen for port 0. Go: Addr.
    endpoint addr() const;
    endpoint addr(std::error_code& error) const;

    /// From this moment on accept fails with std::errc::timed_out; clock::time_point{} takes that
    /// back. Go: SetDeadline.
    void set_deadline(clock::time_point when) const;
    void set_deadline(clock::time_point when, std::error_code& error) const;
};

/// Sends and receives messages to and from anybody. Go: net.PacketConn.
class packet_conn : public detail::data_socket {
  public:
    packet_conn() noexcept = default;
    using data_socket::data_socket;

    /// Receives one message; what does not fit is lost. Returns its length in the buffer, which may
    /// be 0, and who has sent it. Go: ReadFrom.
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
/// the first three, where no host means all of this machine's addresses and port 0 a free one
/// ("127.0.0.1:0", ":8080", "[::1]:0"), or a path. A name as the host is looked up, which blocks.
/// When a Unix listener is closed, its path is removed, unless another file (by device and inode)
/// is there by then. Go: net.Listen.
listener listen(std::string_view network, std::string_view address);
listener listen(std::string_view network, std::string_view address, std::error_code& error);

/// Connects to an address: the networks of listen, and "udp", "udp4", "udp6", "unixgram". Where a
/// name has several addresses they are tried in turn; those of the other family are tried as well
/// once 300 ms have passed without success, and the first connection wins. The error is that of the
/// first address. Go: net.Dial.
conn dial(std::string_view network, std::string_view address);
conn dial(std::string_view network, std::string_view address, std::error_code& error);

/// The same for no longer than the context: the error is ctx.err() then. Of several addresses each
/// gets its share of the time that is left. Go: Dialer.DialContext.
conn dial(context ctx, std::string_view network, std::string_view address);
conn dial(context ctx, std::string_view network, std::string_view address, std::error_code& error);

/// Opens a socket for messages: "udp", "udp4", "udp6" or "unixgram", the address as for listen. Go:
/// net.ListenPacket.
packet_conn listen_packet(std::string_view network, std::string_view address);
packet_conn listen_packet(std::string_view network, std::string_view address,
                          std::error_code& error);

/// The address of that name for that network, as dial would try it first. Go: net.ResolveTCPAddr
/// and its like.
endpoint resolve(std::string_view network, std::string_view address);
endpoint resolve(std::string_view network, std::string_view address, std::error_code& error);

/// The addresses of a name, by the C library's lookup, in its order and without duplicates. At most
/// 64 lookups are under way at once, each on a thread of its own while it lasts; more wait. Go:
/// net.LookupHost.
rota::detail::vector<std::string> lookup_host(std::string_view name);
rota::detail::vector<std::string> lookup_host(std::string_view name, std::error_code& error);

}  // namespace rota::net
