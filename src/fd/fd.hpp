// fd: an open descriptor that several handles share and several goroutines use.
//
// Handles are counted; the last one to go closes. A call holds the object's mutex for its direction
// (fd/fd_mutex.hpp), so that whatever happens meanwhile the number stays this object's. Closing
// marks the object, wakes those who wait, and waits until the last call has left and given the
// number back: then, and not earlier, the kernel may give it to somebody else (kb34). Calls on a
// descriptor that does not block are plain system calls: no p is handed off for them. Those on a
// file that nobody can poll are system calls as blocking() makes them; a close does not wait for
// them, since nothing would end them.
//
// Results are 0 or more, or an errno value with its sign turned, or -error_closed. Go: poll.FD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "fd/fd_mutex.hpp"
#include "netpoll/poll_desc.hpp"

struct iovec;
struct sockaddr;

namespace rota::rt {

// The object is closed: no errno value.
inline constexpr int error_closed = 4096;

class alignas(cache_line) fd {
  public:
    enum class kind : std::uint8_t {
        tcp,       // what is sent may be cut anywhere; a read that is short has read all there was
        stream,    // likewise, but a read may stop short: before descriptors that are passed along
        datagram,  // messages that are kept apart
        local_datagram,  // likewise, within this machine
        file,            // pipes, terminals, and whatever else is written and read as a file
        regular,         // likewise; writing to it breaks no pipe
    };

    // Makes an object of a descriptor that does not block, with one handle. 0, and the number is
    // the object's; otherwise an errno value, and it is the caller's still. EPERM: it cannot be
    // polled.
    [[nodiscard]] static int open(int number, kind k, fd*& made) noexcept;
    // The same of one that blocks, or cannot be polled: a file. 0 or ENOMEM.
    [[nodiscard]] static int open_blocking(int number, kind k, fd*& made) noexcept;

    // What it is called, for as long as the object lives. Throws std::bad_alloc. Caller: before
    // anybody else knows the object.
    void set_name(std::string_view name);
    std::string_view name() const { return name_ != nullptr ? name_ : std::string_view(); }
    // The same, and that is the path of a socket that is bound: the file is removed when this
    // object is closed, unless the path leads to another file by then.
    void unlink_at_close(std::string_view path);

    // --- handles ---------------------------------------------------------------------
    void retain() noexcept {
        handles_.fetch_add(1, memory_order_relaxed);  // relaxed: the caller has one
    }
    void release() noexcept;

    // --- calls: by any goroutine or thread that has a handle; they block as they must --
    std::int64_t read(void* to, std::size_t size);
    // As read, but what is there stays.
    std::int64_t peek(void* to, std::size_t size);
    // Waits as a read would: 0, or an error. Then there is something, as a rule; try_read tells.
    int wait_readable();
    // As read, but -EAGAIN where that would wait.
    std::int64_t try_read(void* to, std::size_t size);
    // The next reads give this first. Throws std::bad_alloc; -error_closed.
    int unread(const void* from, std::size_t size);
    // All, or an error.
    std::int64_t write(const void* from, std::size_t size);
    std::int64_t write_parts(iovec* parts, std::size_t count);  // changes them: to the rest
    std::int64_t receive_from(void* to, std::size_t size, sockaddr* from, std::uint32_t& from_size);
    // -EAGAIN from a local_datagram whose receiver has no room: the kernel does not tell when it
    // has some, but after each vain attempt that the sender has, so who waited for that would go
    // round.
    std::int64_t send_to(const void* from, std::size_t size, const sockaddr* to,
                         std::uint32_t to_size);
    // From a regular file, from `offset` on, without a copy: how much of it has been sent, which is
    // less than `count` if the file ends before that, or at an error that the next call meets
    // again. -EINVAL: that cannot be done with this file.
    std::int64_t send_file(fd& from, std::int64_t offset, std::uint64_t count);
    // A new descriptor, of the kind that accepts() tells.
    int accept(sockaddr* from = nullptr, std::uint32_t* from_size = nullptr);
    kind accepts() const { return kind_; }
    bool is_regular() const { return kind_ == kind::regular; }
    // 0, or an error: until the connection stands.
    int connect(const sockaddr* to, std::uint32_t size);

    // --- calls for files ---------------------------------------------------------------
    std::int64_t read_file(void* to, std::size_t size);
    std::int64_t write_file(const void* from, std::size_t size);  // all, or an error
    // At a place in the file; several at once.
    std::int64_t read_file_at(void* to, std::size_t size, std::int64_t offset);
    std::int64_t write_file_at(const void* from, std::size_t size, std::int64_t offset);
    int sync();
    std::int64_t seek(std::int64_t offset, int whence);
    // Others, whom nobody here knows, may read, write and seek by the same open file from now on:
    // so calls at its position are left to the kernel, which lets them come one after the other. A
    // call that is under way is made as it has begun; await_position() waits for it.
    void share_position() noexcept {
        shares_position_.store(true, memory_order_relaxed);  // relaxed: see above
    }
    void await_position();
    // call(number) until it does not say -EAGAIN, as a read would be made.
    template <class Call>
    std::int64_t await_read(Call call);

