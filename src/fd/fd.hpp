// fd: an open descriptor that several handles share and several goroutines use.
//
// Handles are counted; the last handle to go closes. A call holds the object's mutex for its
// direction (fd/fd_mutex.hpp), so that the number stays this object's for the whole call. A close
// marks the object, wakes the waiting calls, and waits until the last call has left and given the
// number back. Only then may the kernel give the number to another file (kb34). Calls on a
// non-blocking descriptor are plain system calls: no p is handed off for them. Calls on a file that
// cannot be polled are system calls as blocking() makes them. A close does not wait for those,
// since nothing would end them.
//
// Results are 0 or more, a negative errno value, or -error_closed. Go: poll.FD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "fd/error_closed.hpp"
#include "fd/fd_mutex.hpp"
#include "netpoll/poll_desc.hpp"

struct iovec;
struct sockaddr;

namespace rota::rt {

class alignas(cache_line) fd {
  public:
    enum class kind : std::uint8_t {
        tcp,             // a write may be cut anywhere; a short read has emptied the socket
        stream,          // the same, but reads also stop short at passed descriptors
        datagram,        // messages that are kept apart
        local_datagram,  // the same, within this machine
        file,            // pipes, terminals, and other files that are read and written
        regular,         // a regular file; writing to it raises no SIGPIPE
    };

    // Makes an object with one handle from a non-blocking descriptor. 0: the number is the
    // object's. Otherwise an errno value, and the number stays the caller's. EPERM: it cannot be
    // polled.
    [[nodiscard]] static int open(int number, kind k, fd*& made) noexcept;
    // The same for a file: a descriptor that blocks, or cannot be polled. 0 or ENOMEM.
    [[nodiscard]] static int open_blocking(int number, kind k, fd*& made) noexcept;

    // Sets the object's name, for as long as it lives. Throws std::bad_alloc. Caller: before
    // another thread knows the object.
    void set_name(std::string_view name);
    std::string_view name() const { return name_ != nullptr ? name_ : std::string_view(); }
    // Sets the name, the path of a bound socket. close() removes the file, unless the path then
    // leads to a different file.
    void unlink_at_close(std::string_view path);

    // --- handles ---------------------------------------------------------------------
    void retain() noexcept {
        handles_.fetch_add(1, memory_order_relaxed);  // relaxed: the caller has a handle
    }
    void release() noexcept;

    // --- calls: by any goroutine or thread with a handle; they block as needed ----------
    std::int64_t read(void* to, std::size_t size);
    // read() that leaves the bytes there.
    std::int64_t peek(void* to, std::size_t size);
    // Waits as a read would: 0, or an error. After 0 there is data as a rule; try_read tells.
    int wait_readable();
    // read() that returns -EAGAIN instead of waiting.
    std::int64_t try_read(void* to, std::size_t size);
    // The next reads return these bytes first. Throws std::bad_alloc; -error_closed.
    int unread(const void* from, std::size_t size);
    // Writes every byte, or returns an error.
    std::int64_t write(const void* from, std::size_t size);
    std::int64_t write_parts(iovec* parts, std::size_t count);  // leaves the rest in `parts`
    std::int64_t receive_from(void* to, std::size_t size, sockaddr* from, std::uint32_t& from_size);
    // -EAGAIN from a local_datagram whose receiver has no room: the kernel does not report when the
    // receiver has room. After each failed try it reports that the sender has room, so a caller
    // that waited for `ready` would spin.
    std::int64_t send_to(const void* from, std::size_t size, const sockaddr* to,
                         std::uint32_t to_size);
    // Sends from a regular file, from `offset` on, without a copy. Returns the number of bytes
    // sent. That is less than `count` if the file ends, or at an error that the next call meets
    // again. -EINVAL: this file cannot be sent in this way.
    std::int64_t send_file(fd& from, std::int64_t offset, std::uint64_t count);
    // A new descriptor, of the kind that accepts() returns.
    int accept(sockaddr* from = nullptr, std::uint32_t* from_size = nullptr);
    kind accepts() const { return kind_; }
    bool is_regular() const { return kind_ == kind::regular; }
    // Waits until the connection stands: 0, or an error.
    int connect(const sockaddr* to, std::uint32_t size);

    // --- calls for files ---------------------------------------------------------------
    std::int64_t read_file(void* to, std::size_t size);
    std::int64_t write_file(const void* from, std::size_t size);  // every byte, or an error
    // At an offset of the file; several calls at once.
    std::int64_t read_file_at(void* to, std::size_t size, std::int64_t offset);
    std::int64_t write_file_at(const void* from, std::size_t size, std::int64_t offset);
    int sync();
    std::int64_t seek(std::int64_t offset, int whence);
    // Another process may read, write and seek by the same open file from now on. So calls at its
    // position are left to the kernel, which serialises them. A call under way goes on as it began;
    // await_position() waits for it.
    void share_position() noexcept {
        shares_position_.store(true, memory_order_relaxed);  // relaxed: see above
    }
    void await_position();
    // Repeats call(number) while it returns -EAGAIN, as a read would.
    template <class Call>
    std::int64_t await_read(Call call);

    int shutdown(int how);
    int set_option(int level, int name, int value);
    // A moment of the runtime's clock, 0 for none. -EOPNOTSUPP: the descriptor cannot be polled.
    int set_deadline(bool of_reads, bool of_writes, std::int64_t when);
    // Writes fail with -ETIMEDOUT when no byte has moved for `ns`: neither from the caller to the
    // kernel, nor from the kernel to the peer. 0: never. Caller: before it writes.
    void set_write_stall(std::int64_t ns) {
        write_stall_ns_.store(ns, memory_order_relaxed);  // relaxed: the writer is the caller, or
                                                          // is ordered after it
    }
    // The open file, which other programs share, blocks from now on. So our calls are handed off
    // and have no deadline, and a close does not wait for them. 0, or an error. Caller: inside
    // use().
    int make_blocking() noexcept;
    // Calls f(number) while the number is ours.
    template <class F>
    auto use(F f) -> decltype(f(0)) {
        if (!enter()) return -error_closed;
        const auto result = f(number_);
        leave();
        return result;
    }
    // The same for an f that may block the thread: the p is handed off meanwhile.
    template <class F>
    auto use_blocking(F f) -> decltype(f(0));

    // 0, -error_closed if it was closed before, or the kernel's result of closing a file.
    int close();

    // The number; -1 once it is closed.
    int number() const { return mu_.is_closed() ? -1 : number_; }

  private:
    // relaxed: a call that has not seen it yet blocks its thread, from which sysmon retakes the p
    bool blocks() const { return poll_ == nullptr || blocks_.load(memory_order_relaxed); }
    bool is_file() const { return kind_ >= kind::file; }
    bool has_messages() const { return kind_ == kind::datagram || kind_ == kind::local_datagram; }
    template <bool (fd_mutex::*take)(), bool (fd_mutex::*drop)()>
    class turn;
    using reading = turn<&fd_mutex::acquire_read, &fd_mutex::release_read>;
    using writing = turn<&fd_mutex::acquire_write, &fd_mutex::release_write>;
    // The turn at a regular file's single position, for reads, writes and seeks.
    using positioned = reading;

    fd(int number, kind k, poll_desc* d) : number_(number), kind_(k), poll_(d) {}
    ~fd();

    bool enter() { return mu_.acquire(); }
    void leave() {
        if (mu_.release()) give_number_back();
    }
    void give_number_back();
    // The second half of close(): wakes the calls that wait inside. True: none is inside, the
    // number is given back.
    bool shut();
    // Waits for room to write. 0, or an error of poll_wait.
    int wait_for_room();
    int wait_for_room(std::int64_t stall_ns);
    template <class Call>
    std::int64_t try_until_done(poll_dir dir, Call call);
    template <class Call>
    std::int64_t try_file(poll_dir dir, Call call);
    template <class Write>
    std::int64_t write_all(const void* from, std::size_t size, Write write);
    std::int64_t read_regular(void* to, std::size_t size);
    std::int64_t write_regular(const void* from, std::size_t size);
    bool has_position_alone() const {
        return !shares_position_.load(memory_order_relaxed);  // relaxed: see share_position()
    }
    std::int64_t write_some(const char* from, std::size_t size);
    // Writes the rest after a first call returned n: less than `size`, or an error.
    std::int64_t write_on(const char* bytes, std::size_t size, std::int64_t n);
    bool has_drained(std::int64_t n, std::size_t size) const;
    struct reading_now;
    struct ordered;
    std::int64_t receive(void* to, std::size_t size);  // from a kind::tcp
    std::int64_t receive_again(std::int64_t n, void* to, std::size_t size);
    std::int64_t wait_to_receive(void* to, std::size_t size);
    std::int64_t receive_other(void* to, std::size_t size);  // from any kind but tcp
    std::int64_t take_returned(void* to, std::size_t size, bool stays);

    // --- fixed -------------------------------------------------------------------------
    const int number_;
    const kind kind_;
    poll_desc* const poll_;  // null: it blocks
    char* name_ = nullptr;
    struct bound_file;
    bound_file* bound_ = nullptr;  // identity of the file of the name, to be removed; or null

    // --- owner: the holder of the mutex for reading ----------------------------------------
    bool drained_ = false;  // the last read emptied the socket: the next read waits first
    struct returned;
    returned* returned_ = nullptr;  // bytes from unread(), which come first; null: none

    // --- owner: the call that gives the number back; handed on with gone_ -------------------
    int close_result_ = 0;

    // --- anyone ------------------------------------------------------------------------------
    fd_mutex mu_;
    atomic<bool> blocks_{false};           // though it can be polled; it never becomes false again
    atomic<bool> shares_position_{false};  // it never becomes false again
    atomic<std::int64_t> write_stall_ns_{0};  // ns; 0: writes may wait for ever
    atomic<std::uint32_t> handles_{1};        // pairs(fd.handles): the last release sees every
                                              // write
    atomic<bool> over_{false};                // a close() has seen the last call go
    atomic<std::uint32_t> gone_{0};           // a semaphore: 1 when the number has been given back
};

}  // namespace rota::rt