    int shutdown(int how);
    int set_option(int level, int name, int value);
    // A moment of the runtime's clock, 0 for none. -EOPNOTSUPP: nobody can poll it.
    int set_deadline(bool of_reads, bool of_writes, std::int64_t when);
    // Writes fail with -ETIMEDOUT when no byte has moved for `ns`: neither from the caller to the
    // kernel, nor from the kernel to the peer. 0: never. Caller: before it writes.
    void set_write_stall(std::int64_t ns) {
        write_stall_ns_.store(ns, memory_order_relaxed);  // relaxed: the writer is the caller, or
                                                          // is ordered behind it otherwise
    }
    // The open file, which other programs share, blocks from now on: so our calls are handed off,
    // have no deadline, and a close does not wait for them. 0, or an error. Caller: inside use().
    int make_blocking() noexcept;
    // f(number) while the number is ours.
    template <class F>
    auto use(F f) -> decltype(f(0)) {
        if (!enter()) return -error_closed;
        const auto result = f(number_);
        leave();
        return result;
    }
    // The same for what may block the thread: the p is free for others meanwhile.
    template <class F>
    auto use_blocking(F f) -> decltype(f(0));

    // 0, -error_closed if it was closed before, or what the kernel says of the end of a file.
    int close();

    // The number; -1 once it is closed.
    int number() const { return mu_.is_closed() ? -1 : number_; }

  private:
    // relaxed: a call that has not seen it yet blocks its thread, from which sysmon takes the p
    bool blocks() const { return poll_ == nullptr || blocks_.load(memory_order_relaxed); }
    bool is_file() const { return kind_ >= kind::file; }
    bool has_messages() const { return kind_ == kind::datagram || kind_ == kind::local_datagram; }
    template <bool (fd_mutex::*take)(), bool (fd_mutex::*drop)()>
    class turn;
    using reading = turn<&fd_mutex::acquire_read, &fd_mutex::release_read>;
    using writing = turn<&fd_mutex::acquire_write, &fd_mutex::release_write>;
    // Of a regular file, which has one position: whether it is read, written or moved.
    using positioned = reading;

    fd(int number, kind k, poll_desc* d) : number_(number), kind_(k), poll_(d) {}
    ~fd();

    bool enter() { return mu_.acquire(); }
    void leave() {
        if (mu_.release()) give_number_back();
    }
    void give_number_back();
    // The second half of close(): wakes whoever waits inside. True: nobody is, the number is given
    // back.
    bool shut();
    // Waits for room to write. 0, or an error as of poll_wait.
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
    // The rest of a write whose first call has returned n: less than `size`, or an error.
    std::int64_t write_on(const char* bytes, std::size_t size, std::int64_t n);
    bool has_drained(std::int64_t n, std::size_t size) const;
    struct reading_now;
    struct ordered;
    std::int64_t receive(void* to, std::size_t size);  // from a kind::tcp
    std::int64_t receive_again(std::int64_t n, void* to, std::size_t size);
    std::int64_t wait_to_receive(void* to, std::size_t size);
    std::int64_t receive_other(void* to, std::size_t size);  // from one of the other kinds
    std::int64_t take_returned(void* to, std::size_t size, bool stays);

    // --- fixed -------------------------------------------------------------------------
    const int number_;
    const kind kind_;
    poll_desc* const poll_;  // null: it blocks
    char* name_ = nullptr;
    struct bound_file;
    bound_file* bound_ = nullptr;  // what the name leads to, if that is to be removed

    // --- owner: who holds the mutex for reading -------------------------------------------
    bool drained_ = false;  // the last read has taken all there was: the next one waits first
    struct returned;
    returned* returned_ = nullptr;  // what unread() has put before the rest; null: nothing

    // --- owner: who gives the number back; handed on with gone_ ----------------------------
    int close_result_ = 0;

    // --- anyone ------------------------------------------------------------------------------
    fd_mutex mu_;
    atomic<bool> blocks_{false};           // though it can be polled; it never becomes false again
    atomic<bool> shares_position_{false};  // it never becomes false again
    atomic<std::int64_t> write_stall_ns_{0};  // ns; 0: writes may wait for ever
    atomic<std::uint32_t> handles_{1};        // pairs(fd.handles): the last one out sees all
    atomic<bool> over_{false};                // a close() has seen the last one go
    atomic<std::uint32_t> gone_{0};           // a semaphore: 1 when the number has been given back
};

}  // namespace rota::rt
